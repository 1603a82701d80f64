"""A number that was made wrong on purpose, judged as the notebook judges anyone's."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.claim_reading import reading_of
from roofwatch.notebook.entry import Unreadable, claim_of
from roofwatch.notebook.finding import Finding
from roofwatch.notebook.rules import judge
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.nominal import LARGEST
from roofwatch.session.events import Claimed, Measurement
from roofwatch.session.fold import Session


def judged(session: Session, probe: str, claim: Claimed) -> list[Finding]:
    """What the rules say of the claim alone, the gravest first: nothing tells them of the mistake.

    Words that only a newer version claims with are not judged.
    """
    try:
        read = claim_of(msgspec.to_builtins(claim))
    except Unreadable:
        return []
    reading, _ = reading_of(read, probe, _nominal(session))
    return judge(reading)


def told(session: Session, m: Measurement) -> list[Finding]:
    """What is shown of it: beside direct evidence of the mistake no guesses, else all there is."""
    found = judged(session, m.probe, m.claim) if m.claim else []
    if found and found[0].code == m.mistake:
        return [f for f in found if f.fit is None]
    return found


def _nominal(session: Session) -> Nominal:
    """The card's figures; its cache as the device tells it where no table does (a CPU's)."""
    nominal = session.nominal or Nominal(origin="none")
    cache = session.device.l2_bytes
    if nominal.llc_bytes is None and cache and cache < LARGEST:
        return msgspec.structs.replace(nominal, llc_bytes=cache)
    return nominal
