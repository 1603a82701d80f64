"""The roofs that a trace's kernels are held against: measured on that card, else nominal."""

from __future__ import annotations

from pathlib import Path

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.floors import Ceilings
from roofwatch.roofline.lookup import Identity, Nominal, bare_name, lookup
from roofwatch.roofline.nominal import Card as TableCard
from roofwatch.session.card_named import card_named
from roofwatch.session.ceilings import NOMINAL, nominal_ceilings, session_ceilings
from roofwatch.session.fold import Session
from roofwatch.session.plan import PlanError
from roofwatch.session.replay import Replay
from roofwatch.trace.refusal import UnreadableTrace
from roofwatch.trace.report import Card

MEASURED, NONE = "measured", "none"
Table = tuple[tuple[TableCard, ...], frozenset[str]]


def nominal_roofs(card: Nominal, asked: bool = False) -> Card:
    """The datasheet's, as ``plan`` takes them."""
    return _card(card.name, nominal_ceilings(card), asked=asked)


def measured_roofs(session: Session, file: Path | None = None, asked: bool = False) -> Card:
    """A session's bandwidth and flats; what it did not measure is nominal."""
    rates = session_ceilings(session, MEASURED)
    if session.nominal is not None:
        rates = rates.or_else(nominal_ceilings(session.nominal))
    return _card(session.device.name, rates, file=file, asked=asked)


def _card(name: str | None, rates: Ceilings, asked: bool, file: Path | None = None) -> Card:
    """``file``: told where something in it was measured."""
    origins = {rates.bandwidth_origin, *rates.peak_origins.values()}
    origin = next((o for o in (MEASURED, NOMINAL) if o in origins), NONE)
    return Card(
        name=name,
        origin=origin,
        asked=asked,
        file=str(file) if file and origin == MEASURED else None,
        bandwidth_gbs=rates.bandwidth_gbs,
        bandwidth_origin=rates.bandwidth_origin,
        peaks_tflops=rates.peaks_tflops,
        origins=rates.peak_origins,
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
