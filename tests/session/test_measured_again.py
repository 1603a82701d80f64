"""A block that was repeated: the better one stands, and report, page and progress name both."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from roofwatch.session.events import Measurement
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.measured_again import measured_again, said_again
from roofwatch.session.rate_scale import rate_scale, scaled
from roofwatch.session.rates import value
from roofwatch.session.table import probe_rows
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.plain import _follow, changed_line, line_of
from roofwatch.tui.printed.report import report
from roofwatch.tui.probes.probe_mark import mark_of

SESSIONS = Path(__file__).parent.parent / "sessions"


@pytest.fixture(scope="module")
def cpu() -> Session:
    """A kept run in which another type did not move bytes as fast: both blocks were repeated."""
    session = fold(events(SESSIONS / "cpu" / "full-1.jsonl"))
    session.closed = True
    return session


def test_both_figures_are_told(cpu: Session) -> None:
    assert [one.probe for one in measured_again(cpu)] == ["add_scalar-fp32", "add_scalar-fp64"]
    assert said_again(cpu) == [
        "add_scalar fp32 was measured again: 4.51 GB/s stands, the better of 4.51, 4.03",
        "add_scalar fp64 was measured again: 3.22 GB/s stands, the better of 3.22, 2.88",
    ]
    assert said_again(cpu, "add_scalar-fp64") == said_again(cpu)[1:]
    stands = {m.probe: m for m in cpu.measured()}
    assert all(stands[one.probe] is one.stands for one in measured_again(cpu))


def test_the_report_tells_them_beside_the_note(cpu: Session) -> None:
    text = " ".join(" ".join(text_of(r).split()) for r in report(cpu, None, 100, UNICODE))
    assert "both blocks are repeated" in text
    assert "add_scalar-fp64: add_scalar-fp64" not in text  # named once
    assert all(said in text for said in said_again(cpu))


def test_points_of_a_sweep_and_other_runs_are_no_repetition() -> None:
    session = fold(events(SESSIONS / "h200-full-1.jsonl"))
    assert said_again(session) == []
    m = session.measured()[0]
    session.add(msgspec.structs.replace(m, run=m.run + 1))
    assert said_again(session) == []


def test_a_slow_matmul_is_told_in_the_reports_unit(cpu: Session) -> None:
    session = fold(events(SESSIONS / "cpu" / "kernels-1.jsonl"))
    m = next(m for m in session.measured() if m.probe == "matmul-fp32")
    session.add(msgspec.structs.replace(m, times_s=[t / 2 for t in m.times_s]))
    (said,) = said_again(session, "matmul-fp32")
    assert "GFLOP/s stands, the better of " in said


@pytest.mark.parametrize("by", [0.8, 1.25])
@pytest.mark.parametrize("probe", ["triad-fp16", "matmul-bf16"])
def test_a_repeat_never_loses_the_better_figure(full_file: Path, probe: str, by: float) -> None:
    stream = list(events(full_file))
    first = next(e for e in stream if isinstance(e, Measurement) and e.probe == probe)
    again = msgspec.structs.replace(first, times_s=[t * by for t in first.times_s])
    session = fold([*stream, again])
    (stands,) = (m for m in session.measured() if m.probe == probe)
    assert value(stands) == max(value(first), value(again))
    assert session.measurements[-1] is again  # both are kept


def test_of_what_is_held_and_of_another_size_the_last_stands(full_file: Path) -> None:
    stream = list(events(full_file))
    for probe, other in (("matmul-bf16-sustained", {}), ("triad-fp16", {"elements": 1 << 20})):
        first = next(e for e in stream if isinstance(e, Measurement) and e.probe == probe)
        slow = [t * 2 for t in first.times_s]
        again = msgspec.structs.replace(first, times_s=slow, shape={**first.shape, **other})
        (stands,) = (m for m in fold([*stream, again]).measured() if m.probe == probe)
        assert stands is again


def test_progress_names_what_a_figure_takes_the_place_of(cpu: Session) -> None:
    rows = {r.probe: scaled(r, rate_scale(cpu)) for r in probe_rows(cpu, [])}
    said = line_of(rows["add_scalar-fp64"], UNICODE, "measured again: 2.88")
    assert said.endswith(", measured again: 2.88")
    assert " 3.22 GB/s" in said
    assert "again" not in line_of(rows["add_scalar-fp64"], UNICODE)
    matmul = line_of(rows["matmul-fp32"], UNICODE)
    assert " 10.7 GFLOP/s" in matmul
    assert "expected 31.9 – 147" in matmul


class Told:
    """A live session that hands over its measurements one by one, as a run does."""

    path = Path("x.jsonl")
    waiting = False

    def __init__(self, name: str) -> None:
        self.left = list(events(SESSIONS / f"{name}.jsonl"))
        self.session = fold([])
        self.file = SimpleNamespace(problem=None)
        self.instruments = SimpleNamespace(silence=None)

    def poll(self) -> None:
        while self.left:
            event = self.left.pop(0)
            self.session.add(event)
            if isinstance(event, Measurement):
                return

    @property
    def probing(self) -> bool:
        return bool(self.left)


def test_a_run_tells_the_second_figure_with_the_first() -> None:
    out: Any = io.StringIO()
    told: Any = Told("cpu/full-1")
    _follow(told, out, None, UNICODE, None)
    lines = out.getvalue().splitlines()
    of_first = [line for line in lines if line.startswith(" add_scalar fp32  ")]
    assert len(of_first) == 2
    assert (" 4.51 GB/s" in of_first[0], "again" in of_first[0]) == (True, False)
    assert " 4.51 GB/s" in of_first[1]
    assert of_first[1].endswith(", measured again: 4.03, the better one stands")
    assert any(line.endswith(", measured again: 2.88, the better one stands") for line in lines)
    assert "TFLOP/s" not in out.getvalue()


def test_the_marks_of_a_run_are_those_of_its_record(cpu: Session) -> None:
    out: Any = io.StringIO()
    told: Any = Told("cpu/full-1")
    _follow(told, out, None, UNICODE, None)
    last: dict[str, str] = {}
    for line in out.getvalue().splitlines():
        names = [r.label for r in probe_rows(cpu) if line.startswith(f" {r.label} ")]
        if name := max(names, key=len, default=""):
            marks = (UNICODE.ok, UNICODE.warn, UNICODE.wrong)
            last[name] = next((m for m in marks if f" {m} " in f"{line} "), "")
    judged = {r.label: mark_of(r, UNICODE)[0] for r in probe_rows(cpu) if r.within is not None}
    assert judged
    assert {label: last[label] for label in judged} == judged


def test_what_changed_a_mark_is_said_once(cpu: Session) -> None:
    row = next(r for r in probe_rows(cpu) if r.probe == "add_scalar-fp64")
    assert changed_line(row, UNICODE).split() == [
        *(["add_scalar", "fp64", "▲", "now"]),
        *(f"{', '.join(row.codes)}, by what came after it".split()),
    ]


def test_a_mark_for_another_reason_than_the_range_beside_it_names_that(cpu: Session) -> None:
    row = next(r for r in probe_rows(cpu, []) if r.probe == "add_scalar-fp64")
    row = msgspec.structs.replace(row, measured=30.0, within=True)
    found = {"codes": ["cold-start", "unstable"], "severities": ["note", "suspect"], "grave": True}
    said = line_of(msgspec.structs.replace(row, **found), UNICODE)
    assert " ▲ " in said
    assert said.endswith(", unstable")
    assert "unstable" not in line_of(row, UNICODE)
