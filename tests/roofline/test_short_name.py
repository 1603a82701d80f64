"""What people call cards: understood, ambiguous, or unknown, and never somebody else's card."""

from __future__ import annotations

from importlib.resources import files
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.nominal import Card, parse
from roofwatch.roofline.short_name import LONGEST, match, mig

CARDS = parse((files("roofwatch") / "nominal.toml").read_text(encoding="utf-8"), "nominal.toml")


def keys(name: str) -> set[str]:
    return {card.key for card in match(name, CARDS)}


UNDERSTOOD = [
    ("K80", "k80"),
    ("Tesla P40", "p40"),
    ("P4", "p4"),
    ("1080 Ti", "gtx-1080-ti"),
    ("GTX1080Ti", "gtx-1080-ti"),
    ("GTX 1080", "gtx-1080"),
    ("Titan V", "titan-v"),
    ("TITAN RTX 24GB", "titan-rtx"),
    ("GTX 1660 Ti", "gtx-1660-ti"),
    ("2080", "rtx-2080"),
    ("2080 Super", "rtx-2080-super"),
    ("2080Ti", "rtx-2080-ti"),
    ("Quadro RTX 6000", "quadro-rtx-6000"),
    ("RTX 6000 24GB", "quadro-rtx-6000"),
    ("RTX 8000", "quadro-rtx-8000"),
    ("A2000 12GB", "rtx-a2000-12"),
    ("RTX A2000 6GB", "rtx-a2000-6"),
    ("T4", "t4"),
    ("tesla t4", "t4"),
    ("Nvidia T4 16GB", "t4"),
    ("P100 SXM2", "p100-sxm2-16"),
    ("P100 12GB", "p100-pcie-12"),
    ("V100 SXM2 16GB", "v100-sxm2-16"),
    ("V100-PCIE-32G", "v100-pcie-32"),
    ("V100S", "v100s-pcie-32"),
    ("A100 80GB SXM", "a100-sxm4-80"),
    ("A100-SXM-80GB", "a100-sxm4-80"),
    ("A100 SXM4 80 GB", "a100-sxm4-80"),
    ("A100 (SXM4, 80 GiB, HBM2e)", "a100-sxm4-80"),
    ("A100 80GB PCIe", "a100-pcie-80"),
    ("A100-PCIe-80G", "a100-pcie-80"),
    ("a100pcie 40gb", "a100-pcie-40"),
    ("A100 PCI-E 40GB", "a100-pcie-40"),
    ("A100 PCI Express 40GB", "a100-pcie-40"),
    ("A10", "a10"),
    ("A10G", "a10g"),
    ("A2", "a2"),
    ("A40", "a40"),
    ("A6000", "rtx-a6000"),
    ("RTX A6000", "rtx-a6000"),
    ("rtxa6000", "rtx-a6000"),
    ("3060 12GB", "rtx-3060-12"),
    ("3070", "rtx-3070"),
    ("3080 10 GB", "rtx-3080-10"),
    ("RTX 3080 12GB", "rtx-3080-12"),
    ("rtx-3080-12", "rtx-3080-12"),
    ("3080 Ti", "rtx-3080-ti"),
    ("3090", "rtx-3090"),
    ("3090 Ti", "rtx-3090-ti"),
    ("3090ti", "rtx-3090-ti"),
    ("L4", "l4"),
    ("L40", "l40"),
    ("L40S", "l40s"),
    ("NVIDIA L40S GPU", "l40s"),
    ("RTX 6000 Ada", "rtx-6000-ada"),
    ("rtx6000ada", "rtx-6000-ada"),
    ("6000 Ada Generation", "rtx-6000-ada"),
    ("RTX 4000 Ada", "rtx-4000-ada"),
    ("RTX 4000 SFF Ada", "rtx-4000-sff-ada"),
    ("4060 Ti", "rtx-4060-ti"),
    ("RTX 4070", "rtx-4070"),
    ("4070 Ti", "rtx-4070-ti"),
    ("4070 SUPER", "rtx-4070-super"),
    ("4070 Super Ti", "rtx-4070-ti-super"),
    ("rtx4070tisuper", "rtx-4070-ti-super"),
    ("4090", "rtx-4090"),
    ("RTX 4090", "rtx-4090"),
    ("rtx4090", "rtx-4090"),
    ("RTX_4090", "rtx-4090"),
    ("GeForce RTX 4090 Graphics Card", "rtx-4090"),
    ("NVIDIA® GeForce RTX™ 4090", "rtx-4090"),
    ("NVIDIA(R) GeForce(R) RTX(TM) 4090 Founders Edition", "rtx-4090"),
    ("RTX 4090 24GB GDDR6X", "rtx-4090"),
    ("RTX 4090 (Ada)", "rtx-4090"),
    ("RTX\u00a04090", "rtx-4090"),
    ("4090 D", "rtx-4090-d"),
    ("4090D", "rtx-4090-d"),
    ("H100 SXM", "h100-sxm5-80"),
    ("H100 SXM5", "h100-sxm5-80"),
    ("H100 SXM5 80GB", "h100-sxm5-80"),
    ("H100-SXM5-80GB HBM3", "h100-sxm5-80"),
    ("h100 80gb hbm3", "h100-sxm5-80"),
    ("H100 PCIe", "h100-pcie-80"),
    ("H100-PCIE", "h100-pcie-80"),
    ("h100pcie", "h100-pcie-80"),
    ("H100 NVL", "h100-nvl-94"),
    ("H100 94GB", "h100-nvl-94"),
    ("H800 PCIe", "h800-pcie-80"),
    ("H20", "h20-96"),
    ("H20-3e", "h20-3e-141"),
    ("H20 141GB", "h20-3e-141"),
    ("H200", "h200-sxm-141"),
    ("h200 141gb", "h200-sxm-141"),
    ("H200 SXM", "h200-sxm-141"),
    ("H200 SXM5", "h200-sxm-141"),
    ("H200 NVL", "h200-nvl-141"),
    ("GH200 480GB", "gh200-96"),
    ("GH200 96GB", "gh200-96"),
    ("GH200 144GB", "gh200-144"),
    ("B200", "b200-sxm-180"),
    ("B200 SXM", "b200-sxm-180"),
    ("GB200", "gb200-186"),
    ("B300", "b300-sxm-270"),
    ("5070 Ti", "rtx-5070-ti"),
    ("5060 Ti", "rtx-5060-ti"),
    ("5090", "rtx-5090"),
    ("RTX 5090 D", "rtx-5090-d"),
    ("RTX PRO 6000 Server", "rtx-pro-6000-server"),
    ("RTX PRO 6000 Workstation", "rtx-pro-6000-ws"),
    ("RTX PRO 6000 Max-Q", "rtx-pro-6000-maxq"),
    ("rtx pro 6000 blackwell maxq", "rtx-pro-6000-maxq"),
    ("GB10", "gb10"),
    ("DGX Spark", "gb10"),
    ("NVIDIA DGX Spark (GB10)", "gb10"),
    ("Jetson AGX Orin", "jetson-agx-orin-64"),
    ("MI210", "mi210"),
    ("Instinct MI250X", "mi250x-gcd"),
    ("MI300X", "mi300x"),
    ("AMD MI300X 192GB HBM3", "mi300x"),
    ("mi325x", "mi325x"),
    ("MI355X", "mi355x"),
    ("MI300A", "mi300a"),
    ("MI250", "mi250-gcd"),
    ("MI100", "mi100"),
    ("MI60", "mi60"),
    ("Radeon Instinct MI50", "mi50-16"),
    ("6900 XT", "rx-6900-xt"),
    ("RX6900XT", "rx-6900-xt"),
    ("Radeon RX 7900 XTX", "rx-7900-xtx"),
    ("7900xtx", "rx-7900-xtx"),
    ("7900 XT", "rx-7900-xt"),
    ("RX 6800", "rx-6800"),
    ("9070", "rx-9070"),
]


