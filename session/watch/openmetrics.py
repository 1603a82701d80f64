"""The last readings as OpenMetrics text, which a node exporter's textfile collector reads too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from roofwatch.roofline.reasons import NAMES
from roofwatch.session.events import Device, Sample
from roofwatch.session.fold import Session
from roofwatch.session.host_cards import host_cards
from roofwatch.session.printable import shown

LOOKED_BACK = 20  # samples in which the last energy is looked for: it is read once a second
PREFIX = "roofwatch_"


class Family(NamedTuple):
    """One metric: its name and unit as OpenMetrics wants them, its kind, and what it is."""

    name: str
    kind: str  # "gauge" | "counter"
    unit: str
    help: str
    of: Callable[[Sample], float | None]


def _mega(value: float | None) -> float | None:
    return None if value is None else value * 1e6


FAMILIES = (
    Family("sm_clock_hertz", "gauge", "hertz", "SM clock", lambda s: _mega(s.sm_mhz)),
    Family("memory_clock_hertz", "gauge", "hertz", "Memory clock", lambda s: _mega(s.mem_mhz)),
    Family(
        "power_watts", "gauge", "watts", "Average power as the driver tells it", lambda s: s.power_w
    ),
    Family("power_instant_watts", "gauge", "watts", "Instant power", lambda s: s.power_instant_w),
    Family("temperature_celsius", "gauge", "celsius", "Temperature", lambda s: s.temp_c),
    Family("memory_used_bytes", "gauge", "bytes", "Memory in use", lambda s: s.mem_used_bytes),
    Family(
        "utilization_ratio", "gauge", "ratio", "Time in which some kernel ran", lambda s: s.util
    ),
    Family("processes", "gauge", "", "Compute processes on the card", lambda s: s.processes),
    Family(
        "energy_joules",
        "counter",
        "joules",
        "Energy since the driver was loaded",
        lambda s: s.energy_j,
    ),
)


def openmetrics(session: Session, watching: bool) -> str:
    """Every card's last readings; what cannot be read is left out. Ends with ``# EOF``.

    ``watching`` 0 says that nobody reads any more, and the rest is old.
    """
    cards = [(c.device, c.samples[-LOOKED_BACK:]) for c in host_cards(session) if c.samples]
    told = [(_labels(device), _filled(samples)) for device, samples in cards]
    out: list[str] = []
    for family in FAMILIES:
        suffix = "_total" if family.kind == "counter" else ""
        rows = [
            f"{PREFIX}{family.name}{suffix}{{{labels}}} {_number(value)}"
            for labels, sample in told
            if (value := family.of(sample)) is not None
        ]
        out += _family(family.name, family.kind, family.unit, family.help, rows)
    out += _family(
        "clocks_event_reason",
        "gauge",
        "",
        "1 while the clock is held down for this reason",
        [
            f'{PREFIX}clocks_event_reason{{{labels},reason="{key}"}} {1 if mask & bit else 0}'
            for labels, sample in told
            if (mask := sample.reasons) is not None
            for bit, (key, _) in NAMES.items()
        ],
    )
    out += _family(
        "clocks_event_reason_seconds",
        "counter",
        "seconds",
        "Time under this reason since the driver was loaded",
        [
            f'{PREFIX}clocks_event_reason_seconds_total{{{labels},reason="{key}"}} '
            f"{_number(ns / 1e9)}"
            for labels, sample in told
            for key, ns in sample.counters.items()
        ],
    )
    out += _family(
        "watching", "gauge", "", "1 while readings are taken", [f"{PREFIX}watching {int(watching)}"]
    )
    out += _family(
        "read_timestamp_seconds",
        "gauge",
        "seconds",
        "When this was written",
        [f"{PREFIX}read_timestamp_seconds {time.time():.3f}"],
    )
    return "\n".join([*out, "# EOF"]) + "\n"


def _filled(samples: list[Sample]) -> Sample:
    """The last sample, with what is read once a second from those just before it."""
    last = samples[-1]
    for name in ("energy_j", "processes"):
        if getattr(last, name) is None:
            known = (v for s in reversed(samples) if (v := getattr(s, name)) is not None)
            last = msgspec.structs.replace(last, **{name: next(known, None)})
    return last


def _family(name: str, kind: str, unit: str, said: str, rows: Iterable[str]) -> list[str]:
    found = list(rows)
    if not found:
        return []
    head = [f"# TYPE {PREFIX}{name} {kind}"]
    head += [f"# UNIT {PREFIX}{name} {unit}"] if unit else []
    return [*head, f"# HELP {PREFIX}{name} {said}.", *found]


def _labels(device: Device) -> str:
    index = "" if device.index is None else str(device.index)
    told = {"gpu": index, "uuid": device.uuid or "", "name": device.name or ""}
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in told.items())


def _escaped(text: str) -> str:
    return shown(text).replace("\\", "\\\\").replace('"', '\\"')


def _number(value: float) -> str:
    return repr(round(float(value), 6))
