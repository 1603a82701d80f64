"""Every figure of a session that another session may have too, with how well it is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from roofwatch.roofline.estimate import Estimate, estimate, over
from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.probe_spec import GROUPS, LINK_GROUPS
from roofwatch.roofline.size_said import size_said
from roofwatch.roofline.statistics import FEWEST_INTERVAL, median, median_interval
from roofwatch.session.events import Measurement, Sample
from roofwatch.session.fold import Session
from roofwatch.session.kernel_map import label
from roofwatch.session.links import point_name
from roofwatch.session.noise import (
    LONG_RUN_TO_RUN,
    LONG_S,
    ON_HOST,
    RUN_TO_RUN,
    UNREPEATED,
    of_host,
)
from roofwatch.session.printable import shown
from roofwatch.session.rates import gbs, unit_of, value, working_set_bytes
from roofwatch.session.roofs import ComputeRoof, Roofs, roofs
from roofwatch.session.sm_clock import NVML, SPIN

HIGHER, LOWER = "higher", "lower"
ROOFS, HELD, STREAMS, OTHERS = "roofs", "while held", "streams", "other probes"
PLAIN = (ROOFS, HELD, STREAMS, OTHERS)
"""Groups whose figures have names of their own; the others are each one probe's points."""
EXACT = 4  # digits of a size by which two figures are told apart
CLOCK_S, POWER_S = 0.1, 1.0
"""Seconds in which readings follow each other, so that they are one value of an interval: a clock
is renewed so often, power is the driver's average over a second on most cards. Of power that was
held for less than five of them, a fifth of the time: five values have the whole range."""
DISCRETE = ("launch", "decode", "kernels", "fusion")  # protocols whose figure is a time

DECIDES = {
    "NVIDIA_TF32_OVERRIDE": ("fp32", "tf32"),
    "CUBLAS_EMULATE_SINGLE_PRECISION": ("fp32",),
    "CUBLAS_EMULATE_DOUBLE_PRECISION": ("fp64", "fp64_tensor"),
}
"""Variables by which the library computes in another way than torch asks for, and in what."""
FLAGS = ("fp32_precision", "allow_tf32", "fp16_accumulation", "blas")
BY_HOST = ("enqueue", "rate", "floor", "eager")  # variants that wait for the host's CPU


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure. ``name`` tells it from the others of its group.

    ``run_to_run`` is the share by which it may differ without a cause; ``better`` the direction
    that a person wants, empty where there is none. ``traits`` are what must be alike for a
    comparison to be of like with like, ``flags`` too as far as both sessions kept any; ``probe``
    is what measured it. ``rests_on`` are the probes whose doubt is this figure's: none of what a
    sensor read meanwhile, or of a mistake that was made on purpose. ``by_host``: a card's host
    decides it as much as the card. ``note`` is said of it beside whose it is.
    """

    name: str
    group: str
    probe: str
    unit: str
    estimate: Estimate
    run_to_run: float
    better: str = HIGHER
    traits: dict[str, str] = {}
    flags: dict[str, str] = {}
    launches: int = 0  # of a burst
    rests_on: tuple[str, ...] = ()
    by_host: bool = False
    note: str = ""

    @property
    def what(self) -> str:
        """Its name among all figures of a session."""
        return self.name if self.group in PLAIN else f"{self.group}: {self.name}"


def figures(session: Session) -> list[Figure]:
    """All figures of the reported run, in the order in which they are shown; no name twice."""
    own = roofs(session)
    found = [*_roofs(session, own), *_held(session), *_probes(session, own), *_points(session)]
    return list({(f.what, f.unit): f for f in reversed(found)}.values())[::-1]


def spread(session: Session, of: str, variant: str | None = None, window_s: float = 0.0) -> float:
    """Between runs, of a figure of this kind, seen in a window of so many seconds."""
    if session.device.kind == "cpu" or variant in BY_HOST:
        return ON_HOST
    seen = LONG_RUN_TO_RUN if window_s >= LONG_S else RUN_TO_RUN
    return seen.get(of, UNREPEATED)


def spread_of(session: Session, m: Measurement, of: str | None = None) -> float:
    """The share by which fresh runs of it may differ: of its rate without a kind."""
    held_stream = m.protocol == "sustained" and m.peak_key is None
    kind = of or ("stream" if held_stream else m.protocol)
    held_s = m.end_s - m.begin_s if m.protocol == "sustained" else 0.0
    known = spread(session, kind, m.variant, held_s)
    of_times = of not in ("sm_mhz", "power_w")
    return max(known, of_host(m.times_s)) if known == ON_HOST and of_times else known


def _by_host(session: Session, m: Measurement) -> bool:
    """Whether a card's figure is its host's too: launched, or copied and timed, by its CPU."""
    return session.device.kind != "cpu" and (m.variant in BY_HOST or m.timing == "host")


def as_held(flat: ComputeRoof) -> str:
    """What is said of a burst flat that is none of the burst's; empty of all others."""
    if flat.burst is None or not flat.lifted or not flat.burst_tflops:
        return ""
    return f"as held, the burst came to {per_cent(value(flat.burst) / flat.burst_tflops)} of it"


