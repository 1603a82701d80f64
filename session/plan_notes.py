"""What has to be said beside a plan's figures: what is counted, whose peak, what is derived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofwatch.roofline.decode import TWO_BYTES, peak_key_of
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model

if TYPE_CHECKING:
    from roofwatch.session.plan import Question


def notes_of(card: Nominal, model: Model, key: str | None, q: Question) -> list[str]:
    """Of the weights, then of a derived card, then of the model; ``key`` is the peak in use."""
    notes = [_weights_note(key, q, peak_key_of(q.weights, card.peaks_tflops) == q.weights)]
    if card.origin == "derived" and card.note:
        notes.append(f"{card.name}: {card.note}")
    if model.note:
        notes.append(f"{model.name}: {model.note}")
    return [note for note in notes if note]


def _weights_note(key: str | None, q: Question, has_unit: bool) -> str:
    """What is counted for narrow weights, and which peak judges weights of another type.

    ``has_unit``: the card multiplies such weights as they are.
    """
    own = q.peak_tflops is None or q.peak_measured is not None  # the peak has a type
    said = []
    if q.weights not in TWO_BYTES:
        size = "half a byte" if q.weights == "int4" else "a byte"
        said.append(f"{q.weights} weights: {size} for each, head and embedding too, no scales")
        if own and key == q.weights:
            said.append(f"computed at the {key} peak, so activations are {key} as well")
        elif own and key is not None and has_unit:
            said.append(f"the session measured no {q.weights} peak: its {key} one is taken instead")
            said.append(f"the nominal ridge is that of {q.weights}")
        elif own and key is not None:
            said.append(f"unpacked and multiplied as {key}")
    elif own and key not in (None, q.weights):
        whose = "the session measured" if q.peak_measured else "the table has"
        said.append(f"{q.weights} weights go by the {key} peak: {whose} none of {q.weights}")
    return "; ".join(said)
