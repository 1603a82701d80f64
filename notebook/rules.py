"""All rules in the order of the questions: bytes, device and peak, size, then the percentage."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from roofwatch.notebook.cold_start import cold_start
from roofwatch.notebook.finding import RANK, Finding
from roofwatch.notebook.l2_hit import l2_hit
from roofwatch.notebook.memory_bound_probe import memory_bound_probe
from roofwatch.notebook.no_tensor_core import no_tensor_core
from roofwatch.notebook.over_nominal import over_bandwidth, over_compute
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.strided import strided
from roofwatch.notebook.unstable import bimodal, control, drifting, profiler, unstable
from roofwatch.notebook.wrong_peak import tensor_core_in_ieee, wrong_peak

Rule = Callable[[Reading], Finding | None]

RULES: tuple[Rule, ...] = (
    l2_hit,
    over_bandwidth,
    strided,
    wrong_peak,
    tensor_core_in_ieee,
    no_tensor_core,
    over_compute,
    memory_bound_probe,
    control,
    profiler,
    bimodal,
    unstable,
    drifting,
    cold_start,
)


def judge(reading: Reading) -> list[Finding]:
    """What every rule has to say about a reading, the gravest first."""
    return ranked(f for rule in RULES if (f := rule(reading)) is not None)


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Gravest first; within a severity the order of the questions."""
    return sorted(findings, key=lambda f: RANK[f.severity])
