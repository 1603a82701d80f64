"""``roofwatch.measure``: times a function by our own rules, watches the card, judges the number."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence

import msgspec

from roofwatch.library.during import seen_during
from roofwatch.library.judged import judged
from roofwatch.library.measured import Measured
from roofwatch.library.nominal_cards import named_cards
from roofwatch.library.said import Said, cap_s, said_of
from roofwatch.library.telemetry_child import TelemetryChild
from roofwatch.probes.function import OnHost, Place, Taken
from roofwatch.session.events import SessionInfo
from roofwatch.session.fold import Session

DEVICE = re.compile(r"cpu|cuda(:\d+)?")
MATRIX_OPS = ("matmul", "attention")


def measure(
    fn: Callable[[], object],
    *,
    flop: float | None = None,
    bytes: float | None = None,
    dtype: object = None,
    math: str | None = None,
    op: str = "other",
    shape: Sequence[int] | None = None,
    m: int | None = None,
    n: int | None = None,
    k: int | None = None,
    batch: int | None = None,
    elements: int | None = None,
    name: str | None = None,
    device: object = None,
    seconds: float = 1.0,
    nominal_gbs: float | None = None,
    nominal_tflops: float | None = None,
    telemetry: bool = True,
) -> Measured:
    """Time ``fn()``, watch the card meanwhile, and say whether its rate can be believed.

    On CUDA the repetitions are enqueued ahead and timed by events, those under 100 µs in a graph;
    on the CPU by the host's clock. It warms up until two blocks agree and stops when the spread is
    settled.

    Args:
        fn: takes nothing; what it returns is dropped. Its work on CUDA is on the current stream.
        flop: floating-point operations of one call.
        bytes: bytes that one call reads and writes.
        dtype: of the elements, such as ``"fp16"`` or ``torch.float16``.
        math: ``"ieee"``, ``"tf32"`` or ``"sparse"``; by itself what torch is set to.
        op: what it does, such as ``"add_scalar"``; with its sizes the counts are checked, and where
            none are given the formula's are taken.
        shape: (m, n, k) of a matmul, (rows, columns) of a norm, the shape of one tensor otherwise;
            ``m``, ``n``, ``k`` and ``elements`` say the same.
        batch: matmuls in one call.
        name: what to call it.
        device: ``"cpu"``, ``"cuda"`` or ``"cuda:N"``; by itself the current CUDA device if torch is
            loaded and ``fn`` works there, else the CPU.
        seconds: measuring takes at most that long; warming up takes at most as long again.
        nominal_gbs: the bandwidth that you compare with, judged as well.
        nominal_tflops: the peak that you compare with.
        telemetry: read clock, power and their limits meanwhile, by a process of its own.

    Raises:
        TypeError, ValueError: an argument makes no sense; one line. What ``fn`` raises passes.
    """
    said = said_of(
        fn,
        flop=flop,
        bytes=bytes,
        dtype=dtype,
        math=math,
        op=op,
        shape=shape,
        sides={"m": m, "n": n, "k": k, "batch": batch, "elements": elements},
        name=name,
        nominal_gbs=nominal_gbs,
        nominal_tflops=nominal_tflops,
    )
    most_s = cap_s(seconds)
    wanted = None if device is None else str(device).strip().lower()
    if wanted is not None and not DEVICE.fullmatch(wanted):
        raise ValueError(f"device is {str(device)[:40]!r}, not cpu, cuda or cuda:N")
    named_cards()  # a mistake in a user's own file is said before anything runs
    place = _place(fn, wanted)
    said = _with_math(said, place)
    session = Session()
    t0_ns = time.monotonic_ns()
    session.add(SessionInfo(t=0.0, instrument="probes", device=place.device))
    taken = _take(place, most_s, session, t0_ns, telemetry)
    none_because = "error" if telemetry else "not_measured"
    return judged(said, taken, session, seen_during(taken, session, t0_ns / 1e9, none_because))


def _place(fn: Callable[[], object], wanted: str | None) -> Place:
    """Where ``fn`` runs. Without torch in the program nobody can have put it on CUDA."""
    if wanted == "cpu" or (wanted is None and "torch" not in sys.modules):
        return OnHost(fn)
    try:
        from roofwatch.probes.device import NoDevice
        from roofwatch.probes.on_cuda import OnCuda, chosen_index
    except ImportError as error:
        raise ValueError(f"device is {wanted}, and torch cannot be imported: {error}") from None
    try:
        index = chosen_index(wanted)
    except NoDevice as error:
        raise ValueError(f"device is {wanted}: {error}") from None
    if index is None:
        return OnHost(fn)
    there = OnCuda(index, fn)
    if there.works:
        return there
    if wanted is not None:
        raise ValueError(f"device is {wanted}, but fn leaves no work on its current stream")
    return OnHost(fn)


def _with_math(said: Said, place: Place) -> Said:
    """TF32 is a switch of torch's, no type: where nothing was said of it, as the switch stands."""
    claim = said.claim
    fp32_matrix = claim.dtype == "fp32" and claim.op in MATRIX_OPS
    if claim.math is not None or place.device.kind != "cuda" or not fp32_matrix:
        return said
    from roofwatch.probes.on_cuda import fp32_math

    return msgspec.structs.replace(said, claim=msgspec.structs.replace(claim, math=fp32_math()))


def _take(place: Place, most_s: float, session: Session, t0_ns: int, telemetry: bool) -> Taken:
    if not telemetry:
        return place.take(most_s)
    child = TelemetryChild(place.telemetry, session, t0_ns)
    try:
        child.start()
        child.first_sample()
        taken = place.take(most_s)
        child.sample_after(taken.timed.end_s - t0_ns / 1e9)
        return taken
    finally:
        child.end()
