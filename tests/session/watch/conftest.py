from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from roofwatch.session.events import Device, End, Sample, SessionInfo, Span
from roofwatch.session.fold import Session

Read = Callable[..., Sample]


@pytest.fixture
def read() -> Read:
    """A sample of a busy H200, some of its fields others."""

    def sample(t: float, **other: Any) -> Sample:
        fields: dict[str, Any] = {
            "gpu": 0,
            "sm_mhz": 1980.0,
            "mem_mhz": 3201.0,
            "power_w": 400.0,
            "power_instant_w": 400.0,
            "temp_c": 50.0,
            "mem_used_bytes": 1 << 30,
            "util": 1.0,
            "reasons": 0,
        }
        return Sample(t=t, **{**fields, **other})

    return sample


@pytest.fixture
def session_of() -> Callable[..., Session]:
    """A session that watched a command over ``seconds`` from second 0 on."""

    def build(
        samples: Iterable[Sample],
        seconds: float,
        marks: Iterable[tuple[float, str]] = (),
        **device: Any,
    ) -> Session:
        session = Session()
        session.add(SessionInfo(t=0.0, schema="roofwatch.session/1", suite="watch"))
        known = {"kind": "cuda", "name": "NVIDIA H200", "index": 0, "sm_max_mhz": 1980.0, **device}
        session.add(SessionInfo(t=0.0, instrument="telemetry", device=Device(**known)))
        session.add(SessionInfo(t=0.0, command="python train.py"))
        session.add(Span(t=0.0, probe="python train.py", edge="begin"))
        for t, name in marks:
            session.add(Span(t=t, probe=name, edge="begin"))
        for sample in samples:
            session.add(sample)
        session.add(End(t=seconds, complete=True, why="exit code 0"))
        session.closed = True
        return session

    return build
