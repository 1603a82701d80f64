"""Day 18, points on the roofline: intensities, and parts of a peak."""

from __future__ import annotations

from functools import partial

from roofwatch.roofline.example import (
    DAY_18,
    FLOP_BYTE,
    ROUNDED,
    WRONG,
    Example,
    Seeds,
    example,
    nominal_roof,
)
from roofwatch.roofline.roof import mfu, mfu_ceiling
from roofwatch.roofline.workload import (
    add,
    add_scalar,
    embedding,
    flash_attention,
    linear,
    matmul,
    rowwise,
)

GB, US = 1e9, 1e-6

say = partial(example, DAY_18)


def examples(s: Seeds) -> list[Example]:
    """Where work stands, then how much of a peak it can have."""
    return [*_intensities(s), *_of_a_peak(s)]


def _intensities(s: Seeds) -> list[Example]:
    t4, a100 = nominal_roof(s.t4), nominal_roof(s.a100)
    each, sum_ = add_scalar(8, "fp16"), add(6, "fp16")
    norm, rows = rowwise("rmsnorm", 4, 4096, "fp16"), embedding(4, 4096, "fp16")
    width = 4096
    prefill = {m: linear(m, width, width, "fp16").intensity for m in (512, 2048, 8192)}
    flash = {n: flash_attention(n, 128, "fp16").intensity for n in (2048, 8192)}
    squares = {n: matmul(n, n, n, "fp16") for n in (256, 512, 4096)}
    small = squares[256].flop
    return [
        say("decode at batch 1", "2N / 2N", (1.0, FLOP_BYTE, 0), "1"),
        say("y = x + 1", "1 FLOP / (2 + 2 B)", (each.intensity, FLOP_BYTE, 2), "0.25"),
        say("z = x + y", "1 FLOP / (2 + 2 + 2 B)", (sum_.intensity, FLOP_BYTE, 2), "0.17"),
        say("SiLU, RMSNorm, softmax", "4 / (2 + 2 B)", (norm.intensity, FLOP_BYTE, 1), "0.6 to 1"),
        say("embedding", "no FLOP", (rows.intensity, FLOP_BYTE, 0), "0"),
        say("4096 matmul", "4096 / 3", (squares[4096].intensity, FLOP_BYTE, 0), "1365"),
        say("512 matmul", "512 / 3", (squares[512].intensity, FLOP_BYTE, 0), "171"),
        say("square at the T4's ridge", f"3 x {t4.ridge:.1f}", (3 * t4.ridge, "", 0), "609"),
        say("square at the A100's ridge", f"3 x {a100.ridge:.1f}", (3 * a100.ridge, "", 0), "459"),
        say("4096 matmul, FLOP", "2 x 4096^3", (squares[4096].flop / GB, "GFLOP", 0), "137"),
        say(
            "256 matmul, FLOP",
            "2 x 256^3",
            (small / 1e6, "MFLOP", 1),
            "33",
            slip=ROUNDED,
            why="rounded down",
        ),
        say(
            "256 matmul on a T4",
            f"{small / 1e6:.1f} MFLOP / {t4.peak_tflops:g} TFLOP/s",
            (small / t4.peak_tflops / 1e12 / US, "us", 1),
            "0.5",
        ),
        *(
            say(
                f"attention of {m.name}",
                f"{m.heads} heads / {m.kv_heads} KV heads",
                (float(m.group), FLOP_BYTE, 0),
                "1",
                slip=WRONG if m.group > 1 else "",
                why="query heads of one group share what is read" if m.group > 1 else "",
            )
            for m in (s.seven, s.eight, s.tiny)
        ),
        say(
            "prefill layer, 2048 tokens",
            "2048 / (1 + 2048 / 2048)",
            (prefill[2048], FLOP_BYTE, 0),
            "2048",
            slip=WRONG,
            why=f"of {width} x {width} weights, and never above 2048: {prefill[512]:.0f} at 512, "
            f"{prefill[8192]:.0f} at 8192 tokens",
        ),
        say(
            "prefill attention, 2048 tokens",
            "2048 / 2",
            (flash[2048], FLOP_BYTE, 0),
            "thousands",
            slip=WRONG,
            why=f"n / 2 in two bytes: {flash[8192]:.0f} at 8192, half under a causal mask",
        ),
    ]


def _of_a_peak(s: Seeds) -> list[Example]:
    t4, a100, fp32 = nominal_roof(s.t4), nominal_roof(s.a100), s.t4.peaks_tflops["fp32"]
    vectors = 3 * 2 * s.tiny.hidden  # an RMSNorm's input, weights and output
    norm_s = vectors / t4.bandwidth_gbs / GB
    peak = t4.peak_tflops
    return [
        say(
            "decode at batch 1, MFU",
            f"1 / {a100.ridge:.0f} FLOP/byte",
            (100 * mfu_ceiling(1, a100.ridge), "%", 2),
            "0.65",
        ),
        say("48 TFLOP/s, of nominal", f"48 / {peak:g}", (100 * mfu(48, peak), "%", 0), "74"),
        say("48 TFLOP/s, of measured 52", "48 / 52", (100 * mfu(48, 52), "%", 0), "92"),
        say("fp32 by the fp16 peak", f"7 / {peak:g}", (100 * mfu(7, peak), "%", 0), "11"),
        say("fp32 by its own peak", f"7 / {fp32:g}", (100 * mfu(7, fp32), "%", 0), "86"),
        say(
            "RMSNorm's bytes on a T4",
            f"3 x {s.tiny.hidden} x 2 B / {t4.bandwidth_gbs:g} GB/s",
            (norm_s / US, "us", 2),
            "0.04",
        ),
        say(
            "RMSNorm, launch in its 8 us",
            "1 - 0.04 / 8",
            (100 * (1 - norm_s / (8 * US)), "%", 1),
            "99",
            slip=ROUNDED,
            why="rounded down",
        ),
        say("silu and mul fused", "1 - 3 / 5 tensors", (100 * (1 - 3 / 5), "%", 0), "40"),
    ]
