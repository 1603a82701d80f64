"""Which shapes make the staircase, on a card that is played, and why a CPU has none."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from roofwatch.probes import kernels, waves, worker  # noqa: E402
from roofwatch.probes.device import CpuTarget, CudaTarget  # noqa: E402
from roofwatch.probes.kernels import Profiled  # noqa: E402
from roofwatch.probes.place import Place  # noqa: E402
from roofwatch.probes.timing import Launch  # noqa: E402
from roofwatch.roofline.attribution import tiles  # noqa: E402
from roofwatch.roofline.probe_spec import group_spec  # noqa: E402
from roofwatch.session.events import Measurement, Note  # noqa: E402

SPEC = group_spec("waves", "fp32")
TILES = [(256, 128), (128, 256), (192, 192), (320, 128), (128, 128), (64, 8), (192, 96), (96, 64)]


class Timer:
    """One whose launches take a millisecond."""

    name = "event"
    calls = 1

    def times(self, launch: Launch, count: int) -> list[float]:
        return self.each([launch] * count)

    def each(self, launches: Sequence[Launch]) -> list[float]:
        return [1e-3] * len(launches)


class Card(CudaTarget):
    """A card of so many SMs that multiplies on the CPU."""

    def __init__(self, units: int) -> None:
        self.units = units
        self.torch_device = torch.device("cpu")

    def timer_for(self, launch: Launch) -> Timer:  # type: ignore[override]
        return Timer()


def place(target: Any, said: list[str]) -> Place:
    return Place(
        target=target,
        clock=None,
        shapes={},
        peaks_tflops={},
        rest=lambda seconds: None,
        note=said.append,
    )


def name_of(tile: tuple[int, int]) -> str:
    return f"nvjet_sm90_tst_{tile[0]}x{tile[1]}_64x4_1x2_h_bz_NNT"


def naming(*names: str | None) -> Callable[[Any, Launch], Profiled]:
    """A profiler that names the kernels so, the last for all that follow."""
    left = list(names)

    def profiled(target: Any, launch: Launch) -> Profiled:
        name = left.pop(0) if len(left) > 1 else left[0]
        return Profiled(kernel=name, status=None if name else "no_permission")

    return profiled


@pytest.mark.parametrize("units", [10, 40, 108, 114, 132, 148, 170])
@pytest.mark.parametrize("tile", TILES)
def test_the_staircase_surrounds_whole_waves(tile: tuple[int, int], units: int) -> None:
    shapes = waves.staircase(tile, units)
    counts = [tiles(s.m, s.n, tile) for s in shapes]
    assert counts == sorted(counts)
    assert len(set(counts)) == len(counts)
    rows, columns, held = waves.cell(tile)
    for s in shapes:
        assert s.m % rows == s.n % columns == 0
        assert 1 / waves.MOST_ASPECT <= s.m / s.n <= waves.MOST_ASPECT
    if units >= 100 and held <= 2:
        share = [count / units for count in counts]
        assert any(0.4 <= x <= 0.6 for x in share)
        for whole in (1, 2, 3):
            assert any(0.95 * whole <= x <= whole for x in share), whole
            assert any(whole < x <= whole + waves.MOST_STEP for x in share), whole
            assert math.ceil(min(x for x in share if x > whole)) == whole + 1


@pytest.mark.parametrize("tile", TILES)
def test_a_square_cell_holds_as_many_tiles_either_way_round(tile: tuple[int, int]) -> None:
    rows, columns, held = waves.cell(tile)
    assert tiles(rows, columns, tile) == held
    if rows == columns:
        assert tiles(rows, columns, tile[::-1]) == held
    else:
        assert (rows, columns) == tile


def test_a_cpu_has_no_waves_and_says_so(instrument: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "LAST_SAMPLE_S", 0.0)
    assert worker.Worker(instrument, CpuTarget(), 1, threading.Event()).run((SPEC,)) == 0
    assert instrument.of(Measurement) == []
    (note,) = instrument.of(Note)
    assert (note.text, note.probe) == (waves.NO_WAVES, "waves")


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """A depth that a CPU multiplies at once."""
    monkeypatch.setattr(waves, "DEPTH", 1)


@pytest.mark.usefixtures("tiny")
def test_shapes_are_made_of_the_tile_that_the_library_keeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = name_of((192, 192))
    monkeypatch.setattr(kernels, "profiled", naming(kept, kept))
    said: list[str] = []
    points = list(waves.points(SPEC, place(Card(10), said), lambda share: None))
    assert said == []
    assert len(points) >= 5
    for p in points:
        assert p.work.shape["m"] % 192 == p.work.shape["n"] % 192 == 0
        assert p.profile is not None
        assert p.profile.kernel == kept
        assert p.layout == "nn"
        assert len(p.timed.times_s) == waves.REPEATS


@pytest.mark.usefixtures("tiny")
def test_a_library_that_changes_its_tile_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [name_of((192, 192)), name_of((256, 128)), name_of((192, 192))]
    monkeypatch.setattr(kernels, "profiled", naming(*names))
    assert waves._tile(SPEC, Card(10)) == (192, 192)


@pytest.mark.usefixtures("tiny")
def test_without_names_the_usual_tile_is_taken_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "profiled", naming(None))
    said: list[str] = []
    points = list(waves.points(SPEC, place(Card(10), said), lambda share: None))
    assert said == [waves.UNNAMED]
    assert all(p.work.shape["m"] % 256 == 0 for p in points)
