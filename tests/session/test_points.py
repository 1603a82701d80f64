"""Points under a roof: where their ridge lies, and what is no point."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from roofwatch.roofline.workload import matmul
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.points import points, trace
from roofwatch.session.roofs import roofs


def test_each_point_has_its_own_roofs_ridge(full: Session) -> None:
    own = roofs(full)
    burst, sustained = own.roof("bf16", "burst"), own.roof("bf16", "sustained")
    assert burst is not None
    assert sustained is not None
    for p in points(full, own, "bf16"):
        roof = sustained if p.style == "sustained" else burst
        assert p.ridge == roof.ridge
        assert p.attainable_tflops == roof.attainable_tflops(p.intensity)
        assert p.ridge_ratio == pytest.approx(roof.ridge / p.intensity)
        assert p.distances is not None
        assert p.distances.of_roof == pytest.approx(p.tflops / p.attainable_tflops)
    assert (points(full, own, "bf16")[0].ridge_ratio or 0) > 500  # a stream lies far left


def test_without_both_lines_of_a_roof_there_is_no_ridge(
    on_card: Callable[..., Session],
) -> None:
    session = on_card(without="matmul")
    (stream,) = points(session, roofs(session), "bf16")
    assert (stream.ridge, stream.ridge_ratio, stream.attainable_tflops) == (None, None, None)
    assert stream.distances is None


def test_a_square_without_flop_has_no_place_on_a_log_scale(
    on_card: Callable[..., Session], point: Callable[..., Measurement]
) -> None:
    square = matmul(512, 512, 512, "bf16")
    real = point(square, 1e-4, "matmul-bf16-sweep", protocol="sweep")
    none = msgspec.structs.replace(real, flop=0, peak_key=None, shape={"m": 9, "n": 512, "k": 9})
    session = on_card(none)
    assert trace(session, "bf16") == []
    assert all(p.intensity > 0 for p in points(session, roofs(session), "bf16"))
    assert len(trace(on_card(real), "bf16")) == 1
