"""Day 1: an A100 80GB SXM and a 7B model; what a batch, an hour and the host link bring."""

from __future__ import annotations

from functools import partial

from roofwatch.roofline import example_day_1_work
from roofwatch.roofline.decode import decode_of
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
    gb,
    nominal_roof,
    over,
)
from roofwatch.roofline.price import cost_per_mtok
from roofwatch.roofline.published import link_gbs
from roofwatch.roofline.roof import mfu_ceiling

GB, MS, US = 1e9, 1e-3, 1e-6
PCIE_GBS = 64.0  # as the seed has it
NO_KV = "the KV cache is left out (error 7 of Day 18)"
BOTH_WAYS = "64 counts both directions; weights are loaded in one"

say = partial(example, DAY_1)


def examples(s: Seeds) -> list[Example]:
    """In the order of the document."""
    work = example_day_1_work.examples(s)
    return [*_card_and_model(s), *work, *_batch(s), *_bill(s), *_loading(s)]


def _card_and_model(s: Seeds) -> list[Example]:
    roof, m, memory = nominal_roof(s.a100), s.seven, s.a100.memory_bytes or 0.0
    seven = decode_of(m, 1)
    weights, floor_s, flop = seven.weights_bytes, seven.floor_s(roof.bandwidth_gbs), seven.flop(1)
    meanwhile = floor_s * roof.peak_tflops * 1e12
    shapes = f"{m.layers} x {m.layer_params:,} + 2 x {m.vocab} x {m.hidden} + {m.hidden}"
    step = f"{floor_s / MS:.2f} ms"
    return [
        say("A100 80GB SXM ridge", over(roof), (roof.ridge, FLOP_BYTE, 0), "153"),
        say("Llama-2-7B parameters", shapes, (m.params / GB, "billion", 2), "6.74"),
        say("Llama-2-7B weights", f"2 B x {m.params:,}", (weights / GB, "GB", 1), "13.5"),
        say("7B models in 80 GB", f"80 GB / {gb(weights)}", (80 * GB / weights, "", 1), "over 5"),
        say("reading 80 GB", at(80 * GB, roof), (80 / roof.bandwidth_gbs / MS, "ms", 1), "39"),
        say(
            "reading all 80 GiB",
            at(memory, roof),
            (memory / GB / roof.bandwidth_gbs / MS, "ms", 1),
            "39",
            slip=THOUSAND,
            why="the card's memory is in GiB, its bandwidth in GB/s",
        ),
        say("7B floor of a step", at(weights, roof), (floor_s / MS, "ms", 1), "6.6"),
        say(
            "7B at batch 1",
            f"1 / {step}",
            (1 / floor_s, "tokens/s", 0),
            "150",
            slip=ROUNDED,
            why="rounded to two digits",
        ),
        say(
            "FLOP in a 7B floor",
            f"{step} x {roof.peak_tflops:g} TFLOP/s",
            (meanwhile / 1e12, "TFLOP", 2),
            "2",
        ),
        say("FLOP of a 7B token", f"2 x {m.params:,}", (flop / GB, "GFLOP", 1), "13.5"),
        say(
            "FLOP possible over needed",
            f"{meanwhile / 1e12:.2f} TFLOP / {flop / GB:.1f} GFLOP",
            (meanwhile / flop, TIMES, 0),
            "about 150",
        ),
    ]


