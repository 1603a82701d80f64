"""The checks that each of the five answers rests on, made from a session or said to be missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofwatch.notebook.control import CONTROL, agrees
from roofwatch.notebook.unstable import PROFILER
from roofwatch.roofline.kernel_name import uses_tensor_cores
from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.ridge_range import ridge_range
from roofwatch.roofline.suite import DECODE, FULL, KERNELS, QUICK
from roofwatch.roofline.transformer_work import SILU_MUL
from roofwatch.roofline.wide_range import says_little
from roofwatch.session.checks import NOT_OF_THIS, Check, fill, made, missing
from roofwatch.session.controlled import Controlled, controlled
from roofwatch.session.decode import DecodeCurve
from roofwatch.session.events import Expect, Measurement
from roofwatch.session.fold import Session
from roofwatch.session.fusion import fusions
from roofwatch.session.kernel_map import OVERHEAD, TFLOPS, KernelPoint
from roofwatch.session.printable import shown
from roofwatch.session.rates import intensity, time_s, value
from roofwatch.session.roofs import ComputeRoof, Roofs
from roofwatch.session.sm_clock import sm_clock
from roofwatch.session.sweeps import highest_gbs, sweeps
from roofwatch.session.three_digits import three_digits

EXPLAINED = 0.10  # of a decode step, what its parts may leave unexplained
APART = 0.20  # the two ridges are seldom further apart (seed, question 3)
BATCH = 128  # as far as question 4 asks
SAVES = 0.40  # silu and mul as one kernel: a time of 3 tensors instead of 5 (seed, question 5)
VECTOR = ("fp32", "fp64")  # precisions without tensor cores

LITTLE = "a range so wide that this says little"
CONTROLLED = "moves bytes as fast"
CACHED = "a tensor that fits in the cache reads above"
PROFILED = "the profiler's kernel time agrees"


def bandwidth_checks(session: Session, own: Roofs) -> list[Check]:
    """The seed's three: another type, a tensor that fits in the cache, the profiler."""
    held_against = [(m, c) for m in session.measured() if (c := controlled(session, m)) is not None]
    checks = [
        made(
            f"{m.dtype} {CONTROLLED}{_usual(c)}",
            c.ratio,
            c.agrees,
            "times the other type's rate",
        )
        for m, c in held_against
    ]
    if not checks:
        checks.append(missing(f"another type {CONTROLLED}", fill(session, "add_scalar")))
    whole, what = own.nominal_gbs, "nominal"
    if whole is None:  # a CPU has no nominal bandwidth: its own is what a cache goes beyond
        whole, what = own.bandwidth_gbs, "the measured bandwidth"
    swept = next((s for s in sweeps(session, own) if s.probe.startswith("add_scalar")), None)
    if swept is not None and whole:
        ratio = highest_gbs(swept, session.device.l2_bytes) / whole
        checks.append(made(f"{CACHED} {what}", ratio, ratio > 1, "times it"))
    else:
        of_sizes = next((s.key for s in session.specs if s.protocol == "sweep"), "")
        probe = of_sizes if of_sizes.startswith("add_scalar") else "add_scalar sizes"
        checks.append(missing(f"{CACHED} {what}", fill(session, probe, FULL)))
    return [*checks, _profiled(session, own.bandwidth)]


def _usual(c: Controlled) -> str:
    """By which rule two rates agree that lie further apart than two types should."""
    if agrees(c.ratio) or not c.agrees:
        return ""
    return f" as two runs on a CPU: over {per_cent(CONTROL)} apart, within {per_cent(c.usual)}"


def _profiled(session: Session, m: Measurement | None) -> Check:
    if m is not None and m.kernel_time_s:
        ratio = m.kernel_time_s / time_s(m)
        return made(PROFILED, ratio, abs(ratio - 1) <= PROFILER, "of the time measured")
    if session.device.kind == "cpu":
        return missing(PROFILED, f"{NOT_OF_THIS}: the profiler times the kernels of a GPU")
    return missing(PROFILED, fill(session, "triad with the profiler", FULL))


