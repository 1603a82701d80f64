"""What a triage tells a person: why each route votes so, what treats the bound, what is missing."""

from __future__ import annotations

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.roof import STOP
from roofwatch.roofline.time_said import time_said
from roofwatch.roofline.triage import (
    CANNOT_SAY,
    CERTAIN,
    CONTRADICTS,
    EXPERIMENTS,
    EXPLAINS,
    FEW_CPU_S,
    INTENSITY,
    LONGEST,
    MIXED,
    TIMELINE,
    Decision,
    Evidence,
    only_starts,
)
from roofwatch.roofline.trial import COMPUTE, MEMORY, OVERHEAD, Trial, fitting

TREATMENT = {
    COMPUTE: "lower precision (tensor cores); an algorithm with fewer operations; a faster card",
    MEMORY: "a larger batch; quantise (fewer bytes a value); fuse operators (fewer trips)",
    OVERHEAD: "torch.compile; fewer and larger kernels (fuse them, or a larger batch)",
}
"""The seed's table of treatments (Day 1)."""
TENSOR_CORES, UNIT_OF_CPU = "(tensor cores)", "(where the CPU has the unit)"
GRAPH = "a CUDA graph"
LINK = "the host link carries it: keep tensors on the device, or copy from pinned memory"
SYSTEM = 0.3  # share of the processor's time in the operating system that is worth a word
MOST_NAMES = 3
BEYOND = 1.1  # times the time: more than two measurements differ by


def because(evidence: Evidence, decision: Decision) -> dict[str, str]:
    """One sentence a route: what it saw."""
    return {
        INTENSITY: _intensity(evidence, decision),
        TIMELINE: _timeline(evidence),
        EXPERIMENTS: _experiments(evidence),
    }


def treatment(evidence: Evidence, decision: Decision) -> str:
    """What treats the bound, the most telling of this call first; separated by semicolons."""
    bound = decision.bound
    if bound == CANNOT_SAY:
        return "none before the bound is known"
    if bound == MIXED:
        longest = sorted(decision.shares, key=decision.shares.__getitem__, reverse=True)[:2]
        return "; ".join(f"{name}: {_of(evidence, name)}" for name in longest)
    return _of(evidence, bound)


def would_help(evidence: Evidence, decision: Decision) -> str:
    """What would make it more certain; empty where it is certain."""
    if decision.certainty == CERTAIN:
        return ""
    wanted = []
    if not evidence.kernels and not evidence.flop and not evidence.bytes:
        return "work that torch does: nothing that runs outside it can be counted"
    if decision.bound == MIXED:
        wanted.append("its parts one by one: no part takes half of the time")
    if evidence.uncounted:
        names = ", ".join(evidence.uncounted[:MOST_NAMES])
        wanted.append(f"FLOP by your own formula (flop=): none is known for {names}")
    elif evidence.kernels and not (evidence.flop or evidence.bytes or _over_the_link(evidence)):
        wanted.append(
            "FLOP and bytes by your own count (flop=, bytes=): no operator showed its own"
        )
    elif (evidence.reach or 0.0) < EXPLAINS and decision.bound in (COMPUTE, MEMORY):
        wanted.append("hardware counters: the roof accounts for little of the time")
    if "floor" in evidence.status:
        wanted.append(f"a roof: {evidence.status['floor']}")
    if "timeline" in evidence.status:
        wanted.append(f"a timeline ({evidence.status['timeline']})")
    if evidence.kind == "cpu" and "load" in evidence.status:
        wanted.append(f"a quiet machine ({evidence.status['load']})")
    if not any(fitting(trial) for trial in evidence.trials):
        if not evidence.trials:
            wanted.append("a batch to change: a parameter batch=8, or --batch-arg NAME")
        elif decision.bound != MIXED:
            wanted.append("an experiment that tells more: its time follows no prediction, or all")
    if evidence.peak_origin == "nominal" or evidence.bandwidth_origin == "nominal":
        wanted.append("a measured roof (--session FILE)")
    if not wanted and CONTRADICTS in decision.statuses.values():
        wanted.append("routes that agree: look at the one that contradicts")
    elif not wanted:
        wanted.append("a kernel nearer the roof, which accounts for too little of the time")
    return "; ".join(wanted)


