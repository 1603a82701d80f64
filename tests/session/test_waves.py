"""The staircase, folded from events: a library that keeps its tile, and ones that smooth it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from roofwatch.roofline.attribution import wave_share
from roofwatch.roofline.workload import matmul
from roofwatch.session.events import Device, Measurement
from roofwatch.session.fold import Session
from roofwatch.session.summary import record
from roofwatch.session.waves import Waves, waves

Point, Folded = Callable[..., Measurement], Callable[..., Session]
Stairs = Callable[..., Waves]
K = 8192
TILE = (256, 128)
NAME = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT"
OTHER = "nvjet_sm90_tst_192x192_64x3_2x1_v_bz_coopB_NNN"
SPLIT = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_splitK_coopA_NNT"
SIZES = ((768, 2816), (2816, 1536), (1024, 4352), (2304, 2816), (3072, 2816), (1792, 4864))
"""66, 132, 136, 198, 264 and 266 tiles: 0.5, 1.0, 1.03, 1.5, 2.0 and 2.02 waves of 132 SMs."""
STAIR = {size: 700 * wave_share(*size, TILE, 132) for size in SIZES}


@pytest.fixture
def point(point: Point) -> Point:
    """One by its two sides and its rate."""

    def made(m: int, n: int, rate: float, kernel: str | None = NAME) -> Measurement:
        work = matmul(m, n, K, "bf16")
        status = {} if kernel else {"kernel": "no_permission"}
        told = {"timing": "graph", "layout": "nn", "kernel": kernel, "status": status}
        return point(work, work.flop / rate / 1e12, "waves", **told)

    return made


@pytest.fixture
def session(of_suite: Folded) -> Folded:
    def made(*points: Measurement, sm_count: int | None = 132) -> Session:
        return of_suite(Device(kind="cuda", name="X", sm_count=sm_count), *points)

    return made


@pytest.fixture
def folded(session: Folded) -> Stairs:
    def made(*points: Measurement) -> Waves:
        found = waves(session(*points))
        assert found is not None
        return found

    return made


@pytest.fixture
def stair(point: Point, folded: Stairs) -> Waves:
    """A library that keeps its tile."""
    return folded(*(point(*size, rate) for size, rate in STAIR.items()))


@pytest.fixture
def smoothed(point: Point, folded: Stairs) -> Stairs:
    """The same sizes, but 1.03 waves run at nine tenths."""

    def made(kernel: str | None, before: str | None = NAME) -> Waves:
        over = SIZES[2]
        points = [point(*size, rate, before) for size, rate in STAIR.items() if size != over]
        return folded(*points, point(*over, 630.0, kernel))

    return made


def test_tiles_and_waves_of_each_point(stair: Waves) -> None:
    assert [p.tiles for p in stair.points] == [66, 132, 136, 198, 264, 266]
    assert [round(p.waves, 2) for p in stair.points] == [0.5, 1.0, 1.03, 1.5, 2.0, 2.02]
    assert [p.wave_share for p in stair.points] == pytest.approx(
        [0.5, 1.0, 136 / 264, 0.75, 1.0, 266 / 396]
    )
    assert all(p.tile == TILE and p.tile_known for p in stair.points)


def test_predicted_is_proportional_to_the_share(stair: Waves) -> None:
    for p in stair.points:
        assert p.predicted_tflops == pytest.approx(p.tflops)


def test_one_tile_more_than_a_wave_is_a_step(stair: Waves) -> None:
    first, second = stair.steps
    assert (first.tiles_before, first.tiles_after, first.waves_after) == (132, 136, 2)
    assert first.measured == pytest.approx(136 / 264)
    assert first.predicted == pytest.approx(136 / 264)
    assert first.other_tile is None
    assert (second.tiles_before, second.tiles_after, second.waves_after) == (264, 266, 3)
    assert stair.sentence == (
        "132 tiles of 256 x 128 fill 132 SMs once at 700 TFLOP/s; 136 tiles need 2 waves and run "
        "at 361: 0.52 of it, where the waves say 0.52."
    )


def test_another_tile_behind_the_wave_is_said(smoothed: Stairs) -> None:
    found = smoothed(OTHER)
    step = found.steps[0]
    assert step.other_tile == (192, 192)
    assert step.measured == pytest.approx(0.9)
    assert "would need 2 waves and 0.52 of that rate, yet reach 0.90" in found.sentence
    assert found.sentence.endswith("the library takes tiles of 192 x 192 there.")


def test_a_tile_shared_by_several_sms_is_said(smoothed: Stairs) -> None:
    found = smoothed(SPLIT)
    assert [p.shares_tiles for p in found.points].count(True) == 1
    assert found.sentence.endswith("the library lets several SMs work on one tile there.")


def test_what_no_name_explains_is_said_too(smoothed: Stairs) -> None:
    assert smoothed(NAME).sentence.endswith("that the kernel's name does not tell.")


def test_without_names_the_usual_tile_is_assumed_and_said(smoothed: Stairs) -> None:
    found = smoothed(None, None)
    assert not any(p.tile_known for p in found.points)
    assert all(p.status["kernel"] == "no_permission" for p in found.points)
    assert "assumed tiles of 128 x 256" in found.sentence


def test_a_tile_that_may_lie_the_other_way_round_makes_no_step(
    point: Point, folded: Stairs
) -> None:
    # 128 tiles of 64 x 256, then 144 by the name; the other way round they are 132, one wave.
    tall = "nvjet_sm90_tst_64x256_64x4_1x2_h_NNT"
    found = folded(point(1024, 2048, 700.0, tall), point(1024, 2112, 690.0, tall))
    assert [p.tiles for p in found.points] == [128, 144]
    assert found.steps == []
    assert found.sentence.startswith("No two sizes")


def test_without_a_whole_wave_nothing_is_predicted(point: Point, folded: Stairs) -> None:
    found = folded(point(768, 2816, 300.0))
    (p,) = found.points
    assert p.predicted_tflops is None
    assert p.status == {"predicted_tflops": "no_whole_wave"}
    assert found.steps == []


def test_nothing_without_points_or_sms(point: Point, session: Folded) -> None:
    assert waves(session()) is None
    assert waves(session(point(*SIZES[0], 300.0), sm_count=None)) is None


def test_the_record_has_the_experiment(stair: Waves, point: Point, session: Folded) -> None:
    block = record(session(*(point(*size, rate) for size, rate in STAIR.items())), None)
    seen = msgspec.json.decode(msgspec.json.encode(block))["shapes"]["waves"]
    assert len(seen["points"]) == len(SIZES)
    for part in (*seen["points"], *seen["steps"]):
        assert {name for name, value in part.items() if value is None} <= set(part["status"])
