"""A MIG slice has a share of SMs and memory: the whole card's figures are not its own."""

from __future__ import annotations

from roofwatch.notebook.finding import CONDITIONS, NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

SLICED = ("8.0", "9.0", "10.0", "10.3")
SLICES = (1, 2, 3, 4)


def mig_slice(reading: Reading) -> Finding | None:
    """The name says MIG: judged by the slice's own figures."""
    if not reading.slice_share:
        return None
    return finding(
        "mig-slice",
        "named",
        severity=NOTE,
        subject=reading.subject,
        slice_share=reading.slice_share,
        nominal=reading.nominal,
        unit=reading.unit,
    )


def slice_suspected(reading: Reading) -> Finding | None:
    """A rate that a slice of this card would give."""
    rate = reading.rate
    if reading.ours or not reading.below or not rate or reading.slice_share:
        return None
    if reading.compute_capability not in SLICED or reading.op in ("h2d", "d2h"):
        return None
    for slices in SLICES:
        fit = reading.fits(rate * 7 / slices)
        if fit is not None:
            return finding(
                "mig-slice",
                "suspected",
                root=CONDITIONS,  # nobody chose a wrong figure
                severity=SUSPECT,
                subject=reading.subject,
                fit=round(0.25 * fit, 3),
                rate=rate,
                unit=reading.unit,
                slices=slices,
            )
    return None