def _of(evidence: Evidence, bound: str) -> str:
    first = []
    if bound == OVERHEAD:
        if evidence.waits and evidence.kind == "cuda":
            first.append(
                f"the host waits for a result {evidence.waits:.3g} times a call (.item(), .cpu(), "
                "a mask): keep it on the device"
            )
        if evidence.cpu_share is not None and evidence.cpu_share < FEW_CPU_S:
            first.append("the host sleeps or waits for something else: look there first")
        elif evidence.graph_s is not None:  # a graph would replay no sleep
            first.append(
                f"{GRAPH}: replayed, this call takes {time_said(evidence.graph_s)} instead of "
                f"{time_said(evidence.time_s)}"
            )
        elif evidence.kind == "cuda":
            first.append(GRAPH)
    if bound == MEMORY:
        if _over_the_link(evidence):
            return LINK
        if evidence.kind == "cpu" and (evidence.system_share or 0.0) >= SYSTEM:
            share = per_cent(evidence.system_share or 0.0)
            first.append(
                f"{share} of the processor's time is the system's, which hands out fresh pages: "
                "write into memory that is there (out=)"
            )
    near = (evidence.reach or 0.0) >= STOP
    if bound == MEMORY and near:
        first.append("at the measured roof: only fewer bytes, or more work for each, still help")
    if bound == COMPUTE:
        if near:
            first.append("at the measured roof: stop here, or change what is computed")
        elif (evidence.reach or 0.0) < LONGEST:
            first.append("another kernel first (sizes in multiples of 8 and 64): the roof is far")
    table = TREATMENT[bound]
    if evidence.kind == "cpu":
        table = table.replace(TENSOR_CORES, UNIT_OF_CPU)
    return "; ".join([*first, table])


def _intensity(evidence: Evidence, decision: Decision) -> str:
    if evidence.intensity is None:
        return evidence.status.get("count", "no operator showed FLOP or bytes")
    text = f"{evidence.intensity:.3g} FLOP/byte"
    if evidence.ridge is not None:
        side = "right" if evidence.intensity > evidence.ridge else "left"
        text += f", {side} of the ridge at {evidence.ridge:.3g}"
    if "floor" in evidence.status:
        return f"{text}; {evidence.status['floor']}"
    reach = evidence.reach or 0.0
    if reach > BEYOND:
        moved = (evidence.memory_s or 0.0) > (evidence.compute_s or 0.0)
        why = "a cache, or fusion, saves trips" if moved else "it was measured too low"
        text += f"; the roof allows {reach:.2g} times this time ({why})"
    else:
        text += f"; the roof accounts for {_share(min(1.0, reach))} of the time"
        if reach < LONGEST and decision.votes[INTENSITY].says is None:
            text += ", so paper alone cannot say"
    if evidence.uncounted:
        text += f"; no FLOP known of {', '.join(evidence.uncounted[:MOST_NAMES])}"
    return text


def _timeline(evidence: Evidence) -> str:
    if evidence.busy_share is None or evidence.kernels is None:
        return evidence.status.get("timeline", "not seen")
    if not evidence.kernels:
        return "no operator of torch was seen"
    share = _share(evidence.busy_share)
    if evidence.kind == "cpu":
        fixed = time_said(evidence.operator_s or 0.0)
        return (
            f"{_number(evidence.kernels, 'operator')}, at work {share} of the time beyond the "
            f"{fixed} that calling one costs under the profiler, with those inside it; the "
            "rest is dispatch, Python or waiting"
        )
    text = f"the device is busy {share} of the time: {_number(evidence.kernels, 'kernel')} a call"
    if evidence.kernel_s is not None:
        text += f" of {time_said(evidence.kernel_s)}"
    if only_starts(evidence):
        text += ": too short to do more than start"
    if _over_the_link(evidence):
        text += f"; {_share(evidence.transfer_share or 0.0)} of that copies over the host link"
    return text


def _experiments(evidence: Evidence) -> str:
    if not evidence.trials:
        return evidence.status.get("experiments", "nothing to change: no batch and no dtype")
    told = [_trial(trial) for trial in evidence.trials]
    return "; ".join([*told, *(w for w in (evidence.status.get("experiments"),) if w)])


def _trial(trial: Trial) -> str:
    predicted = ", ".join(f"{name} x{ratio:.3g}" for name, ratio in trial.predicted.items())
    text = f"{trial.what}: time x{trial.time_ratio:.3g}"
    return f"{text} ({predicted} would be expected)" if predicted else text


def _over_the_link(evidence: Evidence) -> bool:
    return (evidence.transfer_share or 0.0) >= LONGEST


def _number(value: float, what: str) -> str:
    return f"{value:.4g} {what}" if value == 1 else f"{value:.4g} {what}s"


def _share(value: float) -> str:
    return per_cent(value) if value >= 0.01 else "under 1 %"
