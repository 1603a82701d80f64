"""The Clocks pane as rows of text: charts, limits, bands, reasons, and what they cost to redraw."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.session.events import AnyEvent, Device, Sample, SessionInfo, Span
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.host_cards import card_of
from roofwatch.tui.clocks import clocks_pane
from roofwatch.tui.clocks.clock_charts import clock_chart, power_chart
from roofwatch.tui.clocks.clocks_view import WHOLE, ClocksView
from roofwatch.tui.clocks.shown_card import shown_card
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.drawing.time_columns import TimeColumns

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
RECORDED = ("quick-1", "full-1", "decode-1", "kernels-1", "mistakes-1")
DEVICE = Device(
    kind="cuda",
    name="NVIDIA H200",
    index=0,
    uuid="GPU-0",
    sm_max_mhz=1980.0,
    power_limit_w=700.0,
    memory_bytes=140 << 30,
    temp_slowdown_c=89.0,
)


def sample(t: float, **more: Any) -> Sample:
    """One of a card at work."""
    told: dict[str, Any] = {
        "gpu": 0,
        "sm_mhz": 1980.0,
        "mem_mhz": 3201.0,
        "power_w": 500.0,
        "power_instant_w": 500.0,
        "temp_c": 50.0,
        "mem_used_bytes": 8 << 30,
        "util": 1.0,
        "reasons": 0,
    }
    return Sample(t=t, **(told | more))


def watched(*samples: Sample, device: Device = DEVICE, closed: bool = False) -> Session:
    session = fold([SessionInfo(t=0.0, instrument="telemetry", device=device), *samples])
    session.closed = closed
    return session


def drawn(session: Session, cells: int = 80, height: int = 18, **more: Any) -> list[str]:
    glyphs: Glyphs = more.pop("glyphs", UNICODE)
    rows = clocks_pane.build(session, cells, height, glyphs, ClocksView(**more))
    assert [width(r) for r in rows] == [cells] * height
    return [text_of(r) for r in rows]


def recorded(name: str, until: float = 1e9) -> Session:
    session = fold(e for e in events(SESSIONS / f"h200-{name}.jsonl") if e.t <= until)
    session.closed = until == 1e9
    return session


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_size_is_filled_and_no_figure_is_cut(name: str, glyphs: Glyphs) -> None:
    session = recorded(name)
    for cells in (20, 35, 36, 48, 60, 72, 80, 104, 200):
        for height in (1, 4, 5, 8, 9, 12, 17, 18, 29, 58):
            for length_s in (5.0, 60.0, WHOLE):
                rows = drawn(session, cells, height, glyphs=glyphs, length_s=length_s)
                if cells >= 36 and height >= 9:
                    assert rows[0][:9].strip().split()[0] in ("1980", "MHz")
                if glyphs is ASCII:
                    assert all(ord(c) < 128 for line in rows for c in line)


# What the limits say


def test_the_highest_and_the_nominal_clock_are_named_on_their_lines() -> None:
    rows = drawn(recorded("quick-1"))
    highest = next(r for r in rows if " max 1980 " in r)
    nominal = next(r for r in rows if " nominal 1830 " in r)
    assert highest.startswith("   1980 ┤╌")
    assert nominal.startswith("   1830 ╱╌")  # the rows under it stand for more
    assert any(r.startswith("uneven  │") for r in rows)
    assert rows.index(highest) + 1 < rows.index(nominal)


def test_a_curve_along_a_limit_leaves_its_line_whole() -> None:
    rows = drawn(watched(*(sample(k / 10, sm_mhz=1980.0) for k in range(650))))
    assert re.fullmatch(r" +1980 ┤╌{53} max 1980 ╌ +", rows[0])
    assert "⠉" * 62 in rows[1]
    held = [sample(k / 10, power_instant_w=690.0 + k % 23) for k in range(650)]
    rows = drawn(watched(*held))
    limit = next(i for i, r in enumerate(rows) if r.startswith("    700 ┤"))
    assert re.fullmatch(r" +700 ┤╌{50} limit 700 W ╌ +", rows[limit])
    assert "⠉" * 60 in rows[limit + 1]


def test_power_beyond_the_limit_crosses_its_line() -> None:
    session = watched(
        *(sample(k / 10, power_instant_w=900.0 if k % 300 == 299 else 300.0) for k in range(600))
    )
    rows = drawn(session)
    limit = next(i for i, r in enumerate(rows) if " limit 700 W " in r)
    assert rows[limit][9:73].count("⡇") == 2
    assert rows[limit - 1].startswith("    900 ┤")
    assert sum(c not in " ⠀" for c in rows[limit - 1][9:73]) in (2, 4)


def test_only_limits_that_are_known_are_drawn() -> None:
    session = watched(*(sample(k / 10) for k in range(20)), device=Device(kind="cpu", name="a CPU"))
    assert "╌" not in "".join(drawn(session))


def test_a_narrow_chart_keeps_the_first_limit_only() -> None:
    rows = "\n".join(drawn(recorded("quick-1"), 80, 9))
    assert "max 1980" in rows
    assert "nominal" not in rows


# What could not be read


def test_a_reason_stands_where_nothing_could_be_read() -> None:
    denied = [
        sample(
            k / 10,
            sm_mhz=None,
            power_w=None,
            power_instant_w=None,
            temp_c=None,
            reasons=None,
            status={
                "reasons": "not_supported",
                "sm_mhz": "not_supported",
                "power_instant_w": "no_permission",
                "temp_c": "no_permission",
            },
        )
        for k in range(30)
    ]
    text = "\n".join(drawn(watched(*denied)))
    assert "MHz     │ not readable here (not supported)" in text
    assert "W       │ not readable here (no permission)" in text
    assert "temperature n/a (no permission)" in text
    assert "limit   │ not readable here (not supported)" in text
    assert "waiting for telemetry" in "\n".join(drawn(Session()))


def test_a_line_is_not_drawn_over_a_gap() -> None:
    some = [sample(k / 10) for k in range(100)] + [sample(20 + k / 10) for k in range(100)]
    curve = drawn(watched(*some, closed=True))[1][9:73]
    assert re.fullmatch(r"⠉+ {18,22}⠉+", curve)


def test_what_is_silent_has_no_figure() -> None:
    session = watched(*(sample(k / 10) for k in range(100)))
    session.add(Span(t=20.0, probe="x", edge="begin"))
    rows = drawn(session)
    assert not any(r.rstrip().endswith("1980") for r in rows[1:])
    assert any("no reading for 10 s" in r for r in rows)


# Bands and reasons


def test_no_band_is_cut_or_touches_another_where_there_is_room() -> None:
    band = next(r for r in drawn(recorded("quick-1")) if r.startswith("probe"))[9:73]
    words = re.findall(r"[A-Za-z0-9_]+(?: held)?", band.replace("│", "  "))
    whole = {"bf16", "fp16", "tf32", "fp32", "fp8", "int8", "bf16 held", "add"}
    assert words
    assert all(w in whole or len(w) == 1 for w in words)
    assert "bf16│fp16│tf32│fp32" in band


def test_letters_have_a_key_with_whole_names() -> None:
    rows = drawn(recorded("quick-1"))
    at = next(i for i, r in enumerate(rows) if r.startswith("probe"))
    letters = re.findall(r"(?<![A-Za-z0-9_])[a-z](?![A-Za-z0-9_])", rows[at][9:73])
    assert letters
    for letter in letters:
        assert re.search(rf"(?:^|  |│){letter} \S+", rows[at + 1])


def test_the_groups_of_a_suite_have_their_own_names() -> None:
    text = "\n".join(drawn(recorded("decode-1")))
    assert "decode Llama-3-8B" in text
    assert "TinyLlama-1.1B" in text
    text = "\n".join(drawn(recorded("kernels-1"), 120))
    assert all(word in text for word in ("kernels", "fusion", "alignment"))


def test_bands_in_ascii_are_seen_without_a_colour() -> None:
    band = next(r for r in drawn(recorded("quick-1"), glyphs=ASCII) if r.startswith("probe"))
    assert "--- bf16 held ---" in band


def test_many_runs_in_one_cell_are_shown_as_runs() -> None:
    session = watched(*(sample(float(k)) for k in range(0, 40_000, 1)))
    for run in range(1, 5):
        for k in range(20):
            t = run * 8000.0 + 2 * k
            session.add(Span(t=t, probe=f"p{k}", edge="begin", run=run))
            session.add(Span(t=t + 1, probe=f"p{k}", edge="end", run=run))
    rows = drawn(session, length_s=WHOLE)
    line = next(r for r in rows if r.startswith("run "))
    assert line[9:].split() == ["1", "2", "3", "4"]


def test_a_running_probe_is_a_band_until_now() -> None:
    session = watched(*(sample(k / 10) for k in range(100)))
    session.add(Span(t=2.0, probe="matmul-bf16", edge="begin"))
    band = next(r for r in drawn(session) if r.startswith("probe"))
    assert "▒ bf16 ▒" in band


def test_a_hostile_probe_name_neither_breaks_the_row_nor_reaches_the_terminal() -> None:
    session = watched(*(sample(k / 10) for k in range(100)))
    for k, name in enumerate(("\x1b[2J" * 9, "显存带宽测量", "x" * 500)):
        session.add(Span(t=3.0 * k, probe=name, edge="begin"))
        session.add(Span(t=3.0 * k + 2, probe=name, edge="end"))
    text = "\n".join(drawn(session))
    assert "\x1b" not in text
    assert "xxx…" in text


def limit_row(*stretches: tuple[int, int], cells: int = 80) -> str:
    """The row of reasons for (mask, tenths of a second) one after the other."""
    masks = [mask for mask, tenths in stretches for _ in range(tenths)]
    session = watched(*(sample(k / 10, reasons=m) for k, m in enumerate(masks)), closed=True)
    return next(r for r in drawn(session, cells) if r.startswith("limit"))[9 : cells - 7]


def test_a_reason_is_a_word_where_it_has_room() -> None:
    text = limit_row((1, 100), (4, 300), (0, 50))
    assert re.fullmatch(r"·+power limit █+ +", text)
    text = limit_row((0x40, 300), (0, 20))
    assert text.startswith("hardware thermal slowdown █")
    text = limit_row((0x40, 60), (0, 200))
    assert text.startswith("hw thermal █")


def test_a_short_reason_is_a_bar_with_its_word_once_beside_the_longest() -> None:
    text = limit_row((0, 150), (4, 3), (0, 150), (4, 20), (0, 150))
    assert text.count("power limit") == 1
    assert re.search(r"█ +█+ power limit ", text)
    assert not re.search(r"\b(p|po|pow|powe)\b", text)


def test_each_reason_is_named() -> None:
    text = limit_row((0, 100), (4, 10), (0, 100), (0x20, 10), (0, 100))
    assert "power limit" in text
    assert "thermal slowdown" in text


# The held rate


def test_the_held_figure_stands_under_what_was_measured() -> None:
    rows = drawn(recorded("full-1"))
    top = next(i for i, r in enumerate(rows) if r.startswith("TFLOP/s")) - 1
    assert re.search(r"─ held 69\d ─", rows[top + 1])
    assert not re.search(r"\d *$", rows[top])  # one figure, that of the measurement
    running = drawn(recorded("full-1", until=36.0))
    now = next(i for i, r in enumerate(running) if r.startswith("TFLOP/s")) - 1
    assert any(re.search(r" [67]\d\d *$", r) for r in running[now : now + 2])
    band = next(r for r in rows if r.startswith("probe"))
    assert rows[top].rstrip().index("⠉") >= band.index("─ bf16 held") - 3


def test_without_a_held_matmul_the_chart_is_one_line() -> None:
    rows = drawn(recorded("decode-1"))
    held = [r for r in rows if r.startswith("TFLOP/s")]
    assert [r.rstrip() for r in held] == ["TFLOP/s │ while a matmul is held"]


# What a redraw costs


def cells_of(rows: list[Row]) -> list[list[tuple[str, str]]]:
    return [[(c, style) for text, style in r for c in text] for r in rows]


def changes(
    session: Session, coming: Iterator[AnyEvent], begin_s: float, step_s: float = 0.5
) -> list[int]:
    """Cells that differ from one drawing to the next, while events come."""
    found: list[int] = []
    before: list[list[tuple[str, str]]] | None = None
    at = begin_s
    for event in coming:
        while event.t >= at:
            after = cells_of(clocks_pane.build(session, 80, 18, UNICODE))
            if before is not None:
                found.append(
                    sum(
                        a != b
                        for x, y in zip(before, after, strict=True)
                        for a, b in zip(x, y, strict=True)
                    )
                )
            before = after
            at += step_s
        session.add(event)
    return found


def test_an_idle_card_costs_a_handful_of_cells() -> None:
    idle = (
        sample(k / 10 + 1e-7, sm_mhz=345.0, power_instant_w=76.0 + k % 5, util=0.0, reasons=1)
        for k in range(1000)
    )
    found = changes(watched(), idle, 70.0)
    assert max(found) <= 24  # some columns at once
    assert sum(found) / len(found) <= 4


def test_a_held_clock_costs_little() -> None:
    held = (
        sample(
            k / 10 + 1e-7,
            sm_mhz=1455.0 + 15 * (k * 7919 % 5 - 2),
            power_instant_w=680.0 + k * 7919 % 35,
            reasons=4,
        )
        for k in range(1000)
    )
    found = changes(watched(), held, 70.0)
    assert sum(found) / len(found) <= 40


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_the_past_moves_by_whole_cells_and_keeps_its_shape(glyphs: Glyphs) -> None:
    session = recorded("quick-1", until=11.0)
    for k in range(1, 180):  # it is left open
        session.add(sample(11.0 + k / 10, sm_mhz=1345.0, power_instant_w=80.0 + k, reasons=1))

    def canvases(first: int) -> list[list[str]]:
        columns = TimeColumns(first, 64, 30 / 64)
        what = shown_card(session, card_of(session, None), columns, glyphs)
        charts = clock_chart(what, None, 6), power_chart(what, what.curve("power"), 5)
        rows = [[text_of(r)[9:73] for r in chart] for chart in charts]
        return [[r for r in chart if glyphs.nominal * 5 not in r] for chart in rows]

    first = TimeColumns(0, 64, 30 / 64)
    assert first.window == (0.0, 30.0)
    before = canvases(-30)
    for shift in (1, 2, 7, 25):
        for one, other in zip(before, canvases(-30 + shift), strict=True):
            whole = [
                (a[shift : 64 - 1], b[: 64 - shift - 1]) for a, b in zip(one, other, strict=True)
            ]
            assert all(a == b for a, b in whole)


def test_a_replay_draws_what_was_live() -> None:
    live = recorded("quick-1", until=9.0)
    again = recorded("quick-1", until=9.0)
    assert drawn(live) == drawn(again)


# Damage


numbers = st.one_of(st.none(), st.sampled_from([0.0, 1e-320, 1.0, 1e12]), st.floats(0, 5000))


@given(
    st.lists(
        st.tuples(
            st.floats(0, 1e9),
            numbers,
            numbers,
            numbers,
            st.one_of(st.none(), st.integers(0, 1 << 40)),
            st.one_of(st.none(), st.integers(0, 1 << 60)),
        ),
        max_size=20,
    ),
    numbers,
    numbers,
    st.sampled_from([(80, 18), (36, 9), (120, 40), (20, 5)]),
    st.sampled_from([5.0, 60.0, 14400.0, WHOLE]),
    st.one_of(st.none(), st.floats(0, 1e9)),
    st.booleans(),
)
def test_any_session_is_drawn(
    told: list[tuple[float, Any, Any, Any, Any, Any]],
    highest: float | None,
    limit: float | None,
    size: tuple[int, int],
    length_s: float,
    end_s: float | None,
    closed: bool,
) -> None:
    device = msgspec.structs.replace(DEVICE, sm_max_mhz=highest, power_limit_w=limit)
    samples = [
        sample(t, sm_mhz=a, power_w=b, power_instant_w=c, reasons=d, mem_used_bytes=e)
        for t, a, b, c, d, e in told
    ]
    session = watched(*samples, device=device, closed=closed)
    for glyphs in (UNICODE, ASCII):
        drawn(session, *size, glyphs=glyphs, length_s=length_s, end_s=end_s)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many samples were built as objects."""
    built = 0

    def build(**fields: Any) -> Sample:
        nonlocal built
        built += 1
        return Sample(**fields)

    monkeypatch.setattr("roofwatch.session.samples.Sample", build)
    return lambda: built


