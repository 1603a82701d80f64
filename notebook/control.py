"""A control: the same bytes by the same kernel in another type, which should take as long."""

from __future__ import annotations

from roofwatch.notebook.finding import BYTES, NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

CONTROL = 0.02  # bytes move as fast in either type (seed, Day 13)


def apart(ratio: float) -> float:
    """The share by which the slower of the two lies below the other."""
    return 1 - min(ratio, 1 / ratio)


def agrees(ratio: float) -> bool:
    """Whether a control's rate over the other's is within the seed's tolerance."""
    return abs(ratio - 1) <= CONTROL


def control(reading: Reading) -> Finding | None:
    """They took another time: the kernel's doing where it repeats, else the noise's.

    ``control_noise`` is what the two move by themselves; ``control_usual`` what they may where
    nothing is wrong, as on a CPU that has other work. Neither says anything of bytes.
    """
    ratio = reading.control_ratio
    if ratio is None or agrees(ratio):
        return None
    usual, noise = reading.control_usual or 0.0, reading.control_noise or 0.0
    if reading.control_restless or apart(ratio) <= max(usual, noise):
        return finding(
            "unstable",
            "control",
            severity=NOTE if apart(ratio) <= usual else SUSPECT,
            subject=reading.subject,
            ratio=ratio,
            noise=max(usual, noise),
            others_cores=reading.others_cores,
            said={"tolerance": CONTROL, "cores": reading.cores},
        )
    return finding(
        "inefficient-kernel",
        "control",
        root=BYTES,
        severity=SUSPECT,
        subject=reading.subject,
        ratio=ratio,
        said={"tolerance": CONTROL},
    )
