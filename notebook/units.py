"""Units: GiB taken for GB, bits for bytes, a thousand too much or too little."""

from __future__ import annotations

from roofwatch.notebook.catalog import label
from roofwatch.notebook.ceilings import passed
from roofwatch.notebook.finding import SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.reading import Reading

SLIPS: dict[str, float] = {
    "GiB": 1e9 / 2**30,
    "GB for GiB": 2**30 / 1e9,
    "MiB": 1e6 / 2**20,
    "MB for MiB": 2**20 / 1e6,
    "TiB": 1e12 / 2**40,
    "1024": 1024 / 1000,
    "bits": 8.0,
    "bytes for bits": 1 / 8,
    "ten": 10.0,
    "a tenth": 0.1,
    "thousand": 1e3,
    "a thousandth": 1e-3,
    "million": 1e6,
    "a millionth": 1e-6,
    "billion": 1e9,
    "a billionth": 1e-9,
    "trillion": 1e12,
    "a trillionth": 1e-12,
}
"""What a claim is of the true rate, by the slip that makes it so."""

FINE = 0.006  # a slip of 2 to 10 % is seen only where the digits are that good
SHORTEST_S = 5e-6
COARSE = 0.04
OF_FLOP = (
    "ten",
    "a tenth",
    "thousand",
    "a thousandth",
    "million",
    "a millionth",
    "billion",
    "a billionth",
    "trillion",
    "a trillionth",
)  # nobody counts FLOP in powers of two
OF_TIME = ("thousand", "a thousandth", "million", "a millionth")  # s, ms and us for one another
LARGE = ("bits", "bytes for bits", "thousand", "a thousandth", "million", "a millionth")


def slip_of(ratio: float, rounding: float, slips: tuple[str, ...] = tuple(SLIPS)) -> str | None:
    """The slip that explains a claim of ``ratio`` times what time and work give."""
    for name in slips:
        factor = SLIPS[name]
        small = 0.8 < factor < 1.25
        slack = FINE + rounding if small else COARSE + rounding
        if small and slack > abs(factor - 1) / 2:
            continue
        if abs(ratio / factor - 1) <= slack:
            return name
    return None


def units(reading: Reading) -> Finding | None:
    """By arithmetic where time and work are given; else a rate that lands in range when slipped."""
    for counted, work, slips in (
        (reading.claimed_bytes, reading.bytes, tuple(SLIPS)),
        (reading.claimed_flop, reading.flop, OF_FLOP),
    ):
        if counted and work:
            return _counted(reading, counted / work, slips)
    if reading.tokens_ratio:
        return _counted(reading, reading.tokens_ratio, OF_FLOP)
    return _hidden(reading)


def _counted(reading: Reading, ratio: float, slips: tuple[str, ...]) -> Finding | None:
    if abs(ratio - 1) <= FINE + reading.rounding:
        return None
    slip = slip_of(ratio, reading.rounding, slips)
    rate = reading.rate
    if slip is None or rate is None:
        return None
    if ratio < 1 and passed(reading) is not None:
        return None  # corrected it would be more than the card can do: the time is wrong
    return finding(
        "units",
        "counted",
        severity=WRONG,
        subject=reading.subject,
        rate=rate,
        unit=reading.unit,
        ratio=ratio,
        slip=slip,
        corrected=rate / ratio,
        said={"slip_words": label(f"slip {slip}")},
    )


def _hidden(reading: Reading) -> Finding | None:
    rate = reading.rate
    if rate is None or not (reading.below or reading.above):
        return None
    if not reading.stated and (reading.expected_s or 0.0) < SHORTEST_S:
        return None  # no time of that work could be told from a launch
    for slip in LARGE if reading.stated and reading.judged == "gbs" else OF_TIME:
        fit = reading.fits(rate / SLIPS[slip])
        if fit is not None:
            return finding(
                "units",
                "hidden",
                severity=WRONG if reading.over else SUSPECT,
                subject=reading.subject,
                fit=fit,
                rate=rate,
                unit=reading.unit,
                slip=slip,
                corrected=rate / SLIPS[slip],
                said={"slip_words": label(f"slip {slip}")},
                low=reading.low,
                high=reading.high,
            )
    return None
