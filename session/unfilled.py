"""Sessions that are of something else than the record: its table would have nothing but gaps."""

from __future__ import annotations

from roofwatch.roofline.suite import LINKS
from roofwatch.session.fold import Session

OF_LINKS = (
    "No record table and no answers of a links session: --suite quick and full fill roofs and "
    "ridge, --suite decode the decode step, --suite kernels what bounds a kernel."
)


def unfilled(session: Session) -> str:
    """Why a session has no record table; empty where it has one."""
    return OF_LINKS if session.suite == LINKS else ""
