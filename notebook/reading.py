"""What the rules look at: one measured number with what it was counted from and compared with."""

from __future__ import annotations

import math
from functools import cached_property

import msgspec

from roofwatch.notebook.least import Least
from roofwatch.roofline.peaks import TENSOR_KEYS

ROUNDING = 1.02  # datasheets round; memory does not boost
TELLING = 0.38  # width of a range, over its lower end, beyond which landing in it says less
EDGE = 0.03  # a corrected number this far outside the range still fits
OVER = 0.01  # a number this little over its range is no evidence of a mistake
WITH_INT4 = ("7.5", "8.0", "8.6", "8.7", "8.9")
BYTES_AT_ONCE = 4
UNDER = 0.06  # a number this little under its range is no evidence of a mistake


class Reading(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A rate and its circumstances, ours or anyone's; None is «not known», never zero.

    Rates in GB/s (1e9) and TFLOP/s (1e12), sizes in bytes, times in seconds, intensity and ridge in
    FLOP per byte. ``nominal_tflops`` is the dense peak of ``peak_key``; the ceilings are what the
    silicon could do (factor product for bandwidth, highest clock for compute). ``low`` and ``high``
    are the range expected beforehand, in the unit of the judged rate.
    """

    subject: str
    op: str
    dtype: str | None
    math: str = "ieee"
    math_stated: bool = False
    accumulate: str | None = None
    peak_key: str | None = None
    protocol: str | None = None  # of our own probes; None for a number that someone hands in

    gbs: float | None = None
    tflops: float | None = None
    judged: str | None = None  # "gbs" | "tflops": which of the two is the number in question
    stated: bool = False  # the judged rate was claimed as such, not computed from a time
    time_s: float | None = None
    rounding: float = 0.0  # half a unit of the last digit given, as a share
    flop: float | None = None  # by the formula of op and shape
    bytes: float | None = None  # compulsory: each input read once, each output written once
    streams_bytes: tuple[float, ...] = ()  # the same, each tensor's reads and writes apart
    claimed_bytes: float | None = None  # what the claim counts: rate x time, or as stated
    claimed_flop: float | None = None
    stated_bytes: float | None = None  # what a row counts, where its rate and time give others
    stated_flop: float | None = None
    understated_bytes: float | None = None  # stated of a matmul, and less than any form of it has
    formula_bytes: float | None = None  # of a matmul that states others
    least: Least | None = None  # of a claim: its least work and its time, for both ceilings
    no_arithmetic: bool = False  # FLOP are claimed of an op that computes nothing
    of_tokens: bool = False  # its time follows from a rate of tokens
    step_timed: bool = False  # its time is that of one decode step, whatever that yields
    on_slope: bool = False  # its range is that of the memory, left of the ridge
    sparse: bool = False  # 2:4 zeros are counted, and this card's units skip them
    shape: dict[str, int] = {}
    intensity: float | None = None
    working_set_bytes: float | None = None
    cache_bytes: float | None = None

    card: str | None = None  # the table's name for it
    nominal_gbs: float | None = None
    ceiling_gbs: float | None = None
    nominal_tflops: float | None = None
    ceiling_tflops: float | None = None
    peaks_tflops: dict[str, float] = {}
    ceilings_tflops: dict[str, float] = {}
    compared_gbs: float | None = None  # the figure that a person compared with
    compared_tflops: float | None = None
    compared_is: tuple[str, ...] = ()  # other cards of which that figure is the nominal one
    share_stated: bool = False  # the number itself is a share of the compared figure
    siblings: dict[str, float] = {}  # nominal of the judged rate on cards of nearly the same name
    has_fp64_tensor: bool = False
    emulated: bool = False  # the card has no unit for this type
    roof_gbs: float | None = None  # this card's own measured slope
    memory_gbs: float | None = None  # nominal, also where the host link is judged
    memory_bytes: float | None = None  # of the card
    link_gbs: float | None = None  # host link, one direction, nominal
    sm_count: int | None = None
    tdp_w: float | None = None
    compute_capability: str | None = None
    slice_share: float | None = None  # of the card's SMs, where the name says MIG
    low: float | None = None
    high: float | None = None
    usual_gbs: float | None = None  # of a decode step's bytes, whatever it is judged by

    synchronized: bool | None = None
    timing: str | None = None  # "event" | "graph" | "host" | "profiler"
    batch: int | None = None
    weights_bytes: float | None = None  # of a decode step
    kv_bytes: float | None = None  # of all sequences of the step
    tokens_per_step: float | None = None
    tokens_ratio: float | None = None  # rate x time over the tokens of a step

    spread: float | None = None  # IQR over median of the repetitions
    repetitions: int | None = None
    modes: tuple[float, float, float] | None = None  # seconds fast and slow, the slow one's share
    drift: float | None = None  # last third against the first, as a share
    first_block_ratio: float | None = None  # warm-up's first block over the settled median
    control_ratio: float | None = None  # of a control: its rate over that of what it controls
    control_noise: float | None = None  # by which control and controlled lie apart by themselves
    control_restless: bool = False  # one of the two scatters so far that nothing can be said
    control_usual: float | None = None  # by which two of this device may where nothing is wrong
    others_cores: float | None = (
        None  # kept by other work meanwhile, of ``cores``; where it matters
    )
    cores: int | None = None
    held_ratio: float | None = None  # of what is held as well: the held rate over its own
    held_spread: float | None = None  # of the held repetitions, as spread
    profiler_ratio: float | None = None  # the profiler's kernel time over the median
    kernel: str | None = None
    tensor_core: bool | None = None
    moved_bytes: int | None = None  # what the memory carries, where that is not what counts
    in_giga: bool = False  # TFLOP/s have no digits where it stands: words take GFLOP/s

    @cached_property
    def ours(self) -> bool:
        """Whether our own probes took it: warmed, synchronised, bytes and FLOP by the formula."""
        return self.protocol is not None

    @cached_property
    def rate(self) -> float | None:
        """The number in question, in GB/s or TFLOP/s."""
        return self.gbs if self.judged == "gbs" else self.tflops if self.judged else None

    @cached_property
    def nominal(self) -> float | None:
        """The nominal figure of the judged rate, with 2:4 zeros the sparse one."""
        if self.judged == "gbs":
            return self.nominal_gbs
        return (
            2 * self.nominal_tflops if self.nominal_tflops and self.sparse else self.nominal_tflops
        )

    @cached_property
    def ceiling(self) -> float | None:
        """What the judged rate cannot exceed."""
        if self.judged != "gbs":
            return self.ceiling_tflops if self.nominal_tflops else None
        return self.ceiling_of("gbs")

    def ceiling_of(self, rate: str) -> float | None:
        """What either rate, "gbs" or "tflops", cannot exceed: without a type that of any."""
        if rate == "gbs":
            return max(self.nominal_gbs, self.ceiling_gbs or 0.0) if self.nominal_gbs else None
        if self.ceiling_tflops and self.nominal_tflops:
            return self.ceiling_tflops
        return self.any_type if self.dtype is None or self.math == "sparse" else self.any_dense

    @cached_property
    def highest(self) -> tuple[str, float] | None:
        """Where no type is named: the peak of this card with the highest ceiling, and that ceiling.

        TFLOP/s, dense; None where a type is named or no peak is known.
        """
        if self.dtype is not None or self.peak_key is not None or self.judged != "tflops":
            return None
        tops = {
            key: max(p, self.ceilings_tflops.get(key, p)) for key, p in self.peaks_tflops.items()
        }
        return max(tops.items(), key=lambda each: each[1], default=None)

    @cached_property
    def highest_sparse(self) -> float | None:
        """What no type of this card exceeds, where no type is named. TFLOP/s."""
        return self.any_type if self.highest is not None else None

    @cached_property
    def any_type(self) -> float | None:
        """What no type of this card exceeds, 2:4 zeros counted; tensor cores alone skip them.

        TFLOP/s. Turing to Ada do int4 at twice int8, which the table does not list.
        """
        tops = self._tops
        if not tops:
            return None
        sparse = [2 * top for key, top in tops.items() if key in TENSOR_KEYS]
        if self.compute_capability in WITH_INT4 and "int4" not in tops:
            sparse.append(4 * tops.get("int8", 0.0))
        return max([*tops.values(), *sparse])

    @cached_property
    def any_dense(self) -> float | None:
        """What no dense type of this card exceeds, int4 of Turing to Ada included. TFLOP/s.

        Lanes without an int8 unit do four products of bytes at once (dp4a, Pascal on).
        """
        tops = self._tops
        int4 = 2 * tops.get("int8", 0.0) if self.compute_capability in WITH_INT4 else 0.0
        lanes = BYTES_AT_ONCE * tops.get("fp32", 0.0) if self.dtype == "int8" else 0.0
        return max([*tops.values(), int4, lanes]) if tops else None

    @cached_property
    def _tops(self) -> dict[str, float]:
        keys = {*self.peaks_tflops, *self.ceilings_tflops}
        both = (self.peaks_tflops, self.ceilings_tflops)
        return {key: max(figures.get(key, 0.0) for figures in both) for key in keys}

    def exceeds(self, ceiling: float | None) -> bool:
        """Whether the rate is beyond it, the datasheet's rounding and the digits allowed for."""
        if self.rate is None or ceiling is None:
            return False
        return self.rate * (1 - self.rounding) > ceiling * ROUNDING

    @property
    def unit(self) -> str:
        """Of the judged rate."""
        return "GB/s" if self.judged == "gbs" else "TFLOP/s"

    @property
    def worded_unit(self) -> str:
        """Of the judged rate as a sentence has it; the evidence stays in TFLOP/s."""
        return "GFLOP/s" if self.in_giga and self.judged != "gbs" else self.unit

    def worded(self, rate: float | None) -> float | None:
        """A judged rate in that unit."""
        return rate * 1e3 if rate is not None and self.worded_unit != self.unit else rate

    @cached_property
    def below(self) -> bool:
        """Clearly under the expected range."""
        if self.rate is None or self.low is None:
            return False
        return self.rate * (1 + self.rounding) < self.low * (1 - UNDER)

    @cached_property
    def above(self) -> bool:
        """Clearly over the expected range."""
        if self.rate is None or self.high is None:
            return False
        return self.rate * (1 - self.rounding) > self.high * (1 + OVER)

    @cached_property
    def over(self) -> bool:
        """Beyond what the silicon could do, the datasheet's rounding and the digits allowed for."""
        return self.exceeds(self.ceiling)

    @property
    def within(self) -> bool | None:
        """Inside the expected range, its blurred ends included; None where there is none."""
        if self.rate is None or self.low is None:
            return None
        return not (self.below or self.above)

    def fits(self, corrected: float | None) -> float | None:
        """How well a corrected rate lands in the expected range: 1 in its middle, None outside."""
        if corrected is None or not corrected > 0 or not self.low or not self.high:
            return None
        slack = self.rounding + EDGE
        if not self.low * (1 - slack) <= corrected <= self.high * (1 + slack):
            return None
        middle = math.sqrt(self.low * self.high)
        reach = max(math.log(self.high / middle), 0.05)
        near = max(0.25, 1 - abs(math.log(corrected / middle)) / reach / 2)
        return round(near * min(1.0, TELLING / max(self.high / self.low - 1, 0.01)), 3)

    @cached_property
    def expected_s(self) -> float | None:
        """The shortest time that the expected range allows."""
        work = self.bytes if self.judged == "gbs" else self.flop
        scale = 1e9 if self.judged == "gbs" else 1e12
        return work / (self.high * scale) if work and self.high else None


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What the card itself said about its limits."""

    name: str
    power_limit_w: float | None = None
    power_default_w: float | None = None