def compute_checks(
    session: Session, own: Roofs, main: ComputeRoof | None, doubts: Mapping[str, str]
) -> list[Check]:
    """Its range, the unit that it ran on, a matrix large enough, and the clock beside it.

    ``doubts`` are why a probe's figure is not to be believed, here and below.
    """
    best = (main.reached or main.sustained) if main is not None else None
    if main is None or best is None:
        told = fill(session, "matmul")
        names = ("the rate lies in its expected range", "the matrix is right of the ridge")
        return [missing(name, told) for name in (*names, "the clock was read meanwhile")]
    return [
        _in_range(session, best, doubts),
        *_on_tensor_cores(session, best),
        _large_enough(session, own, main, best),
        _clocked(session, best),
    ]


def _in_range(session: Session, m: Measurement, doubts: Mapping[str, str]) -> Check:
    name = f"{m.peak_key} lies in its expected range"
    expect = session.expect(m.probe, m.run)
    if expect is None:
        return missing(name, "nothing was expected: nothing nominal is known")
    seen, within = value(m), expect.holds(value(m))
    return made(
        f"{name}{_ranged(expect.low, expect.high, within, _doubt(doubts, m))}",
        seen / expect.high,
        within and m.probe not in doubts,
        "of the highest expected",
    )


def _doubt(doubts: Mapping[str, str], *of: Measurement | None) -> str:
    """Why a figure that rests on these is not to be believed, as its row has it; or empty."""
    known = [m.probe for m in of if m is not None]
    doubtful = next((p for p in known if p in doubts), None)
    whose = f"{doubtful} is " if len(known) > 1 else ""
    return f"{whose}{doubts[doubtful]}" if doubtful else ""


def _ranged(low: float, high: float, within: bool, doubt: str) -> str:
    """What is added where lying in a range is not all that there is to say."""
    if not within:
        return ""
    if doubt:
        return f", and is to be believed: not so, {shown(doubt)}"
    return f", {LITTLE}" if says_little(low, high) else ""


def _on_tensor_cores(session: Session, m: Measurement) -> list[Check]:
    """By the kernel's name (seed, Day 14), where device and type have them."""
    if session.device.kind == "cpu" or m.peak_key in VECTOR:
        return []
    name = "the kernel's name is one of tensor cores"
    on = uses_tensor_cores(m.kernel) if m.kernel else None
    if on is None:
        return [missing(name, fill(session, "matmul with the profiler", FULL))]
    return [made(name, 1.0 if on else 0.0, on)]


def _large_enough(session: Session, own: Roofs, main: ComputeRoof, m: Measurement) -> Check:
    name = "the matrix is right of the ridge"
    roof = own.roof(main.peak_key, "burst") or own.roof(main.peak_key, "sustained")
    if roof is None:
        return missing(name, fill(session, "add_scalar"))
    ratio = intensity(m) / roof.ridge
    return made(name, ratio, ratio > 1, "times the ridge")


def _clocked(session: Session, m: Measurement) -> Check:
    name = "the clock was read meanwhile"
    clock = sm_clock(session, m)
    if clock is None:
        why = session.samples.why_null("sm_mhz") or "error"
        return missing(name, f"this machine does not tell it ({why})")
    whole = session.device.sm_max_mhz
    if not whole:
        return made(name, 1.0, True)
    return made(name, clock.mhz / whole, True, "of the highest clock")


def ridge_expected(
    session: Session, own: Roofs, main: ComputeRoof | None
) -> tuple[float, float] | None:
    """Where the ridge should lie by the ranges of its two figures; None where one had none."""
    best = (main.reached or main.sustained) if main is not None else None
    if best is None or own.bandwidth is None:
        return None
    slope = session.expect(own.bandwidth.probe, own.bandwidth.run)
    flat = session.expect(best.probe, best.run)
    return ridge_range(_ends(slope), _ends(flat)) if slope and flat else None


def _ends(expect: Expect) -> tuple[float, float]:
    return expect.low, expect.high


