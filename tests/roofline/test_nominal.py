"""The table reproduces its own figures, and a nominal file's every mistake is named in one line."""

from __future__ import annotations

import math
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from roofwatch.roofline.nominal import (
    Card,
    NominalError,
    ceiling_tflops,
    clock_behind,
    factor_bandwidth_gbs,
    factor_peak_tflops,
    merge,
    parse,
)
from roofwatch.roofline.peaks import EXTRA_KEYS, PEAK_KEYS, peak_key, unit

CARDS = parse((files("roofwatch") / "nominal.toml").read_text(encoding="utf-8"), "nominal.toml")
BY_KEY = {card.key: card for card in CARDS}
TOLERANCE = 0.02

REQUESTED = set(
    """
p100-sxm2-16 p100-pcie-16 v100-sxm2-16 v100-sxm2-32 v100-pcie-16 v100-pcie-32 t4 rtx-2080-ti
a100-sxm4-40 a100-sxm4-80 a100-pcie-40 a100-pcie-80 a800-sxm4-80 a800-pcie-80 a30 a2 a10 a10g a16
a40 rtx-a4000 rtx-a5000 rtx-a6000 rtx-3060-12 rtx-3070 rtx-3080-10 rtx-3080-12 rtx-3080-ti rtx-3090
rtx-3090-ti l4 l40 l40s rtx-4000-ada rtx-5000-ada rtx-6000-ada rtx-4060 rtx-4070 rtx-4070-ti
rtx-4080 rtx-4080-super rtx-4090 h100-sxm5-80 h100-pcie-80 h100-nvl-94 h800-sxm5-80 h800-pcie-80
h20-96 h200-sxm-141 h200-nvl-141 gh200-96 gh200-144 b200-sxm-180 gb200-186 b300-sxm-270
rtx-pro-6000-ws rtx-pro-6000-server rtx-5070 rtx-5070-ti rtx-5080 rtx-5090 mi210 mi250x-gcd mi300x
mi325x
""".split()  # noqa: SIM905
)

# What public benchmark reports talk about besides.
REPORTED = set(
    """
k80 p4 p40 gtx-1080 gtx-1080-ti titan-v gtx-1660-ti rtx-2060 rtx-2070 rtx-2070-super rtx-2080
rtx-2080-super titan-rtx quadro-rtx-4000 quadro-rtx-5000 quadro-rtx-6000 quadro-rtx-8000
rtx-a2000-6 rtx-a2000-12 rtx-a4500 rtx-a5500 rtx-3050-8 rtx-3060-ti rtx-3070-ti h20-3e-141 rtx-5060
rtx-5060-ti gb10 mi50-16 mi60 mi100 mi250-gcd mi300a mi350x mi355x rx-6700-xt rx-6800 rx-6800-xt
rx-6900-xt rx-6950-xt rx-7800-xt rx-7900-gre rx-7900-xt rx-7900-xtx rx-9070 rx-9070-xt
""".split()  # noqa: SIM905
)


