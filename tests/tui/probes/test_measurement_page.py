"""The page of a measurement: every probe at every size, its figures, its states, its keys."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.roofline.workload import add_scalar, matmul
from roofwatch.session.events import (
    Device,
    End,
    Fault,
    Measurement,
    Note,
    SessionInfo,
    Span,
    decode,
)
from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.rates import value
from roofwatch.session.replay import Replay
from roofwatch.session.roofs import roofs
from roofwatch.session.three_digits import three_digits
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.palette import style
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.probes.measurement_page import HEAD, MeasurementPage, build
from roofwatch.tui.probes.measurement_rows import body, rows
from roofwatch.tui.screen.app import RoofwatchApp

SESSIONS = sorted((Path(__file__).parent.parent.parent / "sessions").glob("*.jsonl"))
SIZES = [(108, 50), (96, 32), (76, 22), (56, 14)]
OTHER_SIZES = [(40, 9), (20, 3), (12, 1)]


def lines(session: Session, probe: str, cells: int = 76, glyphs: Glyphs = UNICODE) -> list[str]:
    return [text_of(r).rstrip() for r in rows(session, probe, cells, glyphs)]


def told(page: list[str], name: str) -> str:
    """What stands beside a name, its lines joined."""
    at = next(i for i, line in enumerate(page) if line.startswith(f"{name} "))
    found = [page[at][13:]]
    for line in page[at + 1 :]:
        if not line.startswith(" " * 13):
            break
        found.append(line[13:])
    return " ".join(found)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: p.stem)
@pytest.mark.parametrize(
    "glyphs",
    [pytest.param(UNICODE, id="unicode"), pytest.param(ASCII, id="ascii", marks=pytest.mark.long)],
)
def test_every_probe_of_every_session_has_its_page(path: Path, glyphs: Glyphs) -> None:
    session = fold(events(path))
    found = findings(session)
    for spec in session.specs:
        for cells, height in SIZES + OTHER_SIZES:
            page = build(session, spec.key, cells, height, glyphs, 0, found)
            assert len(page) <= height
            assert {width(r) for r in page} == {cells}
        for cells, _ in SIZES:
            whole = body(session, spec.key, cells, glyphs, found)
            assert max(map(width, whole)) <= cells, spec.key  # nothing is cut
            for r in whole:
                assert all(style(name) for _, name in r)
                assert glyphs is UNICODE or text_of(r).isascii()
            text = "\n".join(map(text_of, whole))
            assert "roofwatch run" in text or "with the config.json of" in text
            assert "None" not in text
            assert "nan" not in text.split()


def test_a_burst_stands_beside_what_was_expected(full: Session) -> None:
    page = lines(full, "matmul-bf16")
    assert page[0].startswith("matmul bf16 ")
    assert page[0].endswith("burst · done")
    assert told(page, "measured") == "831 TFLOP/s  ✓ inside the expected range"
    assert told(page, "expected").startswith("735 – 893 TFLOP/s: around 790, the best published")
    assert told(page, "of nominal") == "84 % of 989, the nominal dense bf16 peak"
    assert told(page, "of roof") == (
        "it defines it: 831 TFLOP/s is what its own burst roof allows at 2163 FLOP/byte"
    )
    assert told(page, "of ridge") == (
        "100 %, right of the bf16 ridge at 189 FLOP/byte: the flat binds"
    )
    assert re.match(r"989 nominal · \+\S+ clock 19\d\d MHz · \+0 waves · -200", told(page, "terms"))
    assert told(page, "findings") == "✓ none: nothing speaks against it"


def test_the_scale_has_the_figure_inside_its_range(full: Session) -> None:
    page = lines(full, "matmul-bf16")
    scale = next(line for line in page if line.endswith("┤ nominal 989"))
    assert re.fullmatch(r" {13}0 ─+░+█░+─+┤ nominal 989", scale)
    drawn = scale.strip().removeprefix("0 ").removesuffix(" nominal 989")
    assert drawn.index("█") / (len(drawn) - 1) == pytest.approx(831 / 989, abs=0.03)
    assert drawn.index("░") / (len(drawn) - 1) == pytest.approx(735 / 989, abs=0.03)


def test_what_was_launched_and_counted(full: Session) -> None:
    page = lines(full, "matmul-bf16", 104)
    assert told(page, "launched") == (
        "matmul · m 6144, n 5632, k 8192 · layout nn: both operands plain"
    )
    assert told(page, "types") == (
        "bf16 · math ieee · sums in fp32 · result bf16 · judged by the bf16 peak"
    )
    assert "nvjet_sm90" in told(page, "kernel")
    assert "on tensor cores, tile 256 x 128" in told(page, "kernel")
    assert told(page, "FLOP") == "567 GFLOP a launch, 2 m n k"
    assert told(page, "bytes").startswith(
        "262 MB a launch, each tensor read or written once: a 101"
    )
    assert told(page, "intensity") == "2163 FLOP/byte"
    assert told(page, "working set") == "250 MiB, 4.17 times the last-level cache of 60 MiB"


def test_repetitions_are_told_and_drawn(full: Session) -> None:
    page = lines(full, "matmul-bf16")
    assert told(page, "time") == "median 682.6 µs · best 677.6 · worst 685 · IQR 0.18 %"
    assert told(page, "repeated") == "14 times: as many as the protocol takes"
    at = next(i for i, line in enumerate(page) if line.startswith("distribution"))
    bars, axis, labels = page[at : at + 3], page[at + 3], page[at + 4]
    assert any("█" in bar for bar in bars)
    assert "┬" in axis
    assert labels.split() == ["677.6", "µs", "median", "682.6", "685"]
    order = next(line for line in page if line.startswith("in order"))
    blocks = order[13:]
    assert len(blocks) == 4 * 14  # four cells a repetition
    assert page[page.index(order) + 1].strip() == "828 to 837 TFLOP/s"


def test_conditions_have_their_least_and_greatest_and_what_is_missing_its_word(
    full: Session, h200: Session
) -> None:
    page = lines(full, "matmul-bf16")
    at = next(i for i, line in enumerate(page) if line.startswith("conditions"))
    table = {line[13:29].strip(): line[29:].split() for line in page[at + 1 : at + 6]}
    assert page[at].split() == ["conditions", "least", "median", "greatest"]
    assert table["clock, on device"][:4] == ["1892", "1906", "1949", "MHz"]
    assert table["SM clock, NVML"][:4] == ["1980", "1980", "1980", "MHz"]
    assert table["power"][0].startswith("stale")
    assert told(page, "limited by").startswith("nothing: no clocks event reason")
    old = lines(h200, "matmul-bf16-sustained")
    assert any(re.match(r" {13}clock, on device +not measured$", line) for line in old)
    assert told(old, "limited by").startswith("power limit; of its span power limit 9")


def test_a_held_probe_is_drawn_with_its_clock_and_its_fall(full: Session) -> None:
    page = lines(full, "matmul-bf16-sustained")
    at = next(i for i, line in enumerate(page) if line.startswith("held "))
    chart = page[at : at + 16]
    assert chart[0].split() == ["held", "TFLOP/s"]
    assert [line.strip() for line in chart].count("MHz") == 1
    figures = [int(found[1]) for line in chart if (found := re.match(r" +(\d+) ┤", line))]
    assert len(figures) == 4
    assert figures[0] > 800 > figures[1]  # the rate
    assert figures[2] > 1900 > 1500 > figures[3]  # the clock
    text = " ".join(" ".join(page).split())
    assert "the rate falls at 0.062 s; its window begins at 2.06 s" in text
    assert "never:" in told(lines(full, "triad-fp16-sustained"), "fell")
    assert re.search(r"691 W · 5\d\d\d J in its window · 1.01 TFLOP/s a watt", text)
    assert "that of its burst, nvjet" in told(page, "kernel").replace("  ", " ")
    assert told(page, "again") == "roofwatch run --sustain 10"


def test_a_finding_stands_with_its_sentence(full: Session) -> None:
    said = told(lines(full, "matmul-bf16-sustained"), "findings")
    assert said.startswith("· throttled SM clock 1432 of 1980 MHz: power limit 700 W reached")


def test_a_sweep_opens_its_curve_and_its_points(full: Session) -> None:
    page = lines(full, "add_scalar-fp16-sweep")
    assert any("60 MiB cache reported" in line for line in page)
    assert sum(bool(re.match(r" +[\d.]+ [KMG]iB +[\d.]+ [nµm]?s", line)) for line in page) == 37
    assert any(re.search(r"5451 +114 %  E2: the cache$", line) for line in page)
    assert not any("read fp16 sizes" in line for line in page)
    squares = lines(full, "matmul-bf16-sweep")
    assert any(re.match(r" +8192 +796 .*waves", line) for line in squares)


@pytest.mark.parametrize(
    ("name", "probe", "says"),
    [
        ("kernels", "kernels", r" P prefill linear 4096 +597 µs +450 +96 %  compute"),
        ("kernels", "fusion", r"silu x mul +1.49 ms +863 µs +1.67x +1.72x +105 %"),
        ("kernels", "launch", r" +graph node +0.911 µs"),
        ("kernels", "alignment", r" +k-1 +8192 +8192 +8191 +145 "),
        ("kernels", "waves", r" +768 +2816 +132 +1.00 +100 % +781 +808"),
        ("decode", "decode-Llama-3-8B", r" +128 +13.85 +14.42 +13.72 +62.5 % +9245 +memory"),
    ],
)
def test_a_group_opens_its_points(name: str, probe: str, says: str) -> None:
    session = fold(events(SESSIONS[0].parent / f"h200-{name}-1.jsonl"))
    page = lines(session, probe)
    assert any(re.match(says, line) for line in page)
    assert told(page, "timed")


def test_a_mistake_is_said_to_be_one() -> None:
    session = fold(events(SESSIONS[0].parent / "h200-mistakes-1.jsonl"))
    page = lines(session, "mistake-E3")
    assert told(page, "measured") == "5.33 %  wrong on purpose"
    assert "no place under a roof" in told(page, "of roof")
    assert "E3 wrong-peak" in told(page, "findings")
    assert not any(line.startswith("Python") for line in page)


# -- states ----------------------------------------------------------------------------------


def early(path: Path, probe: str) -> Session:
    """The session as it was when a probe began."""
    stream = list(events(path))
    end = next(i for i, e in enumerate(stream) if isinstance(e, Span) and e.probe == probe)
    return fold(stream[: end + 1])


def test_a_probe_that_waits_says_for_what_and_what_is_expected(h200_file: Path) -> None:
    session = early(h200_file, "matmul-fp16")
    page = lines(session, "matmul-int8")
    assert page[0].endswith("burst · waiting")
    assert told(page, "why") == "waiting for 5 before it, now matmul fp16"
    assert told(page, "expected").startswith("792 – 1722 TOPS: of nominal")
    assert told(page, "timed").startswith("A burst:")
    assert told(lines(session, "matmul-tf32"), "why") == "waiting for 1 before it, now matmul fp16"
    unborn = fold(e for e in events(h200_file) if e.t < 1.0)
    assert told(lines(unborn, "matmul-int8"), "why") == "waiting: the run has not begun"


def test_a_running_hold_is_drawn_as_far_as_it_has_come(full_file: Path) -> None:
    probe = "matmul-bf16-sustained"
    stream = [e for e in events(full_file) if not isinstance(e, Measurement | End | Span)]
    begun = early(full_file, probe)
    for e in stream:
        if e.t > begun.duration_s and getattr(e, "probe", probe) == probe:
            begun.add(e)
        if begun.duration_s > 55:
            break
    page = lines(begun, probe)
    assert page[0].endswith("sustained · running")
    assert told(page, "why").startswith("running for ")
    assert any(line.startswith("so far") for line in page)
    assert any("┤" in line for line in page)


def test_skipped_failed_and_not_run_say_why(h200_file: Path, full: Session) -> None:
    skipped = lines(full, "matmul-fp4")
    assert skipped[0].endswith("burst · skipped")
    assert told(skipped, "why") == (
        "skipped: no fp4 unit on compute capability 9.0 (from 10.0). It is left out; the others "
        "are measured."
    )
    session = early(h200_file, "matmul-fp16")
    fault = Fault(
        t=session.duration_s,
        instrument="probes",
        what="out of memory: 2 GiB",
        probe="matmul-fp16",
        exit_code=-9,
        log=["last \x1b[31mwords"],
    )
    session.add(fault)
    session.add(Span(t=session.duration_s, probe="matmul-fp16", edge="end"))
    failed = lines(session, "matmul-fp16")
    assert failed[0].endswith("burst · failed")
    assert told(failed, "why") == "failed: out of memory: 2 GiB."
    assert told(failed, "exit code") == "-9"
    assert told(failed, "log") == "last �[31mwords"
    assert told(failed, "then") == "no probe was begun after it"
    session.add(End(t=session.duration_s + 1, complete=False, why="quit"))
    assert told(lines(session, "matmul-int8"), "why") == "not run: quit"


def test_a_burst_that_was_disturbed_defines_nothing(h200: Session) -> None:
    h200.measurements = [
        msgspec.structs.replace(m, times_s=[2 * t for t in m.times_s])
        if m.probe == "matmul-bf16"
        else m
        for m in h200.measurements
    ]
    flat = roofs(h200).compute["bf16"]
    top = three_digits(flat.burst_tflops or 0.0)
    said = told(lines(h200, "matmul-bf16"), "of roof")
    share = f"{100 * value(flat.burst) / value(flat.sustained):.0f} %"
    assert said.startswith(f"{share} of {top} TFLOP/s, what its own burst roof, as held, allows at")
    assert said.endswith("▲ this figure is not to be believed: it is below its expected range")
    said = told(lines(h200, "matmul-bf16-sustained"), "of roof")
    assert said.startswith(f"it defines it: {top} TFLOP/s is what its own burst roof, as held,")


def test_notes_and_repeated_blocks_are_said(h200: Session) -> None:
    m = next(m for m in h200.measurements if m.probe == "add_scalar-fp32")
    h200.add(Note(t=m.t, text="shows 2.5 % more than it: both are repeated", probe=m.probe))
    h200.add(msgspec.structs.replace(m, times_s=[2 * t for t in m.times_s]))
    page = lines(h200, "add_scalar-fp32")
    assert "both are repeated" in told(page, "note")
    first, second = three_digits(value(m)), three_digits(value(m) / 2)
    said = f"was measured again: {first} GB/s stands, the better of {first}, {second}"
    assert said in told(page, "note")
    assert re.fullmatch(r"[\d.]+ % (less|more) than the first", told(page, "control"))


def test_a_probe_that_nobody_knows_is_said(h200: Session, point: Callable[..., Any]) -> None:
    assert lines(h200, "no\x1bsuch")[2] == "There is no probe no�such in this session."
    h200.add(point(add_scalar(1 << 20, "fp16"), 1e-3, "newer", peak_key=None, protocol="stream"))
    page = lines(h200, "newer")
    assert told(page, "measured") == "4.19 GB/s"


def test_another_run_under_way_is_told_apart(h200: Session) -> None:
    h200.add(Note(t=60.0, text="run 2", run=2))
    page = lines(h200, "matmul-bf16")
    assert page[0].endswith("burst · run 2 · waiting")


# -- other devices, damage -------------------------------------------------------------------


def on_a_cpu(point: Callable[..., Measurement]) -> Session:
    device = Device(kind="cpu", name="a CPU", core_count=2, l2_bytes=32 << 20)
    stream = add_scalar(1 << 26, "fp32")
    product = matmul(1024, 1024, 1024, "fp32")
    own = {"timing": "host", "dtype": "fp32"}
    return fold(
        [
            SessionInfo(t=0.0, schema="roofwatch.session/1", suite="quick"),
            SessionInfo(t=0.1, instrument="telemetry", source="host", device=device),
            point(stream, 0.05, "add_scalar-fp32", peak_key=None, protocol="stream", **own),
            point(product, 0.02, "matmul-fp32", peak_key="fp32", protocol="burst", **own),
            Note(t=3.0, text="this CPU emulates bf16: no number worth having", probe="matmul-bf16"),
            End(t=9.0, complete=True),
        ]
    )


def test_a_cpu_has_pages_of_its_own(point: Callable[..., Measurement]) -> None:
    session = on_a_cpu(point)
    page = lines(session, "add_scalar-fp32")
    assert told(page, "of nominal").startswith("not known")
    assert told(page, "of roof") == "it defines it: 10.7 GB/s is this card's own slope"
    assert "each launch waited for" in told(page, "timed")
    assert told(page, "again") == "roofwatch run --device cpu"
    assert not any("on device" in line for line in page)
    assert any('device="cpu"' in line for line in page)
    assert "emulates" in told(lines(session, "matmul-bf16"), "why")
    for spec in session.specs:
        for cells, height in SIZES:
            assert build(session, spec.key, cells, height, UNICODE)


def test_without_a_roof_its_shares_say_so(point: Callable[..., Measurement]) -> None:
    stream = add_scalar(1 << 26, "fp16")
    own = {"peak_key": None, "protocol": "stream", "dtype": "fp16"}
    session = fold([SessionInfo(t=0.0), point(stream, 1e-3, "add_scalar-fp16", **own)])
    page = lines(session, "add_scalar-fp16")
    assert told(page, "expected").startswith("no expectation")
    assert told(page, "of roof") == "it defines it: 268 GB/s is this card's own slope"
    assert not any(line.startswith(("of ridge", "work on")) for line in page)
    alone = fold(
        [
            SessionInfo(t=0.0),
            point(matmul(512, 512, 512, "bf16"), 1e-3, "matmul-bf16", protocol="burst"),
        ]
    )
    assert told(lines(alone, "matmul-bf16"), "of roof").startswith("not measured")
    empty = Session()
    for spec in empty.specs:
        assert build(empty, spec.key, 76, 22, UNICODE)


OTHER = {
    "op": ["else", "matmul", "read", "\x1b"],
    "dtype": ["else", "", "fp64"],
    "math": ["tf32", "\x1b[2J"],
    "protocol": ["burst", "sustained", "stream", "sweep", "mistake", "new", "launch", "decode"],
    "timing": ["host", "graph", "\x07"],
    "stop": ["new\u202e"],
    "layout": ["nt", "\x1b", None],
    "kernel": ["\x1b[31m", "tilesize1x1x1", None],
    "variant": ["eager", "\x1b"],
    "times_s": [[1e-12] * 3, [1e6] * 3, [1e-12, 1.0, 1e6]],
    "flop": [1, 1e30, 0],
    "shape": [{}, {"m": 1, "n": 1, "k": 1}, {"elements": 1 << 40}, {"\x1b": 3}],
    "clock_mhz": [[1.0], [1e6]],
    "warmup_times_s": [[1e6]],
    "settings": [{"\x1b": "\x1b"}],
    "status": [{"kernel": "\x1bwhy"}],
}


@pytest.mark.parametrize(
    "name",
    [
        "h200-quick-1",
        pytest.param("h200-full-1", marks=pytest.mark.long),
        "h200-kernels-1",
        pytest.param("h200-decode-1", marks=pytest.mark.long),
    ],
)
def test_damaged_measurements_are_shown(name: str) -> None:
    path = SESSIONS[0].parent / f"{name}.jsonl"
    stream = [json.loads(line) for line in path.read_text().splitlines()]
    stream = [e for e in stream if e["kind"] != "sample"]
    at = [i for i, e in enumerate(stream) if e["kind"] == "measurement"]
    chance = random.Random(name)
    for _ in range(12):
        broken = list(stream)
        for i in chance.sample(at, min(6, len(at))):
            field = chance.choice(sorted(OTHER))
            broken[i] = {**broken[i], field: chance.choice(OTHER[field])}  # type: ignore[attr-defined]
            if field == "clock_mhz":
                broken[i]["clock_t_s"] = [1.0]
        if chance.random() < 0.3:
            broken = [e for e in broken if e["kind"] not in ("span", "expect")]
        if chance.random() < 0.3:
            broken = [{**e, "device": None} if "device" in e else e for e in broken]
        read = []
        for line in broken:
            try:
                read.append(decode(json.dumps(line)))
            except msgspec.ValidationError:
                continue  # such a line is named when the file is read
        session = fold(e for e in read if e is not None)
        session.closed = True
        found = findings(session)
        hit = {stream[i]["probe"] for i in at} & {s.key for s in session.specs}
        for probe in sorted(hit)[:8]:
            for cells in (108, 76, 40):
                page = rows(session, probe, cells, UNICODE, found)
                text = "\n".join(map(text_of, page))
                assert not any(c in text for c in "\x1b\u202e\x07\r")
                assert {width(r) for r in page} == {cells}


def test_a_session_stopped_anywhere_has_its_pages(full_file: Path) -> None:
    stream = list(events(full_file))
    marks = [i for i, e in enumerate(stream) if type(e).__name__ not in ("Sample", "Series")]
    for i in marks[:: max(1, len(marks) // 12)]:
        for closed in (True, False):
            session = fold(stream[: i + 1])
            session.closed = closed
            for spec in session.specs[::4]:
                assert build(session, spec.key, 76, 22, UNICODE)


# -- the sheet -------------------------------------------------------------------------------


def test_scrolling_keeps_the_head_and_stops_at_the_end(full: Session) -> None:
    whole = rows(full, "matmul-bf16", 76, UNICODE)
    for scroll in (0, 5, 10**6):
        page = build(full, "matmul-bf16", 76, 22, UNICODE, scroll)
        assert page[:HEAD] == whole[:HEAD]
        assert len(page) == 22
    assert page[-1] == whole[-1]
    assert build(full, "matmul-bf16", 76, 10**3, UNICODE, 7) == whole


async def test_the_sheet_scrolls_and_closes(full: Session, full_file: Path) -> None:
    app = RoofwatchApp(Replay(full_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        for closing in ("escape", "q", "enter"):
            page = MeasurementPage(full, "matmul-bf16-sustained", UNICODE)
            app.push_screen(page)
            await pilot.pause()
            await pilot.pause()
            top = page.pane.lines
            assert top[0].startswith("matmul bf16 10 s")
            assert "more rows" in str(page.pane.border_subtitle)
            await pilot.press("down", "j", "k", "pagedown")
            await pilot.pause()
            assert page.pane.lines[0] == top[0]
            assert page.pane.lines[2:] != top[2:]
            await pilot.press("end")
            await pilot.pause()
            assert "more rows" not in str(page.pane.border_subtitle)
            assert page.pane.lines[-1].strip() == "shape=(6144, 5632, 8192)))"
            await pilot.press("home")
            await pilot.pause()
            assert page.pane.lines == top
            await pilot.press(closing)
            await pilot.pause()
            assert len(app.screen_stack) == 1


async def test_an_open_page_shows_what_comes_meanwhile(h200_file: Path) -> None:
    stream = list(events(h200_file))
    end = next(
        i for i, e in enumerate(stream) if isinstance(e, Measurement) and e.probe == "matmul-fp16"
    )
    session = fold(stream[:end])
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        page = MeasurementPage(session, "matmul-fp16", UNICODE)
        app.push_screen(page)
        await pilot.pause()
        await pilot.pause()
        assert page.pane.lines[0].rstrip().endswith("burst · running")
        session.add(stream[end])
        page.draw()
        await pilot.pause()
        assert page.pane.lines[0].rstrip().endswith("burst · done")


def test_a_page_has_the_mark_of_its_list(h200: Session) -> None:
    h200.measurements = [
        msgspec.structs.replace(
            m, times_s=[t * (1 + 0.3 * (i % 4) / 3) for i, t in enumerate(m.times_s)]
        )
        if m.probe == "matmul-bf16"
        else m
        for m in h200.measurements
    ]
    for key, e in list(h200.expects.items()):
        if e.probe == "matmul-bf16":
            h200.expects[key] = msgspec.structs.replace(e, low=e.low / 2)
    said = told(lines(h200, "matmul-bf16"), "measured")
    assert said.endswith("▲ inside its range, but flagged")
    assert told(lines(h200, "matmul-fp16"), "measured").endswith("✓ inside the expected range")


def test_a_range_that_says_little_is_called_so(h200: Session) -> None:
    for key, e in list(h200.expects.items()):
        h200.expects[key] = msgspec.structs.replace(e, low=e.high / 20)
    said = told(lines(h200, "matmul-fp16"), "measured")
    assert said.endswith("✓ inside a very wide range")
