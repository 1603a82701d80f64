"""From fields to a claim: each name, alias, unit and contradiction, in one line that names it."""

from __future__ import annotations

from typing import Any

import pytest

from roofwatch.notebook.claim import DTYPES, MATHS, OPS, TIMINGS, Claim
from roofwatch.notebook.entry import READ, Unreadable, claim_of


def claim(**fields: object) -> Claim:
    return claim_of({"op": "other", **fields})


def refused(fields: dict[str, Any], where: str = "row 3") -> str:
    with pytest.raises(Unreadable) as caught:
        claim_of(fields, where)
    said = str(caught.value)
    assert said.isprintable(), said  # one line, and nothing that moves a cursor
    assert len(said) < 600
    return said


FROM_TEXT: list[tuple[str, str, str, object]] = [
    ("id", "a, b", "id", "a, b"),
    ("gpu", "A100 80GB SXM", "gpu", "A100 80GB SXM"),
    ("model", "llama", "model", "llama"),
    ("note", " 你好 ", "note", " 你好 "),
    ("op", "matmul", "op", "matmul"),
    ("dtype", "bf16", "dtype", "bf16"),
    ("math", "tf32", "math", "tf32"),
    ("timing", "host", "timing", "host"),
    ("synchronized", "true", "synchronized", True),
    ("synchronized", "No", "synchronized", False),
    ("synchronized", "1", "synchronized", True),
    ("synchronized", "0", "synchronized", False),
    ("time", "4.7us", "time_s", 4.7e-6),
    ("time_s", "0.5", "time_s", 0.5),
    ("time_s", "12 ms", "time_s", 0.012),
    ("time_ms", "12", "time_s", 0.012),
    ("time_us", "183", "time_s", 183e-6),
    ("claimed", "900GB/s", "claimed_gbs", 900),
    ("claimed", "65 TFLOPS", "claimed_tflops", 65),
    ("claimed", "57 tok/s", "claimed_tokens_per_s", 57),
    ("claimed", "104 MFU %", "claimed_mfu", 1.04),
    ("claimed_gbs", "900", "claimed_gbs", 900),
    ("claimed_gbs", "1.2TB/s", "claimed_gbs", 1200),
    ("claimed_tflops", "65", "claimed_tflops", 65),
    ("claimed_tokens_per_s", "57", "claimed_tokens_per_s", 57),
    ("nominal_gbs", "320", "nominal_gbs", 320),
    ("nominal_tflops", "1.979 PFLOPS", "nominal_tflops", 1979),
    ("bytes_counted", "1 MiB", "bytes_counted", 1 << 20),
    ("read_bytes", "2 GB", "read_bytes", 2e9),
    ("write_bytes", "2 GB", "write_bytes", 2e9),
    ("weight_bytes", "13.5 GB", "weight_bytes", 13.5e9),
    ("kv_bytes_per_token", "512 KiB", "kv_bytes_per_token", 512 << 10),
    ("params", "6.74B", "params", 6.74e9),
    ("flop_counted", "137e9", "flop_counted", 137e9),
    ("tokens_per_step", "2.5", "tokens_per_step", 2.5),
    *((name, "4096", name, 4096) for name in ("m", "n", "k", "batch", "elements")),
    *((name, "4096", name, 4096) for name in ("context", "kv_len")),
]


@pytest.mark.parametrize(("name", "text", "field", "value"), FROM_TEXT)
def test_every_field_is_read_from_text(name: str, text: str, field: str, value: object) -> None:
    got = getattr(claim(**{name: text}), field)
    assert got == (pytest.approx(value) if isinstance(value, float) else value)
    assert isinstance(got, bool) == isinstance(value, bool)


def test_the_table_above_leaves_no_field_out() -> None:
    assert {name for name, *_ in FROM_TEXT} == set(READ)


FROM_JSON: list[tuple[str, object, str, object]] = [
    ("synchronized", True, "synchronized", True),
    ("synchronized", False, "synchronized", False),
    ("time_s", 0.5, "time_s", 0.5),
    ("time_ms", 12, "time_s", 0.012),
    ("time_us", 183.5, "time_s", 183.5e-6),
    ("claimed_gbs", 900, "claimed_gbs", 900),
    ("claimed_tflops", 65.5, "claimed_tflops", 65.5),
    ("claimed_tokens_per_s", 57.1, "claimed_tokens_per_s", 57.1),
    *(
        (name, 2.5e9, name, 2.5e9)
        for name in (
            "nominal_gbs",
            "nominal_tflops",
            "params",
            "tokens_per_step",
            "flop_counted",
            "bytes_counted",
            "read_bytes",
            "write_bytes",
            "weight_bytes",
            "kv_bytes_per_token",
        )
    ),
    *(
        (name, 4096, name, 4096)
        for name in ("m", "n", "k", "batch", "elements", "context", "kv_len")
    ),
    ("elements", 1e6, "elements", 10**6),
    ("elements", 2**53 + 1, "elements", 2**53 + 1),
]


