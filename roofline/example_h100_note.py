"""The H100 note: compute or bytes, in bf16."""

from __future__ import annotations

from functools import partial

from roofwatch.roofline.decode import decode_of
from roofwatch.roofline.example import (
    FLOP_BYTE,
    H100_NOTE,
    ROUNDED,
    TIMES,
    WRONG,
    Example,
    Seeds,
    at,
    example,
    nominal_roof,
    over,
)
from roofwatch.roofline.workload import add, linear, matmul, rowwise

GB, MS = 1e9, 1e-3
WIDTH = 4096
MOST_ROWS = 1000  # the ridge lies below
INFINIBAND_GBS = 50.0  # a card, one direction, between machines (seed)

say = partial(example, H100_NOTE)


def examples(s: Seeds) -> list[Example]:
    """In the order of the document."""
    roof = nominal_roof(s.h100, "bf16")
    square, thin = (matmul(WIDTH, n, WIDTH, "bf16") for n in (WIDTH, 16))
    m, eight = s.eight, decode_of(s.eight, 256)
    floor_s = eight.floor_s(roof.bandwidth_gbs)
    rows = [linear(b, WIDTH, WIDTH, "bf16").intensity for b in range(1, MOST_ROWS)]
    crossing = next(b for b, intensity in enumerate(rows, 1) if intensity >= roof.ridge)
    b_star = eight.b_star(roof.ridge)
    if b_star is None:
        raise ValueError(f"no batch of {m.name} reaches {roof.ridge:.0f} FLOP/byte")
    norm = rowwise("layernorm", 4, WIDTH, "bf16")
    kernels = ("bias", "GELU", "dropout")
    return [
        say("H100 SXM ridge", over(roof), (roof.ridge, FLOP_BYTE, 0), "295"),
        say("4096 matmul, FLOP", "2 x 4096^3", (square.flop / GB, "GFLOP", 0), "137"),
        say("4096 matmul, bytes", "3 x 4096^2 x 2 B", (square.bytes / GB, "GB", 1), "0.1"),
        say("4096 matmul intensity", "4096 / 3", (square.intensity, FLOP_BYTE, 0), "1365"),
        say(
            "4096 matmul, computing",
            f"{square.flop / GB:.1f} GFLOP / {roof.peak_tflops:g} TFLOP/s",
            (square.flop / roof.peak_tflops / 1e12 / MS, "ms", 2),
            "0.14",
        ),
        say(
            "y = a + b",
            "1 FLOP / (2 + 2 + 2 B)",
            (add(6, "bf16").intensity, FLOP_BYTE, 2),
            "0.17",
        ),
        say("decode at batch 1", "2N / 2N", (1.0, FLOP_BYTE, 0), "1"),
        say("Llama-3-8B weights", f"2 B x {m.params:,}", (eight.weights_bytes / GB, "GB", 1), "16"),
        say(
            "Llama-3-8B floor of a step",
            at(eight.weights_bytes, roof),
            (floor_s / MS, "ms", 1),
            "4.8",
        ),
        say(
            "8B tokens of one request",
            f"1 / {floor_s / MS:.2f} ms",
            (1 / floor_s, "tokens/s", 0),
            "about 200",
            slip=ROUNDED,
            why="rounded to one digit",
        ),
        say("16 rows, FLOP", "2 x 4096^2 x 16", (thin.flop / GB, "GFLOP", 2), "0.54"),
        say("16 rows, bytes", "2 B x (4096^2 + 2 x 4096 x 16)", (thin.bytes / 1e6, "MB", 0), "34"),
        say(
            "16 rows, intensity",
            f"{thin.flop / GB:.3f} GFLOP / {thin.bytes / 1e6:.1f} MB",
            (thin.intensity, FLOP_BYTE, 1),
            "16",
        ),
        say(
            "rows to reach the ridge",
            f"first b: b / (1 + b / 2048) over {roof.ridge:.0f}",
            (crossing, "", 0),
            "about 300",
            slip=WRONG,
            why="the rows are read and written too; a step has its KV cache besides: "
            f"Llama-3-8B from {b_star:.0f} at 256 tokens, at 2048 never",
        ),
        say("LayerNorm", "8 FLOP / (2 + 2 B)", (norm.intensity, FLOP_BYTE, 0), "2"),
        say(
            "bias, GELU, dropout fused",
            f"{len(kernels)} trips / 1 trip",
            (float(len(kernels)), TIMES, 0),
            "about 3",
        ),
        say(
            "NVLink over InfiniBand",
            f"{s.h100.nvlink_gbs:g} / {INFINIBAND_GBS:g} GB/s a direction",
            ((s.h100.nvlink_gbs or 0.0) / INFINIBAND_GBS, TIMES, 0),
            "about 9",
        ),
    ]
