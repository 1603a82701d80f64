"""Names that look alike, cards that share one, and cards that nobody listed."""

from __future__ import annotations

from importlib.resources import files

import msgspec
import pytest

from roofwatch.roofline.lookup import Identity, Nominal, lookup
from roofwatch.roofline.nominal import Card, merge, parse

CARDS = parse((files("roofwatch") / "nominal.toml").read_text(encoding="utf-8"), "nominal.toml")
GIB = 1 << 30


def find(name: str, **known: object) -> Nominal:
    return lookup(Identity(name=name, **known), CARDS)  # type: ignore[arg-type]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.key)
def test_every_card_is_found_by_each_of_its_names(card: Card) -> None:
    for name in card.names:
        found = find(name, sm_count=card.sm_count)
        assert (found.key, found.origin) == (card.key, "table")
        bare = name.removeprefix("NVIDIA ")
        for variant in (bare, f" {name} ", f"NVIDIA {bare}", f"NVIDIA {bare}\n"):
            assert find(variant, sm_count=card.sm_count).key == card.key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("NVIDIA A10", "a10"),
        ("NVIDIA A10G", "a10g"),
        ("NVIDIA A100-SXM4-40GB", "a100-sxm4-40"),
        ("NVIDIA A100-PG509-200", "a100-sxm4-40"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80"),
        ("NVIDIA A100-PCIE-40GB", "a100-pcie-40"),
        ("NVIDIA A10M", None),
        ("NVIDIA A100-SXM-64GB", None),
        ("NVIDIA A100", None),
        ("NVIDIA RTX A1000", None),
        ("NVIDIA A2", "a2"),
        ("NVIDIA RTX A2000", "rtx-a2000-6"),
        ("NVIDIA RTX A2000 12GB", "rtx-a2000-12"),
        ("NVIDIA RTX A2000 Laptop GPU", None),
        ("NVIDIA A30", "a30"),
        ("NVIDIA A40", "a40"),
        ("NVIDIA RTX A400", None),
        ("Tesla T4", "t4"),
        ("T4", None),
        ("NVIDIA T400", None),
        ("NVIDIA L4", "l4"),
        ("NVIDIA L40", "l40"),
        ("NVIDIA L40S", "l40s"),
        ("nvidia l40s", None),
        ("NVIDIA H20", "h20-96"),
        ("NVIDIA H20-3e", "h20-3e-141"),
        ("NVIDIA H200", "h200-sxm-141"),
        ("NVIDIA H200 NVL", "h200-nvl-141"),
        ("NVIDIA GH200 480GB", "gh200-96"),
        ("NVIDIA GH200 144G HBM3e", "gh200-144"),
        ("NVIDIA H100", None),
        ("NVIDIA H100 PCIe", "h100-pcie-80"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm5-80"),
        ("NVIDIA H100 NVL", "h100-nvl-94"),
        ("NVIDIA B200", "b200-sxm-180"),
        ("NVIDIA GB200", "gb200-186"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA GeForce RTX 4090 D", "rtx-4090-d"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
        ("Quadro RTX 6000", "quadro-rtx-6000"),
        ("NVIDIA RTX 6000", None),
        ("NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-server"),
        ("NVIDIA A10-24Q", None),
        ("GRID T4-16Q", None),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", None),
        ("NVIDIA", None),
        ("", None),
    ],
)
def test_the_whole_name_or_nothing(name: str, key: str | None) -> None:
    found = find(name)
    assert found.key == key
    assert found.origin == ("table" if key else "none")
    if key is None:
        assert found.peaks_tflops == found.ridge == {}
        assert found.bandwidth_gbs is None
        assert "not in the table" in found.note


@pytest.mark.parametrize(
    ("known", "key", "by"),
    [
        ({"sm_count": 68}, "rtx-3080-10", "SM count"),
        ({"sm_count": 70}, "rtx-3080-12", "SM count"),
        ({"bus_bits": 320}, "rtx-3080-10", "bus width"),
        ({"bus_bits": 384}, "rtx-3080-12", "bus width"),
        ({"memory_bytes": 10 * GIB}, "rtx-3080-10", "memory"),
        ({"memory_bytes": 12 * GIB - 300 * 2**20}, "rtx-3080-12", "memory"),
        # a modified board: more memory, the same chip
        ({"sm_count": 68, "memory_bytes": 20 * GIB}, "rtx-3080-10", "SM count"),
    ],
)
def test_the_two_rtx_3080(known: dict[str, int], key: str, by: str) -> None:
    found = find("NVIDIA GeForce RTX 3080", **known)
    assert (found.origin, found.key) == ("table", key)
    assert found.note == f"2 cards share this name; told apart by {by}"


@pytest.mark.parametrize(
    ("name", "sm_count", "key"),
    [
        ("AMD Instinct MI60 / MI50", 64, "mi60"),
        ("AMD Instinct MI60 / MI50", 60, "mi50-16"),
        ("AMD Instinct MI250X / MI250", 110, "mi250x-gcd"),
        ("AMD Instinct MI250X/MI250", 104, "mi250-gcd"),
    ],
)
def test_two_amd_cards_of_one_name(name: str, sm_count: int, key: str) -> None:
    found = find(name, sm_count=sm_count)
    assert (found.origin, found.key) == ("table", key)
    assert found.note == "2 cards share this name; told apart by SM count"


def test_a_radeon_counts_as_hip_does() -> None:
    for name in ("AMD Radeon RX 7900 XTX", "Radeon RX 7900 XTX"):
        found = find(name, sm_count=48, l2_bytes=6 << 20, compute_capability="11.0")
        assert (found.origin, found.key, found.note) == ("table", "rx-7900-xtx", "")
        assert (found.peaks_tflops["fp32"], found.llc_bytes) == (61.4, 96 << 20)


def test_memory_clock_breaks_the_last_tie() -> None:
    fast = Card(key="x", names=("RTX 4070",), bandwidth_gbs=504, bus_bits=192, pin_gbps=21)
    slow = msgspec.structs.replace(fast, key="y", pin_gbps=20, bandwidth_gbs=480)
    for mhz, key in ((10501, "x"), (10001, "y")):
        identity = Identity(name="NVIDIA RTX 4070", bus_bits=192, mem_max_mhz=mhz)
        assert lookup(identity, (fast, slow)).key == key


@pytest.mark.parametrize("known", [{}, {"sm_count": 60}, {"memory_bytes": 20 * GIB}])
def test_cards_that_cannot_be_told_apart_are_not_guessed(known: dict[str, int]) -> None:
    found = find("NVIDIA GeForce RTX 3080", **known)
    assert (found.origin, found.key, found.bandwidth_gbs) == ("none", None, None)
    assert found.note.startswith(
        "2 cards share this name, nothing tells them apart, and the driver"
    )
    found = find(
        "NVIDIA GeForce RTX 3080",
        memory_bytes=20 * GIB,
        mem_max_mhz=9501,
        sm_count=60,
        sm_max_mhz=2100,
        compute_capability="8.6",
        bus_bits=352,
    )
    assert (found.origin, found.key) == ("derived", None)
    assert found.bandwidth_gbs == pytest.approx(352 / 8 * 19.002)
    assert found.note == (
        "2 cards share this name, nothing tells them apart; "
        "derived from 60 SM at 2100 MHz, 352 bit at 9501 MHz"
    )


def test_the_h200_in_full() -> None:
    found = find(
        "NVIDIA H200",
        sm_count=132,
        bus_bits=6016,
        memory_bytes=143771 << 20,
        mem_max_mhz=3201,
        sm_max_mhz=1980,
        compute_capability="9.0",
        l2_bytes=60 << 20,
    )
    assert (found.origin, found.key, found.note) == ("table", "h200-sxm-141", "")
    assert found.bandwidth_gbs == 4800
    assert found.ceiling_bandwidth_gbs == pytest.approx(4814.3, abs=0.1)
    assert found.ridge["bf16"] == pytest.approx(206.1, abs=0.1)
    assert found.ridge.keys() == found.peaks_tflops.keys() == found.ceilings_tflops.keys()
    assert found.peaks_tflops["fp8_fast"] == found.peaks_tflops["fp8"] == 1978.9
    assert found.ceilings_tflops["bf16"] == pytest.approx(1070.5, abs=0.1)
    assert found.clocks_mhz == {
        key: 1980 if key.startswith("fp64") or key == "fp32" else 1830 for key in found.peaks_tflops
    }
    assert "fp16_vector" not in found.peaks_tflops  # nothing is judged by it
    assert (found.l2_bytes, found.tdp_w, found.sm_max_mhz) == (60 << 20, 700, 1980)
    assert (found.vendor, found.architecture, found.memory_type) == (
        "NVIDIA",
        "Hopper GH100",
        "HBM3e",
    )
    again = msgspec.convert(msgspec.to_builtins(found), Nominal)
    assert again == found


def test_caches_links_and_the_architecture() -> None:
    h200 = find("NVIDIA H200")
    assert (h200.pcie_gen, h200.pcie_lanes, h200.c2c_gbs) == (5, 16, None)
    assert h200.compute_capability == "9.0"
    assert h200.llc_bytes == h200.l2_bytes == 60 << 20
    # nothing lies behind its L2, so what the driver says of L2 holds for the last level too
    assert find("NVIDIA H200", l2_bytes=50 << 20).llc_bytes == 50 << 20
    for name in ("NVIDIA GH200 480GB", "NVIDIA GB200", "NVIDIA GB300"):
        assert find(name).c2c_gbs == 450
    mi300x = find("AMD Instinct MI300X", compute_capability="9.4")
    assert (mi300x.l2_bytes, mi300x.llc_bytes) == (4 << 20, 256 << 20)
    assert mi300x.compute_capability == "gfx942"
    assert find("AMD Instinct MI300X", l2_bytes=8 << 20).llc_bytes == 256 << 20
    unknown = find("NVIDIA Unheard Of", compute_capability="9.9", l2_bytes=1 << 20)
    assert (unknown.origin, unknown.llc_bytes) == ("none", 1 << 20)
    assert unknown.compute_capability == "9.9"
    assert unknown.pcie_gen is unknown.pcie_lanes is unknown.c2c_gbs is None
    assert find("NVIDIA Unheard Of").llc_bytes is find("x").compute_capability is None


@pytest.mark.parametrize("field", ["llc_bytes", "pcie_gen", "pcie_lanes", "c2c_gbs", "l2_bytes"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_no_figure_is_zero_or_endless(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{field} is {value}, which no card has"):
        Nominal(origin="table", **{field: value})


def test_the_devices_own_clock_limit_makes_the_ceiling() -> None:
    found = find("NVIDIA GeForce RTX 5090", sm_max_mhz=3135)
    assert found.ceilings_tflops["bf16"] == pytest.approx(209.5 * 3135 / 2407)
    # fp8 is unsettled on this family: nothing under the fast row is impossible
    assert found.ceilings_tflops["fp8"] == found.ceilings_tflops["fp8_fast"]
    assert found.peaks_tflops["fp8"] == 419


@pytest.mark.parametrize(
    ("name", "known", "bandwidth", "bf16", "said"),
    [
        # the 8 GB RTX 3060
        (
            "NVIDIA GeForce RTX 3060",
            {"sm_count": 28, "bus_bits": 128, "mem_max_mhz": 7501},
            240.0,
            25.48,
            "not the rtx-3060-12 of the table but 128 bit, not 192: derived from that",
        ),
        # the GDDR6 RTX 4070
        (
            "NVIDIA GeForce RTX 4070",
            {"sm_count": 46, "bus_bits": 192, "mem_max_mhz": 10001},
            480.0,
            58.29,
            "not the rtx-4070 of the table but memory at 10001 MHz, not 10501: derived from that",
        ),
        # a smaller Orin module
        (
            "Orin",
            {"sm_count": 8},
            204.8,
            21.3,
            "not the jetson-agx-orin-64 of the table but 8 SM, not 16: derived from that",
        ),
        # a board with everything different
        (
            "NVIDIA GeForce RTX 3070",
            {"sm_count": 23, "bus_bits": 128, "mem_max_mhz": 9501},
            304.0,
            20.31,
            "not the rtx-3070 of the table but 23 SM, not 46 and memory at 9501 MHz, not 7001 and "
            "128 bit, not 256: derived from that",
        ),
    ],
)
def test_a_variant_under_a_listed_name(
    name: str, known: dict[str, int], bandwidth: float, bf16: float, said: str
) -> None:
    found = find(name, **known)
    assert found.origin == "derived"
    assert found.bandwidth_gbs == pytest.approx(bandwidth, rel=0.001)
    assert found.peaks_tflops["bf16"] == pytest.approx(bf16, rel=0.001)
    assert found.note == said


@pytest.mark.parametrize(
    "known",
    [
        {"memory_bytes": 22 * GIB},  # a modified board
        {"mem_max_mhz": 7001},  # the table's 7000, as another board rounds it
        {"sm_count": 0, "bus_bits": 0, "mem_max_mhz": 0, "sm_max_mhz": 0, "memory_bytes": 0},
    ],
)
def test_what_does_not_contradict_an_entry(known: dict[str, int]) -> None:
    found = find("NVIDIA GeForce RTX 2080 Ti", **known)
    assert (found.origin, found.key, found.note) == ("table", "rtx-2080-ti", "")
    assert found.peaks_tflops["fp16"] == 53.8


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.key)
def test_an_entry_never_contradicts_its_own_card(card: Card) -> None:
    for mib in (*card.memory_total_mib_seen, card.memory_gb * 1024):
        found = find(
            card.names[0],
            sm_count=card.sm_count,
            bus_bits=card.bus_bits,
            memory_bytes=int(mib * 2**20),
            mem_max_mhz=round(card.pin_gbps * 500),
            sm_max_mhz=card.sm_max_mhz,
        )
        assert (found.origin, found.key, found.bandwidth_gbs) == (
            "table",
            card.key,
            card.bandwidth_gbs,
        )


def test_a_mig_slice_is_derived_and_says_so() -> None:
    found = find(
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        sm_count=14,
        sm_max_mhz=1410,
        compute_capability="8.0",
        bus_bits=5120,
        mem_max_mhz=1215,
    )
    assert (found.origin, found.key) == ("derived", None)
    assert found.peaks_tflops["fp16"] == pytest.approx(312 * 14 / 108, rel=0.001)
    assert found.note.startswith(
        "derived from 14 SM at 1410 MHz, 5120 bit at 1215 MHz; a MIG slice"
    )


def test_half_a_derivation() -> None:
    found = find("NVIDIA Unheard Of", bus_bits=256, mem_max_mhz=8000, l2_bytes=1 << 20)
    assert (found.origin, found.bandwidth_gbs, found.peaks_tflops) == ("derived", 512, {})
    assert (found.note, found.l2_bytes) == ("derived from 256 bit at 8000 MHz", 1 << 20)
    found = find("NVIDIA Unheard Of", sm_count=10, sm_max_mhz=2000, compute_capability="8.9")
    assert found.bandwidth_gbs is found.ceiling_bandwidth_gbs is None
    assert found.peaks_tflops["fp32"] == pytest.approx(10 * 128 * 2 * 2000 / 1e6)
    assert found.ceilings_tflops == found.peaks_tflops
    assert found.ridge == {}


def test_a_users_card_overrides_or_adds() -> None:
    mine = Card(
        key="h200-sxm-141",
        names=("NVIDIA H200",),
        bandwidth_gbs=4000,
        bus_bits=6016,
        pin_gbps=6.402,
        sm_count=132,
        peaks={"bf16": 500.0},
    )
    new = Card(key="cloud", names=("NVIDIA H100",), bandwidth_gbs=3000)
    cards, keys = merge(CARDS, (mine, new)), {"h200-sxm-141", "cloud"}
    # the user's word stands whatever the driver says
    found = lookup(Identity(name="NVIDIA H200", sm_count=16, bus_bits=64), cards, keys)
    assert (found.origin, found.key, found.bandwidth_gbs) == ("user", "h200-sxm-141", 4000)
    assert found.peaks_tflops == {"bf16": 500.0}
    found = lookup(Identity(name="H100"), cards, keys)
    assert (found.origin, found.key, found.ceiling_bandwidth_gbs) == ("user", "cloud", 3000)
    assert lookup(Identity(name="NVIDIA L4"), cards, keys).origin == "table"


def test_a_users_card_comes_before_the_tables_of_its_name() -> None:
    mine = Card(key="modified", names=("NVIDIA GeForce RTX 3080",), bandwidth_gbs=700)
    found = lookup(
        Identity(name="NVIDIA GeForce RTX 3080", sm_count=68), merge(CARDS, (mine,)), {"modified"}
    )
    assert (found.origin, found.key) == ("user", "modified")
