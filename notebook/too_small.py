"""E4, seed error 4: the matrices are too small, so memory or launch set the time, not compute."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

TILE = (128, 128)  # seed: the result of 512 squared is a dozen and a few of them
LAUNCH_S = 2e-5  # an eager launch under a host timer: 17 to 60 µs were seen
EAGER_S = 6e-5
NOT_ITS_DOING = 3.0
FEW_WAVES = 3.0


def ridge_of(reading: Reading) -> float | None:
    """The ridge that the matmul must pass: of this card's own slope where it is known."""
    bandwidth = reading.roof_gbs or reading.nominal_gbs
    peak = reading.nominal_tflops or (reading.tflops if reading.ours else None)
    return peak * 1e3 / bandwidth if peak and bandwidth else None


def tiles_of(reading: Reading) -> int | None:
    """Tiles of the usual size that the result is cut into."""
    m, n = reading.shape.get("m"), reading.shape.get("n")
    if reading.op != "matmul" or not m or not n:
        return None
    rows, columns = TILE
    return -(-m // rows) * -(-n // columns) * reading.shape.get("batch", 1)


def too_small(reading: Reading) -> Finding | None:
    """Left of the ridge, under one wave of tiles, or as short as a launch."""
    if reading.op != "matmul" or reading.judged != "tflops" or reading.protocol in OWN:
        return None
    ridge, tiles = ridge_of(reading), tiles_of(reading)
    intensity, flop = reading.intensity, reading.flop
    left = intensity is not None and ridge is not None and intensity < ridge
    few = tiles is not None and reading.sm_count is not None and tiles < reading.sm_count
    shortest = reading.expected_s
    short = shortest is not None and shortest < LAUNCH_S
    if not (left or few or short) or flop is None:
        return None
    if not reading.below and not left:
        return None
    # Smallness costs a launch, no more: a time far beyond it has another cause beside.
    longer = bool(
        reading.time_s and shortest and reading.time_s > NOT_ITS_DOING * (shortest + EAGER_S)
    )
    return finding(
        "E4",
        "left_of_ridge" if left else "few_tiles" if few else "launch",
        severity=SUSPECT if reading.below and not longer else NOTE,
        subject=reading.subject,
        tflops=reading.tflops,
        of_nominal=reading.tflops / reading.nominal if reading.tflops and reading.nominal else None,
        shape="x".join(str(reading.shape[name]) for name in ("m", "n", "k")),
        intensity=intensity,
        ridge=ridge,
        tiles=tiles,
        sm_count=reading.sm_count,
        time_us=reading.time_s * 1e6 if reading.time_s else None,
        shortest_us=shortest * 1e6 if shortest else None,
    )


OWN = ("burst", "sustained", "sweep")  # our ceilings have a rule of their own, memory-bound-probe


def last_wave(reading: Reading) -> Finding | None:
    """A few waves of tiles, the last one nearly empty: part of the SMs waited."""
    tiles, sms = tiles_of(reading), reading.sm_count
    if reading.ours or not reading.below or not tiles or not sms or tiles < sms:
        return None
    waves = tiles / sms
    full = waves / -(-tiles // sms)
    if waves > FEW_WAVES or not reading.tflops or reading.judged != "tflops":
        return None
    fit = reading.fits(reading.tflops / full)
    if fit is None:
        return None
    return finding(
        "E4",
        "last_wave",
        severity=SUSPECT,
        subject=reading.subject,
        fit=fit,
        tflops=reading.tflops,
        tiles=tiles,
        sm_count=sms,
        waves=waves,
        full=full,
    )
