"""Why a fleet has no figures of its links."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet

NO_LINKS = "no links: "  # how a note of it begins
NOT_SAID = "not measured, and the file does not say why (--no-collectives leaves them out)"


def missing_links(fleet: Fleet) -> str:
    """In words; empty where something was measured."""
    if fleet.collectives or fleet.links:
        return ""
    noted = next((n.text for n in fleet.notes if n.text.startswith(NO_LINKS)), "")
    if noted:
        return f"not measured: {noted.removeprefix(NO_LINKS)}"
    if max(fleet.header.world, len(fleet.ranks)) < 2:
        return "none: one rank has nobody to send to"
    if fleet.end is None:
        return "not measured: the file ends before them"
    return f"not measured: {fleet.end.why}" if fleet.end.why else NOT_SAID