@pytest.mark.parametrize(("name", "key"), UNDERSTOOD, ids=[name for name, _ in UNDERSTOOD])
def test_understood(name: str, key: str) -> None:
    assert keys(name) == {key}
    assert keys(name.upper()) == keys(f"  {name.lower()} ") == {key}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P100", "p100-sxm2-16 p100-pcie-16 p100-pcie-12"),
        ("V100", "v100-sxm2-16 v100-sxm2-32 v100-pcie-16 v100-pcie-32"),
        ("V100 32GB", "v100-sxm2-32 v100-pcie-32"),
        ("A100", "a100-sxm4-40 a100-sxm4-80 a100-pcie-40 a100-pcie-80"),
        ("A100 80GB", "a100-sxm4-80 a100-pcie-80"),
        ("A100 SXM", "a100-sxm4-40 a100-sxm4-80"),
        ("A100 PCIe", "a100-pcie-40 a100-pcie-80"),
        ("RTX 3080", "rtx-3080-10 rtx-3080-12"),
        ("NVIDIA GeForce RTX 3080", "rtx-3080-10 rtx-3080-12"),
        ("3080", "rtx-3080-10 rtx-3080-12"),
        ("NVIDIA H100 Tensor Core GPU", "h100-sxm5-80 h100-pcie-80 h100-nvl-94"),
        ("H100", "h100-sxm5-80 h100-pcie-80 h100-nvl-94"),
        ("H100 80GB", "h100-sxm5-80 h100-pcie-80"),
        ("GH200", "gh200-96 gh200-144"),
        ("Titan", "titan-v titan-rtx"),
        ("RTX 4000", "quadro-rtx-4000 rtx-4000-ada rtx-4000-sff-ada"),
        ("RTX 5000", "quadro-rtx-5000 rtx-5000-ada"),
        ("AMD Instinct MI60 / MI50", "mi60 mi50-16"),
        ("AMD Instinct MI250X/MI250", "mi250x-gcd mi250-gcd"),
        ("RTX PRO 6000", "rtx-pro-6000-ws rtx-pro-6000-maxq rtx-pro-6000-server"),
    ],
)
def test_ambiguous(name: str, expected: str) -> None:
    assert keys(name) == set(expected.split())


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "-", "NVIDIA", "AMD Instinct", "GeForce", "GPU", "graphics card"),
        # what several cards share names none
        *("80GB", "80", "10", "SXM", "PCIe", "Ti", "D", "RTX", "HBM3", "Hopper", "Ada", "Jetson"),
        # parts of a token, and tokens too many
        *("A", "A1", "A100X", "L", "L400", "H10", "409", "40900", "MI300", "T", "1", "4070Tix"),
        *("RTX 4090 Laptop GPU", "RTX 4090 Mobile", "RTX 3080 Max-Q", "H100 CNX", "Orin NX"),
        # contradictions
        *("GTX 4090", "Quadro RTX 4090", "Quadro T4", "RTX A100", "RTX L4", "RX 4090"),
        *("A100 SXM5", "A100 SXM2", "H100 SXM4", "H100 PCIe SXM", "A100 40GB 80GB", "V100 80GB"),
        *("RTX 3060 8GB", "H100 PCIe HBM3", "RTX 4090 GDDR7", "RTX 4090 Ampere", "GH200 80GB"),
        # another card of that number, which the table lacks
        *("RTX 4070 16GB", "RTX 5070 16GB", "GTX 1660", "RTX 2060 SUPER", "RX 6700", "RX 7900"),
        *("MI60 16GB", "MI50 / MI60", "RX 6900 XTX", "GTX 1080 Ti SUPER", "TITAN X"),
        *("T4 T4G", "A100 vs H100", "NVIDIA A100-SXM4-80GB MIG 1g.10gb"),
    ],
)
def test_unknown(name: str) -> None:
    assert keys(name) == set()


