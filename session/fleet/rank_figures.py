"""What a fleet looks at of each rank's record: its figures, their conditions, what it says itself.

A record is read for these fields alone, so that one of a newer version is read too, and a thousand
take little memory.
"""

from __future__ import annotations

import msgspec

from roofwatch.roofline.peaks import unit
from roofwatch.session.bounds import Figure as Rated
from roofwatch.session.fleet.lines import DONE, NO_RECORD, RankLine

CLOCK_HELD, POWER_HELD, TEMPERATURE_HELD = "SM clock, held", "power, held", "temperature, held"
RATES = ("GB/s", "TFLOP/s", "TOPS")  # units of what a slow card has less of
BETTER = (*RATES, "MHz")
THREADS = "OMP_NUM_THREADS"
PROTOCOLS = ("stream", "burst", "sustained")


class _Conditions(msgspec.Struct, frozen=True):
    sm_mhz: Rated | None = None
    mem_mhz: Rated | None = None
    temp_c: Rated | None = None
    reasons: list[str] = []
    power_cap_share: Rated | None = None
    thermal_share: Rated | None = None


class _Measured(msgspec.Struct, frozen=True):
    id: str
    probe: str
    gbs: Rated
    tflops: Rated
    peak_key: str | None = None
    protocol: str = ""
    mistake: str = ""
    conditions: _Conditions = _Conditions()


class _Held(msgspec.Struct, frozen=True):
    measurement: str = ""
    sm_mhz: Rated | None = None
    power_w: Rated | None = None


class _Device(msgspec.Struct, frozen=True):
    kind: str | None = None
    name: str | None = None
    uuid: str | None = None
    power_limit_w: Rated | None = None
    memory_bytes: Rated | None = None


class _Roof(msgspec.Struct, frozen=True):
    burst_tflops: Rated | None = None


class _Roofs(msgspec.Struct, frozen=True):
    bandwidth_gbs: Rated | None = None
    bandwidth_kernel: str | None = None
    compute: dict[str, _Roof] = {}


class Said(msgspec.Struct, frozen=True):
    """A finding of the rank's own notebook."""

    code: str
    subject: str = ""
    severity: str = ""
    message: str = ""


class _Fault(msgspec.Struct, frozen=True):
    what: str
    probe: str | None = None


class _Session(msgspec.Struct, frozen=True):
    complete: bool = True


class _Software(msgspec.Struct, frozen=True):
    driver: str | None = None
    settings: dict[str, str] = {}


class _Nominal(msgspec.Struct, frozen=True):
    key: str | None = None


class _Record(msgspec.Struct, frozen=True):
    session: _Session = _Session()
    software: _Software = _Software()
    nominal: _Nominal = _Nominal()
    device: _Device = _Device()
    measurements: list[_Measured] = []
    findings: list[Said] = []
    sustained: list[_Held] = []
    faults: list[_Fault] = []
    roofs: _Roofs = _Roofs()


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of a rank, in ``unit``, and what was seen while it was measured."""

    value: float
    unit: str
    sm_mhz: float | None = None
    mem_mhz: float | None = None
    temp_c: float | None = None
    reasons: tuple[str, ...] = ()
    power_cap_share: float | None = None  # of the time
    thermal_share: float | None = None


class RankFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A rank: who it is, how it ended, and its figures by name."""

    rank: int
    host: str
    node: str
    card: int
    state: str
    why: str = ""
    absent: bool = False
    device: str | None = None
    kind: str | None = None
    uuid: str | None = None
    power_limit_w: float | None = None
    memory_bytes: float | None = None  # as its driver reports it
    complete: bool = False
    figures: dict[str, Figure] = {}
    findings: tuple[Said, ...] = ()
    faults: tuple[str, ...] = ()
    bandwidth_gbs: float | None = None
    bandwidth_kernel: str = ""  # the stream that it comes from
    peaks_tflops: dict[str, float] = {}
    driver: str | None = None
    threads: str | None = None  # OMP_NUM_THREADS that it ran with
    nominal_key: str | None = None  # of its card in the table
    held_probe: str = ""  # whose rate belongs to the clock that it held

    @property
    def whole(self) -> bool:
        """Whether it did all that it was to."""
        return self.state == DONE and self.complete

    @property
    def place(self) -> str:
        """Node and card in words, as ``node2 card 3``; on CPUs the process. Of one that never came
        nobody knows more than its number."""
        if not self.node:
            return f"rank {self.rank}"
        return f"{self.node} {'process' if self.kind == 'cpu' else 'card'} {self.card}"

    @property
    def who(self) -> str:
        """Its place with its number among all ranks."""
        return f"{self.place} (rank {self.rank})" if self.node else self.place

    @property
    def fared(self) -> str:
        """How one that is not whole ended: its state, and why in so many words."""
        state = self.state if self.state != DONE else "not whole"
        why = self.why or (self.faults[0] if self.faults else "")
        why = why or ("its session is incomplete" if self.state == DONE else "")
        if not why:
            return state
        return why if why.startswith(state) else f"{state}: {why}"