def _roofs(session: Session, own: Roofs) -> Iterator[Figure]:
    """Slopes, flats and the main precision's ridges."""
    best = own.bandwidth
    if best is not None:
        yield from _rate(session, best, "DRAM bandwidth", ROOFS, {"kernel": _name(session, best)})
    for key, flat in own.compute.items():
        for m, which in ((flat.reached, "burst"), (flat.sustained, "sustained")):
            if m is not None:
                said = as_held(flat) if which == "burst" else ""
                yield from _rate(session, m, f"{key} {which}", ROOFS, note=said)
    main = own.compute.get(own.main_key or "")
    if best is not None and main is not None:
        yield from _ridges(session, best, main)


def _ridges(session: Session, best: Measurement, flat: ComputeRoof) -> Iterator[Figure]:
    slope = estimate(best.times_s, lambda t: gbs(best, t) / 1e3)
    for m, which in ((flat.reached, "burst"), (flat.sustained, "sustained")):
        top = estimate(m.times_s, partial(value, m)) if m is not None else None
        ridge = over(top, slope) if top and slope else None
        if m is not None and ridge is not None:
            yield Figure(
                name=f"{flat.peak_key} ridge {which}",
                group=ROOFS,
                probe=m.probe,
                unit="FLOP/B",
                estimate=ridge,
                run_to_run=max(spread_of(session, m), spread_of(session, best)),
                better="",
                rests_on=(m.probe, best.probe),
                note=as_held(flat) if which == "burst" else "",
            )


def _held(session: Session) -> Iterator[Figure]:
    """What the card did in the window of each sustained probe: clock, power, efficiency.

    Rate and power are of the same seconds, and the interval of their ratio takes them for
    independent: at its limit a card's power hardly moves, whatever the rate does.
    """
    for m in session.measured():
        if m.protocol != "sustained":
            continue
        of = shown(m.peak_key or f"{m.op} {m.dtype}")
        inside = session.between(m.begin_s, m.end_s)
        nvml = [s.sm_mhz for s in inside if s.sm_mhz]
        by = SPIN if m.clock_mhz else NVML if session.telemetry_source == NVML else "host"
        spin = zip(m.clock_t_s, m.clock_mhz, strict=True)
        clock = _in_blocks(list(spin), CLOCK_S) if m.clock_mhz else estimate(nvml)
        power = _power(m, inside)
        rate = estimate(m.times_s, partial(value, m))
        per_watt = over(rate, power) if rate and power and m.peak_key else None
        for name, measured_in, figure, kind, better in (
            ("clock" if by == "host" else "SM clock", "MHz", clock, "sm_mhz", HIGHER),
            ("power", "W", power, "power_w", ""),
            ("per watt", f"{_unit(session, m)}/W", per_watt, "efficiency", HIGHER),
        ):
            if figure is not None:
                yield Figure(
                    name=f"{of}: {name}",
                    group=HELD,
                    probe=m.probe,
                    unit=measured_in,
                    estimate=figure,
                    run_to_run=spread_of(session, m, kind),
                    better=better,
                    traits={"clock read by": by} if figure is clock else {},
                    rests_on=(m.probe,) if figure is per_watt else (),
                )


def _power(m: Measurement, inside: Sequence[Sample]) -> Estimate | None:
    drawn = [(s.t - m.begin_s, s.power_w) for s in inside if s.power_w]
    return _in_blocks(drawn, min(POWER_S, (m.end_s - m.begin_s) / FEWEST_INTERVAL))


def _in_blocks(read: Sequence[tuple[float, float]], block_s: float) -> Estimate | None:
    """The median of all readings, as it is told elsewhere; its interval is of their blocks."""
    found = estimate([value for _, value in read])
    if found is None or found.interval is None:
        return found
    around = median_interval(_blocks(read, block_s))
    ends = (min(around[0], found.value), max(around[1], found.value)) if around else None
    return Estimate(found.value, ends)


def _blocks(read: Sequence[tuple[float, float]], block_s: float) -> list[float]:
    """Medians of the readings of each stretch of so many seconds."""
    blocks: dict[int, list[float]] = {}
    for t, reading in read:
        blocks.setdefault(int(t / block_s) if block_s else 0, []).append(reading)
    return [median(readings) for readings in blocks.values()]


def _probes(session: Session, own: Roofs) -> Iterator[Figure]:
    """Probes that are no flat of a roof."""
    flats = {id(m) for c in own.compute.values() for m in (c.burst, c.sustained)}
    for m in session.measured():
        if id(m) not in flats:
            group = STREAMS if m.peak_key is None and not m.mistake else OTHERS
            yield from _rate(session, m, _name(session, m), group)


