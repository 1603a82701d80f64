"""What ``measure`` answers: the time, the rates, what the card did, and whether to believe it."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.catalog import percent
from roofwatch.notebook.finding import Finding
from roofwatch.roofline.expected import Range
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.time_said import time_said
from roofwatch.session.conditions import Conditions

Flat = dict[str, "float | int | str | bool"]

OWN = ("name", "card", "time_s", "best_s", "iqr_s", "repetitions", "stop", "timing")
RATES = ("gbs", "tflops", "intensity", "peak_key", "of_nominal")
SEEN = (
    "sm_mhz",
    "sm_mhz_spin",
    "mem_mhz",
    "power_w",
    "temp_c",
    "reasons",
    "power_cap_share",
    "thermal_share",
)
DIGITS = 4  # of a time: two calls may differ by less than one in a hundred


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One function, measured. Times in seconds of one call, rates in GB/s and TFLOP/s (int8: TOPS).

    ``timing`` is "event", "graph" (replayed as a CUDA graph), "event-many" (many calls between two
    events, where no graph could be had) or "host"; ``stop`` is why repetitions ended: "iqr",
    "standard-error" or "time-cap". ``of_nominal`` and ``expected`` are of the rate in question:
    ``judged`` says which. ``conditions`` are medians over the span; what could not be read is None
    there, with the reason in its ``status``.
    """

    name: str
    time_s: float  # median
    best_s: float
    iqr_s: float
    repetitions: int
    stop: str
    timing: str
    gbs: float | None
    tflops: float | None
    intensity: float | None  # FLOP per byte
    judged: str | None  # "gbs" | "tflops"
    peak_key: str | None
    of_nominal: float | None
    expected: Range | None
    within_expected: bool | None
    verdict: str  # "believable" | "suspect" | "wrong" | "cannot-say"
    findings: list[Finding]
    conditions: Conditions
    card: str | None

    def flat(self, prefix: str = "roofwatch/") -> Flat:
        """Numbers and short strings for an experiment tracker, always in the same order.

        What is not known is left out; why a reading is missing stands under ``status/``. Codes and
        reasons are joined by commas, "" where there are none.
        """
        out: dict[str, float | int | str | bool | None] = {
            name: getattr(self, name) for name in (*OWN, *RATES)
        }
        if self.expected is not None:
            out["expected_low"] = self.expected.low
            out["expected_high"] = self.expected.high
            out["expected_unit"] = self.expected.unit
        out["within_expected"] = self.within_expected
        out["verdict"] = self.verdict
        out["findings"] = ",".join(self.codes)
        seen = self.conditions
        for name in SEEN:
            value = getattr(seen, name)
            out[name] = ",".join(value) if isinstance(value, list) else value
            if name in seen.status:
                out[name] = None
        out["samples"] = seen.samples
        for name in SEEN:
            out[f"status/{name}"] = seen.status.get(name)
        return {prefix + name: value for name, value in out.items() if value is not None}

    @property
    def codes(self) -> list[str]:
        """Codes of the findings, the gravest first, each once."""
        return list(dict.fromkeys(f.code for f in self.findings))

    def __str__(self) -> str:
        """Two lines: how long it took and how that was found; what it amounts to."""
        first = (
            f"{self.name}: {time_said(self.time_s, DIGITS)} "
            f"(best {time_said(self.best_s, DIGITS)}, IQR {percent(self.iqr_s / self.time_s)}; "
            f"{self.repetitions} repetitions, {self.timing}, {self.stop})"
        )
        rates = []
        if self.gbs is not None:
            rates.append(f"{self.gbs:.4g} GB/s")
        if self.tflops is not None:
            rates.append(f"{self.tflops:.4g} {unit(self.peak_key or '')}")
        if self.of_nominal is not None:
            rates.append(f"{percent(self.of_nominal)} of nominal")
        words = ", ".join(rates)
        if self.card:
            words = f"{words} on {self.card}" if words else self.card
        codes = f" ({', '.join(self.codes)})" if self.codes else ""
        return f"{first}\n{words + ': ' if words else ''}{self.verdict}{codes}"
