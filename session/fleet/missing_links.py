"""Why a fleet has no figures of its links."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import SILENT

NO_LINKS = "no links: "  # how a note of it begins
AS_TORCHRUN = " (torchrun ends all ranks of a machine when one has died)"
CUT = "the links were not measured to their end: "  # how another does
NOT_SAID = "not measured, and the file does not say why (--no-collectives leaves them out)"


def missing_links(fleet: Fleet) -> str:
    """In words; empty where something was measured."""
    if fleet.collectives or fleet.links:
        return ""
    noted = next((n.text for n in fleet.notes if n.text.startswith(NO_LINKS)), "")
    if noted:
        return f"not measured: {noted.removeprefix(NO_LINKS)}"
    if fleet.world < 2:
        return "none: one rank has nobody to send to"
    if fleet.end is None:
        return "not measured: the file ends before them"
    if not fleet.end.why:
        return NOT_SAID
    died = fleet.header.launcher == "torchrun" and any(r.state == SILENT for r in fleet.in_order)
    return f"not measured: {fleet.end.why}{AS_TORCHRUN if died else ''}"


def told_without_links(fleet: Fleet, note: str) -> bool:
    """Whether a note says no more than ``missing_links`` does."""
    if note.startswith(NO_LINKS):
        return True
    return note.startswith(CUT) and bool(missing_links(fleet))
