"""All rules in the order of the questions: units and bytes, device and peak, size, time, share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from roofwatch.notebook.ai_equals_batch import ai_equals_batch
from roofwatch.notebook.bytes_miscounted import (
    bytes_miscounted,
    does_not_fit,
    other_run,
    overstated,
    own_bytes_contradicted,
    understated,
)
from roofwatch.notebook.cold_start import cold_start, no_warm_up
from roofwatch.notebook.control import control
from roofwatch.notebook.copy_engine import copy_engine
from roofwatch.notebook.emulated_dtype import emulated_dtype
from roofwatch.notebook.finding import CONDITIONS, NAMES, RANK, SUSPECT, WRONG, Finding
from roofwatch.notebook.flop_miscounted import (
    flop_miscounted,
    no_arithmetic,
    own_flop_contradicted,
)
from roofwatch.notebook.host_bound import host_bound, launch_bound
from roofwatch.notebook.inefficient_kernel import inefficient_kernel
from roofwatch.notebook.l2_hit import l2_hit
from roofwatch.notebook.low_clock import low_clock
from roofwatch.notebook.low_without_cause import high_without_cause, low_without_cause
from roofwatch.notebook.memory_bound_probe import memory_bound_probe
from roofwatch.notebook.mig_slice import mig_slice, slice_suspected
from roofwatch.notebook.missing_sync import maybe_queued, missing_sync
from roofwatch.notebook.no_tensor_core import misaligned, no_tensor_core
from roofwatch.notebook.nominal_as_floor import nominal_as_floor
from roofwatch.notebook.other_process import other_process
from roofwatch.notebook.over_nominal import boost_clock, impossible, other_ceiling, over_every_peak
from roofwatch.notebook.pageable import pageable
from roofwatch.notebook.power_capped import lowered_limit
from roofwatch.notebook.read_only_bytes import read_only_bytes
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.speculative_decode import speculative_decode
from roofwatch.notebook.strided import strided, uncoalesced
from roofwatch.notebook.throttled import throttled
from roofwatch.notebook.too_small import last_wave, too_small
from roofwatch.notebook.transfer_included import transfer_included
from roofwatch.notebook.units import units
from roofwatch.notebook.unstable import bimodal, drifting, held_faster, profiler, unstable
from roofwatch.notebook.wrong_peak import (
    another_unit,
    compared_with_other_peak,
    cuda_cores,
    sparse_of_no_type,
    tensor_core_in_ieee,
    wrong_peak,
)
from roofwatch.notebook.wrong_sku import other_card, wrong_sku
from roofwatch.notebook.zeros import zeros

Rule = Callable[[Reading], Finding | None]
Last = Callable[[Reading, Sequence[Finding]], Finding | None]

RULES: tuple[Rule, ...] = (
    read_only_bytes,
    units,
    l2_hit,
    bytes_miscounted,
    own_bytes_contradicted,
    understated,
    overstated,
    does_not_fit,
    other_run,
    no_arithmetic,
    flop_miscounted,
    own_flop_contradicted,
    missing_sync,
    strided,
    wrong_peak,
    compared_with_other_peak,
    wrong_sku,
    tensor_core_in_ieee,
    no_tensor_core,
    another_unit,
    sparse_of_no_type,
    emulated_dtype,
    memory_bound_probe,
    speculative_decode,
    mig_slice,
    too_small,
    control,
    profiler,
    held_faster,
    bimodal,
    unstable,
    drifting,
    cold_start,
    zeros,
    other_card,
    ai_equals_batch,
)
LOW: tuple[Rule, ...] = (
    no_warm_up,
    cuda_cores,
    misaligned,
    last_wave,
    launch_bound,
    host_bound,
    inefficient_kernel,
    throttled,
    transfer_included,
    pageable,
    copy_engine,
    uncoalesced,
    low_clock,
    lowered_limit,
    other_process,
    slice_suspected,
)
"""Guesses about a number under its range, asked where nothing proves it wrong."""
LAST: tuple[Last, ...] = (
    maybe_queued,
    impossible,
    other_ceiling,
    over_every_peak,
    boost_clock,
    low_without_cause,
    high_without_cause,
    nominal_as_floor,
)
"""Rules that ask what the others found."""

MOST_GUESSES, FEW_GUESSES = 6, 2
COUNTS = ("E1", "units", "bytes-miscounted", "flop-miscounted")  # our probes count by the formula
METHOD_FIRST = 0.3  # seed: doubt how it was measured before the hardware


def judge(reading: Reading) -> list[Finding]:
    """What every rule has to say about a reading, the gravest and likeliest first."""
    found = [f for rule in RULES if (f := rule(reading)) is not None]
    if reading.below and not any(f.severity == WRONG for f in found):
        found += [f for rule in LOW if (f := rule(reading)) is not None]
    if reading.ours:
        found = [f for f in found if f.fit is None or f.code not in COUNTS]
    for last in LAST:
        more = last(reading, found)
        if more is not None:
            found.append(more)
    return _once(ranked(_likeliest(found)))


def _once(found: list[Finding]) -> list[Finding]:
    """Each error of the seeds once, by what says it best; two ways to see it are one mistake."""
    said: set[str] = set()
    out = []
    for f in found:
        if f.code in NAMES and f.code in said:
            continue
        said.add(f.code)
        out.append(f)
    return out


def _likeliest(found: list[Finding]) -> list[Finding]:
    """Guesses only where they help: none beside a proof, two beside direct evidence."""
    guesses = [f for f in found if f.severity == SUSPECT and f.fit is not None]
    if any(f.severity == WRONG for f in found):
        kept = 0
    elif any(f.severity == SUSPECT and f.fit is None for f in found):
        kept = FEW_GUESSES
    else:
        kept = MOST_GUESSES
    if len(guesses) <= kept:
        return found
    likely = sorted(guesses, key=lambda f: f.fit or 0.0, reverse=True)[:kept]
    dropped = {id(f) for f in guesses} - {id(f) for f in likely}
    return [f for f in found if id(f) not in dropped]


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Gravest first; then direct evidence in the order of the questions; then guesses.

    Among guesses what fits best comes first, and the method is doubted before the conditions.
    """

    def place(f: Finding) -> tuple[int, float]:
        if f.fit is None:
            return RANK[f.severity], -2.0
        return RANK[f.severity], -f.fit - (METHOD_FIRST if f.root != CONDITIONS else 0.0)

    return sorted(findings, key=place)