def _batch(s: Seeds) -> list[Example]:
    roof = nominal_roof(s.a100)
    short, long = decode_of(s.seven, 256), decode_of(s.seven, 2048)
    floor_s = long.floor_s(roof.bandwidth_gbs)
    first_s, many_s = long.step_s(1, roof), long.step_s(32, roof)
    launches_s = 3 * MS  # the middle of the seed's 2 to 4
    of_step = f"3 ms / (3 + {floor_s / MS:.2f} ms)"
    read = [f"({gb(d.weights_bytes)} + 32 x {gb(d.sequence_bytes)})" for d in (short, long)]
    flop = f"{32 * long.flop(1) / GB:.0f} GFLOP"
    return [
        say(
            "launches of a step",
            "300 x 5 us to 400 x 10 us",
            (300 * 5 * US / MS, "ms", 1),
            "2 to 4",
            slip=ROUNDED,
            why="rounded up; the products of both ends",
            upper=400 * 10 * US / MS,
        ),
        say(
            "launches' part of a 7B step",
            of_step,
            (100 * launches_s / (launches_s + floor_s), "%", 0),
            "a third",
        ),
        say("batch 32 intensity, no KV", "32 x 2N / 2N", (32.0, FLOP_BYTE, 0), "32"),
        say(
            "batch 32 intensity, 256",
            f"{flop} / {read[0]}",
            (short.intensity(32), FLOP_BYTE, 1),
            "32",
            slip=WRONG,
            why=NO_KV,
        ),
        say(
            "batch 32 intensity, 2048",
            f"{flop} / {read[1]}",
            (long.intensity(32), FLOP_BYTE, 1),
            "32",
            slip=WRONG,
            why=NO_KV,
        ),
        say(
            "tokens, batch 32 over 1, 2048",
            f"32 x {first_s / MS:.2f} ms / {many_s / MS:.1f} ms",
            (32 * first_s / many_s, TIMES, 1),
            "32",
            slip=WRONG,
            why=NO_KV,
        ),
    ]


def _bill(s: Seeds) -> list[Example]:
    roof = nominal_roof(s.a100)
    seven = decode_of(s.seven, 2048)
    floor_s = seven.floor_s(roof.bandwidth_gbs)
    first_s, many_s = seven.step_s(1, roof), seven.step_s(32, roof)
    low, high = (cost_per_mtok(per_hour, 1 / floor_s) for per_hour in (1.0, 2.0))
    narrow = decode_of(s.seven, 2048, "int8").weights_bytes
    return [
        say(
            "compute unused at batch 1",
            f"1 - 1 / {roof.ridge:.0f}",
            (100 * (1 - mfu_ceiling(1, roof.ridge)), "%", 1),
            "99",
        ),
        say(
            "Mtok at batch 1, no KV",
            f"$1 to $2 / 3600 s x {floor_s / MS:.2f} ms x 1e6",
            (low, "$/Mtok", 2),
            upper=high,
        ),
        say(
            "Mtok, batch 32 over 1, 2048",
            f"{many_s / MS:.1f} ms / (32 x {first_s / MS:.2f} ms)",
            (many_s / first_s / 32, TIMES, 2),
            "1/32",
            slip=WRONG,
            why=NO_KV,
        ),
        say(
            "tokens with int8 weights",
            f"{gb(seven.weights_bytes)} / {gb(narrow)}",
            (seven.weights_bytes / narrow, TIMES, 0),
            "2",
        ),
    ]


def _loading(s: Seeds) -> list[Example]:
    weights, link, lanes = decode_of(s.seven, 1).weights_bytes, link_gbs(s.a100), s.a100.pcie_lanes
    if link is None or lanes is None:
        raise ValueError(f"{s.a100.name} has no host link")
    bandwidth = nominal_roof(s.a100).bandwidth_gbs
    return [
        say(
            "loading 7B at 64 GB/s",
            f"{gb(weights)} / {PCIE_GBS:g} GB/s",
            (weights / PCIE_GBS / GB, "s", 2),
            "over 3",
            slip=WRONG,
            why="seconds are the disk's, not the link's; one way, at "
            f"{link:.1f} GB/s, it is {weights / link / GB:.2f} s",
        ),
        say(
            "PCIe 4.0 x16",
            f"{lanes} x {link / lanes:.3f} GB/s",
            (link, "GB/s", 1),
            "64",
            slip=WRONG,
            why=BOTH_WAYS,
        ),
        say(
            "loading 7B one way", f"{gb(weights)} / {link:.1f} GB/s", (weights / link / GB, "s", 2)
        ),
        say(
            "memory over PCIe, one way",
            f"{bandwidth:g} / {link:.1f} GB/s",
            (bandwidth / link, TIMES, 0),
            "30",
            slip=WRONG,
            why=BOTH_WAYS,
        ),
    ]
