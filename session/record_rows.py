"""The rows of the seeds' record table (Day 18) from one session: what was measured, or what would.

Each row has a nominal figure, the range that was expected before the measurement, the measured
figure and its share; a row that nothing was measured for names the probe and the command.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.expected import CPU_DTYPES
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.probe_spec import matmul_key
from roofwatch.roofline.suite import DECODE, load_key
from roofwatch.session.began import day_utc
from roofwatch.session.checks import NOT_OF_THIS, fill
from roofwatch.session.decode import BENT, DecodeCurve, decode_curves
from roofwatch.session.events import Expect, Measurement
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.question_checks import ridge_expected
from roofwatch.session.questions import main_roof
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.rates import tflops, working_set_bytes
from roofwatch.session.roof_doubts import doubted_probes
from roofwatch.session.roofs import ComputeRoof, Roofs, roofs
from roofwatch.session.sm_clock import sm_clock
from roofwatch.session.three_digits import three_digits

NOMINAL, ROOF = "nominal", "roof"
OF_ROOF = (0.40, 0.70)  # of the measured one: where a decode step at batch 1 stands (seed, Day 18)
LAST = 128  # the batch that the seed's table asks about
BANDWIDTH, RIDGE, CLOCK, STEP = "bandwidth", "ridge", "sm_clock", "decode_step"
GROWTH, BEND, CARD = "step_growth", "first_bend", "card"
UNKNOWN, UNMEASURED, UNREAD = "not_known", "not_measured", "not_supported"
MIB = 1 << 20
NULLS = ("nominal", "low", "high", "measured", "share", "within", "session")


class TableRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row. Figures in ``unit``, ``share`` a fraction of ``share_of``: "nominal" or "roof".

    ``said`` stands for a measured figure that is none: the card, or a curve that never bends.
    ``note`` is what the figure is of, ``doubt`` why it is not to be believed as it stands, whatever
    its range says. ``missing`` is empty where the row is filled, else the probe
    and the command that fill it, or why this device has none. ``session`` is whose figure it is.
    """

    item: str
    what: str
    unit: str
    nominal: float | None = None
    low: float | None = None
    high: float | None = None
    measured: float | None = None
    share: float | None = None
    share_of: str = NOMINAL
    within: bool | None = None
    said: str = ""
    note: str = ""
    doubt: str = ""
    missing: str = ""
    session: str | None = None
    status: dict[str, str] = {}

    @property
    def filled(self) -> bool:
        """Whether there is something to read in it."""
        return self.measured is not None or bool(self.said)

    @property
    def sound(self) -> bool | None:
        """Whether it is marked as in order: in its range and not in doubt; None: nothing to say."""
        return False if self.doubt else self.within


def table_rows(session: Session, found: Sequence[Finding] | None = None) -> list[TableRow]:
    """All rows, in the seed's order; ``found`` spares judging the session again."""
    own = roofs(session)
    main = main_roof(own)
    doubts = doubted_probes(session, own, found)
    rows = [(_bandwidth(session, own), _probes(own.bandwidth))]
    for key in _precisions(session, main):
        rows.append((_flat(session, own, key), _probes(_best(own.compute.get(key)))))
    rows.append((_ridge(session, own, main), _probes(own.bandwidth, _best(main))))
    rows.append((_clock(session, main), []))
    curve = longest(decode_curves(session, own))
    of_curve = [curve.probe] if curve else []
    rows.append((_step(session, own, curve), [*of_curve, *_probes(own.bandwidth)]))
    rows += [(row, of_curve) for row in (_growth(session, curve), _bend(session, curve))]
    rows.append((_card(session), []))
    return [_whole(row, session, probes, doubts) for row, probes in rows]


def _best(flat: ComputeRoof | None) -> Measurement | None:
    """What the flat's row is of: the burst, or what was held where that is faster or alone."""
    return (flat.reached or flat.sustained) if flat else None


def _probes(*of: Measurement | None) -> list[str]:
    return [m.probe for m in of if m is not None]


def _whole(
    row: TableRow, session: Session, probes: Sequence[str], doubts: Mapping[str, str]
) -> TableRow:
    """With what follows from its figures: whether it is as expected, and why what is null is so.

    ``probes`` are those that its figure is of, ``doubts`` why one of them is not to be believed.
    """
    if row.filled and (doubtful := next((p for p in probes if p in doubts), None)):
        whose = f"{doubtful} is " if len(probes) > 1 else ""
        row = msgspec.structs.replace(row, doubt=shown(whose + doubts[doubtful]))
    if row.measured is not None and row.low is not None and row.high is not None:
        within = row.low <= row.measured <= row.high if row.low < row.high else None
        row = msgspec.structs.replace(row, within=within)
    row = msgspec.structs.replace(row, session=session.id if row.filled else None)
    why = {
        "measured": UNREAD if row.said or row.missing.startswith(NOT_OF_THIS) else UNMEASURED,
        "session": UNKNOWN if row.filled else UNMEASURED,
    }
    nulls = {n: why.get(n, UNKNOWN) for n in NULLS if getattr(row, n) is None}
    return msgspec.structs.replace(row, status=nulls)


