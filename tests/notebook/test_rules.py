"""Each rule on the seeds' own mistakes, and its silence on good numbers."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG
from roofwatch.notebook.power_capped import power_capped
from roofwatch.notebook.reading import Conditions, Reading
from roofwatch.notebook.rules import judge

MIB = 1 << 20


def codes(**fields: object) -> list[tuple[str, str]]:
    of_bytes = fields.get("tflops") is None
    base: dict[str, object] = {
        "subject": "x",
        "op": "add_scalar",
        "dtype": "fp16",
        "protocol": "stream" if of_bytes else "burst",
        "judged": "gbs" if of_bytes else "tflops",
    }
    return [(f.code, f.severity) for f in judge(Reading(**{**base, **fields}))]  # type: ignore[arg-type]


T4 = {"nominal_gbs": 320.0, "ceiling_gbs": 320.0, "cache_bytes": 4 * MIB, "intensity": 0.25}
T4_FP16 = {"op": "matmul", "nominal_tflops": 65.0, "ceiling_tflops": 65.0, "peak_key": "fp16"}


def test_900_gbs_from_1_mib_is_the_cache() -> None:
    found = judge(
        Reading(
            subject="x",
            op="add_scalar",
            dtype="fp16",
            protocol="stream",
            judged="gbs",
            gbs=900,
            working_set_bytes=2 * MIB,
            **T4,
        )
    )
    assert [f.code for f in found] == ["E2"]
    assert found[0].severity == WRONG
    assert found[0].name == "l2-hit"
    assert "2.0 MiB" in found[0].message
    assert "320 GB/s" in found[0].message
    assert "80 MiB" in found[0].do


def test_inside_the_cache_is_wrong_whatever_the_percentage() -> None:
    assert codes(gbs=200.0, working_set_bytes=2 * MIB, **T4) == [("E2", WRONG)]


def test_one_to_four_times_the_cache_is_a_note_and_beyond_it_silence() -> None:
    assert codes(gbs=280.0, working_set_bytes=8 * MIB, **T4) == [("E2", NOTE)]
    assert codes(gbs=280.0, working_set_bytes=16 * MIB, **T4) == []
    assert codes(gbs=272.0, working_set_bytes=1024 * MIB, **T4) == []


def test_over_nominal_under_twice_the_cache_is_the_cache_above_it_impossible() -> None:
    assert codes(gbs=400.0, working_set_bytes=7 * MIB, **T4) == [("E2", WRONG)]
    assert codes(gbs=400.0, working_set_bytes=9 * MIB, **T4) == [("impossible", WRONG)]
    assert codes(gbs=20000.0, working_set_bytes=1024 * MIB, **T4) == [("impossible", WRONG)]


def test_rounding_of_the_datasheet_is_no_mistake() -> None:
    assert codes(gbs=323.0, working_set_bytes=1024 * MIB, **T4) == []


def test_the_factor_product_is_the_physical_limit() -> None:
    h200 = {"nominal_gbs": 4800.0, "ceiling_gbs": 4814.0, "intensity": 0.25}
    assert codes(gbs=4890.0, working_set_bytes=4096 * MIB, **h200) == []
    assert codes(gbs=4920.0, working_set_bytes=4096 * MIB, **h200) == [("impossible", WRONG)]


def test_fp32_compared_with_the_fp16_peak() -> None:
    # Seed error 3: 7 TFLOP/s in fp32 is 11 % of 65, and 86 % of its own 8.1.
    found = judge(
        Reading(
            subject="x",
            dtype="fp32",
            protocol="burst",
            judged="tflops",
            tflops=7,
            intensity=1365,
            nominal_gbs=320,
            **T4_FP16,
        )
    )
    assert [f.code for f in found] == ["E3"]
    assert "fp32" in found[0].do


@pytest.mark.parametrize(
    ("dtype", "math", "accumulate", "key"),
    [
        ("fp32", "ieee", None, "fp32"),
        ("fp32", "tf32", None, "tf32"),
        ("fp16", "ieee", "fp32", "fp16"),
        ("fp8", "ieee", "reduced", "fp8_fast"),
        ("fp8", "ieee", "fp32", "fp8"),
        ("int8", "ieee", "int32", "int8"),
    ],
)
def test_the_right_peak_is_silent(dtype: str, math: str, accumulate: str | None, key: str) -> None:
    fields = {"op": "matmul", "dtype": dtype, "math": math, "accumulate": accumulate}
    assert codes(**fields, peak_key=key, tflops=1.0, intensity=1e4, nominal_tflops=10.0) == []


def test_fp64_is_judged_by_tensor_cores_where_there_are_any() -> None:
    fields = {"op": "matmul", "dtype": "fp64", "tflops": 60.0, "intensity": 1e3}
    assert codes(**fields, peak_key="fp64_tensor", has_fp64_tensor=True) == []
    assert codes(**fields, peak_key="fp64", has_fp64_tensor=True) == [("E3", WRONG)]


def test_n_512_is_left_of_the_ridge() -> None:
    fields = {**T4_FP16, "dtype": "fp16", "tflops": 13.0, "intensity": 171.0, "nominal_gbs": 320.0}
    assert codes(**fields) == [("memory-bound-probe", WRONG)]
    assert codes(**{**fields, "intensity": 1365.0}) == []


def test_the_cards_own_slope_decides_the_ridge_where_it_is_known() -> None:
    fields = {**T4_FP16, "dtype": "fp16", "tflops": 50.0, "intensity": 230.0, "nominal_gbs": 320.0}
    assert codes(**fields) == []
    assert codes(**fields, roof_gbs=270.0) == [("memory-bound-probe", WRONG)]


def test_above_the_ceiling_is_impossible_a_boost_is_not() -> None:
    fields = {"op": "matmul", "dtype": "bf16", "peak_key": "bf16", "intensity": 1e4}
    boost = {"nominal_tflops": 165.2, "ceiling_tflops": 203.5}
    assert codes(**fields, **boost, tflops=179.0) == []
    assert codes(**fields, **boost, tflops=212.0) == [("impossible", WRONG)]


def test_unstable_over_ten_per_cent() -> None:
    assert codes(gbs=1.0, spread=0.11, repetitions=9) == [("unstable", SUSPECT)]
    assert codes(gbs=1.0, spread=0.09, repetitions=9) == []


def test_power_capped_only_below_the_default() -> None:
    held = power_capped(Conditions(name="T4", power_limit_w=60, power_default_w=70))
    assert held is not None
    assert held.code == held.name == "power-capped"
    assert "60 W" in held.message
    assert power_capped(Conditions(name="T4", power_limit_w=70, power_default_w=70)) is None
    assert power_capped(Conditions(name="T4", power_default_w=70)) is None


def test_nothing_known_nothing_said() -> None:
    assert codes() == []


def test_a_low_rate_of_ours_is_no_miscount() -> None:
    """Our probes count by the formula; a person's half of a roof may be the reads alone."""
    half = {"gbs": 135.0, "low": 240.0, "high": 290.0, "working_set_bytes": 1 << 30, **T4}
    assert not {"E1", "units", "bytes-miscounted"} & {code for code, _ in codes(**half)}
    assert "E1" in {code for code, _ in codes(protocol=None, stated=True, **half)}
    slow = {**T4_FP16, "tflops": 26.0, "low": 45.0, "high": 58.0, "intensity": 1365.0}
    assert "flop-miscounted" not in {code for code, _ in codes(**slow)}
    assert "flop-miscounted" in {code for code, _ in codes(protocol=None, stated=True, **slow)}
