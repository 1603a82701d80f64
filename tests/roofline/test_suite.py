"""What a suite runs and in which order, and the precisions a card is not asked for."""

from __future__ import annotations

import pytest

from roofwatch.roofline.precision import lacks
from roofwatch.roofline.probe_spec import (
    MATMUL_KEYS,
    PERCENT,
    held,
    matmul_spec,
    stream_spec,
    sweep_of,
)
from roofwatch.roofline.suite import (
    FULL,
    HOLD_ALL,
    LINKS,
    MISTAKES,
    QUICK,
    SUITES,
    at_once,
    suite,
    sustain_default_s,
)

CARDS = ["7.5", "8.0", "8.6", "9.0", "10.0", "12.0", "gfx942", None]


def keys(
    name: str, kind: str = "cuda", capability: str | None = "9.0", hold: tuple[str, ...] = ()
) -> list[str]:
    return [s.key for s in suite(name, kind, capability, hold=hold)]


def held_keys(
    *hold: str, name: str = FULL, kind: str = "cuda", capability: str | None = "9.0"
) -> list[str | None]:
    found = suite(name, kind, capability, hold=hold)
    return [s.peak_key for s in found if s.protocol == "sustained" and s.peak_key]


def test_the_quick_suite_in_order() -> None:
    assert keys(QUICK) == [
        "add_scalar-fp16",
        "matmul-bf16",
        "matmul-fp16",
        "matmul-tf32",
        "matmul-fp32",
        "matmul-fp8_fast",
        "matmul-fp8",
        "matmul-int8",
        "add_scalar-fp32",
        "matmul-bf16-sustained",
    ]
    assert keys(QUICK, "cpu", None) == [
        "add_scalar-fp32",
        "matmul-fp32",
        "matmul-fp64",
        "matmul-bf16",
        "add_scalar-fp64",
        "matmul-fp32-sustained",
    ]


def test_the_full_suite_in_order() -> None:
    assert keys(FULL) == [
        "add_scalar-fp16",
        "matmul-bf16",
        "matmul-fp16",
        "matmul-tf32",
        "matmul-fp32",
        "matmul-fp64",
        "matmul-fp8_fast",
        "matmul-fp8",
        "matmul-int8",
        "matmul-fp4",
        "add_scalar-fp32",
        "copy-fp16",
        "triad-fp16",
        "read-fp32",
        "fill-fp32",
        "strided-fp16",
        "add_scalar-fp16-sweep",
        "read-fp16-sweep",
        "matmul-bf16-sweep",
        "triad-fp16-sustained",
        "matmul-bf16-sustained",
    ]
    assert keys(FULL, "cpu", None) == [
        "add_scalar-fp32",
        "matmul-fp32",
        "matmul-fp64",
        "matmul-bf16",
        "add_scalar-fp64",
        "copy-fp32",
        "triad-fp32",
        "read-fp32",
        "fill-fp32",
        "strided-fp32",
        "add_scalar-fp32-sweep",
        "read-fp32-sweep",
        "matmul-fp32-sweep",
        "triad-fp32-sustained",
        "matmul-fp32-sustained",
    ]


CODES = ["E1", "E2", "E3", "E4", "E5"]


@pytest.mark.parametrize("capability", CARDS)
def test_the_suite_of_mistakes_measures_what_is_right_first(capability: str | None) -> None:
    load = "fp16" if capability == "7.5" else "bf16"
    stream, flat, plain = "add_scalar-fp16", f"matmul-{load}", "matmul-fp32"
    made = [f"mistake-{code}" for code in CODES]
    assert keys(MISTAKES, capability=capability) == [stream, flat, plain, *made]
    assert keys(MISTAKES, "cpu", None) == ["add_scalar-fp32", "matmul-fp32", *made]
    for kind in ("cuda", "cpu"):
        found = suite(MISTAKES, kind, capability)
        known = {s.key for s in found if not s.mistake}
        assert [s.mistake for s in found if s.mistake] == CODES
        assert all((s.right in known) == bool(s.mistake) for s in found)
        assert all((s.protocol == "mistake") == bool(s.mistake) for s in found)
        assert not any(s.seconds or s.control for s in found)


def test_each_mistake_launches_what_it_is_about() -> None:
    made = {s.mistake: s for s in suite(MISTAKES, "cuda", "9.0")}
    assert {(made[c].op, made[c].dtype, made[c].right) for c in ("E1", "E2", "E5")} == {
        ("add_scalar", "fp16", "add_scalar-fp16")
    }
    assert (made["E3"].dtype, made["E3"].math, made["E3"].right) == ("fp32", "ieee", "matmul-fp32")
    assert (made["E4"].dtype, made["E4"].peak_key, made["E4"].right) == (
        "fp16",
        "fp16",
        "matmul-bf16",
    )
    units = {code: made[code].unit for code in CODES}
    assert units == {"E1": "GB/s", "E2": "GB/s", "E3": PERCENT, "E4": "TFLOP/s", "E5": "GB/s"}
    assert made["E4"].label == "E4 matmul fp16"


