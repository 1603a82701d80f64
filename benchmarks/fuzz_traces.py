"""The readers of traces for fuzz.py: damaged Chrome traces, plain and gzipped, and exports."""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import mutations
from fuzz_commands import answer_of, hold_answer
from fuzz_promises import hold_refusal, hold_text

from roofwatch.roofline.nominal import Card as TableCard
from roofwatch.session.cards import load_cards
from roofwatch.session.printable import plain_json
from roofwatch.trace.analysis import examined, report
from roofwatch.trace.card_roofs import Card, roofs_for
from roofwatch.trace.read_trace import read_trace
from roofwatch.trace.refusal import UnreadableTrace
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.trace.trace_kernel_page import whole as kernel_page
from roofwatch.tui.trace.trace_page import whole
from roofwatch.tui.trace.trace_pane import build

TRACES = Path(__file__).parent.parent / "tests" / "traces"
NAMES = ("h200/layer", "h200/compute", "h200/layer-graph", "h200/memory", "cpu/overhead")
MOST_EVENTS = 16
PLACES = (
    *("event ", "line ", "byte ", "gzip", "no trace", "empty", "cut off", "traceEvents"),
    *(
        "no kernel",
        "table ",
        "database",
        "nested too deeply",
        "deviceProperties",
        "UTF-8",
        "blanks",
    ),
    *("memory holds", "expected"),
)
NUMBERS = (0, -1, 1, 7, 2**31, 2**63 - 1, -(2**63), 1000, 10**15)


@cache
def _documents() -> tuple[dict[str, Any], ...]:
    """The first events of recorded traces, so that a case is small."""
    found = []
    for name in NAMES:
        document = json.loads(gzip.decompress((TRACES / f"{name}.json.gz").read_bytes()))
        wanted = [e for e in document["traceEvents"] if e.get("ph") == "X"]
        wanted.sort(key=lambda e: e["ts"])
        found.append(document | {"traceEvents": wanted[:MOST_EVENTS]})
    return tuple(found)


@cache
def _table() -> tuple[tuple[TableCard, ...], frozenset[str]]:
    return load_cards(environ={})


def chrome_case(rng: random.Random) -> bytes:
    """A trace of which something was changed."""
    document: Any = rng.choice(_documents())
    if rng.random() < 0.1:
        document = document["traceEvents"]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 6))):
        document = mutations.changed(rng, document)
    data = mutations.as_json(rng, document).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        data = mutations.bytes_changed(rng, data, data)
    if rng.random() < 0.2:
        data = gzip.compress(data, 1, mtime=0)
        if rng.random() < 0.5:
            data = mutations.bytes_changed(rng, data, data)
    return data


def chrome(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
    """Read it, and draw all that follows."""
    path = folder / "trace.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return _answered(path, entire)


def nsight_case(rng: random.Random) -> bytes:
    """The statements of a small export, some values changed; or the bytes of the base."""
    rows = [
        [1000 * i, 1000 * i + 400, 0, 7, i, rng.choice((1, 2))] for i in range(rng.randrange(1, 9))
    ]
    for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
        row = rng.choice(rows)
        row[rng.randrange(6)] = rng.choice((*NUMBERS, "x", None, 1.5))
    name = mutations.text_changed(rng, "void gemm<float>(float*)")
    damage = rng.choice((0, 0, 1, 3))
    told = {"rows": rows, "name": name, "damage": damage, "seed": rng.randrange(1 << 30)}
    told["without"] = rng.choice(("", "", "", "deviceId", "streamId", "StringIds", "KERNEL"))
    return json.dumps(told).encode("utf-8", "surrogatepass")


def nsight(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
    """Make the base, read it, and draw all that follows."""
    told = json.loads(data)
    path = folder / "trace.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    without = told["without"]
    columns = ["start", "end", "deviceId", "streamId", "correlationId", "demangledName"]
    kept = [i for i, name in enumerate(columns) if name != without]
    base = sqlite3.connect(path)
    if without != "StringIds":
        base.execute("CREATE TABLE StringIds (id, value)")
        name = told["name"].encode("utf-8", "replace")
        base.execute("INSERT INTO StringIds VALUES (1, CAST(? AS TEXT)), (2, 'k')", (name,))
    if without != "KERNEL":
        names = ", ".join(columns[i] for i in kept)
        base.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({names})")
        signs = ", ".join("?" * len(kept))
        for row in told["rows"]:
            values = [row[i] for i in kept]
            base.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({signs})", values)
    base.commit()
    base.close()
    damaged, chance = bytearray(path.read_bytes()), random.Random(told["seed"])
    for _ in range(told["damage"]):
        damaged[chance.randrange(16, len(damaged))] = chance.randrange(256)
    path.write_bytes(damaged)
    return _answered(path, entire)


def _answered(path: Path, entire: bool) -> bool:
    try:
        recording = read_trace(path)
    except UnreadableTrace as error:
        hold_refusal(str(error), path.name, *PLACES)
        return True
    identity = next(iter(recording.cards.values()), None)
    card = Card(name=None, origin="none")
    if recording.has_device:
        card = roofs_for(identity, _table(), look=False)
    found = report(examined(recording, str(path)), card)
    hold_text(plain_json(msgspec.json.encode(found)).decode(), "the answer as JSON")
    rows = whole(found, 80, UNICODE, 3)
    hold_text("\n".join(map(text_of, rows)), "the answer")
    if entire:
        rows = [
            *build(found, 120, 31, UNICODE, 0),
            *kernel_page(found.kernels[0], found, 80, UNICODE),
        ]
        hold_text("\n".join(map(text_of, rows)), "the pane and the page")
        hold_answer(answer_of(["trace", str(path)]))
        hold_answer(answer_of(["trace", str(path), "--json"]))
    return False
