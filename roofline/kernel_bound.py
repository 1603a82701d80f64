"""Which bound a kernel of known work has at the time that it took: the longer of its two trips.

A kernel is judged by its mean time. What is over before the host can launch the next one, and works
for a small part of that, is held up by neither trip: its time is that of starting and ending.
"""

from __future__ import annotations

import msgspec

from roofwatch.roofline.floors import FEW_FLOP_PER_BYTE, Ceilings

COMPUTE, MEMORY, OVERHEAD, UNKNOWN = BOUNDS = ("compute", "memory", "overhead", "unknown")

SHORT_S = 20e-6
"""What the host takes at most to launch one eager operator: 5 to 20 us from Python, by the card's
host (7.2 us on an H200's). A kernel below it ends before the next one can follow."""
LITTLE = 0.25
"""Of such a kernel's time; with less than a quarter of it in the work, launches decide."""


class KernelBound(msgspec.Struct, frozen=True, kw_only=True):
    """The bound of one kernel; least seconds of each trip, None where a figure is missing.

    ``of_roof`` is the least time over the time taken; over 1 the bytes did not all come from
    memory, or the shapes say more than was done.
    """

    bound: str
    memory_s: float | None = None
    compute_s: float | None = None
    of_roof: float | None = None
    why: str = ""

    @property
    def least_s(self) -> float | None:
        """The longer of the two."""
        if self.memory_s is None or self.compute_s is None:
            return None
        return max(self.memory_s, self.compute_s)


def kernel_bound(
    flop: float, size_bytes: float, peak_key: str | None, time_s: float, ceilings: Ceilings
) -> KernelBound:
    """What holds up a kernel of this work that takes ``time_s``.

    ``peak_key`` is the rate that its arithmetic is judged by (None: it has none). Where that rate
    is not known, work that multiplies no matrices is still memory's (see ``floors``).
    """
    gbs = ceilings.bandwidth_gbs
    if gbs is None:
        return KernelBound(bound=UNKNOWN, why="no bandwidth is known to hold it against")
    memory_s = size_bytes / gbs / 1e9
    peak = ceilings.peaks_tflops.get(peak_key or "")
    if peak is not None:
        compute_s = flop / peak / 1e12
    elif flop and peak_key is not None and flop > FEW_FLOP_PER_BYTE * size_bytes:
        why = f"the peak of {peak_key} is not known"
        return KernelBound(bound=UNKNOWN, memory_s=memory_s, why=why)
    else:
        compute_s = 0.0
    least_s = max(memory_s, compute_s)
    of_roof = least_s / time_s if time_s > 0 else None
    found = KernelBound(
        bound=COMPUTE if compute_s > memory_s else MEMORY,
        memory_s=memory_s,
        compute_s=compute_s,
        of_roof=of_roof,
    )
    if of_roof is not None and time_s < SHORT_S and of_roof < LITTLE:
        why = "over before the next launch, and its work is a small part of that"
        return msgspec.structs.replace(found, bound=OVERHEAD, why=why)
    return found


def peak_key_of(kind: str, dtype: str | None, on_tensor_cores: bool | None) -> str | None:
    """The rate that judges work of this ``kind`` (see ``operator_work``).

    Products by their type, fp32 as tf32 and fp64 as fp64_tensor where the kernel's name shows
    tensor cores; all else computes in fp32 or fp64 on the vector lanes, whatever it stores.
    """
    if dtype is None:
        return None
    if kind == "product":
        if on_tensor_cores and dtype in ("fp32", "fp64"):
            return "tf32" if dtype == "fp32" else "fp64_tensor"
        return dtype
    return "fp64" if dtype == "fp64" else "fp32"
