"""What a roofline still waits for: the expected range of each number until it is measured."""

from __future__ import annotations

from roofwatch.session.events import Expect
from roofwatch.session.fold import Session
from roofwatch.session.roofs import STREAMS, Roofs

STREAM = "stream"


def awaited(session: Session, own: Roofs, key: str | None) -> dict[str, Expect]:
    """Ranges under ``burst``, ``sustained`` (of ``key``) and ``stream`` (the slope).

    None of what the run on the roofline has measured, and none at all once it has ended complete.
    """
    run = session.reported_run
    end = session.ends.get(run)
    if end is not None and end.complete:
        return {}
    flat = own.compute.get(key or "")
    measured = {
        "burst": flat.burst_tflops if flat else None,
        "sustained": flat.sustained_tflops if flat else None,
        STREAM: own.bandwidth_gbs,
    }
    found: dict[str, Expect] = {}
    for spec in session.specs:
        which = spec.protocol
        if which in found or which not in measured or measured[which]:
            continue
        if spec.mistake or spec.peak_key != (None if which == STREAM else key):
            continue
        if which == STREAM and spec.op not in STREAMS:
            continue
        expect = session.expect(spec.key, run)
        if expect is not None and expect.unit == spec.unit:
            found[which] = expect
    return found


def first_key(session: Session) -> str | None:
    """The first precision of which a figure is expected."""
    run = session.reported_run
    specs = (s for s in session.specs if s.peak_key and not s.mistake)
    return next((s.peak_key for s in specs if session.expect(s.key, run)), None)
