"""Odd sides on the real CPU in tiny sizes, and which shapes a variant names."""

from __future__ import annotations

import threading
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from roofwatch.probes import alignment, matmul, worker  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.shapes import Shape  # noqa: E402
from roofwatch.roofline.probe_spec import group_spec  # noqa: E402
from roofwatch.session.events import Fault, Measurement  # noqa: E402

SPEC = group_spec("alignment", "fp32")


def test_a_variant_takes_from_the_sides_it_names() -> None:
    assert alignment.moved(8192, "k-1") == Shape(8192, 8192, 8191)
    assert alignment.moved(64, "m-1 n-8 k-2") == Shape(63, 56, 62)


@pytest.mark.parametrize(
    ("budget", "side"), [(1e13, 1024), (0.4e9, 512), (0.02e9, 256), (1.0, 256)]
)
def test_the_square_fits_the_budget(
    monkeypatch: pytest.MonkeyPatch, budget: float, side: int
) -> None:
    monkeypatch.setattr(matmul, "flop_budget", lambda target, spec: budget)
    assert alignment._side(CpuTarget(), SPEC) == side


def test_every_variant_is_measured_beside_the_aligned_square(
    instrument: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "LAST_SAMPLE_S", 0.0)
    monkeypatch.setattr(matmul, "flop_budget", lambda target, spec: 1.0)
    monkeypatch.setattr(alignment, "SIDES", {"cpu": (64,)})
    monkeypatch.setattr(alignment, "CPU_BURST_S", 0.01)
    work = worker.Worker(instrument, CpuTarget(), 1, threading.Event())
    assert work.run((SPEC,)) == 0, instrument.of(Fault)
    points = {m.variant: m for m in instrument.of(Measurement)}
    assert set(points) == {"aligned", *alignment.OFF["cpu"]}
    assert points["aligned"].shape == {"m": 64, "n": 64, "k": 64}
    assert points["k-1"].shape == {"m": 64, "n": 64, "k": 63}
    assert points["m-1 n-1 k-1"].shape == {"m": 63, "n": 63, "k": 63}
    for m in points.values():
        assert (m.op, m.protocol, m.layout, m.peak_key) == ("matmul", "alignment", "nn", "fp32")
        assert m.flop == 2 * m.shape["m"] * m.shape["n"] * m.shape["k"]
        assert len(m.times_s) >= 3
        assert m.status["kernel"] == "not_supported"
