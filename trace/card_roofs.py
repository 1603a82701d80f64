"""The roofs that a trace's kernels are held against: measured on that card, else nominal."""

from __future__ import annotations

from pathlib import Path

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.floors import Ceilings
from roofwatch.roofline.lookup import Identity, Nominal, bare_name, lookup
from roofwatch.roofline.nominal import Card as TableCard
from roofwatch.session.fold import Session
from roofwatch.session.plan import PlanError, card_named
from roofwatch.session.replay import Replay
from roofwatch.session.roofs import roofs
from roofwatch.trace.refusal import UnreadableTrace
from roofwatch.trace.report import Card

MEASURED, NOMINAL, NONE = "measured", "nominal", "none"
Table = tuple[tuple[TableCard, ...], frozenset[str]]


def nominal_roofs(card: Nominal, asked: bool = False) -> Card:
    """The datasheet's, as ``plan`` takes them."""
    known = card.bandwidth_gbs is not None or bool(card.peaks_tflops)
    return Card(
        name=card.name,
        origin=NOMINAL if known else NONE,
        asked=asked,
        bandwidth_gbs=card.bandwidth_gbs,
        bandwidth_origin=NOMINAL if card.bandwidth_gbs else None,
        peaks_tflops=dict(card.peaks_tflops),
        origins=dict.fromkeys(card.peaks_tflops, NOMINAL),
    )


def measured_roofs(session: Session, file: Path | None = None, asked: bool = False) -> Card:
    """A session's bandwidth and flats; what it did not measure is nominal."""
    own = roofs(session)
    base = session.nominal
    found = nominal_roofs(base) if base else Card(name=session.device.name, origin=NONE)
    peaks = {k: c.best_tflops for k, c in own.compute.items() if c.best_tflops is not None}
    measured = own.bandwidth_gbs is not None or bool(peaks)
    return Card(
        name=session.device.name,
        origin=MEASURED if measured else found.origin,
        asked=asked,
        file=str(file) if file and measured else None,
        bandwidth_gbs=own.bandwidth_gbs or found.bandwidth_gbs,
        bandwidth_origin=MEASURED if own.bandwidth_gbs else found.bandwidth_origin,
        peaks_tflops=found.peaks_tflops | peaks,
        origins=found.origins | dict.fromkeys(peaks, MEASURED),
    )


def roofs_for(
    identity: Identity | None,
    table: Table,
    gpu: str | None = None,
    session: Path | None = None,
    look: bool = True,
) -> Card:
    """By what was asked for, else by the trace's own card: a saved session of it, else nominal.

    ``look``: among the saved sessions.

    Raises:
        UnreadableTrace: the card or the session that was asked for cannot be used.
        UnreadableSession: the file is no session.
    """
    if gpu is not None:
        try:
            return nominal_roofs(card_named(gpu, Cards(*table)), asked=True)
        except PlanError as error:
            raise UnreadableTrace(f"--gpu: {error}") from None
    if session is not None:
        found = measured_roofs(Replay(session).session, session, asked=True)
        if found.origin != MEASURED:
            raise UnreadableTrace(f"{session}: no roof was measured in it")
        other = identity.name if identity else None
        if other is not None and bare_name(other) != bare_name(found.name or ""):
            raise UnreadableTrace(f"{session}: measured on {found.name}, the trace is of {other}")
        return found
    if identity is None:
        return Card(name=None, origin=NONE)
    if look:
        from roofwatch.session.saved_session import saved_session

        if (saved := saved_session(identity.name)) is not None:
            found = measured_roofs(saved.session, saved.path)
            if found.origin == MEASURED:
                return found
    return nominal_roofs(lookup(identity, *table))


def ceilings(card: Card) -> Ceilings:
    """The same as what work is held against."""
    return Ceilings(
        bandwidth_gbs=card.bandwidth_gbs,
        bandwidth_origin=card.bandwidth_origin,
        peaks_tflops=card.peaks_tflops,
        peak_origins=card.origins,
    )
