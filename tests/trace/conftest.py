"""What the tests of traces share: recorded ones, and small ones made of a few events."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofwatch.session.cards import load_cards
from roofwatch.trace.analysis import examined, report
from roofwatch.trace.card_roofs import Card, roofs_for
from roofwatch.trace.read_trace import read_trace
from roofwatch.trace.report import TraceReport

TRACES = Path(__file__).parent.parent / "traces"
SESSIONS = Path(__file__).parent.parent / "sessions"
H200 = {"id": 0, "name": "NVIDIA H200", "numSms": 132, "computeMajor": 9, "computeMinor": 0}
BF16 = "c10::BFloat16"


def events(*steps: tuple[str, list[Any], str, float, float]) -> list[dict[str, Any]]:
    """An operator, its launch and its kernel each: name, shapes, kernel, begin and length in us."""
    found: list[dict[str, Any]] = []
    for i, (name, dims, kernel, begin, length) in enumerate(steps, 1):
        host = {"pid": 5, "tid": 5, "ph": "X"}
        types = [BF16 if shape else "Scalar" for shape in dims]
        shapes = {"External id": i, "Input Dims": dims, "Input type": types}
        shapes["Concrete Inputs"] = ["" if shape else "1" for shape in dims]
        found += [
            host | {"cat": "cpu_op", "name": name, "ts": i * 10.0, "dur": 9.0, "args": shapes},
            host
            | {
                "cat": "cuda_runtime",
                "name": "cudaLaunchKernel",
                "ts": i * 10.0 + 1,
                "dur": 5.0,
                "args": {"External id": i, "correlation": i},
            },
            {
                "ph": "X",
                "cat": "kernel",
                "name": kernel,
                "pid": 0,
                "tid": 7,
                "ts": begin,
                "dur": length,
                "args": {"External id": i, "correlation": i, "device": 0, "stream": 7},
            },
        ]
    return found


@pytest.fixture
def trace(tmp_path: Path) -> Callable[..., Path]:
    """Writes a trace of events; ``more`` are fields beside them, ``devices`` False leaves the card
    out."""

    def written(found: list[dict[str, Any]], devices: bool = True, **more: Any) -> Path:
        path = tmp_path / "trace.json"
        document = more | {"traceEvents": found}
        if devices:
            document["deviceProperties"] = [H200]
        path.write_text(json.dumps(document))
        return path

    return written


def answer(path: Path, session: Path | None = None, gpu: str | None = None) -> TraceReport:
    """The whole answer on one file, by the nominal roofs of its card unless told otherwise."""
    recording = read_trace(path)
    identity = next(iter(recording.cards.values()), None) if recording.has_device else None
    card = Card(name=None, origin="none")
    if recording.has_device:
        card = roofs_for(identity, load_cards(environ={}), gpu, session, look=False)
    return report(examined(recording, str(path)), card)
