"""Day 18, the cards: nominal and measured ridges, and the self-tests of them."""

from __future__ import annotations

from functools import partial

from roofwatch.roofline.example import (
    DAY_18,
    FLOP_BYTE,
    OWN,
    ROUNDED,
    TIMES,
    WRONG,
    Example,
    Seeds,
    example,
    nominal_roof,
    over,
)
from roofwatch.roofline.roof import Roof

GB, MS = 1e9, 1e-3

say = partial(example, DAY_18)


def examples(s: Seeds) -> list[Example]:
    """Ridges, then what the self-tests ask."""
    return [*_ridges(s), *_self_tests(s)]


def _ridges(s: Seeds) -> list[Example]:
    t4, a100, h100 = (nominal_roof(card) for card in (s.t4, s.a100, s.h100))
    sparse = Roof(bandwidth_gbs=a100.bandwidth_gbs, peak_tflops=2 * a100.peak_tflops)
    pins, ends = 5120 / 8 * 3.19, [share * t4.bandwidth_gbs for share in (0.75, 0.90)]
    t4_ends = [Roof(bandwidth_gbs=b, peak_tflops=p).ridge for b, p in ((290, 45), (240, 58))]
    a100_ends = [Roof(bandwidth_gbs=b, peak_tflops=p).ridge for b, p in ((1850, 265), (1500, 290))]
    shares = [100 * tflops / a100.peak_tflops for tflops in (265, 290)]
    faster = h100.bandwidth_gbs / a100.bandwidth_gbs
    return [
        say("T4 ridge", over(t4), (t4.ridge, FLOP_BYTE, 0), "203"),
        say("A100 80GB SXM ridge", over(a100), (a100.ridge, FLOP_BYTE, 0), "153"),
        say("A100 ridge, 2:4 sparse peak", over(sparse), (sparse.ridge, FLOP_BYTE, 0), "306"),
        say("H100 SXM ridge", over(h100), (h100.ridge, FLOP_BYTE, 0), "295"),
        say(
            "H100 over A100, compute",
            f"{h100.peak_tflops:g} / {a100.peak_tflops:g} TFLOP/s",
            (h100.peak_tflops / a100.peak_tflops, TIMES, 1),
            "over 3",
        ),
        say(
            "H100 over A100, bandwidth",
            f"{h100.bandwidth_gbs:g} / {a100.bandwidth_gbs:g} GB/s",
            (faster, TIMES, 1),
            "1.6",
        ),
        say(
            "H100 over A100, ridge",
            f"{h100.ridge:.0f} / {a100.ridge:.0f} FLOP/byte",
            (h100.ridge / a100.ridge, TIMES, 1),
            "2",
        ),
        say(
            "A100 bandwidth of its pins",
            "5120 bit / 8 x 3.19 Gbit/s",
            (pins, "GB/s", 0),
            "2039",
            slip=ROUNDED,
            why=f"the pin rate is rounded: {5120 / 8 * 3.186:.0f} with 3.186",
        ),
        say("T4 ridge as measured", over(OWN), (OWN.ridge, FLOP_BYTE, 0), "185"),
        say(
            "T4, 75 to 90 % of nominal",
            f"0.75 and 0.90 x {t4.bandwidth_gbs:g} GB/s",
            (ends[0], "GB/s", 0),
            "240 to 290",
            slip=ROUNDED,
            why="rounded up",
            upper=ends[1],
        ),
        say(
            "T4 ridge, of both ranges",
            "45 TFLOP/s / 290 GB/s, 58 / 240",
            (t4_ends[0], FLOP_BYTE, 0),
            "170 to 200",
            slip=WRONG,
            why="the ends of its own ranges; once it says 210",
            upper=t4_ends[1],
        ),
        say(
            "A100 matmul, of nominal",
            f"265 and 290 / {a100.peak_tflops:g} TFLOP/s",
            (shares[0], "%", 0),
            "70 to 90",
            slip=WRONG,
            why="its two ranges differ",
            upper=shares[1],
        ),
        say(
            "A100 ridge, of both ranges",
            "265 TFLOP/s / 1850 GB/s, 290 / 1500",
            (a100_ends[0], FLOP_BYTE, 0),
            "150 to 175",
            slip=WRONG,
            why="the ends of its own ranges",
            upper=a100_ends[1],
        ),
    ]


def _self_tests(s: Seeds) -> list[Example]:
    sheet = Roof(bandwidth_gbs=4000, peak_tflops=1000)
    own = Roof(bandwidth_gbs=0.80 * 4000, peak_tflops=0.85 * 1000)
    a100 = nominal_roof(s.a100).bandwidth_gbs
    moved, took_s = 2 * 2**30, 1.2 * MS
    gbs = moved / took_s / GB
    return [
        say("self-test, nominal ridge", over(sheet), (sheet.ridge, FLOP_BYTE, 0), "250"),
        say("self-test, measured ridge", over(own), (own.ridge, FLOP_BYTE, 1), "266"),
        say(
            "self-test, between them",
            f"{own.ridge:.1f} / {sheet.ridge:g} - 1",
            (100 * (own.ridge / sheet.ridge - 1), "%", 2),
            "6",
        ),
        say("self-test, y = x + 1", "2 x 1 GiB / 1.2 ms", (gbs, "GB/s", 0), "1790"),
        say(
            "self-test, of nominal", f"{gbs:.0f} / {a100:g} GB/s", (100 * gbs / a100, "%", 0), "88"
        ),
        say("self-test, reads alone", "1 GiB / 1.2 ms", (gbs / 2, "GB/s", 0), "895"),
        say(
            "self-test, reads of nominal",
            f"{gbs / 2:.0f} / {a100:g} GB/s",
            (50 * gbs / a100, "%", 0),
            "44",
        ),
    ]
