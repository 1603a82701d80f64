"""The mistakes that were made on purpose: the wrong number, the right one, and who noticed."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.finding import NAMES
from roofwatch.roofline.probe_spec import PERCENT, ProbeSpec
from roofwatch.session.claims import told
from roofwatch.session.events import Claimed, Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import claimed, tflops, value

UNFLAGGED = "made on purpose, and no rule flagged it"


class Mistake(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake. ``wrong`` and ``right`` are in ``unit``: GB/s, TFLOP/s, or % of a peak.

    It is ``flagged`` where its own code comes first of all that the rules say; ``message`` is that
    finding's, else what came instead.
    """

    code: str
    name: str
    probe: str
    right_probe: str
    wrong: float
    right: float | None
    unit: str
    flagged: bool
    message: str
    status: dict[str, str] = {}


def mistakes(session: Session) -> list[Mistake]:
    """The mistakes of the reported run, in the suite's order; none in a suite without them."""
    measured = {m.probe: m for m in session.measured()}
    specs = {s.key: s for s in session.specs}
    made = [m for m in measured.values() if m.claim is not None]
    return [_mistake(session, m, measured, specs) for m in made]


def _mistake(
    session: Session,
    m: Measurement,
    measured: dict[str, Measurement],
    specs: dict[str, ProbeSpec],
) -> Mistake:
    assert m.claim is not None
    code = m.mistake or ""
    found = told(session, m)
    flagged = bool(found) and found[0].code == code
    right_probe = specs[m.probe].right if m.probe in specs else ""
    right = _right(session, measured.get(right_probe), m.claim)
    message = found[0].message if flagged else UNFLAGGED
    wrong = claimed(m.claim)
    if code == "E2" and right is not None and wrong < right:
        message += "; here the call takes longer than the cache saves"
    if found and not flagged:
        message += f"; instead: {found[0].message}"
    return Mistake(
        code=code,
        name=NAMES.get(code, code),
        probe=m.probe,
        right_probe=right_probe,
        wrong=wrong,
        right=right,
        unit=_unit(m.claim),
        flagged=flagged,
        message=message,
        status={"right": "not_measured"} if right is None else {},
    )


def _right(session: Session, right: Measurement | None, claim: Claimed) -> float | None:
    """The right probe's figure; beside a wrong comparison the share of the rate's own peak."""
    if right is None or claim.nominal_tflops is None:
        return value(right) if right else None
    peaks = session.nominal.peaks_tflops if session.nominal else {}
    own = peaks.get(right.peak_key or "")
    return 100 * tflops(right) / own if own else None


def _unit(claim: Claimed) -> str:
    if claim.nominal_tflops is not None:
        return PERCENT
    return "GB/s" if claim.claimed_gbs is not None else "TFLOP/s"


def unflagged(session: Session) -> list[str]:
    """Mistakes that were made and that no rule saw, in words: worth a note, and no fault."""
    return [f"{made.probe}: {made.message}" for made in mistakes(session) if not made.flagged]
