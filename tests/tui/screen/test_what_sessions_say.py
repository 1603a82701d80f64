"""Whatever text a session holds, nothing in it reaches the terminal as a command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Size

from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.listing import Listing
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import Row, row, text_of
from roofwatch.tui.probes.measurement_rows import rows as measurement_rows
from roofwatch.tui.screen import header, layout, moving, opening
from roofwatch.tui.screen.message import message
from roofwatch.tui.screen.painting import PAINTED, PANES, Scene, _small
from roofwatch.tui.screen.standing import Standing
from roofwatch.tui.sessions.compare_page import ComparePage
from roofwatch.tui.widgets.pane import Pane

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
SIZES = [(40, 9), (60, 16), (80, 24), (200, 60)]
EVIL = "\x1b[2J\x07\u202e"
ENDED = 9e3  # seconds: after all that was recorded
FREE = (
    *("status", "why", "what", "log", "text", "code", "name", "root", "subject", "message", "do"),
    *("unit", "kernel", "settings", "layout", "host", "driver", "torch", "python", "suite", "uuid"),
    *("peak_key", "math", "evidence", "currency", "variant", "stop"),
)
"""Fields of any text. The others decide what is drawn; most of those are spoiled one by one."""
DECIDING = ("op", "dtype", "probe", "timing", "protocol", "started_at", "mistake", "label")
UNREAD = ("temp_c", "reasons", "power_w", "power_instant_w", "mem_mhz", "mem_used_bytes", "util")
ADDED: list[dict[str, Any]] = [
    {"kind": "fault", "t": ENDED, "instrument": "probes", "what": "w", "log": ["l"]},
    {"kind": "note", "t": ENDED, "text": "t", "probe": "matmul-bf16"},
    {
        "kind": "flag",
        "t": ENDED,
        "code": "Q1",
        "name": "n",
        "root": "r",
        "severity": "wrong",
        "subject": "matmul-bf16",
        "message": "m",
        "why": "y",
        "do": "d",
        "evidence": {"a": "b"},
    },
]


def spoiled(told: Any, names: tuple[str, ...], inside: bool = False) -> Any:
    """All text in the fields of these names, keys as well, with what a terminal would act on."""
    if isinstance(told, str):
        return told + EVIL if inside else told
    if isinstance(told, list):
        return [spoiled(one, names, inside) for one in told]
    if isinstance(told, dict):
        return {
            k + EVIL * (inside and k not in UNREAD): (
                v if k == "tensors" else spoiled(v, names, inside or k in names)
            )
            for k, v in told.items()
        }
    return told


def session_of(name: str, names: tuple[str, ...], folder: Path) -> Session:
    told: list[dict[str, Any]] = []
    samples = 0
    for line in (SESSIONS / f"h200-{name}-1.jsonl").read_text().splitlines():
        event = json.loads(line)
        if event["kind"] == "sample":
            samples += 1
            if samples % 40:
                continue
            event |= dict.fromkeys(UNREAD) | {"status": dict.fromkeys(UNREAD, "no_permission")}
        told.append(event)
    path = folder / "spoiled.jsonl"
    path.write_text("".join(json.dumps(spoiled(e, names)) + "\n" for e in [*told, *ADDED]))
    return fold(events(path))


def drawn(session: Session, size: tuple[int, int]) -> list[Row]:
    """Every pane at this size, and what Enter opens in it."""
    found, area = findings(session), Size(*size)
    at = Standing()
    out = [*header.build(session, size[0], None, UNICODE)]
    out.append(message(session, found, size[0], UNICODE))
    for name in (p for p in PANES if p not in ("sessions", "trace")):
        small = layout.small(area)
        scene = Scene(session, at, found, UNICODE, (name,), name, small, True, Listing, 0.4)
        own = not scene.small or PAINTED[name].compact
        for _ in range(2):
            drawing = PAINTED[name].draw(scene) if own else _small(scene, name)
            out += drawing.rows(size[0], 200)
            if name not in ("plan", "clocks"):
                moving.move(scene, area, 1)
                opened = opening.page_of(scene)
                out += [row(opened)] if isinstance(opened, str) else opened.build(76, 200)
                moving.turn(scene, 1)
    return out


@pytest.mark.parametrize(
    ("name", "names"),
    [
        *((name, FREE) for name in ("quick", "kernels", "decode", "mistakes")),
        *((name, (one,)) for name in ("quick", "kernels") for one in DECIDING),
    ],
    ids=lambda told: told if isinstance(told, str) else told[0],
)
def test_it_stays_text(name: str, names: tuple[str, ...], tmp_path: Path) -> None:
    session = session_of(name, names, tmp_path)
    rows = [r for size in SIZES for r in drawn(session, size)]
    for m in session.measurements[:6]:
        rows += measurement_rows(session, m.probe, 76, UNICODE)
    rows += ComparePage(session, session, UNICODE).whole(114)
    text = "\n".join(dict.fromkeys(map(text_of, rows)))
    assert [line for line in text.split("\n") if line != shown(line)] == []


class One(App[None]):
    def compose(self) -> ComposeResult:
        yield Pane("only")


async def test_a_pane_lets_nothing_through() -> None:
    app = One()
    async with app.run_test(size=(12, 2)) as pilot:
        pane = app.query_one(Pane)
        pane.show([row("a", (EVIL, "warn")), row("漢字 b")])
        await pilot.pause()
        assert pane.render_line(0).text == "a�[2J��     "
        assert pane.render_line(1).text == "漢字 b      "