@pytest.mark.parametrize(("name", "given", "field", "value"), FROM_JSON)
def test_every_number_is_read_from_json(
    name: str, given: object, field: str, value: object
) -> None:
    got = getattr(claim(**{name: given}), field)
    assert got == (pytest.approx(value) if isinstance(value, float) else value)
    assert type(got) is (int if isinstance(value, int) and name in COUNTS else type(got))


COUNTS = ("m", "n", "k", "batch", "elements", "context", "kv_len")


@pytest.mark.parametrize("given", ["run 7", 7, 7.5, 0, -1, 2**70])
def test_an_id_is_kept_as_it_was_given(given: object) -> None:
    got = claim(id=given).id
    assert got == given
    assert type(got) is type(given)


@pytest.mark.parametrize("given", [True, [1], {"a": 1}])
def test_an_id_of_another_kind_is_refused(given: object) -> None:
    assert "row 3, field id: " in refused({"op": "add", "id": given})


@pytest.mark.parametrize("name", ["op", "dtype", "math", "timing"])
def test_all_words_are_their_own(name: str) -> None:
    known = {"op": OPS, "dtype": DTYPES, "math": MATHS, "timing": TIMINGS}[name]
    for word in known:
        assert getattr(claim(**{name: f" {word.upper()} "}), name) == word


@pytest.mark.parametrize(
    ("name", "alias", "word"),
    [
        ("op", "gemm", "matmul"),
        ("op", "torch.bmm", "matmul"),
        ("op", "linear", "matmul"),
        ("op", "mm", "matmul"),
        ("op", "sum", "reduce"),
        ("dtype", "torch.float16", "fp16"),
        ("dtype", "half", "fp16"),
        ("dtype", "float", "fp32"),
        ("dtype", "float32", "fp32"),
        ("dtype", "double", "fp64"),
        ("dtype", "float64", "fp64"),
        ("dtype", "bfloat16", "bf16"),
        ("dtype", "fp8_e4m3", "fp8"),
        ("dtype", "fp8_e5m2", "fp8"),
        ("dtype", "float8_e4m3fn", "fp8"),
        ("dtype", "float8_e5m2", "fp8"),
        ("dtype", "nvfp4", "fp4"),
        ("dtype", "mxfp4", "fp4"),
        ("dtype", "uint8", "bytes"),
        ("dtype", "byte", "bytes"),
    ],
)
def test_words_of_the_libraries_are_understood(name: str, alias: str, word: str) -> None:
    assert getattr(claim(**{name: alias}), name) == word


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"op": "matmull"}, "field op: 'matmull' is not known; did you mean matmul?"),
        ({"op": "zzz"}, "field op: 'zzz' is not known: one of matmul, add, add_scalar"),
        ({"op": "add", "dtype": "bf61"}, "field dtype: 'bf61' is not known; did you mean bf16?"),
        ({"op": "add", "math": "ieeee"}, "did you mean ieee?"),
        ({"op": "add", "timing": "events"}, "did you mean event?"),
        ({"op": "add", "elments": 5}, "field elments: is unknown; did you mean elements?"),
        ({"op": "add", "Time_MSS": 5}, "field time_mss: is unknown; did you mean time_ms?"),
    ],
)
def test_a_slip_gets_a_hint(fields: dict[str, Any], says: str) -> None:
    said = refused(fields)
    assert said.startswith("row 3, ")
    assert says in said


def test_a_persons_own_columns_may_stand_there() -> None:
    assert claim(host="node-7", temperature=61, **{"": "x", "x" * 300: 1}) == claim()


@pytest.mark.parametrize("given", [None, "", "  ", "\t"])
def test_an_empty_field_is_not_said(given: object) -> None:
    assert claim(time_s=given, dtype=given, id=given) == claim()


@pytest.mark.parametrize("fields", [{}, {"op": None}, {"op": " "}, {"gpu": "T4"}])
def test_only_the_op_must_be_there(fields: dict[str, Any]) -> None:
    assert refused(fields).startswith("row 3, field op: missing: one of matmul, add,")


def test_headings_may_be_capitals_and_padded() -> None:
    assert claim_of({" OP ": "add", "DType": "FP16", "Time_MS": "3"}) == claim_of(
        {"op": "add", "dtype": "fp16", "time_ms": "3"}
    )


def test_a_heading_that_comes_twice_is_refused() -> None:
    assert refused({"op": "add", "OP": "copy"}) == "row 3, field op: is given twice"


def test_in_either_order() -> None:
    assert refused({"OP": "add", "op": "copy"}) == "row 3, field op: is given twice"


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        ({"time_s": 1}, {"time_ms": 1}, "field time_ms: contradicts time_s"),
        ({"time_s": 1}, {"time": "1ms"}, "field time_s: contradicts time"),
        ({"time_ms": 1}, {"time_us": 1020}, "field time_us: contradicts time_ms"),
        ({"claimed": "900GB/s"}, {"claimed_gbs": 800}, "field claimed_gbs: is given twice"),
        ({"claimed": "65TFLOPS"}, {"claimed_tflops": 64}, "field claimed_tflops: is given twice"),
        (
            {"claimed": "5tok/s"},
            {"claimed_tokens_per_s": 6},
            "field claimed_tokens_per_s: is given twice",
        ),
    ],
)
def test_contradictions_are_said(first: dict[str, Any], second: dict[str, Any], says: str) -> None:
    for fields in ({**first, **second}, {**second, **first}):
        assert says in refused({"op": "other", **fields})


