"""What an answer rests on: a check that held, that did not, or that nothing was measured for."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.suite import QUICK
from roofwatch.session.fold import Session

OK, FAILED, MISSING = "ok", "failed", "missing"
NOT_OF_THIS = "not of this device"


class Check(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One check of an answer. ``word`` is "ok", "failed" or "missing".

    ``ratio`` is the figure that was looked at, by what it was to be; absent where nothing was
    measured. ``of`` says what it is of; empty where it only says yes or no. ``fill`` names the
    probe that would tell and the command that runs it.
    """

    check: str
    word: str
    ok: bool
    ratio: float | None = None
    fill: str = ""
    of: str = ""


def made(check: str, ratio: float, ok: bool, of: str = "") -> Check:
    """A check of something that was measured."""
    return Check(check=check, word=OK if ok else FAILED, ok=ok, ratio=ratio, of=of)


def missing(check: str, fill: str) -> Check:
    """A check that nothing was measured for."""
    return Check(check=check, word=MISSING, ok=False, fill=fill)


def command(session: Session, suite: str = QUICK) -> str:
    """What one types to run a suite on the session's device."""
    device = " --device cpu" if session.device.kind == "cpu" else ""
    return f"roofwatch run{device}" + (f" --suite {suite}" if suite != QUICK else "")


def fill(session: Session, probe: str, suite: str = QUICK) -> str:
    """Which probe would tell, and its command; of one that was to run, why it has not.

    ``probe`` is its key, or the beginning of several keys: the last note on any of them counts.
    """
    run = session.reported_run
    known = [s.key for s in session.specs if s.key.startswith(probe)]
    noted = [n.text for n in session.notes if n.probe in known and n.run == run]
    faults = [f.what for f in session.faults if f.probe in known and f.run == run]
    if told := [*noted, *faults]:
        return f"{known[0]}: {told[-1]}"
    return f"{probe}: {command(session, suite)}"