def _ends(expect: Expect | None) -> tuple[float | None, float | None]:
    return (expect.low, expect.high) if expect else (None, None)


def _bandwidth(session: Session, own: Roofs) -> TableRow:
    m = own.bandwidth
    asked = next((s.key for s in session.specs if s.key.startswith("add_scalar")), "")
    low, high = _ends(session.expect(m.probe if m else asked, session.reported_run))
    row = TableRow(
        item=BANDWIDTH,
        what="bandwidth",
        unit="GB/s",
        nominal=own.nominal_gbs,
        low=low,
        high=high,
    )
    if m is None or own.bandwidth_gbs is None:
        return msgspec.structs.replace(row, missing=fill(session, "add_scalar"))
    return msgspec.structs.replace(
        row,
        measured=own.bandwidth_gbs,
        share=own.bandwidth_gbs / own.nominal_gbs if own.nominal_gbs else None,
        note=f"{m.probe}, {working_set_bytes(m) / MIB:.0f} MiB",
    )


def _precisions(session: Session, main: ComputeRoof | None) -> Iterator[str]:
    """fp16 and fp32 as in the seed, between them the one that stands for the device."""
    keys = ["fp16"]
    if main is not None and main.peak_key not in ("fp16", "fp32"):
        keys.append(main.peak_key)
    if session.device.kind == "cpu" and "bf16" not in keys:
        keys.append("bf16")
    return iter([*keys, "fp32"])


def flat_item(key: str) -> str:
    """The item of a precision's row."""
    return f"compute_{key}"


def _flat(session: Session, own: Roofs, key: str) -> TableRow:
    flat = own.compute.get(key)
    m = _best(flat)
    probe = m.probe if m else matmul_key(key)
    nominal = session.nominal.peaks_tflops.get(key) if session.nominal else None
    low, high = _ends(session.expect(probe, session.reported_run))
    row = TableRow(
        item=flat_item(key),
        what=f"{key} compute",
        unit=unit(key),
        nominal=nominal,
        low=low,
        high=high,
    )
    if flat is None or m is None or flat.best_tflops is None:
        why = fill(session, probe)
        if session.device.kind == "cpu":
            why = _of_no_cpu(session, key, why)
        return msgspec.structs.replace(row, missing=why)
    return msgspec.structs.replace(
        row,
        measured=flat.best_tflops,
        share=flat.best_tflops / nominal if nominal else None,
        note=f"{_sides(m)}{_lifted(session, flat)}",
    )


def _of_no_cpu(session: Session, key: str, why: str) -> str:
    """What a CPU does not measure at all, or has skipped for want of the unit."""
    if key not in CPU_DTYPES:
        return f"{NOT_OF_THIS}: no {key} probe runs on a CPU"
    noted = any(n.probe == matmul_key(key) for n in session.notes)
    return f"{NOT_OF_THIS}: {why.partition(': ')[2]}" if noted else why


def _sides(m: Measurement) -> str:
    return " x ".join(str(m.shape[side]) for side in "mnk" if side in m.shape)


def _lifted(session: Session, flat: ComputeRoof) -> str:
    """Where the figure is as held: what the burst itself came to."""
    if flat.burst is None or not flat.lifted:
        return ""
    rate = three_digits(tflops(flat.burst) * rate_scale(session).factor)
    return f", as held; its burst came to {rate}"


def _ridge(session: Session, own: Roofs, main: ComputeRoof | None) -> TableRow:
    key = main.peak_key if main else ""
    nominal = own.roof(key, "nominal")
    burst, held = own.roof(key, "burst"), own.roof(key, "sustained")
    seen = burst or held
    expected = ridge_expected(session, own, main)
    row = TableRow(
        item=RIDGE,
        what=f"ridge {key}".rstrip(),
        unit="FLOP/byte",
        nominal=nominal.ridge if nominal else None,
        low=expected[0] if expected else None,
        high=expected[1] if expected else None,
    )
    if seen is None:
        probe = "add_scalar" if own.bandwidth is None else "matmul"
        return msgspec.structs.replace(row, missing=fill(session, probe))
    return msgspec.structs.replace(
        row,
        measured=seen.ridge,
        share=seen.ridge / nominal.ridge if nominal else None,
        note=f"{three_digits(held.ridge)} held for seconds" if burst and held else "",
    )


