"""Day 18, the models: weights, KV cache, AI_max, b*, and the sequences that fit."""

from __future__ import annotations

from functools import partial

from roofwatch.roofline.decode import RESERVE, Decode, decode_of
from roofwatch.roofline.example import (
    DAY_18,
    FLOP_BYTE,
    OWN,
    ROUNDED,
    THOUSAND,
    TIMES,
    Example,
    Seeds,
    example,
    gb,
)
from roofwatch.roofline.model import Model

GB = 1e9
SEED_RIDGE, NOMINAL_RIDGE = 185, 203  # in whole numbers, as the seed has them
SEQUENCES = "sequences"

say = partial(example, DAY_18)


def examples(s: Seeds) -> list[Example]:
    """In the order of what follows from what."""
    return [*_weights_and_kv(s), *_ai_max(s), *_b_star(s), *_memory(s)]


def rounded(model: Model, context: int) -> Decode:
    """A model with weights of three digits, as the seed reckons: 13.5 GB, 26.0 GB."""
    weights = round(decode_of(model, 1).weights_bytes / GB, 1) * GB
    return Decode(
        params=round(weights / 2),
        weights_bytes=weights,
        sequence_bytes=context * model.kv_bytes_per_token(),
    )


def _weights_and_kv(s: Seeds) -> list[Example]:
    found = [
        say(
            f"{m.name} weights",
            f"2 B x {m.params:,}",
            (decode_of(m, 1).weights_bytes / GB, "GB", 1),
            said,
        )
        for m, said in ((s.tiny, "2.2"), (s.seven, "13.5"), (s.eight, "16"), (s.thirteen, "26"))
    ]
    kv = s.tiny.kv_bytes_per_token()
    thousand = f"{kv / 1000:.1f} kB of 1000, {kv / 1024:.0f} KiB"
    found.append(_kv(s.tiny, "22.5 KB", THOUSAND, thousand))
    for m, said in ((s.seven, "512 KB"), (s.eight, "128 KB"), (s.thirteen, "800 KB")):
        found.append(_kv(m, said))
    small, large = s.eight.kv_bytes_per_token(), s.seven.kv_bytes_per_token()
    less = say("8B over 7B, by GQA", f"{small:,} / {large:,} B", (small / large, TIMES, 2), "1/4")
    return [*found, less]


def _kv(m: Model, said: str, slip: str = "", why: str = "") -> Example:
    how = f"2 x {m.layers} layers x {m.kv_heads} x {m.head_dim} x 2 B"
    figure = (float(m.kv_bytes_per_token()), "B", 0)
    return say(f"{m.name} KV of a token", how, figure, said, slip=slip, why=why)


def _ai_max(s: Seeds) -> list[Example]:
    seven, eight, thirteen = (
        f"{said} KB are {m.kv_bytes_per_token():,} B, not {said},000"
        for m, said in ((s.seven, 512), (s.eight, 128), (s.thirteen, 800))
    )
    both = "the seed rounds 2N and the KV of a token"
    lifted = decode_of(s.eight, 2048).ai_max, decode_of(s.seven, 2048).ai_max
    return [
        _ceiling(s.tiny, decode_of(s.tiny, 256), 1, "382", ROUNDED, both),
        _ceiling(s.tiny, decode_of(s.tiny, 2048), 1, "48"),
        _ceiling(s.seven, rounded(s.seven, 256), 1, "103", THOUSAND, seven),
        _ceiling(s.seven, decode_of(s.seven, 256), 1),
        _ceiling(s.seven, rounded(s.seven, 2048), 2, "12.9", THOUSAND, seven),
        _ceiling(s.seven, decode_of(s.seven, 2048), 2),
        _ceiling(s.eight, decode_of(s.eight, 2048), 1, "61", THOUSAND, eight),
        _ceiling(s.thirteen, rounded(s.thirteen, 4096), 2, "7.9", THOUSAND, thirteen),
        _ceiling(s.thirteen, decode_of(s.thirteen, 4096), 2),
        say(
            f"{s.eight.name} over {s.seven.name}",
            f"{lifted[0]:.1f} / {lifted[1]:.2f}",
            (lifted[0] / lifted[1], TIMES, 1),
            "nearly 5",
        ),
    ]


