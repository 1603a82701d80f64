"""A hundred thousand damaged rows through `roofwatch check`: an answer or one line for each.

python benchmarks/mutated_rows.py [COUNT] [SEED]
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from roofwatch.notebook.claim import DTYPES, OPS
from roofwatch.notebook.entry import READ, Unreadable
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.sheet import rows
from roofwatch.notebook.verdict import VERDICTS, check_rows
from roofwatch.session.cards import load_cards
from roofwatch.session.printable import plain_json
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.notebook.verdict_rows import answers

GPUS = ("T4", "A100", "NVIDIA H100 80GB HBM3", "RTX 3080", "A100-SXM4-80GB MIG 1g.10gb", "4090")
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    1e-300,
    1e300,
    -0.0,
    10**30,
    2**63,
    0.1,
    "",
    " ",
    "0",
    "-1",
    "nan",
    "inf",
    "1e999",
    "900GB/s",
    "900",
    "4.7us",
    "183 µs",
    "104 MFU %",
    "50 %",
    "1_000",
    "١٢",
    "½",
    "12 GiB",
    "1.2TB/s",
    "\x1b[31mred\x1b[0m",
    "[bold red]x[/]",
    "\u202eabc",
    "\x9b31m",
    "\x00",
    "\ud800",
    "名" * 50,
    "x" * 5000,
    "true",
    "fp16",
    "tf32",
    "sparse",
    "host",
    "event",
    [],
    [1],
    {},
    {"a": 1},
)


def good(rng: random.Random) -> dict[str, Any]:
    """A row as a careful person writes it."""
    size = 2 ** rng.randint(4, 33)
    return {
        "id": rng.choice([None, *range(200)]),
        "gpu": rng.choice(GPUS),
        "op": rng.choice(OPS),
        "dtype": rng.choice(DTYPES),
        rng.choice(["elements", "m", "n", "k", "batch", "context", "kv_len"]): size,
        rng.choice(["m", "n", "k", "elements"]): 2 ** rng.randint(0, 14),
        rng.choice(["time_s", "time_ms", "time_us"]): 10 ** rng.uniform(-7, 2),
        rng.choice(["claimed_gbs", "claimed_tflops", "claimed_tokens_per_s"]): 10
        ** rng.uniform(-2, 5),
        rng.choice(["nominal_gbs", "nominal_tflops"]): rng.choice([312, 989.4, 1979, 2039, 65]),
        rng.choice(["params", "weight_bytes", "kv_bytes_per_token"]): 10 ** rng.uniform(2, 12),
        rng.choice(["read_bytes", "write_bytes", "tokens_per_step"]): 10 ** rng.uniform(0, 10),
    }


def mutated(rng: random.Random) -> str:
    """One line: a good row with fields replaced, dropped, doubled, or the text itself cut."""
    row = good(rng)
    names = (*READ, "elments", "GPU", "", "\x1b[2J", "x" * 300)
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        row[rng.choice(names)] = rng.choice(ODD)
    if rng.random() < 0.2:
        row.pop(rng.choice(list(row)), None)
    text = json.dumps(row, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.1:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", "\x00", "{", '"', "\x1b", "9" * 400]) + text[at + 1 :]
    return text.replace("\n", " ")


def lines(count: int, seed: int) -> Iterator[str]:
    """So many mutated lines."""
    rng = random.Random(seed)
    for _ in range(count):
        yield mutated(rng)


def check(count: int, seed: int, cards: Cards) -> Counter[str]:
    """How many answers of each kind; raises on anything that is none.

    The raw text of no field may reach the terminal: neither as JSON nor as rows.
    """
    import msgspec

    text = "\n".join(lines(count, seed))
    found = list(check_rows(rows(text, "x.jsonl"), cards))
    number = Counter[str]()
    for one in found:
        assert (one.verdict in VERDICTS) != (one.error is not None), one
        if one.error is not None:
            assert "\n" not in one.error
            assert "row " in one.error, one.error
        number[one.verdict or "unreadable"] += 1
    encoded = b"\n".join(plain_json(msgspec.json.encode(v)) for v in found).decode()
    shown = "\n".join(text_of(r) for r in answers(found[:2000], 80, UNICODE, full=True))
    for said in (encoded, shown):
        assert not [c for c in said if c != "\n" and (ord(c) < 32 or 0x7F <= ord(c) < 0xA0)]
        assert "\u202e" not in said
    assert not [v for v in found if isinstance(v, Unreadable)]
    return number


def main() -> None:
    """Print what came back and how long it took."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    cards = Cards(*load_cards())
    begin = time.perf_counter()
    number = check(count, seed, cards)
    print(f"{count} rows in {time.perf_counter() - begin:.1f} s:", dict(number))


if __name__ == "__main__":
    main()