def test_the_same_thing_said_twice_is_no_contradiction() -> None:
    assert claim(time_s=1e-3, time_ms=1, time_us="1000", time="1.005ms").time_s == pytest.approx(
        1.005e-3
    )
    assert claim(claimed="900GB/s", claimed_gbs=900).claimed_gbs == 900
    both = claim(claimed="900GB/s", claimed_tflops=1)
    assert (both.claimed_gbs, both.claimed_tflops) == (900, 1)


def test_the_same_claim_in_another_unit_is_no_contradiction() -> None:
    assert claim(claimed="1.001TB/s", claimed_gbs=1001).claimed_gbs == pytest.approx(1001)


ZERO_ALLOWED = ("kv_bytes_per_token", "kv_len", "context", "read_bytes", "write_bytes")


@pytest.mark.parametrize("name", ZERO_ALLOWED)
@pytest.mark.parametrize("given", [0, 0.0, -0.0, "0", "0.0", " 0 "])
def test_zero_says_nothing_where_there_may_be_none(name: str, given: object) -> None:
    assert getattr(claim(**{name: given}), name) is None


@pytest.mark.parametrize(
    "name", sorted({n for n, *_ in FROM_JSON} - {*ZERO_ALLOWED, "synchronized"})
)
@pytest.mark.parametrize("given", [0, -1, 1e30, 10**400, float("nan"), float("inf")])
def test_elsewhere_a_number_is_above_zero_and_finite(name: str, given: float) -> None:
    said = refused({"op": "other", name: given})
    assert f"row 3, field {name}: " in said
    assert "1e24" in said or "whole number from 1 to 1e18" in said


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("m", 1.5, "1.5 is no whole number from 1 to 1e18"),
        ("m", True, "is true or false where something else belongs"),
        ("time_s", False, "is true or false where something else belongs"),
        ("time_s", [1], "[1] is no text and no number"),
        ("time_s", {"a": 1}, "is no text and no number"),
        ("op", 4090, "4090 is a number where a word belongs"),
        ("dtype", 16, "16 is a number where a word belongs"),
        ("synchronized", "maybe", "'maybe' is neither true nor false"),
        ("time", 4.7, "4.7 has no unit: write 4.7us"),
        ("claimed", 900, "900 has no unit: GB/s, TFLOP/s"),
        ("claimed", "900", "'900' has no unit"),
        ("claimed_gbs", "9 TFLOPS", "is no rate of bytes (GB/s)"),
    ],
)
def test_a_value_of_another_kind_is_named(name: str, given: object, says: str) -> None:
    said = refused({"op": "other", name: given})
    assert said.startswith(f"row 3, field {name}: ")
    assert says in said


@pytest.mark.parametrize("name", ["id", "gpu", "note", "model", "op", "time_s"])
def test_half_a_character_is_no_text(name: str) -> None:
    said = refused({"op": "add", name: "a\udcff"})
    assert said.startswith(f"row 3, field {name}: ")
    assert said.endswith("is not UTF-8 text")


@pytest.mark.parametrize(
    "given", ["\x1b[31m", "a\nb", "\u202eabc", "\x9b31m", "\x00", "x" * 5000, "名" * 5000]
)
def test_an_echo_is_short_and_plain(given: str) -> None:
    for fields in ({"op": given}, {"op": "add", "dtype": given}, {"op": "add", "time_s": given}):
        assert "row 3, field " in refused(fields)


@pytest.mark.parametrize("given", ["\x1b[m", "\nx", "\x9b31m"])
def test_a_heading_is_echoed_plain_too(given: str) -> None:
    assert "did you mean elements?" in refused({"op": "add", f"elements{given}": "1"})


def test_without_a_place_the_field_stands_first() -> None:
    assert refused({"op": "ad"}, "") == "field op: 'ad' is not known; did you mean add?"


@pytest.mark.parametrize(
    ("fields", "share"),
    [
        ({}, 0.0),
        ({"time_ms": "183"}, 0.5 / 183),
        ({"time_ms": 183}, 0.5 / 183),
        ({"time_s": 0.11}, 0.5 / 11),
        ({"claimed": "900GB/s"}, 0.5 / 900),
        ({"time_ms": "183", "claimed_gbs": 900}, 0.5 / 183 + 0.5 / 900),
        ({"claimed_gbs": "900", "claimed_tflops": "12"}, 0.5 / 12),
        ({"time_s": 1, "claimed_gbs": 1}, 0.125),
        ({"nominal_gbs": 3, "elements": 7}, 0.0),
    ],
)
def test_the_digits_of_time_and_claim_tell_what_they_leave_open(
    fields: dict[str, Any], share: float
) -> None:
    assert claim(**fields).rounding == pytest.approx(share)