@pytest.mark.parametrize(
    "sign", ["\0", "\n", "\r", "\t", "\x1b", "\x7f", "\x9b", "\u200b", "\ud800"]
)
def test_a_name_holds_no_control_characters(sign: str) -> None:
    for name in (f"Tesla{sign}T4", f"T4{sign}", f"{sign}T4", sign):
        assert match(name, CARDS) == ()
        assert mig(f"{name} MIG 1g.5gb") is None


def test_a_name_is_short() -> None:
    assert keys("T4" + " " * (LONGEST - 2)) == {"t4"}
    assert match("T4" + " " * (LONGEST - 1), CARDS) == ()
    for name in (10_000 * "a", 5_000 * "T4", 2_500 * "T4 -", 10_000 * "4090ti", 10_000 * "9"):
        assert match(name, CARDS) == ()
        assert mig(name + " MIG 1g.5gb") is None


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.key)
def test_every_card_is_found_by_its_names_and_its_key(card: Card) -> None:
    assert match(card.key, CARDS) == match(card.key.upper(), CARDS) == (card,)
    for name in card.names:
        same = tuple(other for other in CARDS if name in other.names)
        bare = name.removeprefix("NVIDIA ")
        for variant in (name, name.lower(), name.upper(), bare, f" NVIDIA {bare} "):
            assert match(variant, CARDS) == same
        # in tokens too, where the whole name does not decide; a name for two cards has none
        assert "/" in name or {c.key for c in same} <= keys(f"{name.replace(' ', '_')} GPU")