def _ceiling(
    m: Model, d: Decode, decimals: int, said: str | None = None, slip: str = "", why: str = ""
) -> Example:
    kv = m.kv_bytes_per_token()
    context = round(d.sequence_bytes / kv)
    what = f"{m.name} AI_max {context}{'' if said else ', exact'}"
    how = f"{d.weights_bytes / GB:.5g} GB / ({context} x {kv:,} B)"
    return say(what, how, (d.ai_max, FLOP_BYTE, decimals), said, slip=slip, why=why)


def _b_star(s: Seeds) -> list[Example]:
    d = decode_of(s.tiny, 256)
    kv = f"256 x {s.tiny.kv_bytes_per_token():,}"

    def star(ridge: float, decimals: int, said: str | None = None) -> Example:
        digits, batch = f"{ridge:.4g}", d.b_star(ridge)
        if batch is None:
            raise ValueError(f"no batch of {s.tiny.name} reaches {digits} FLOP/byte")
        how = f"{digits} x 2N / (2N - {digits} x {kv})"
        return say(f"{s.tiny.name} b* at {digits}", how, (batch, "", decimals), said)

    return [star(SEED_RIDGE, 1), star(OWN.ridge, 1, "360"), star(NOMINAL_RIDGE, 0)]


def _memory(s: Seeds) -> list[Example]:
    gib, sold = s.a100.memory_bytes or 0.0, 80 * GB
    seven, thirteen = decode_of(s.seven, 2048), decode_of(s.thirteen, 4096)
    one, long = f"{seven.sequence_bytes / GB:.3f} GB", f"{thirteen.sequence_bytes / GB:.2f} GB"
    return [
        say(
            "7B sequence of 2048",
            f"2048 x {s.seven.kv_bytes_per_token():,} B",
            (seven.sequence_bytes / GB, "GB", 2),
            "1",
            slip=THOUSAND,
            why="it is 1 GiB; the card has 80 GiB, and `plan` counts those",
        ),
        say(
            "room beside 7B weights",
            f"0.97 x 80 GB - {gb(seven.weights_bytes)}",
            ((sold * (1 - RESERVE) - seven.weights_bytes) / GB, "GB", 0),
            "64",
        ),
        say(
            "7B sequences on an A100",
            f"(0.95 x 80 GB or 80 GiB - {gb(seven.weights_bytes)}) / {one}",
            (seven.memory_cap(sold, 0.05), SEQUENCES, 0),
            "about 60",
            upper=seven.memory_cap(gib, 0),
        ),
        say(
            "7B with 3 % kept free",
            f"(0.97 x 80 GB or GiB - {gb(seven.weights_bytes)}) / {one}",
            (seven.memory_cap(sold, RESERVE), SEQUENCES, 0),
            "about 60",
            upper=seven.memory_cap(gib, RESERVE),
        ),
        say(
            "13B sequence of 4096",
            f"4096 x {s.thirteen.kv_bytes_per_token():,} B",
            (thirteen.sequence_bytes / GB, "GB", 2),
            "3.3",
            slip=THOUSAND,
            why=f"800 KB are {s.thirteen.kv_bytes_per_token():,} B, not 800,000",
        ),
        say(
            "13B sequences on an A100",
            f"(0.92 x 80 GB or 80 GiB - {gb(thirteen.weights_bytes)}) / {long}",
            (thirteen.memory_cap(sold, 0.08), SEQUENCES, 0),
            "15",
            upper=thirteen.memory_cap(gib, 0),
        ),
        say(
            "13B with 3 % of 80 GB free",
            f"(0.97 x 80 GB - {gb(thirteen.weights_bytes)}) / {long}",
            (thirteen.memory_cap(sold, RESERVE), SEQUENCES, 0),
            "15",
        ),
        say(
            "13B in 50 GB",
            f"50 GB / {long}",
            (50 * GB // thirteen.sequence_bytes, SEQUENCES, 0),
            "15",
            slip=THOUSAND,
            why=f"{50 * GB / thirteen.sequence_bytes:.1f} of them; 800 KB are not 800,000 B",
        ),
    ]
