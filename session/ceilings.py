"""What work is held against: the rates that a session measured, or those of a datasheet."""

from __future__ import annotations

from roofwatch.roofline.floors import Ceilings
from roofwatch.roofline.lookup import Nominal
from roofwatch.session.fold import Session
from roofwatch.session.roofs import roofs

NOMINAL = "nominal"


def session_ceilings(session: Session, origin: str) -> Ceilings:
    """Its own bandwidth and flats, and nothing in place of what it did not measure.

    ``origin``: what they are called by whoever asks.
    """
    own = roofs(session)
    peaks = {k: c.best_tflops for k, c in own.compute.items() if c.best_tflops}
    return Ceilings(
        bandwidth_gbs=own.bandwidth_gbs or None,
        bandwidth_origin=origin if own.bandwidth_gbs else None,
        peaks_tflops=peaks,
        peak_origins=dict.fromkeys(peaks, origin),
    )


def nominal_ceilings(card: Nominal) -> Ceilings:
    """The datasheet's; where the card is not known, none."""
    return Ceilings(
        bandwidth_gbs=card.bandwidth_gbs,
        bandwidth_origin=NOMINAL if card.bandwidth_gbs else None,
        peaks_tflops=dict(card.peaks_tflops),
        peak_origins=dict.fromkeys(card.peaks_tflops, NOMINAL),
    )