def by_hand(card: Card, key: str) -> float:
    """The peak in TFLOP/s, written out from the factors."""
    assert card.sm_count
    if key in ("fp64", "fp32", "fp16_vector"):
        lanes = {"fp64": card.lanes.fp64, "fp32": card.lanes.fp32, "fp16_vector": card.lanes.fp16}
        return card.sm_count * lanes[key] * 2 * card.clock_vector_mhz * 1e6 / 1e12
    clock = card.clock_tensor_mhz
    if key == "fp64_tensor":
        clock = card.clock_fp64_tensor_mhz or clock
    return card.sm_count * card.tensor.cores * card.tensor.fma[key] * 2 * clock * 1e6 / 1e12


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.key)
def test_the_factors_reproduce_every_figure_or_the_entry_says_why_not(card: Card) -> None:
    products = {key: by_hand(card, key) for key in card.peaks}
    figures = dict(card.peaks)
    products["bandwidth"] = card.bus_bits / 8 * card.pin_gbps
    figures["bandwidth"] = card.bandwidth_gbs
    off = {key for key, figure in figures.items() if abs(products[key] / figure - 1) > TOLERANCE}
    assert off == card.mismatch.keys()
    assert factor_bandwidth_gbs(card) == pytest.approx(products["bandwidth"])
    for key in card.peaks:
        assert factor_peak_tflops(card, key) == pytest.approx(products[key])


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.key)
def test_every_entry_is_whole(card: Card) -> None:
    assert card.evidence in {"A", "B", "C"}
    assert card.source
    assert card.peaks.keys() <= {*PEAK_KEYS, *EXTRA_KEYS}
    assert {"fp64", "fp32"} <= card.peaks.keys()
    assert set(card.computed) <= card.peaks.keys()
    assert card.lanes.fp64
    assert card.lanes.fp32
    assert card.lanes.fp16 or card.compute_capability == "3.7"  # which has no fp16 arithmetic
    if card.tensor:
        assert card.tensor.fma.keys() <= card.peaks.keys()  # no factor without a figure
        assert card.clock_tensor_mhz
    for field in ("vendor", "architecture", "compute_capability", "memory_type", "memory_gb"):
        assert getattr(card, field), field
    for field in ("sm_max_mhz", "l2_mib", "tdp_w", "pcie_gen", "pcie_lanes"):
        assert getattr(card, field), field
    assert card.llc_mib is None or card.llc_mib > card.l2_mib  # of one die, where L2 is a die's
    fast = card.peaks.get("fp8_fast")
    assert (fast is None) == ("fp8" not in card.peaks)
    for mib in card.memory_total_mib_seen:
        assert mib == pytest.approx(card.memory_gb * 1024, rel=0.07)


def test_the_requested_cards_are_there() -> None:
    assert len(REQUESTED) == 65
    assert BY_KEY.keys() >= REQUESTED
    assert len(REPORTED) == 46
    assert BY_KEY.keys() >= REPORTED
    assert len(CARDS) >= 126


def test_names_that_cards_share_are_told_apart_by_the_sm_count() -> None:
    shared: dict[str, list[Card]] = {}
    for card in CARDS:
        for name in card.names:
            shared.setdefault(name, []).append(card)
    shared = {name: cards for name, cards in shared.items() if len(cards) > 1}
    assert shared.keys() == {
        "NVIDIA GeForce RTX 3080",
        "AMD Instinct MI60 / MI50",
        "AMD Instinct MI250X / MI250",
        "AMD Instinct MI250X/MI250",
    }
    for cards in shared.values():
        assert len({card.sm_count for card in cards}) == len(cards) == 2


def test_nothing_that_others_measured_lies_above_its_ceiling() -> None:
    for card in CARDS:
        for key, best in card.measured_best.items():
            ceiling = ceiling_tflops(card, key)
            assert ceiling is not None
            assert best <= ceiling, (card.key, key)


def test_figures_that_everybody_quotes() -> None:
    h200 = BY_KEY["h200-sxm-141"]
    assert h200.bandwidth_gbs == 4800  # printed
    assert factor_bandwidth_gbs(h200) == pytest.approx(4814.3, abs=0.1)
    assert h200.peaks["bf16"] == 989.4
    assert clock_behind(h200, "bf16") == 1830
    assert clock_behind(h200, "fp64_tensor") == clock_behind(h200, "fp32") == 1980
    assert ceiling_tflops(h200, "bf16") == pytest.approx(989.4 * 1980 / 1830)
    assert ceiling_tflops(h200, "fp64_tensor") == 66.9
    nvl = BY_KEY["h200-nvl-141"]
    assert ceiling_tflops(nvl, "bf16") == pytest.approx(965, abs=1)
    assert ceiling_tflops(nvl, "bf16", 1980) == pytest.approx(835.5 * 1980 / 1545)
    assert ceiling_tflops(nvl, "bf16", 1000) == 835.5  # a locked clock lowers no ceiling
    assert ceiling_tflops(nvl, "fp4") is None
    assert factor_peak_tflops(nvl, "fp4") is None
    assert BY_KEY["rtx-4090"].peaks["bf16"] == 165.2
    assert BY_KEY["a10g"].peaks["bf16"] == 70
    rx = BY_KEY["rx-6900-xt"]
    assert (rx.bandwidth_gbs, rx.l2_mib, rx.llc_mib) == (512, 4, 128)
    assert BY_KEY["mi100"].bandwidth_gbs == 1228.8
    assert BY_KEY["mi355x"].peaks["bf16"] == 2516.6
    assert BY_KEY["gb10"].peaks["bf16"] == pytest.approx(125, rel=0.01)
    assert BY_KEY["l40"].peaks["bf16"] == 181.05


