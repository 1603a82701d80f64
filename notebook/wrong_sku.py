"""The nominal figure of another card, or of none: right arithmetic against a wrong number."""

from __future__ import annotations

from roofwatch.notebook.claim_work import LINK_OPS
from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.wrong_peak import NEAR, SAME, other_figure

LOW_PRIOR = 0.5  # a low number has many causes
SAME_GBS = 0.02


def wrong_sku(reading: Reading) -> Finding | None:
    """What it was compared with is no figure of this card: another card's, or nobody's."""
    for compared, own, unit, same in (
        (reading.compared_tflops, reading.nominal_tflops, "TFLOP/s", SAME),
        (reading.compared_gbs, reading.nominal_gbs, "GB/s", SAME_GBS),
    ):
        if compared and own and abs(compared / own - 1) > same:
            return _compared(reading, compared, own, unit)
    return None


def _compared(reading: Reading, compared: float, own: float, unit: str) -> Finding | None:
    if unit == "TFLOP/s" and (reading.math == "sparse" or other_figure(reading, compared)):
        return None  # another peak of this card: E3
    near = NEAR[0] <= compared / own <= NEAR[1]
    memory = reading.memory_gbs if unit == "GB/s" and reading.op in LINK_OPS else None
    if memory and abs(compared / memory - 1) <= SAME:
        return _memory_for_link(reading, compared, own)
    rate = reading.gbs if unit == "GB/s" else reading.tflops
    of_compared = rate / compared if rate else None
    matters = not near or (reading.share_stated and of_compared is not None and of_compared > 1)
    others = reading.compared_is
    return finding(
        "wrong-sku" if others and not near else "wrong-peak-value",
        "compared" if others and not near else "near" if near else "compared",
        severity=NOTE if not matters else WRONG if others else SUSPECT,
        subject=reading.subject,
        compared=compared,
        nominal=own,
        unit=unit,
        card=reading.card,
        others=", ".join(others[:3]) or None,
        peak_key=reading.peak_key if unit == "TFLOP/s" else None,
        of_compared=of_compared,
        of_nominal=rate / own if rate else None,
    )


def _memory_for_link(reading: Reading, compared: float, own: float) -> Finding:
    return finding(
        "wrong-peak-value",
        "memory_for_link",
        severity=WRONG,
        subject=reading.subject,
        compared=compared,
        nominal=own,
        card=reading.card,
        of_nominal=reading.gbs / own if reading.gbs else None,
    )


def other_card(reading: Reading) -> Finding | None:
    """Out of range for this card, and just right for one of nearly the same name."""
    rate = reading.rate
    nominal = reading.nominal_gbs if reading.judged == "gbs" else reading.nominal_tflops
    if reading.ours or rate is None or not nominal or not (reading.below or reading.above):
        return None
    if reading.below and (reading.judged == "tflops" or reading.op == "decode"):
        return None  # clocks, kernels and hosts take as much
    best: tuple[float, str, float] | None = None
    for name, figure in reading.siblings.items():
        if abs(figure / nominal - 1) <= SAME:
            continue
        fit = reading.fits(rate * nominal / figure)
        if fit is not None and (best is None or fit > best[0]):
            best = (fit, name, figure)
    if best is None:
        return None
    fit, name, figure = best
    return finding(
        "wrong-sku",
        "other_card",
        severity=WRONG if reading.over else SUSPECT,
        subject=reading.subject,
        fit=fit if reading.over else round(LOW_PRIOR * fit, 3),
        rate=rate,
        unit=reading.unit,
        card=reading.card,
        nominal=nominal,
        other=name,
        other_nominal=figure,
        of_other=rate / figure,
    )