_decoder = msgspec.json.Decoder(_Record | None)


def rank_figures(line: RankLine, kind: str | None = None) -> RankFigures:
    """The figures of a rank's line; none where it has no record, and ``kind`` stands for its own.

    Raises:
        msgspec.ValidationError: its record is not as a record must be.
    """
    record = _decoder.decode(line.record if line.record else NO_RECORD) or _Record()
    return RankFigures(
        rank=line.rank,
        host=line.host,
        node=(line.node or line.host) if line.host else "",
        card=line.card,
        state=line.state,
        why=line.why,
        absent=line.no_device,
        device=record.device.name,
        kind=record.device.kind or kind,
        uuid=record.device.uuid,
        power_limit_w=record.device.power_limit_w,
        memory_bytes=record.device.memory_bytes,
        complete=record.session.complete,
        figures=_figures(record),
        findings=tuple(record.findings),
        faults=tuple(f.what for f in record.faults),
        bandwidth_gbs=record.roofs.bandwidth_gbs,
        bandwidth_kernel=record.roofs.bandwidth_kernel or "",
        peaks_tflops={
            key: roof.burst_tflops
            for key, roof in record.roofs.compute.items()
            if roof.burst_tflops is not None
        },
        driver=record.software.driver,
        threads=record.software.settings.get(THREADS),
        nominal_key=record.nominal.key,
        held_probe=_held_probe(record),
    )


def _held_probe(record: _Record) -> str:
    name = record.sustained[0].measurement if record.sustained else ""
    return next((m.probe for m in record.measurements if m.id == name), "")


def _figures(record: _Record) -> dict[str, Figure]:
    found: dict[str, Figure] = {}
    for m in record.measurements:
        if m.mistake or m.protocol not in PROTOCOLS:
            continue
        seen = m.conditions
        found[m.probe] = Figure(
            value=m.tflops if m.peak_key else m.gbs,
            unit=unit(m.peak_key) if m.peak_key else "GB/s",
            sm_mhz=seen.sm_mhz,
            mem_mhz=seen.mem_mhz,
            temp_c=seen.temp_c,
            reasons=tuple(seen.reasons),
            power_cap_share=seen.power_cap_share,
            thermal_share=seen.thermal_share,
        )
    hot = [m.conditions.temp_c for m in record.measurements if m.protocol == "sustained"]
    for held in record.sustained[:1]:
        for name, value, measured_in in (
            (CLOCK_HELD, held.sm_mhz, "MHz"),
            (POWER_HELD, held.power_w, "W"),
            (TEMPERATURE_HELD, hot[0] if hot else None, "°C"),
        ):
            if value:
                found[name] = Figure(value=value, unit=measured_in)
    return found