def test_mistakes_are_made_before_anything_is_held() -> None:
    found = suite(MISTAKES, "cuda", "9.0", hold=["fp16"])
    assert [s.key for s in found[-2:]] == ["matmul-fp16", "matmul-fp16-sustained"]


@pytest.mark.parametrize("name", [name for name in SUITES if name != LINKS])  # it has no roofline
@pytest.mark.parametrize("capability", CARDS)
def test_the_first_roofline_comes_first_and_heat_last(name: str, capability: str | None) -> None:
    for kind in ("cuda", "cpu"):
        found = suite(name, kind, capability, hold=(HOLD_ALL,))
        assert [s.protocol for s in found[:2]] == ["stream", "burst"]
        last = [s.protocol == "sustained" for s in found]
        assert last == sorted(last)
        assert len({s.key for s in found}) == len(found)


@pytest.mark.parametrize("name", [QUICK, FULL])
def test_a_card_without_bf16_is_loaded_with_fp16(name: str) -> None:
    found = keys(name, capability="7.5")
    assert found[1] == "matmul-fp16"
    assert found[-1] == "matmul-fp16-sustained"
    assert ("matmul-fp16-sweep" in found) == (name == FULL)


@pytest.mark.parametrize("name", [QUICK, FULL])
@pytest.mark.parametrize("kind", ["cuda", "cpu"])
def test_one_stream_is_the_control_of_the_first_in_another_type(name: str, kind: str) -> None:
    found = suite(name, kind, "9.0")
    (control,) = (s for s in found if s.control)
    assert control.op == found[0].op
    assert control.protocol == found[0].protocol
    assert control.dtype != found[0].dtype
    assert found.index(control) > 0


def test_sweeps_repeat_a_probe_over_many_sizes() -> None:
    found = {s.key: s for s in suite(FULL, "cuda", "9.0")}
    swept = [s for s in found.values() if s.protocol == "sweep"]
    assert len(swept) == 3
    for spec in swept:
        assert not spec.control
        assert spec.seconds == 0
        assert spec.label.endswith(" sizes")
    squares, base = found["matmul-bf16-sweep"], found["matmul-bf16"]
    assert (squares.dtype, squares.math, squares.peak_key) == (
        base.dtype,
        base.math,
        base.peak_key,
    )
    assert list(found).index("matmul-bf16-sweep") > list(found).index("matmul-bf16")


def test_a_sweep_or_a_hold_of_a_control_is_none() -> None:
    spec = stream_spec("add_scalar", "fp32", control=True)
    assert not sweep_of(spec).control
    assert not held(spec, 5.0).control
    assert sweep_of(held(spec, 5.0)).seconds == 0


def test_the_full_suite_holds_a_stream_too() -> None:
    (spec,) = (s for s in suite(FULL, "cuda", "9.0", 5.0) if s.key == "triad-fp16-sustained")
    assert (spec.protocol, spec.seconds, spec.peak_key) == ("sustained", 5.0, None)
    assert spec.label == "triad fp16 5 s"
    assert not [s for s in suite(QUICK, "cuda", "9.0") if s.op == "triad"]


@pytest.mark.parametrize(
    ("capability", "key"),
    [
        ("8.0", "fp64_tensor"),
        ("9.0", "fp64_tensor"),
        ("10.0", "fp64_tensor"),
        ("gfx90a", "fp64_tensor"),
        ("gfx942", "fp64_tensor"),
        ("7.0", "fp64"),
        ("7.5", "fp64"),
        ("8.6", "fp64"),
        ("8.9", "fp64"),
        ("10.3", "fp64"),
        ("12.0", "fp64"),
        (None, "fp64"),
    ],
)
def test_fp64_is_judged_by_the_unit_that_the_chip_has(capability: str | None, key: str) -> None:
    (spec,) = (s for s in suite(FULL, "cuda", capability) if s.key == "matmul-fp64")
    assert spec.peak_key == key
    assert spec.dtype == "fp64"


def test_a_cpus_fp64_is_plain() -> None:
    assert {s.peak_key for s in suite(FULL, "cpu") if s.dtype == "fp64"} == {None, "fp64"}


def test_without_hold_the_load_precision_is_held() -> None:
    assert held_keys() == ["bf16"]
    assert held_keys(capability="7.5") == ["fp16"]
    assert held_keys(kind="cpu", capability=None) == ["fp32"]


def test_hold_names_what_is_held_in_the_order_asked_for() -> None:
    assert held_keys("fp32", "fp8") == ["fp32", "fp8"]
    assert held_keys("fp8", "fp32", "fp8") == ["fp8", "fp32"]
    assert held_keys("fp64") == ["fp64_tensor"]
    assert held_keys("fp64", capability="8.6") == ["fp64"]
    assert held_keys("fp64_tensor") == ["fp64_tensor"]
    assert held_keys("int8", name=QUICK) == ["int8"]