def _rate(
    session: Session,
    m: Measurement,
    name: str,
    group: str,
    traits: dict[str, str] | None = None,
    note: str = "",
) -> Iterator[Figure]:
    rate = estimate(m.times_s, partial(value, m))
    if rate is not None:
        yield Figure(
            name=shown(name),
            group=group,
            probe=m.probe,
            unit=_unit(session, m),
            estimate=rate,
            run_to_run=spread_of(session, m),
            better="" if m.mistake else HIGHER,
            traits=_traits(m) | _decided(session, m) | (traits or {}),
            flags=_flags(m),
            launches=len(m.times_s) if m.protocol == "burst" else 0,
            rests_on=() if m.mistake else (m.probe,),
            by_host=_by_host(session, m),
            note=note,
        )


def _unit(session: Session, m: Measurement) -> str:
    """Of the figure that the probe is about."""
    spec = next((s for s in session.specs if s.key == m.probe), None)
    if spec is not None and m.mistake:
        return spec.unit
    return unit_of(m)


def _traits(m: Measurement) -> dict[str, str]:
    size = tensor_bytes(m)
    found = {
        "tensor size": size_said(size, EXACT) if size else "",
        "shape": ""
        if size
        else "x".join(str(m.shape[side]) for side in ("m", "n", "k") if side in m.shape)
        or ", ".join(f"{name} {size}" for name, size in m.shape.items()),
        "dtype": m.dtype,
        "math": m.math,
        "accumulate": m.accumulate or "",
        "layout": m.layout or "",
        "timing": m.timing,
    }
    return {name: shown(text) for name, text in found.items() if text}


def tensor_bytes(m: Measurement) -> int | None:
    """Bytes of a stream's largest tensor: that is chosen, while a matmul's shape is searched."""
    if m.peak_key is not None or m.mistake or m.protocol not in ("stream", "sustained"):
        return None
    return max((max(t.read_bytes, t.write_bytes) for t in m.tensors), default=0) or None


def _decided(session: Session, m: Measurement) -> dict[str, str]:
    """Variables of the environment that decide what this precision computes, where they are set."""
    settings = session.software.settings
    return {
        shown(name): shown(settings[name])
        for name, keys in DECIDES.items()
        if m.peak_key in keys and name in settings
    }


def _flags(m: Measurement) -> dict[str, str]:
    """Torch's switches that decide what a product is, as far as they were kept."""
    return {name: shown(m.settings[name]) for name in FLAGS if name in m.settings}


def _name(session: Session, m: Measurement) -> str:
    """A probe's name without the seconds for which it was held: a condition tells those."""
    spec = next((s for s in session.specs if s.key == m.probe), None)
    if spec is None or m.mistake or m.protocol != "sustained":
        return session.label(m.probe)
    return shown(f"{m.op} {m.peak_key or m.dtype} sustained")


def _points(session: Session) -> Iterator[Figure]:
    """Points of groups and sweeps; of a decode step the whole, not its parts."""
    for spec in session.specs:
        if spec.protocol == "sweep":
            points: Sequence[Measurement] = session.sweep(spec.key)
        elif spec.protocol in GROUPS:
            points = session.group(spec.key)
        else:
            continue
        for m in points:
            if spec.protocol == "decode" and m.op != "decode":
                continue
            timed = m.protocol in DISCRETE
            figure = estimate(m.times_s, float if timed else partial(value, m))
            if figure is not None:
                yield Figure(
                    name=shown(_point_name(m)),
                    group=session.label(spec.key),
                    probe=spec.key,
                    unit="s" if timed else _unit(session, m),
                    estimate=figure,
                    run_to_run=spread_of(session, m),
                    better=LOWER if timed else HIGHER,
                    traits=_traits(m) | _decided(session, m) | _size(m),
                    flags=_flags(m),
                    rests_on=(spec.key,),
                    by_host=_by_host(session, m),
                )


def _size(m: Measurement) -> dict[str, str]:
    """What of a point's shape its name leaves out; its time is no other's of another size."""
    sizes = {"decode": ("layers",), "kernels": tuple(m.shape), "fusion": tuple(m.shape)}
    told = [f"{s} {m.shape[s]}" for s in sizes.get(m.protocol, ()) if s in m.shape]
    return {"shape": "", "size": shown(", ".join(told))}


def _point_name(m: Measurement) -> str:
    shape, variant = m.shape, m.variant or ""
    if m.protocol in LINK_GROUPS:
        return point_name(m)
    if m.protocol in ("launch", "alignment"):
        return variant
    if m.protocol == "waves":
        return f"{shape['m']}x{shape['n']}x{shape['k']}"
    if m.protocol == "sweep":
        return f"n={shape['n']}" if "n" in shape else size_said(working_set_bytes(m), EXACT)
    if m.protocol == "decode":
        name = f"b={shape['batch']} at {shape['context']}"
    elif m.protocol == "fusion":
        name = m.op.replace("_", " ")
    else:
        return label(m)
    return f"{name}, {variant}" if variant else name
