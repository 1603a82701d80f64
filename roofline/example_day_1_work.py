"""Day 1, the work: a large matmul and a small one, one row of a layer, ReLU, and cos thrice."""

from __future__ import annotations

from functools import partial

from roofwatch.roofline.example import (
    DAY_1,
    FLOP_BYTE,
    ROUNDED,
    THOUSAND,
    TIMES,
    WRONG,
    Example,
    Seeds,
    at,
    example,
    nominal_roof,
)
from roofwatch.roofline.roof import mfu_ceiling
from roofwatch.roofline.workload import add_scalar, linear, matmul, relu

GB, MS = 1e9, 1e-3

say = partial(example, DAY_1)


def examples(s: Seeds) -> list[Example]:
    """What computes, then what makes trips to the memory."""
    return [*_work(s), *_trips(s)]


def _work(s: Seeds) -> list[Example]:
    roof = nominal_roof(s.a100)
    large, small = (matmul(n, n, n, "fp16") for n in (4096, 256))
    vector, each = linear(1, 4096, 4096, "fp16"), relu(8, "fp16")
    compute_s = large.flop / roof.peak_tflops / 1e12
    move_s = large.bytes / roof.bandwidth_gbs / GB
    computing = f"{large.flop / GB:.1f} GFLOP / {roof.peak_tflops:g} TFLOP/s"
    moving = f"{large.bytes / 1e6:.1f} MB / {roof.bandwidth_gbs:g} GB/s"
    both = f"{compute_s / MS:.2f} ms / {move_s / MS:.3f} ms"
    ones = f"{vector.flop / 1e6:.1f} MFLOP / {vector.bytes / 1e6:.1f} MB"
    return [
        say("4096 matmul, FLOP", "2 x 4096^3", (large.flop / GB, "GFLOP", 1), "137.4"),
        say(
            "4096 matmul, bytes",
            "3 x 4096^2 x 2 B",
            (large.bytes / 1e6, "MB", 1),
            "100",
            slip=ROUNDED,
            why="rounded to two digits",
        ),
        say("4096 matmul, computing", computing, (compute_s / MS, "ms", 2), "0.44"),
        say("4096 matmul, moving", moving, (move_s / MS, "ms", 2), "0.05"),
        say("4096 matmul, ratio", both, (compute_s / move_s, TIMES, 1), "9"),
        say("4096 matmul intensity", "4096 / 3", (large.intensity, FLOP_BYTE, 0), "1365"),
        say("256 matmul, FLOP", "2 x 256^3", (small.flop / 1e6, "MFLOP", 0), "34"),
        say("256 matmul, bytes", "3 x 256^2 x 2 B", (small.bytes / 1e6, "MB", 2), "0.39"),
        say("256 matmul intensity", "256 / 3", (small.intensity, FLOP_BYTE, 0), "85"),
        say("1 x 4096^2 layer, FLOP", "2 x 4096^2", (vector.flop / 1e6, "MFLOP", 0), "34"),
        say("1 x 4096^2 layer, bytes", "4096^2 x 2 B", (vector.bytes / 1e6, "MB", 0), "34"),
        say("1 x 4096^2 layer intensity", ones, (vector.intensity, FLOP_BYTE, 2), "1"),
        say("ReLU, cos intensity", "1 FLOP / (2 + 2 B)", (each.intensity, FLOP_BYTE, 2), "0.25"),
    ]


def _trips(s: Seeds) -> list[Example]:
    """ReLU on the A100, cos on the T4: what trips to the memory cost."""
    roof, t4 = nominal_roof(s.a100), nominal_roof(s.t4)
    one = relu(500_000_000, "fp16")
    lanes = s.a100.peaks_tflops["fp16_vector"]
    lanes_s, trip_s = one.flop / lanes / 1e12, one.bytes / roof.bandwidth_gbs / GB
    tensor_s = one.flop / roof.peak_tflops / 1e12
    on_lanes = (
        f"{tensor_s / MS:.4f} ms is the tensor cores' rate; a ReLU runs on the lanes "
        f"({lanes:g} TFLOP/s)"
    )
    cos = add_scalar(128 << 20, "fp16")  # read and written as cos does
    cos_s = cos.bytes / t4.bandwidth_gbs / GB
    mib = f"the code makes 256 MiB: {cos.bytes / 1e6:.1f} MB are read and written"
    part = mfu_ceiling(one.intensity, roof.ridge)
    return [
        say(
            "ReLU of 1 GB, computing",
            f"0.5 GFLOP / {lanes:g} TFLOP/s",
            (lanes_s / MS, "ms", 4),
            "0.0016",
            slip=WRONG,
            why=on_lanes,
        ),
        say("ReLU of 1 GB, moving", at(one.bytes, roof), (trip_s / MS, "ms", 2), "1"),
        say(
            "ReLU of 1 GB, ratio",
            f"{trip_s / MS:.2f} ms / {lanes_s / MS:.4f} ms",
            (trip_s / lanes_s, TIMES, 0),
            "600",
            slip=WRONG,
            why=on_lanes,
        ),
        say(
            "ReLU's part of the peak",
            f"{one.intensity:g} / {roof.ridge:.0f} FLOP/byte",
            (100 * part, "%", 2),
            "under 0.2",
        ),
        say(
            "T4, cos of 256 MiB",
            at(cos.bytes, t4),
            (cos_s / MS, "ms", 2),
            "1.6",
            slip=THOUSAND,
            why=mib,
        ),
        say(
            "T4, three times cos",
            f"3 x {cos_s / MS:.2f} ms",
            (3 * cos_s / MS, "ms", 2),
            "4.8",
            slip=THOUSAND,
            why=mib,
        ),
        say("T4, three cos fused", "one trip", (cos_s / MS, "ms", 2), "1.6 to 2"),
        say(
            "two cos over one",
            "2 trips / 1 trip",
            (2.0, TIMES, 0),
            "over 2",
            slip=WRONG,
            why="one more trip there and back; its own quiz says twice",
        ),
    ]