@pytest.mark.parametrize("name", [name for name in SUITES if name != LINKS])
def test_hold_all_holds_each_burst_once(name: str) -> None:
    bursts = [s.peak_key for s in suite(name, "cuda", "9.0") if s.protocol == "burst"]
    assert held_keys(HOLD_ALL, name=name) == bursts
    assert held_keys(HOLD_ALL, "bf16", name=name) == bursts


def test_what_the_suite_does_not_measure_is_measured_before_it_is_held() -> None:
    specs = suite(QUICK, "cuda", "9.0", hold=["fp64"])
    assert [s.key for s in specs[-2:]] == ["matmul-fp64", "matmul-fp64-sustained"]
    assert len({s.key for s in specs}) == len(specs)


@pytest.mark.parametrize(("name", "seconds"), [(QUICK, 3.0), (FULL, 10.0), ("of-the-future", 3.0)])
def test_seconds_of_a_suite(name: str, seconds: float) -> None:
    assert sustain_default_s(name) == seconds
    for sustain_s, expected in ((None, seconds), (7.5, 7.5)):
        long = [s for s in suite(name, "cuda", "9.0", sustain_s) if s.protocol == "sustained"]
        assert long
        assert {s.seconds for s in long} == {expected}


def test_only_what_is_held_has_seconds() -> None:
    for spec in suite(FULL, "cuda", "9.0"):
        assert (spec.seconds > 0) == (spec.protocol == "sustained")


def test_a_suite_that_only_a_newer_version_knows_is_the_quick_one() -> None:
    for kind in ("cuda", "cpu"):
        assert suite("of-the-future", kind, "9.0") == suite(QUICK, kind, "9.0")


def test_labels_are_what_people_read() -> None:
    assert suite(QUICK, "cpu", None, 10.0)[-1].label == "matmul fp32 10 s"
    assert matmul_spec("fp8_fast").label == "matmul fp8_fast"
    assert matmul_spec("fp64_tensor").label == "matmul fp64_tensor"
    assert stream_spec("read", "fp32").label == "read fp32"
    found = {s.key: s.label for s in suite(FULL, "cuda", "9.0")}
    assert found["read-fp16-sweep"] == "read fp16 sizes"
    assert found["matmul-bf16-sweep"] == "matmul bf16 sizes"


def test_tf32_is_fp32_in_another_mode() -> None:
    spec = matmul_spec("tf32")
    assert (spec.dtype, spec.math, spec.peak_key) == ("fp32", "tf32", "tf32")


@pytest.mark.parametrize("key", MATMUL_KEYS)
def test_a_probe_has_one_key_whether_by_tensor_cores_or_not(key: str) -> None:
    burst, long = matmul_spec(key), matmul_spec(key, 3.0)
    assert burst.key == f"matmul-{key.removesuffix('_tensor')}"
    assert long.key == f"{burst.key}-sustained"
    assert (burst.protocol, long.protocol) == ("burst", "sustained")
    assert burst.peak_key == long.peak_key == key


@pytest.mark.parametrize(
    ("key", "capability", "missing"),
    [
        ("bf16", "7.5", True),
        ("bf16", "8.0", False),
        ("tf32", "7.0", True),
        ("fp8", "8.6", True),
        ("fp8_fast", "8.9", False),
        ("int8", "7.0", True),
        ("fp32", "6.0", False),
        ("bf16", None, False),
        ("bf16", "gfx942", False),
        ("fp8", "10.0", False),
        ("fp4", "8.9", True),
        ("fp4", "9.0", True),
        ("fp4", "10.0", False),
        ("fp4", "10.3", False),
        ("fp4", "12.0", False),
        ("fp4", None, False),
        ("fp4", "gfx950", False),
    ],
)
def test_units_by_capability(key: str, capability: str | None, missing: bool) -> None:
    assert (lacks(key, capability) is not None) is missing


def test_the_reason_says_emulated() -> None:
    assert "emulated" in (lacks("bf16", "7.5") or "")


def test_the_reason_says_from_which_capability_on() -> None:
    assert lacks("fp4", "9.0") == "no fp4 unit on compute capability 9.0 (from 10.0)"


def test_each_card_is_compared_by_one_slope_and_one_flat_that_is_held() -> None:
    assert keys("cards") == ["add_scalar-fp16", "matmul-bf16", "matmul-bf16-sustained"]
    assert set(keys("cards")) <= set(keys(QUICK)) & set(keys(FULL))
    assert keys("cards", capability="7.5")[1] == "matmul-fp16"
    assert "cards" not in SUITES  # nobody asks for it: it is of --device all


def test_what_all_cards_do_at_once_has_keys_of_its_own() -> None:
    flat, slope = at_once("cuda", "9.0", 5.0)
    assert (flat.key, flat.seconds) == ("together-matmul-bf16-sustained", 5.0)
    assert (slope.key, slope.protocol) == ("together-add_scalar-fp16-sustained", "sustained")
    assert not {flat.key, slope.key} & {key for name in SUITES for key in keys(name)}