def _clock(session: Session, main: ComputeRoof | None) -> TableRow:
    """The clock while a matmul ran: of the one that was held, else of the burst."""
    held, burst = (main.sustained, main.burst) if main else (None, None)
    m = held or burst
    clock = sm_clock(session, m) if m else None
    device = session.device
    key = main.peak_key if main else load_key(device.kind or "", device.compute_capability)
    of_peak = session.nominal.clocks_mhz.get(key) if session.nominal else None
    most = session.device.sm_max_mhz
    nominal = of_peak or most
    row = TableRow(
        item=CLOCK,
        what="CPU clock in a matmul" if session.device.kind == "cpu" else "SM clock in a matmul",
        unit="MHz",
        nominal=nominal,
    )
    if m is None:
        return msgspec.structs.replace(row, missing=fill(session, "matmul"))
    if clock is None:
        why = session.samples.why_null("sm_mhz") or "error"
        said = f"{NOT_OF_THIS}: the machine does not tell its clock ({why})"
        return msgspec.structs.replace(row, missing=said)
    note = f"{key} held"
    if held is None:
        note = f"{key} burst"
    elif burst is not None and (short := sm_clock(session, burst)) is not None:
        note = f"{key} held; {short.mhz:.0f} in the burst"
    if of_peak and most and round(of_peak) != round(most):  # elsewhere the highest is spoken of
        note += f"; the nominal peak is that of {of_peak:.0f}, the card goes up to {most:.0f}"
    return msgspec.structs.replace(
        row, measured=clock.mhz, share=clock.mhz / nominal if nominal else None, note=note
    )


def longest(curves: list[DecodeCurve]) -> DecodeCurve | None:
    """The curve that stands for the card: the largest whole model, at its shortest context."""
    order = [(c.layers == c.layers_of, c.points[0].weights_bytes, -c.context) for c in curves]
    return curves[order.index(max(order))] if curves else None


def _step(session: Session, own: Roofs, curve: DecodeCurve | None) -> TableRow:
    """The step at batch 1 against its floor: all that it must read, over the bandwidth.

    The nominal floor is on paper; where a step should stand is said of the measured roof (seed, Day
    18), so that its range is of the same roof as its share. Where none was measured there is none.
    """
    first = curve.points[0] if curve else None
    row = TableRow(
        item=STEP,
        what=f"decode step, batch {first.batch if first else 1}",
        unit="ms",
        share_of=ROOF,
    )
    if curve is None or first is None or not first.step_s:
        return msgspec.structs.replace(row, missing=fill(session, "decode", DECODE))
    floor_ms = first.bytes / own.bandwidth_gbs / 1e6 if own.bandwidth_gbs else None
    how = "graph" if first.graph_s is not None else "eager"
    whole = (
        "" if curve.layers == curve.layers_of else f", {curve.layers} of {curve.layers_of} layers"
    )
    return msgspec.structs.replace(
        row,
        nominal=first.bytes / own.nominal_gbs / 1e6 if own.nominal_gbs else None,
        low=floor_ms / OF_ROOF[1] if floor_ms else None,
        high=floor_ms / OF_ROOF[0] if floor_ms else None,
        measured=first.step_s * 1e3,
        share=floor_ms / 1e3 / first.step_s if floor_ms else None,
        note=f"{curve.model} at {curve.context}, {how}{whole}",
    )


def _growth(session: Session, curve: DecodeCurve | None) -> TableRow:
    """By how much a step of the largest batch is longer; expected: the curve on paper."""
    first, last = (curve.points[0], curve.points[-1]) if curve else (None, None)
    row = TableRow(
        item=GROWTH,
        what=f"step at batch {last.batch if last else LAST} over 1",
        unit="%",
    )
    if curve is None or first is None or last is None or curve.last_over_first is None:
        return msgspec.structs.replace(row, missing=fill(session, "decode", DECODE))
    paper = None
    if first.paper_s and last.paper_s:
        paper = (last.paper_s / first.paper_s - 1) * 100
    return msgspec.structs.replace(
        row,
        low=paper,
        high=paper,
        measured=(curve.last_over_first - 1) * 100,
        note=f"{curve.model} at {curve.context}",
    )


def _bend(session: Session, curve: DecodeCurve | None) -> TableRow:
    """The first batch that falls short of linear by more than 5 %; expected: the one on paper."""
    row = TableRow(item=BEND, what="first batch off linear by 5 %", unit="")
    if curve is None:
        return msgspec.structs.replace(row, missing=fill(session, "decode", DECODE))
    base = curve.points[0].paper_s
    on_paper = (p.batch for p in curve.points if base and p.paper_s and 1 - base / p.paper_s > BENT)
    paper = next(on_paper, None)
    row = msgspec.structs.replace(
        row, low=paper, high=paper, note=f"{curve.model} at {curve.context}"
    )
    if curve.first_bend is None:
        return msgspec.structs.replace(row, said=f"none to {curve.points[-1].batch}")
    return msgspec.structs.replace(row, measured=float(curve.first_bend))


def _card(session: Session) -> TableRow:
    date = day_utc(session.started_at)
    driver = session.software.driver
    with_what = f"driver {driver}" if driver else f"torch {session.software.torch or 'unknown'}"
    said = ", ".join(part for part in (session.device.name, date, with_what) if part)
    named = session.device.name is not None
    return TableRow(
        item=CARD,
        what="card, date, driver" if driver else "device, date, torch",
        unit="",
        said=said if named else "",
        missing="" if named else fill(session, "add_scalar"),
    )