# A small file, whole, and what people do to it.

GOOD = """\
schema = 1

[accumulate]
bf16 = "fp32"

[[card]]
key = "one"
names = ["NVIDIA One"]
bandwidth_gbs = 1000
[card.peaks]
bf16 = 100.5

[[card]]
key = "h100"
vendor = "NVIDIA"
names = ["NVIDIA H100", "Two"]
sm_count = 132
sm_max_seen = true
memory_total_mib_seen = [81559]
bus_bits = 5120
pin_gbps = 5.2
bandwidth_gbs = 3350.0
clock_tensor_mhz = 1830
evidence = "A"
computed = ["bf16"]
notes = "a note"
[card.peaks]
bf16 = 989.4
[card.lanes]
fp32 = 128
[card.tensor]
cores = 4
bf16 = 512
[card.mismatch]
bandwidth = "rounded"
[card.measured_best]
bf16 = 797.5
"""

MISTAKES = [
    ("bf16 = 989.4", 'bf16 = "989.4"', "peaks.bf16: expected a number, got str"),
    ("bf16 = 989.4", "bf16 = true", "peaks.bf16: expected a number, got bool"),
    ("bf16 = 989.4", "bf16 = -1", "peaks.bf16: expected a number above 0 and below 1e12, got -1"),
    ("bf16 = 989.4", "bf16 = 0", "peaks.bf16: expected a number above 0 and below 1e12, got 0"),
    ("bf16 = 989.4", "bf16 = nan", "peaks.bf16: expected a number above 0 and below 1e12, got nan"),
    ("bf16 = 989.4", "bf16 = inf", "peaks.bf16: expected a number above 0 and below 1e12"),
    ("bf16 = 989.4", "bf16 = 1e400", "peaks.bf16: expected a number above 0"),
    ("bf16 = 989.4", "bf16 = 0x" + 5000 * "f", "peaks.bf16: expected a number above 0"),
    ("bf16 = 989.4", "bf16 = 1e-320", "peaks.bf16: expected a number above 0"),
    ("bf16 = 989.4", "bf16 = 1e11", "peaks.bf16: no roof can be drawn of it"),
    ("bandwidth_gbs = 3350.0", "bandwidth_gbs = 1e-8", "peaks.bf16: no roof can be drawn of it"),
    ("bus_bits = 5120", "l2_mib = 1e-8", "l2_mib: no roof can be drawn of it"),
    ("bus_bits = 5120", "llc_mib = 1e7", "llc_mib: no roof can be drawn of it"),
    ('vendor = "NVIDIA"', f'vendor = "{2001 * "x"}"', "vendor: longer than 2000 characters"),
    ('"NVIDIA H100", "Two"', f'"{201 * "x"}"', "names: longer than 200 characters"),
    ('"NVIDIA H100", "Two"', 101 * '"x",', "names: 101 entries; at most 100"),
    ("bf16 = 989.4", "bf16 = 1979-05-27", "peaks.bf16: expected a number, got date"),
    ("bf16 = 989.4", "bf16 = [989.4]", "peaks.bf16: expected a number, got array"),
    ("bf16 = 989.4", "bf16 = {dense = 989.4}", "peaks.bf16: expected a number, got table"),
    ("bf16 = 989.4", "bfloat16 = 989.4", "peaks.bfloat16: unknown; did you mean bf16?"),
    ("bandwidth_gbs = 3350.0", "bandwith_gbs = 1", "bandwith_gbs: unknown; did you mean bandwidth"),
    ("bandwidth_gbs = 3350.0", "zzz = 1", "zzz: unknown"),
    ("bandwidth_gbs = 3350.0", "llc_mib = 0", "llc_mib: expected a number above 0"),
    ("bandwidth_gbs = 3350.0", "c2c_gbs = '450'", "c2c_gbs: expected a number, got str"),
    ("sm_count = 132", "sm_count = 132.0", "sm_count: expected a whole number, got 132.0"),
    ("sm_max_seen = true", "sm_max_seen = 1", "sm_max_seen: expected true or false, got int"),
    ("[81559]", "81559", "memory_total_mib_seen: expected an array, got int"),
    ("[81559]", '["81559"]', "memory_total_mib_seen: expected a number, got str"),
    ('"NVIDIA H100", "Two"', "", "names: missing or empty"),
    ('"NVIDIA H100", "Two"', '"NVIDIA H100", " "', "names: expected a name, got an empty string"),
    ('"NVIDIA H100", "Two"', "5", "names: expected a string, got int"),
    ('["NVIDIA H100", "Two"]', '"NVIDIA H100"', "names: expected an array, got str"),
    ('vendor = "NVIDIA"', "vendor = 1", "vendor: expected a string, got int"),
    ('evidence = "A"', 'evidence = "D"', 'evidence: expected "A", "B" or "C", got "D"'),
    ('evidence = "A"', "evidence = 1", "evidence: expected a string, got int"),
    ('computed = ["bf16"]', 'computed = ["bf6"]', "computed bf6: unknown; did you mean bf16?"),
    ("cores = 4", "", "tensor.cores: missing"),
    ("cores = 4", "cores = 4.5", "tensor.cores: expected a whole number, got 4.5"),
    ("bf16 = 512", "fp32 = 512", "tensor.fp32: unknown"),
    ("fp32 = 128", "bf16 = 128", "lanes.bf16: unknown"),
    ("[card.lanes]\nfp32 = 128", "lanes = 5", "peaks.lanes: unknown"),
    ('bandwidth = "rounded"', "bandwidth = 1", "mismatch.bandwidth: expected a string, got int"),
    ('bandwidth = "rounded"', 'fp4 = "?"', "mismatch.fp4: the card has no such figure"),
]


