"""Which of three things a call waits for, by the three routes of the seed's Day 1.

Intensity, the profiler's timeline, and experiments each vote for themselves. The bound is whatever
takes the largest part of the time (seed: the longest of the three decides); how certain that is
depends on how far the routes agree.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from roofwatch.roofline.floors import Floors
from roofwatch.roofline.trial import BOUNDS, COMPUTE, MEMORY, OVERHEAD, Trial, excluded, fitting

MIXED, CANNOT_SAY = "mixed", "cannot-say"
CERTAIN, LIKELY, UNSURE = "certain", "likely", "unsure"
SAYS, SILENT, CONTRADICTS = "says", "cannot-say", "contradicts"
INTENSITY, TIMELINE, EXPERIMENTS = "intensity", "timeline", "experiments"

LONGEST = 0.5
"""Share of the time from which one part is longer than all others (seed: the longest decides)."""
CLEARLY = 0.75
"""Share that leaves no doubt which is the longest."""
CONTINUOUS = 0.2
"""Gaps up to this share are a continuous timeline (seed: continuous but slow is one of the first
two); the profiler itself and the start of each kernel make as much."""
EXPLAINS = 0.3
"""Share of the time that the roof must account for before intensity may vote: it supposes that the
device always has work (seed: it does not see overhead)."""
AT_THE_ROOF = 0.6
"""Share from which the roof explains the time: public kernels reach 0.6 to 0.95 of what can be
measured (facts of measuring: floors per family)."""
SHORT_KERNEL_S = 5e-6
"""A kernel shorter than its own launch (seed: 5 to 10 us to launch one)."""
UNEXPLAINED = 0.2
"""Of the busy time: short kernels whose work accounts for less only start and end."""
FEW_CPU_S = 0.5  # processor seconds a second: below, the host slept more than it worked


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one call. What could not be had is None, and ``status`` says why.

    ``kernels`` are what was launched on the device, on a CPU the operators called; the device is
    busy for ``busy_share`` of the time, ``gap_share`` is the rest. On a CPU an operator is busy
    beyond the fixed cost ``operator_s`` of calling one, and those that it calls itself.
    ``transfer_share`` is of the busy time.
    ``system_share`` is the part of the processor's time that the operating system took.
    """

    kind: str  # "cuda" | "cpu"
    time_s: float
    flop: float | None = None
    bytes: float | None = None
    intensity: float | None = None
    compute_s: float | None = None  # floor of the operators right of the ridge
    memory_s: float | None = None  # floor of those left of it
    uncounted: tuple[str, ...] = ()  # operators whose FLOP no formula tells
    peak_key: str | None = None
    ridge: float | None = None
    bandwidth_gbs: float | None = None
    bandwidth_origin: str | None = None
    peak_tflops: float | None = None
    peak_origin: str | None = None
    kernels: float | None = None
    kernel_s: float | None = None  # mean of one
    longest: dict[str, float] = {}  # share of the busy time, by name
    busy_share: float | None = None
    gap_share: float | None = None
    transfer_share: float | None = None
    operator_s: float | None = None
    host_s: float | None = None  # until the call returns, on an idle device
    waits: float | None = None  # times a call in which the host waits for a result
    cpu_share: float | None = None  # processor seconds of this process in a second
    system_share: float | None = None
    graph_s: float | None = None  # the same call replayed as a CUDA graph
    trials: tuple[Trial, ...] = ()
    status: dict[str, str] = {}

    @property
    def floor_s(self) -> float | None:
        """The least time under the roof."""
        if self.compute_s is None or self.memory_s is None:
            return None
        return self.compute_s + self.memory_s

    @property
    def reach(self) -> float | None:
        """Share of the time that the roof accounts for; above 1 where a cache served."""
        return self.floor_s / self.time_s if self.floor_s is not None else None


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """What one route says by itself, and which bounds it speaks against."""

    says: str | None = None
    excludes: tuple[str, ...] = ()

    def supports(self, bound: str) -> bool:
        """Whether it says this bound, or speaks against others only."""
        return self.says == bound or (bool(self.excludes) and not self.against(bound))

    def against(self, bound: str) -> bool:
        """Whether it says another one, or excludes this one."""
        return (self.says not in (None, bound)) or bound in self.excludes


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The bound, how certain, the parts of the time, and each route's vote with its status.

    ``shares`` of compute, memory and overhead add up to 1; empty where they could not be split.
    """

    bound: str
    certainty: str
    shares: dict[str, float]
    votes: dict[str, Vote]
    statuses: dict[str, str]  # "says" | "cannot-say" | "contradicts"


def with_floors(evidence: Evidence, found: Floors) -> Evidence:
    """The evidence with what was counted held against a roof."""
    status = dict(evidence.status)
    if found.unknown is not None:
        refused = status.get("roof")
        status["floor"] = refused or f"{found.unknown} is not known"
    return msgspec.structs.replace(
        evidence,
        flop=found.flop,
        bytes=found.bytes,
        intensity=found.intensity,
        compute_s=found.compute_s,
        memory_s=found.memory_s,
        peak_key=found.peak_key,
        ridge=found.ridge,
        status=status,
    )


def decide(evidence: Evidence) -> Decision:
    """The bound that the evidence speaks for, by three votes and the parts of the time."""
    shares = _shares(evidence)
    votes = {
        INTENSITY: _by_intensity(evidence),
        TIMELINE: _by_timeline(evidence),
        EXPERIMENTS: _by_experiments(evidence.trials),
    }
    bound = _bound(evidence, shares, votes)
    return Decision(
        bound=bound,
        certainty=_certainty(evidence, bound, shares, votes),
        shares=shares,
        votes=votes,
        statuses={name: _status(vote, bound) for name, vote in votes.items()},
    )


def only_starts(evidence: Evidence) -> bool:
    """Whether kernels follow one another but are too short for their work to matter.

    Such a device is busy and does nothing: the time is in starting kernels (seed, Day 18: an
    RMSNorm of 8 us whose bytes take 0.04 us is bound by overhead).
    """
    busy = (evidence.busy_share or 0.0) * evidence.time_s
    return (
        evidence.kind == "cuda"
        and evidence.kernel_s is not None
        and evidence.kernel_s < SHORT_KERNEL_S
        and evidence.floor_s is not None
        and evidence.floor_s < UNEXPLAINED * busy
    )


def _nothing_seen(evidence: Evidence) -> bool:
    return not evidence.kernels and not evidence.flop and not evidence.bytes


def _transfers(evidence: Evidence) -> bool:
    """Whether the device mostly copies from or to the host: bound by the link (seed: loading)."""
    return (evidence.transfer_share or 0.0) >= LONGEST


def _beyond_formulas(evidence: Evidence) -> bool:
    """Whether operators whose work no formula tells may be what takes the time."""
    return bool(evidence.uncounted) and (evidence.reach or 0.0) < EXPLAINS


def _shares(evidence: Evidence) -> dict[str, float]:
    """The gaps, and the rest of the time in the proportion of the floors."""
    gap, floor_s = evidence.gap_share, evidence.floor_s
    if gap is None or _nothing_seen(evidence):
        return {}
    if _transfers(evidence):
        return {COMPUTE: 0.0, MEMORY: 1 - gap, OVERHEAD: gap}
    if only_starts(evidence) and floor_s is not None:
        gap = max(gap, 1.0 - floor_s / evidence.time_s)
    if not floor_s or _beyond_formulas(evidence):
        return {OVERHEAD: gap} if gap >= LONGEST else {}
    assert evidence.compute_s is not None
    compute = evidence.compute_s / floor_s
    return {COMPUTE: (1 - gap) * compute, MEMORY: (1 - gap) * (1 - compute), OVERHEAD: gap}


def _by_intensity(evidence: Evidence) -> Vote:
    """The side on which most of the floor lies, where the floor accounts for the time at all."""
    if not evidence.floor_s or evidence.compute_s is None:
        return Vote()
    gaps_decide = (evidence.gap_share or 0.0) >= LONGEST
    if evidence.floor_s < (LONGEST if gaps_decide else EXPLAINS) * evidence.time_s:
        return Vote()
    compute = evidence.compute_s / evidence.floor_s
    if compute > CLEARLY:
        return Vote(says=COMPUTE)
    return Vote(says=MEMORY) if compute < 1 - CLEARLY else Vote()


def _by_timeline(evidence: Evidence) -> Vote:
    """Gaps, or none."""
    if evidence.gap_share is None or _nothing_seen(evidence):
        return Vote()
    if evidence.gap_share >= LONGEST or only_starts(evidence):
        return Vote(says=OVERHEAD, excludes=(COMPUTE, MEMORY))
    if _transfers(evidence):
        return Vote(says=MEMORY)
    return Vote(excludes=(OVERHEAD,)) if evidence.gap_share <= CONTINUOUS else Vote()


def _by_experiments(trials: Iterable[Trial]) -> Vote:
    """What all experiments that tell anything leave over; nothing where they disagree."""
    telling = [trial for trial in trials if fitting(trial)]
    left = set(BOUNDS)
    for trial in telling:
        left -= excluded(trial)
    if not telling or not left or len(left) == len(BOUNDS):
        return Vote()
    out = tuple(bound for bound in BOUNDS if bound not in left)
    return Vote(says=next(iter(left)) if len(left) == 1 else None, excludes=out)


def _bound(evidence: Evidence, shares: dict[str, float], votes: dict[str, Vote]) -> str:
    if _nothing_seen(evidence):
        return CANNOT_SAY
    if shares:
        longest = max(shares, key=shares.__getitem__)
        return longest if shares[longest] >= LONGEST else MIXED
    left = set(BOUNDS)  # no floor, or no timeline: what the routes leave over
    for vote in votes.values():
        left -= set(vote.excludes)
        left &= {vote.says} if vote.says is not None else left
    return next(iter(left)) if len(left) == 1 else CANNOT_SAY


def _certainty(
    evidence: Evidence, bound: str, shares: dict[str, float], votes: dict[str, Vote]
) -> str:
    if bound in (MIXED, CANNOT_SAY) or not shares:
        return UNSURE
    against = [vote for vote in votes.values() if vote.against(bound)]
    support = sum(vote.supports(bound) for vote in votes.values())
    if against or not support:
        return UNSURE
    # A processor that others want as well gives no time that is certain.
    quiet = evidence.kind == "cuda" or "load" not in evidence.status
    clear = shares[bound] >= CLEARLY and quiet
    if bound == OVERHEAD:  # the timeline alone can tell all three apart (seed)
        return CERTAIN if clear else LIKELY
    if _transfers(evidence):
        return CERTAIN if clear else LIKELY
    reach = evidence.reach or 0.0
    if clear and support > 1 and reach >= AT_THE_ROOF:
        return CERTAIN
    return LIKELY if reach >= EXPLAINS else UNSURE


def _status(vote: Vote, bound: str) -> str:
    if bound in BOUNDS and vote.against(bound):
        return CONTRADICTS
    return SAYS if vote.says is not None or vote.excludes else SILENT