def test_a_day_is_drawn_without_building_its_samples(counted: Callable[[], int]) -> None:
    session = watched(*(sample(k / 10) for k in range(20_000)))
    before = counted()
    drawn(session, length_s=WHOLE)
    assert counted() - before <= 4


def test_only_letters_that_are_explained_are_shown() -> None:
    for size in ((80, 18), (72, 29), (59, 17), (120, 30)):
        rows = drawn(recorded("full-1"), *size)
        at = next(i for i, r in enumerate(rows) if r.startswith("probe"))
        letters = set(re.findall(r"(?<![A-Za-z0-9_ ])[a-z](?![A-Za-z0-9_])", rows[at][9:-7]))
        for letter in letters:
            assert re.search(rf"(?:^|  |│){letter} \S+", rows[at + 1]), (size, letter)
    without = drawn(recorded("full-1"), 80, 14)
    band = next(r for r in without if r.startswith("probe"))
    assert not re.search(r"[─│ ][a-z][─│ ]", band[9:])


def test_the_key_says_how_many_letters_are_left_out_and_which_key_tells_them() -> None:
    session = recorded("full-1")
    for reach, said in (("+", r"│\d+ earlier: \+  "), ("", r"│\d+ earlier  ")):
        built = clocks_pane.build(session, 80, 18, UNICODE, ClocksView(WHOLE), reach)
        rows = [text_of(r) for r in built]
        assert any(re.search(said, r) for r in rows), rows
    wide = drawn(session, 200, 40)
    assert not any("earlier" in r for r in wide)


def test_a_held_probe_is_never_called_held_alone() -> None:
    for size in ((80, 18), (59, 17)):
        for name in ("full-1", "quick-1"):
            band = next(r for r in drawn(recorded(name), *size) if r.startswith("probe"))
            assert not re.search(r"(?<!bf16 )(?<!triad )held", band)


def test_idle_is_no_axis_in_ascii() -> None:
    limit = next(r for r in drawn(recorded("quick-1"), glyphs=ASCII) if r.startswith("limit"))
    assert limit.count("|") == 1
    assert "|........." in limit


def test_power_has_its_floor_and_varies_in_ascii() -> None:
    for glyphs in (UNICODE, ASCII):
        rows = drawn(recorded("full-1"), glyphs=glyphs)
        power = next(r for r in rows if r.startswith("W "))
        assert power.startswith("W     0 ")
    assert {".", "'"} <= set(power)