@pytest.mark.parametrize(("old", "new", "what"), MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_in_a_card_is_named(old: str, new: str, what: str) -> None:
    head, tail = GOOD.rsplit(old, 1)
    with pytest.raises(NominalError) as caught:
        parse(head + new + tail, "my.toml")
    assert str(caught.value).startswith(f'my.toml: [[card]] 2 "h100" field {what}')
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema = 2", "my.toml: field schema: this version reads schema 1 only"),
        ("schema = true", "my.toml: field schema: expected a number, got bool"),
        ("cards = []", "my.toml: field cards: unknown; did you mean card?"),
        ("[card]\nkey = 'x'", "my.toml: field card: expected [[card]] tables, got table"),
        ("card = [1]", "my.toml: [[card]] 1 field card: expected [[card]] tables, got int"),
        ("[[card]]", "my.toml: [[card]] 1 field key: missing or empty"),
        ("[[card]]\nkey = 3", "my.toml: [[card]] 1 field names: missing or empty"),
        ("[[card]]\nkey = 3\nnames=['x']", "my.toml: [[card]] 1 field key: expected a string, got"),
        ("[[card]]\nkey = 'x'", 'my.toml: [[card]] 1 "x" field names: missing or empty'),
        ("[[card]]\nkey = 'x'\nnames = ['X']", 'my.toml: [[card]] 1 "x" field peaks: missing, and'),
        ("accumulate = 1", "my.toml: field accumulate: expected a table, got int"),
        ("[accumulate]\nfp17 = 'fp32'", "my.toml: field accumulate.fp17: unknown"),
        ("\n\nx = ", "my.toml: line 3"),
        ("x", "my.toml: line 1, the end: "),
        ("[[card]]\nkey = 'x\ny'", "my.toml: line 2"),
        ("a = 1\na = 2", "my.toml: line 2"),
        ('"\\n\\u2028" = 1', "my.toml: field \\n\\u2028: unknown"),
        ("[[card]]\nkey = '''\n\n'''", 'my.toml: [[card]] 1 "\\n" field names: missing or empty'),
        ("\nx = " + 5000 * "9", "my.toml: line 2: a number of more than 4300 digits"),
        ("\n\nx = -9_" + 5000 * "9", "my.toml: line 3: a number of more than 4300 digits"),
        ("[[card]]\n" * 2001, "my.toml: field card: 2001 cards; at most 2000 are read"),
        (f"[[card]]\nkey = '{9000 * 'x'}'", f'my.toml: [[card]] 1 "{60 * "x"}" field names: miss'),
        ("x = " + 5000 * "[", "my.toml: "),
    ],
)
def test_a_mistake_in_a_file_is_named(text: str, message: str) -> None:
    with pytest.raises(NominalError) as caught:
        parse(text, "my.toml")
    assert str(caught.value).startswith(message)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) <= 400