def test_a_users_card_is_found_too() -> None:
    mine = Card(key="mine", names=("NVIDIA H300 128GB",), bandwidth_gbs=1)
    cloud = Card(key="cloud", names=("Cloud",), bandwidth_gbs=1, memory_gb=7.5)
    cards = (*CARDS, mine, cloud, Card(key="odd", names=("NVIDIA",), bandwidth_gbs=1))
    assert match("H300", cards) == match("h300 128g", cards) == (mine,)
    assert match("cloud gpu", cards) == (cloud,)
    assert [card.key for card in match("nvidia", cards)] == ["odd"]  # as its owner calls it
    assert match("gpu", cards) == match("H300", CARDS) == match("T4", ()) == ()
    assert match("T4", iter(CARDS)) == match("T4", list(CARDS)) == match("T4", CARDS)


@given(st.text(max_size=2 * LONGEST))
def test_whatever_is_typed(name: str) -> None:
    assert all(card in CARDS for card in match(name, CARDS))
    mig(name)


WORDS = ["RTX", "4090", "3080", "Ti", "D", "A100", "80GB", "40GB", "SXM4", "SXM", "PCIe", "H100"]


@given(st.lists(st.sampled_from(WORDS), max_size=5), st.randoms())
def test_the_order_of_tokens_does_not_matter(words: list[str], random: Random) -> None:
    found = match(" ".join(words), CARDS)
    random.shuffle(words)
    assert match("-".join(words), CARDS) == found


def test_names_are_judged_once() -> None:
    for name, _ in UNDERSTOOD:
        assert match(name, CARDS) is match(name, CARDS)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("NVIDIA A100-SXM4-80GB MIG 1g.10gb", ("NVIDIA A100-SXM4-80GB", 1, 10)),
        ("NVIDIA A100-SXM4-40GB MIG 3g.20gb", ("NVIDIA A100-SXM4-40GB", 3, 20)),
        ("nvidia a100 80gb pcie mig 7g.80gb", ("nvidia a100 80gb pcie", 7, 80)),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb+me", ("NVIDIA H100 80GB HBM3", 1, 10)),
        ("NVIDIA H200 MIG 1g.18gb+me.all", ("NVIDIA H200", 1, 18)),
        ("NVIDIA-A100-SXM4-80GB-MIG-2g.20gb", ("NVIDIA-A100-SXM4-80GB", 2, 20)),
        ("A100 (MIG 1g.5gb)", ("A100", 1, 5)),
        ("A100 80GB 3g.40gb", ("A100 80GB", 3, 40)),
        ("H100 3G.40GB", ("H100", 3, 40)),
        ("A100 MIG 1c.3g.20gb", ("A100", 1, 20)),
        ("MIG 1g.10gb", ("", 1, 10)),
        ("3g.47.5gb", ("", 3, 47.5)),
        ("3g.40gb of an A100", ("of an A100", 3, 40)),
        ("NVIDIA A100-SXM4-80GB", None),
        ("A100 MIG", None),
        ("A100 0g.5gb", None),
        ("A100 1g.0gb", None),
        ("A100 11g.10gb", None),
        ("A100 x1g.10gb", None),
        ("A100 1g.10gbps", None),
        ("A100 1g.99999gb", None),
        ("1g", None),
        ("", None),
    ],
)
def test_mig(name: str, parts: tuple[str, int, float] | None) -> None:
    assert mig(name) == parts


def test_the_card_behind_a_slice() -> None:
    whole, slices, memory_gb = mig("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb") or ("", 0, 0)
    assert (keys(whole), slices, memory_gb) == ({"a100-sxm4-80"}, 1, 10)