def ridge_check(
    session: Session, own: Roofs, main: ComputeRoof | None, doubts: Mapping[str, str]
) -> Check:
    """The first of the two that close the seed's record: the ridge in its expected range."""
    name = "the ridge lies in its expected range"
    key = main.peak_key if main is not None else ""
    roof = own.roof(key, "burst") or own.roof(key, "sustained")
    expected = ridge_expected(session, own, main)
    if roof is None:
        return missing(name, fill(session, "add_scalar" if own.bandwidth is None else "matmul"))
    if expected is None:
        return missing(name, "nothing was expected: nothing nominal is known")
    low, high = expected
    within = low <= roof.ridge <= high
    best = (main.reached or main.sustained) if main is not None else None
    doubt = _doubt(doubts, own.bandwidth, best)
    span = f"{three_digits(low)} to {three_digits(high)} FLOP/byte"
    return made(
        f"{name}, {span}{_ranged(low, high, within, doubt)}",
        roof.ridge,
        within and not doubt,
        "seen",
    )


def ridge_checks(
    session: Session, own: Roofs, main: ComputeRoof | None, doubts: Mapping[str, str]
) -> list[Check]:
    """Its range, and how far it lies from the nominal one."""
    name = f"it lies within {per_cent(APART)} of the nominal one"
    key = main.peak_key if main is not None else ""
    seen = own.roof(key, "burst") or own.roof(key, "sustained")
    nominal = own.roof(key, "nominal")
    if seen is None:
        second = missing(name, fill(session, "matmul"))
    elif nominal is None:
        second = missing(name, "no nominal ridge is known of this device")
    else:
        ratio = seen.ridge / nominal.ridge
        second = made(name, ratio, abs(ratio - 1) <= APART, "of it")
    return [ridge_check(session, own, main, doubts), second]


def decode_checks(session: Session, curves: Sequence[DecodeCurve]) -> list[Check]:
    """Whether the parts explain each step, and whether the curve goes as far as was asked."""
    if not curves:
        told = fill(session, "decode", DECODE)
        return [missing("the parts explain each step", told), missing(_to_batch(), told)]
    checks = [
        made(
            f"the parts explain a step of {c.model} at {c.context}, batch {p.batch}",
            p.explained,
            abs(p.explained - 1) <= EXPLAINED,
            "of the measured step",
        )
        for c in curves
        for p in c.points
        if p.explained is not None
    ]
    if not checks:
        checks = [missing("the parts explain each step", fill(session, "decode", DECODE))]
    far = max(c.points[-1].batch for c in curves)
    return [*checks, made(_to_batch(), far / BATCH, far >= BATCH, "of the way")]


def _to_batch() -> str:
    return f"a curve goes to batch {BATCH}"


def kernel_checks(
    session: Session, own: Roofs, main: ComputeRoof | None, mapped: Sequence[KernelPoint]
) -> list[Check]:
    """Products right of the ridge, the rest left of it, and bytes saved that save time."""
    roof = own.roof(main.peak_key, "burst") if main is not None else None
    right, left = "what reaches the flat lies right of the ridge", "what never does lies left of it"
    fused_name = "silu and mul fused save the time of their bytes"
    if roof is None or not mapped:
        told = fill(session, "kernels", KERNELS if roof else QUICK)
        told = told if roof else fill(session, "matmul")
        return [missing(name, told) for name in (right, left, fused_name)]
    known = [p for p in mapped if p.bound != OVERHEAD]
    flat = [p.intensity for p in known if p.roof_unit == TFLOPS]
    slope = [p.intensity for p in known if p.roof_unit != TFLOPS]
    checks = []
    if flat:
        lowest = min(flat) / roof.ridge
        checks.append(made(right, lowest, lowest > 1, "times the ridge, the lowest"))
    if slope:
        highest = max(slope) / roof.ridge
        checks.append(made(left, highest, highest < 1, "of the ridge, the highest"))
    fused = next((f for f in fusions(session, own) if f.op == SILU_MUL), None)
    if fused is None or fused.measured_ratio is None:
        checks.append(missing(fused_name, fill(session, "fusion", KERNELS)))
    else:
        saved = 1 - 1 / fused.measured_ratio
        checks.append(made(fused_name, saved / SAVES, saved >= SAVES / 2, "of what those take"))
    return checks
