"""Panes on a small terminal: what matters first, no figure is cut, what is left out is counted."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.events import Device, Fault, Sample, SessionInfo, Span
from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.tui.decode import short_decode
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.kernels import kernels_pane, short_kernels
from roofwatch.tui.kernels.kernels_pane import View
from roofwatch.tui.plan import short_plan
from roofwatch.tui.plan.plan_fields import PlanFields
from roofwatch.tui.plan.plan_tables import load_tables
from roofwatch.tui.screen import small_pane

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
NAMES = ("roofline", "clocks", "probes", "notebook")
SIZES = [(60, 11), (59, 15), (40, 9), (30, 7), (20, 5), (20, 1), (12, 3)]


def session_of(name: str) -> Session:
    return fold(events(SESSIONS / f"h200-{name}-1.jsonl")) if name else Session()


@pytest.fixture(scope="module", params=["quick", "full", "mistakes", "decode", ""])
def session(request: pytest.FixtureRequest) -> Session:
    return session_of(request.param)


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


def small(
    session: Session, name: str, cells: int, height: int, glyphs: Glyphs = UNICODE
) -> list[Row]:
    return small_pane.build(session, cells, height, findings(session), name, "bf16", glyphs, 0.4)


@pytest.mark.parametrize(("cells", "height"), SIZES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_pane_fills_its_size_exactly(
    session: Session, cells: int, height: int, glyphs: Glyphs
) -> None:
    drawn = [small(session, name, cells, height, glyphs) for name in NAMES]
    fields = PlanFields(load_tables(), session)
    paper = fields.answer(session).plan
    drawn += [
        short_decode.build(session, cells, height, 0, paper, glyphs),
        short_kernels.build(session, cells, height, glyphs, View()),
        short_plan.build(fields, session, cells, height, glyphs),
    ]
    for rows in drawn:
        assert [width(r) for r in rows] == [cells] * height
    for rows in drawn if glyphs is ASCII else []:
        assert all(ord(c) < 128 for r in rows for c in text_of(r))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_out_is_counted(session: Session, name: str) -> None:
    found = findings(session)
    whole = [
        text_of(r).rstrip() for r in small_pane.rows(session, 40, found, name, "bf16", UNICODE, 0.4)
    ]
    for height in range(2, len(whole)):
        rows = lines(small(session, name, 40, height))
        assert rows[-1] == f" {len(whole) - height + 1} more: ↓"
        assert rows[:-1] == whole[: height - 1]
        last = lines(small_pane.build(session, 40, height, found, name, "bf16", UNICODE, 0.4, 999))
        assert last == whole[-height:]


def test_no_figure_is_cut(session: Session) -> None:
    for name in ("roofline", "clocks", "probes"):
        seen = {n for r in lines(small(session, name, 60, 60)) for n in _figures(r)}
        for cells in range(20, 60):
            for text in lines(small(session, name, cells, 60)):
                assert set(_figures(text)) <= seen, (cells, text)


def _figures(text: str) -> list[str]:
    return [] if text.endswith("more") else re.findall(r"(?<= )\d+(?:\.\d+)?(?= |$)", text)


def test_the_roofline_is_its_figures() -> None:
    rows = lines(small(session_of("full"), "roofline", 60, 11))
    assert rows[:5] == [
        " bf16 of 989 TFLOP/s",
        " burst         831 84 %",
        " sustained     696 70 %",
        " memory       4389 of 4800 GB/s  91 %",
        " ridge         189 burst, 159 sustained, 206 nominal",
    ]
    assert lines(small(session_of("full"), "roofline", 20, 5))[:4] == [
        " bf16 of 989 TFLOP/s",
        " burst      831 84 %",
        " sustained  696 70 %",
        " memory    4389 GB/s",
    ]
    assert lines(small(Session(), "roofline", 20, 5))[0] == " no roof"


def test_clocks_stand_with_their_limits() -> None:
    rows = lines(small(session_of("quick"), "clocks", 40, 9))
    assert re.fullmatch(r" SM clock +\d+ of 1980 MHz", rows[0])
    assert rows[1].split()[0] == "reason"
    assert re.fullmatch(r" power +\d+ of 700 W", rows[2])
    assert re.fullmatch(r" temperature +\d+ °C, slows at 89", rows[3])
    assert re.fullmatch(r" memory +\d+\.\d of 140 GiB", rows[4])
    assert "waiting" in lines(small(Session(), "clocks", 20, 5))[0]


def test_what_could_not_be_read_has_its_word() -> None:
    session = Session()
    session.add(SessionInfo(t=0.0, instrument="telemetry", device=Device(kind="cuda", name="X")))
    none = dict.fromkeys(
        ("sm_mhz", "mem_mhz", "power_w", "power_instant_w", "temp_c", "mem_used_bytes", "util")
    )
    status = dict.fromkeys((*none, "reasons"), "not_supported")
    session.add(Sample(t=0.1, gpu=0, reasons=None, status=status, **none))  # type: ignore[arg-type]
    for cells in (20, 60):
        rows = [r for r in lines(small(session, "clocks", cells, 9)) if r]
        assert len(rows) == 7
        assert all("not" in r for r in rows)
        assert not any(re.search(r"\d", r) for r in rows)
    assert all("not supported" in r for r in rows)


def test_the_probe_that_runs_comes_first_with_its_progress() -> None:
    session = session_of("quick")
    session.closed = False
    session.ends.clear()
    key = session.specs[3].key
    session.add(Span(t=999.0, probe=key, edge="begin"))
    session.measurements = [m for m in session.measurements if m.probe != key]
    rows = lines(small(session, "probes", 60, 11))
    assert rows[0].startswith(" ▸ ")
    assert "40 %" in rows[0]
    assert "███" in rows[0]
    assert "running" in lines(small_pane.build(session, 60, 11, [], "probes"))[0]


def test_before_anything_is_measured_it_says_where_it_should_land() -> None:
    session = session_of("quick")
    session.measurements, session.spans = [], []
    rows = lines(small(session, "probes", 60, 11))
    assert re.search(r"add_scalar fp16 .*expected \d+–\d+ GB/s$", rows[0])


def test_doubtful_figures_come_before_the_others() -> None:
    rows = lines(small(session_of("mistakes"), "probes", 60, 11))
    marks = [r[1] for r in rows if r]
    assert marks == sorted(marks, key="✗▲✓".index)
    assert rows[0].endswith("E1")


def test_names_keep_what_tells_them_apart() -> None:
    for cells in (20, 24, 30):
        rows = [r for r in lines(small(session_of("quick"), "probes", cells, 30)) if r]
        names = [r[3:] for r in rows]
        assert len(set(names)) == len(names)
        assert any("fp16" in name for name in names)


def test_findings_and_faults_stand_whole_the_gravest_first() -> None:
    session = session_of("mistakes")
    session.add(Fault(t=9.0, what="the probes died\x1b[2J", instrument="probes"))
    rows = lines(small(session, "notebook", 60, 200))
    assert rows[0].startswith(" ✗ the probes died")
    assert "\x1b" not in "".join(rows)
    heads = [r.split()[1] for r in rows if re.match(" [✗▲] ", r)]
    assert heads[1:6] == ["E1", "E2", "E3", "E5", "E4"]
    text = " ".join(" ".join(rows).split())
    assert "…" not in text
    for f in findings(session):
        for said in (f.message, f.why):
            assert " ".join(said.split()).replace(" us ", " µs ") in text
    assert "Mistakes, made on purpose" in text
    assert "no finding" in lines(small_pane.build(session_of("quick"), 40, 3, [], "notebook"))[0]


def test_an_unknown_precision_is_the_first_there_is() -> None:
    rows = lines(small_pane.build(session_of("quick"), 40, 9, [], "roofline", "int3", UNICODE))
    assert rows[0].startswith(" bf16 of 989")


def test_batches_and_kernels_that_do_not_fit_are_counted() -> None:
    decode, kernels = session_of("decode"), session_of("kernels")
    whole = lines(short_decode.rows(decode, 20, 3, None, UNICODE))
    rows = lines(short_decode.build(decode, 20, 5, 3, None, UNICODE))
    assert rows == [*whole[:4], f" {len(whole) - 4} more: ↓"]
    batches = [int(r.split()[1]) for r in whole if r.startswith(" batch")]
    assert batches == [1, 2, 4, 8, 16, 32, 64, 128]
    assert lines(short_decode.build(decode, 20, 5, 3, None, UNICODE, 99)) == whole[-5:]
    rows = lines(short_kernels.build(kernels, 20, 6, UNICODE, View()))
    assert rows[1].startswith("▸rmsnorm")
    assert rows[-1] == " 13 more: ↓"
    last = lines(short_kernels.build(kernels, 40, 9, UNICODE, View(0, 16)))[-1]
    assert last.startswith("▸")


def test_every_page_of_the_kernels_is_there_as_text() -> None:
    full, kernels = session_of("full"), session_of("kernels")
    text = " ".join(" ".join(lines(short_kernels.build(full, 60, 150, UNICODE, View()))).split())
    assert re.search(r"add_scalar fp16 sizes: cache \d+, memory \d+, half-way at 3\d", text)
    assert re.search(r"n 8192 +\d+ TFLOP/s", text)
    assert "no kernel map here" in text
    titles = [lines(short_kernels.build(kernels, 60, 11, UNICODE, View(i)))[0] for i in range(4)]
    assert [t[1 : t.index("←")].strip() for t in titles[:3]] == kernels_pane.page_names(kernels)[:3]
    assert (
        len(
            {tuple(lines(short_kernels.build(kernels, 60, 11, UNICODE, View(i)))) for i in range(3)}
        )
        == 3
    )
    assert short_kernels.keys(full, View(), (60, 11), UNICODE)[0] == ("{ud}", "rows")


def test_the_plan_has_its_batches_on_pages() -> None:
    session = session_of("full")
    fields = PlanFields(load_tables(), session)
    seen = set()
    for _ in range(short_plan.pages(fields, session, 60, 11, UNICODE)):
        seen |= set(lines(short_plan.build(fields, session, 60, 11, UNICODE))[1:])
        fields.turn(1, 99)
    whole = lines(short_plan.build(fields, session, 60, 99, UNICODE))[1:]
    assert {r for r in whole if r} <= seen
    plan = fields.answer(session).plan
    assert plan is not None
    assert all(any(re.match(rf" +(b\* |cap )?{x.batch} ", r) for r in whole) for x in plan.curve)


def test_hostile_names_stay_text() -> None:
    session = session_of("quick")
    device = msgspec.structs.replace(session.device, name="\x1b[2Jevil")
    session.add(SessionInfo(t=0.0, instrument="telemetry", device=device))
    for name in NAMES:
        assert "\x1b" not in "".join(lines(small(session, name, 60, 11)))


def test_rates_of_a_cpu_are_in_the_unit_of_the_header() -> None:
    session = fold(events(SESSIONS / "cpu" / "kernels-1.jsonl"))
    said = next(t for t in lines(small(session, "probes", 60, 12)) if "matmul fp32" in t)
    assert "14.5 GFLOP/s" in said


@pytest.mark.parametrize(("glyphs", "unit"), [(UNICODE, "µs"), (ASCII, "us")])
@pytest.mark.parametrize("name", ["cpu/decode-1", "two/links"])
def test_microseconds_are_written_as_the_terminal_can(glyphs: Glyphs, unit: str, name: str) -> None:
    session = fold(events(SESSIONS / f"{name}.jsonl"))
    pages = range(len(kernels_pane.page_names(session)))
    drawn = [short_kernels.build(session, 60, 60, glyphs, View(page=i)) for i in pages]
    said = {word for rows in drawn for t in lines(rows) for word in re.findall(r"\d ([uµ]s)\b", t)}
    assert said == {unit}