def test_a_key_may_be_used_once() -> None:
    with pytest.raises(NominalError) as caught:
        parse(GOOD.replace('"one"', '"h100"'), "my.toml")
    assert str(caught.value) == 'my.toml: [[card]] 2 "h100" field key: already used by [[card]] 1'


def test_a_file_name_cannot_break_the_line() -> None:
    with pytest.raises(NominalError) as caught:
        parse("x = 1", "a\nb.toml")
    assert str(caught.value) == "a\\nb.toml: field x: unknown"


def test_a_good_file_is_read_as_written() -> None:
    one, two = parse(GOOD, "my.toml")
    assert (one.key, one.names, one.bandwidth_gbs, one.peaks) == (
        "one",
        ("NVIDIA One",),
        1000,
        {"bf16": 100.5},
    )
    assert one.sm_count is None
    assert two.tensor is not None
    assert (two.tensor.cores, two.tensor.fma) == (4, {"bf16": 512})
    assert parse("", "empty.toml") == ()


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """The good file with a few stretches cut, doubled or typed over."""
    text = GOOD
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        typed = st.text(max_size=6) | st.sampled_from(
            ["nan", "-", "[", "]]", "{}", "[[card]]\n", '"', "'''", "=", "0x", "1e999", "\n", "#"]
        )
        text = text[:start] + draw(typed | st.just(2 * text[start:end])) + text[end:]
    return text


@settings(deadline=None)
@given(mutated() | st.text())
@example("\ufeff" + GOOD)
def test_whatever_is_typed_only_our_error_comes_out(text: str) -> None:
    said = "my.toml: nothing to say"
    cards: tuple[Card, ...] = ()
    try:
        cards = parse(text, "my.toml")
    except NominalError as error:
        said = str(error)
    assert said.startswith("my.toml: ")
    assert said.isprintable()
    for card in cards:
        assert card.names
        assert all(0 < peak < math.inf for peak in card.peaks.values())


def test_a_users_card_takes_the_whole_place_of_the_tables() -> None:
    base = parse(GOOD, "base.toml")
    mine = Card(key="one", names=("Mine",), peaks={"fp32": 1.0})
    new = Card(key="new", names=("New",), bandwidth_gbs=1.0)
    assert merge(base, (mine, new)) == (mine, base[1], new)
    assert merge(base, ()) == base


@pytest.mark.parametrize(
    ("arguments", "options", "key"),
    [
        (("fp32",), {}, "fp32"),
        (("fp32", "tf32"), {}, "tf32"),
        (("fp32", "tf32"), {"op": "add_scalar"}, "fp32"),
        (("fp32", "tf32"), {"op": "flash_attention"}, "tf32"),
        (("fp32", "tf32"), {"op": "linear-bias-gelu"}, "tf32"),
        (("fp32", "tf32"), {"op": "other"}, "tf32"),
        (("fp16",), {}, "fp16"),
        (("fp16", "ieee", "fp32"), {}, "fp16"),
        (("fp16", "ieee", "fp16"), {}, "fp16_acc16"),
        (("fp16", "sparse"), {}, "fp16"),
        (("bf16", "ieee", "fp32"), {}, "bf16"),
        (("fp8", "ieee", "fp32"), {}, "fp8"),
        (("fp8", "ieee", "reduced"), {}, "fp8_fast"),
        (("mxfp8",), {}, "fp8_fast"),
        (("int8", "ieee", "int32"), {}, "int8"),
        (("fp4",), {}, "fp4"),
        (("fp64",), {}, "fp64"),
        (("fp64",), {"has_fp64_tensor": True}, "fp64_tensor"),
        (("fp64",), {"has_fp64_tensor": True, "op": "triad"}, "fp64"),
        (("int4",), {}, None),
        (("int32",), {}, None),
        (("bytes",), {"op": "copy"}, None),
    ],
)
def test_which_peak_judges(arguments: tuple[str, ...], options: dict[str, Any], key: str) -> None:
    assert peak_key(*arguments, **options) == key


def test_units() -> None:
    assert {unit(key) for key in PEAK_KEYS if key != "int8"} == {"TFLOP/s"}
    assert unit("int8") == "TOPS"
