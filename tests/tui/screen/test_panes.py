"""The panes as rows of text, drawn from a recorded H200 session."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roofwatch.session.events import Device, End, Fault, Note, SessionInfo, Span
from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.roofs import roofs
from roofwatch.session.table import probe_rows
from roofwatch.tui.clocks import clocks_pane
from roofwatch.tui.drawing.curves import curve
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.numbers import util_said
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.kernels import sweeps_plot
from roofwatch.tui.notebook import notebook_pane
from roofwatch.tui.printed.report import report
from roofwatch.tui.probes import probes_pane
from roofwatch.tui.roofline import roofline_pane
from roofwatch.tui.screen import header
from roofwatch.tui.screen.message import message

SIZES = [(80, 18), (72, 17), (120, 40), (48, 17), (60, 12)]


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


@pytest.mark.parametrize(("cells", "height"), SIZES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_pane_fills_its_size_exactly(
    h200: Session, full: Session, cells: int, height: int, glyphs: object
) -> None:
    for session in (h200, full, Session()):
        for pane in (roofline_pane, clocks_pane, probes_pane, notebook_pane):
            extra = (None,) if pane is roofline_pane else ()
            rows = pane.build(session, cells, height, *extra, glyphs)  # type: ignore[arg-type]
            assert [width(r) for r in rows] == [cells] * height, pane.__name__


@pytest.mark.parametrize("glyphs", [ASCII])
def test_ascii_is_ascii(h200: Session, glyphs: object) -> None:
    rows = roofline_pane.build(h200, 80, 18, "bf16", ASCII)
    rows += clocks_pane.build(h200, 80, 18, ASCII) + probes_pane.build(h200, 80, 18, ASCII)
    rows += header.build(h200, 80, "bf16", ASCII)
    assert all(ord(c) < 128 for line in lines(rows) for c in line)


def test_before_anything_is_measured_the_nominal_roof_stands(h200_file) -> None:  # type: ignore[no-untyped-def]
    early = fold(e for e in events(h200_file) if e.t < 1.0)
    rows = lines(roofline_pane.build(early, 80, 18, None, UNICODE))
    assert any("nominal 989" in r for r in rows)
    probes = lines(probes_pane.build(early, 80, 18, UNICODE))
    assert re.search(r"add_scalar fp16 +\d+ – \d+ GB/s +waiting", probes[1])


def test_the_clock_falls_under_the_probe_that_caused_it(h200: Session) -> None:
    rows = lines(clocks_pane.build(h200, 80, 18, UNICODE))
    band = next(r for r in rows if r.startswith("probe"))
    assert "bf16 held" in band
    reason = next(r for r in rows if r.startswith("limit"))
    assert "power limit" in reason
    assert reason.index("power limit") >= band.index("bf16 held") - 4
    assert any(re.search(r"a kernel ran \d+ % of the time", r) for r in rows)
    assert any("slows at 89" in r for r in rows)
    memory = next(r for r in rows if r.startswith("GiB"))
    assert re.search(r"▁+.* 0\.\d$", memory)


def test_the_probe_table_reads_like_a_table(h200: Session) -> None:
    rows = lines(probes_pane.build(h200, 100, 14, UNICODE))
    assert rows[0].split() == [
        "probe",
        "expected",
        "measured",
        "nominal",
        "roof",
        "repeats",
        "findings",
    ]
    starts = {r.rstrip().find("/s") for r in rows[1:11] if "TFLOP" in r}
    assert len(starts) == 1
    assert "throttled" in rows[10]
    assert "library" in next(r for r in rows if "int8" in r)


def test_a_running_probe_has_a_bar(h200_file) -> None:  # type: ignore[no-untyped-def]
    recorded = list(events(h200_file))
    begin = next(e.t for e in recorded if getattr(e, "edge", "") == "begin")
    session = fold(e for e in recorded if e.t <= begin)
    rows = lines(probes_pane.build(session, 80, 14, UNICODE, progress=0.5))
    assert "██████████░░░░░░░░░░ running" in rows[1]


def test_header_has_the_card_and_its_live_numbers(h200: Session) -> None:
    one, two = lines(header.build(h200, 80, "bf16", UNICODE))
    assert re.match(r" NVIDIA H200  140 GiB  700 W .*\d+/1980 MHz  \d+ W  \d+°C +\d\.\d GiB", one)
    assert re.match(
        r" bf16  nominal 989 · burst 8\d\d · sustained \d+ TFLOP/s +DRAM 4\d+ of 4800", two
    )
    wide, _ = lines(header.build(h200, 120, "bf16", UNICODE))
    assert re.search(r"a kernel ran \d+ % of the time", wide)


def test_the_message_is_the_fall_with_its_price(h200: Session) -> None:
    text = text_of(message(h200, findings(h200), 80, UNICODE))
    assert re.match(
        r" ▲ SM clock 1\d\d\d of 1980 MHz: power limit 700 W reached, costs 1\d\d", text
    )


def test_a_fault_and_silence_come_first(h200: Session) -> None:
    h200.add(Fault(t=50.0, instrument="probes", what="the probes instrument ended: killed"))
    assert "✗ the probes instrument ended" in text_of(message(h200, [], 80, UNICODE))
    silent = text_of(message(h200, [], 80, UNICODE, silence=("telemetry", 7.0)))
    assert "telemetry is silent, the last word is 7 s old" in silent
    h200.add(Fault(t=50.0, instrument="probes", what="x", log=["last \x1b[31mwords"]))
    page = lines(notebook_pane.build(h200, 80, 20, UNICODE))
    assert any("last �[31mwords" in r for r in page)


def test_hostile_names_stay_text() -> None:
    session = Session()
    device = Device(kind="cuda", name="\x1b]0;evil\x07[bold]H\n200", memory_bytes=1 << 40)
    session.add(SessionInfo(t=0.0, instrument="telemetry", device=device))
    session.add(Note(t=0.1, text="a\x1b[2Jb", probe="matmul-bf16"))
    rows = header.build(session, 80, None, UNICODE) + report(session, None, 80, UNICODE)
    text = "\n".join(lines(rows))
    assert "\x1b" not in text
    assert "[bold]H" in text


def test_the_report_is_complete(h200: Session, h200_file) -> None:  # type: ignore[no-untyped-def]
    text = "\n".join(lines(report(h200, h200_file, 80, UNICODE)))
    for word in ("NVIDIA H200", "nominal 989", "add_scalar fp16", "throttled", "Why", "Do"):
        assert word in text
    assert [n for n in range(1, 6) if f"\n {n} " in text] == [1, 2, 3, 4, 5]
    assert str(h200_file) in text
    assert max(len(line) for line in text.splitlines()[:40]) <= 80


def test_an_incomplete_session_says_so(h200_file) -> None:  # type: ignore[no-untyped-def]
    torn = fold(e for e in events(h200_file) if e.t < 8.0)
    text = "\n".join(lines(report(torn, h200_file, 80, UNICODE)))
    assert "this session is not complete: it has no end" in text


@pytest.mark.parametrize("far", [1e9, -1e9, 1e308, float("inf"), float("nan")])
def test_a_point_far_outside_is_held_at_the_edge(far: float) -> None:
    points = [(0.0, 0.0), (far, far), (1.0, 1.0)]
    rows = curve(points, (20, 4), (0.0, 1.0), (0.0, 1.0), "braille")
    assert [len(r) for r in rows] == [20] * 4


def test_a_second_run_that_was_quit_leaves_the_first_on_show(h200_file) -> None:  # type: ignore[no-untyped-def]
    session = fold(events(h200_file))
    session.add(Note(t=60.0, text="run 2", run=2))
    assert {r.state for r in probe_rows(session)} == {"waiting"}
    session.add(End(t=61.0, complete=False, why="quit", run=2))
    rows = lines(probes_pane.build(session, 80, 14, UNICODE))
    assert re.search(r"add_scalar fp16 .* 4\d\d\d ✓", rows[1])


def test_a_long_table_says_what_is_left_and_moves(full: Session) -> None:
    rows = lines(probes_pane.build(full, 80, 19, UNICODE))
    assert rows[1].startswith(" add_scalar fp16")
    assert re.fullmatch(r" \d+ more rows: ↓", rows[-1])
    moved = lines(probes_pane.build(full, 80, 19, UNICODE, first=99))
    assert moved[-1].endswith("rows above: ↑")
    assert any("matmul bf16 10 s" in r for r in moved)
    whole = lines(probes_pane.build(full, 80, 60, UNICODE))
    assert not any("more rows" in r for r in whole)


def test_a_running_probe_below_is_followed(full_file: Path) -> None:
    stream = list(events(full_file))
    at = next(
        i for i, e in enumerate(stream) if isinstance(e, Span) and e.probe == "read-fp16-sweep"
    )
    rows = lines(probes_pane.build(fold(stream[: at + 1]), 80, 12, UNICODE, 0.5))
    assert any("read fp16 sizes" in r and "running" in r for r in rows)


def test_a_sweep_says_where_it_turns(full: Session) -> None:
    rows = lines(probes_pane.build(full, 80, 60, UNICODE))
    assert any(re.search(r"read fp16 sizes +turns at 4\d MiB", r) for r in rows)
    assert any(re.search(r"matmul bf16 sizes +flat from n=3072", r) for r in rows)


def test_sweeps_are_plotted_with_the_cache(full: Session) -> None:
    rows = lines(sweeps_plot.build(full, roofs(full), 80, UNICODE))
    assert any("60 MiB cache reported" in r for r in rows)
    assert any(
        re.search(r"read fp16 sizes: cache \d{4}, memory \d{4}, half-way at 4", r) for r in rows
    )
    assert any(r.strip().startswith("4800 ┤") for r in rows)
    assert any(re.search(r"^ +512 +[\d.]+ .*too small$", r) for r in rows)
    assert any(re.search(r"^ +8192 +\d+ [█░]+ +\d\d\.\d waves, \d\d % full", r) for r in rows)
    assert all(len(r) <= 80 for r in rows)


def test_without_a_sweep_there_is_no_plot(h200: Session) -> None:
    assert sweeps_plot.build(h200, roofs(h200), 80, UNICODE) == []


def test_the_device_clock_stands_beside_nvmls(full: Session) -> None:
    rows = lines(clocks_pane.build(full, 80, 20, UNICODE))
    assert any(re.search(r"clock on device 1[34]\d\d MHz", r) for r in rows)
    # A held stream is no throughput: the chart's own row begins with the matmul.
    top = next(i for i, r in enumerate(rows) if r.startswith("TFLOP/s")) - 1
    assert not rows[top][10:55].strip()
    assert rows[top][55:].strip()


def test_utilisation_is_said_as_what_it_is() -> None:
    assert util_said("0 %", True) == "a kernel ran 0 % of the time"
    assert util_said("n/a (no permission)", True) == "utilisation n/a (no permission)"
    assert util_said("3 %", False) == "CPU busy 3 %"
