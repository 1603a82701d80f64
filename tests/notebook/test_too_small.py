"""E4: matrices so small that memory, a launch or idle SMs set the time."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.too_small import last_wave, ridge_of, tiles_of, too_small

BASE: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "fp16",
    "peak_key": "fp16",
    "judged": "tflops",
    "tflops": 13.0,
    "flop": 2.0 * 512**3,
    "shape": {"m": 512, "n": 512, "k": 512},
    "intensity": 171.0,
    "time_s": 2.1e-5,
    "nominal_gbs": 320.0,
    "nominal_tflops": 65.0,
    "sm_count": 40,
    "low": 34.0,
    "high": 60.0,
}
LARGE: dict[str, object] = {
    "flop": 2.0 * 8192**3,
    "shape": {"m": 8192, "n": 8192, "k": 8192},
    "intensity": 2731.0,
    "time_s": 2.1e-2,
    "tflops": 52.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_n_512_is_left_of_the_ridge() -> None:
    found = too_small(reading())
    assert found is not None
    assert (found.code, found.name) == ("E4", "too-small")
    assert (found.severity, found.root, found.fit) == (SUSPECT, "flop", None)
    assert found.evidence == {
        "tflops": 13.0,
        "of_nominal": pytest.approx(0.2),
        "shape": "512x512x512",
        "intensity": 171.0,
        "ridge": pytest.approx(203.125),
        "tiles": 16,
        "sm_count": 40,
        "time_us": pytest.approx(21),
        "shortest_us": pytest.approx(2.0 * 512**3 / 60e12 * 1e6),
    }


def test_large_matrices_are_not_too_small_however_slow() -> None:
    assert too_small(reading(**LARGE)) is None
    assert too_small(reading(**{**LARGE, "tflops": 13.0})) is None


@pytest.mark.parametrize(("intensity", "fires"), [(203.0, True), (203.2, False)])
def test_the_ridge_is_the_limit(intensity: float, fires: bool) -> None:
    found = too_small(reading(**{**LARGE, "intensity": intensity}))
    assert (found is not None) is fires
    if found:
        assert found.severity == NOTE  # in range all the same


def test_fewer_tiles_than_sms_and_a_work_shorter_than_a_launch() -> None:
    few: dict[str, object] = {**LARGE, "shape": {"m": 256, "n": 256, "k": 8192}, "tflops": 13.0}
    found = too_small(reading(**few))
    assert found is not None
    assert found.severity == SUSPECT
    assert "256x256x8192" in found.message
    short = too_small(reading(**{**LARGE, "flop": 1e9, "tflops": 13.0, "time_s": 7e-5}))
    assert short is not None
    assert short.evidence["shortest_us"] < 20
    # In their range neither is worth a word.
    assert too_small(reading(**{**few, "tflops": 52.0})) is None


@pytest.mark.parametrize(("time_s", "severity"), [(1e-4, SUSPECT), (1.9e-4, SUSPECT), (1e-2, NOTE)])
def test_smallness_costs_a_launch_and_no_more(time_s: float, severity: str) -> None:
    found = too_small(reading(time_s=time_s, tflops=1.0))
    assert found is not None
    assert found.severity == severity


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "attention"},
        {"judged": "gbs", "gbs": 5.0},
        {"protocol": "burst"},
        {"protocol": "sustained"},
        {"protocol": "sweep"},
        {"flop": None},
    ],
)
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert too_small(reading(**fields)) is None


def test_the_ridge_is_of_this_cards_own_slope_where_it_is_known() -> None:
    assert ridge_of(reading()) == pytest.approx(65e3 / 320)
    assert ridge_of(reading(roof_gbs=260.0)) == pytest.approx(250)
    assert ridge_of(reading(nominal_tflops=None)) is None
    assert ridge_of(reading(nominal_tflops=None, protocol="burst")) == pytest.approx(13e3 / 320)
    assert ridge_of(reading(nominal_gbs=None)) is None


def test_tiles_of_the_usual_size() -> None:
    assert tiles_of(reading()) == 16
    assert tiles_of(reading(shape={"m": 257, "n": 128, "k": 1})) == 3
    one = tiles_of(reading(shape={"m": 1, "n": 1, "k": 1}))
    assert one == 1
    assert tiles_of(reading(shape={"m": 1, "n": 1, "k": 1, "batch": 7})) == 7
    assert tiles_of(reading(shape={})) is None
    assert tiles_of(reading(op="copy")) is None


def wave(tiles: int, tflops: float, **fields: object) -> Reading:
    shape = {"m": 1, "n": 1, "k": 8192, "batch": tiles}
    return reading(shape=shape, tflops=tflops, **fields)


def test_a_last_wave_that_is_nearly_empty() -> None:
    found = last_wave(wave(42, 24.0))  # 42 tiles on 40 SMs take two waves
    assert found is not None
    assert (found.code, found.severity) == ("E4", SUSPECT)
    assert found.evidence == {
        "tflops": 24.0,
        "tiles": 42,
        "sm_count": 40,
        "waves": pytest.approx(1.05),
        "full": pytest.approx(0.525),
    }
    assert found.fit is not None


@pytest.mark.parametrize(
    ("tiles", "tflops", "fields"),
    [
        (42, 45.0, {}),  # in range
        (80, 24.0, {}),  # both waves full: it explains nothing
        (39, 24.0, {}),  # less than one wave: few tiles
        (121, 30.0, {}),  # over three waves
        (42, 5.0, {}),  # a full last wave would not help
        (42, 24.0, {"protocol": "burst"}),
        (42, 24.0, {"sm_count": None}),
        (42, 24.0, {"judged": "gbs", "gbs": 5.0}),
    ],
)
def test_other_waves_are_silent(tiles: int, tflops: float, fields: dict[str, object]) -> None:
    assert last_wave(wave(tiles, tflops, **fields)) is None
