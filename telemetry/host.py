"""The host without NVML: CPU clock, use, memory and, where readable, temperature and power.

Uses psutil, which runs on macOS too; /proc and sysfs where they exist.
"""

from __future__ import annotations

import os
import re
from typing import Any

import psutil

from roofwatch.session.events import Device, Note, Sample, Software, Status
from roofwatch.session.host_cpu import CPUS, read, usable
from roofwatch.session.other_work import OtherWork
from roofwatch.telemetry.cpu import identify, quiet
from roofwatch.telemetry.metric import CELSIUS, MHZ
from roofwatch.telemetry.rapl import Rapl

WATTS_MAX = 10_000.0
CLOCKS_MAX = 32
"""CPUs whose clock is read: on hundreds, reading all would take longer than a tick."""

_CPU_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "soc_thermal", "acpitz")
_MHZ_LINE = re.compile(r"^cpu MHz\s*:\s*([\d.]+)$", re.MULTILINE)


class Host:
    """The host's CPU as a source of samples; ``gpu`` is null in them."""

    source = "host"
    software: Software | None = None
    neighbours: tuple[Device, ...] = ()

    def __init__(self, notes: list[str]) -> None:
        self._others = OtherWork(os.getppid())  # the parent's children are its own work
        self._others_told = False
        self.notes = notes
        self._cpus = usable()
        self._rapl = Rapl()
        self._joules = self._rapl.joules()
        self._joules_t: float | None = None
        self._temp_c: float | None = None
        self._mhz_from_sysfs = clock_from_sysfs(self._cpus) is not None
        self.device = identify(self._mhz())
        self._utilization()  # psutil counts from its last call
        self._first = True

    def sample(self, t: float, *, slow: bool) -> Sample:
        """One reading; the temperature, whose sensors can be slow, is renewed when ``slow``."""
        if slow or self._first:
            self._temp_c = _temperature()
        power, power_status = self._power(t)
        values = {
            "sm_mhz": (self._mhz(), "not_supported"),
            "util": (None, "stale") if self._first else (self._utilization(), "not_supported"),
            "mem_used_bytes": (quiet(lambda: psutil.virtual_memory().used), "not_supported"),
            "temp_c": (self._temp_c, "not_supported"),
            "power_w": (power, power_status),
            "power_instant_w": (None, "not_supported"),
            "mem_mhz": (None, "not_supported"),
            "reasons": (None, "not_supported"),
        }
        self._first = False
        status: dict[str, Status] = {
            name: why for name, (value, why) in values.items() if value is None
        }
        readings: dict[str, Any] = {name: value for name, (value, _) in values.items()}
        energy = self._joules if slow else None
        others = self._others.cores() if slow or not self._others_told else None
        self._others_told = self._others_told or others is not None
        return Sample(
            t=t, gpu=None, energy_j=energy, others_cores=others, status=status, **readings
        )

    def beside(self, t: float) -> list[Sample | Note]:
        """There is one host."""
        return []

    def health(self, asked: str) -> None:
        """It is no card."""

    def _mhz(self) -> float | None:
        """Mean clock of the CPUs that we may use."""
        if self._mhz_from_sysfs:
            return clock_from_sysfs(self._cpus)
        mhz = clock_from_cpuinfo(self._cpus)
        if mhz is None:
            frequency = quiet(lambda: psutil.cpu_freq())
            mhz = MHZ(frequency.current) if frequency else None
        return mhz

    def _utilization(self) -> float | None:
        """Busy share of the CPUs that we may use, 0 to 1, since the last call."""
        percents = quiet(lambda: psutil.cpu_percent(percpu=True))
        if not percents:
            return None
        # psutil counts CPUs that are online; with some offline the numbers do not match.
        ours = [percents[cpu] for cpu in self._cpus if cpu < len(percents)] or percents
        return min(1.0, max(0.0, sum(ours) / len(ours) / 100))

    def _power(self, t: float) -> tuple[float | None, Status]:
        """Mean power of all packages since the last sample, or None and why."""
        before, before_t = self._joules, self._joules_t
        self._joules, self._joules_t = self._rapl.joules(), t
        if self._joules is None:
            return None, self._rapl.status or "error"
        if before is None or before_t is None or t <= before_t:
            return None, "stale"
        watts = (self._joules - before) / (t - before_t)
        return (watts, "error") if 0 < watts <= WATTS_MAX else (None, "error")


def clock_from_sysfs(cpus: list[int], root: str = "") -> float | None:
    """Mean of the current clocks that cpufreq tells, in MHz."""
    step = max(1, -(-len(cpus) // CLOCKS_MAX))
    clocks = []
    for cpu in cpus[::step]:
        khz = read(f"{root}{CPUS}/cpu{cpu}/cpufreq/scaling_cur_freq")
        if khz and khz.isdigit():
            clocks.append(int(khz) / 1e3)
    return MHZ(sum(clocks) / len(clocks)) if clocks else None


def clock_from_cpuinfo(cpus: list[int], root: str = "") -> float | None:
    """Mean of the "cpu MHz" lines of /proc/cpuinfo (x86 only)."""
    clocks = [float(mhz) for mhz in _MHZ_LINE.findall(read(f"{root}/proc/cpuinfo") or "")]
    ours = [clocks[cpu] for cpu in cpus if cpu < len(clocks)] or clocks
    return MHZ(sum(ours) / len(ours)) if ours else None


def _temperature() -> float | None:
    """The hottest reading of the CPU's own sensor, in °C."""
    chips = quiet(lambda: psutil.sensors_temperatures()) or {}
    chip = next((name for name in _CPU_SENSORS if chips.get(name)), None)
    return CELSIUS(max(entry.current for entry in chips[chip])) if chip else None
