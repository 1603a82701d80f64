"""The probe table: its columns at every width, its cursor, what is out of sight."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roofwatch.session.events import Device, Fault, Measurement, Note, SessionInfo, Span
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.table import WAITING, ProbeRow
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.probes import probes_pane
from roofwatch.tui.probes.probe_columns import words_of

SESSIONS = sorted((Path(__file__).parent.parent.parent / "sessions").glob("*.jsonl"))
SIZES = [(160, 40), (120, 30), (80, 21), (72, 14), (60, 12), (48, 10), (34, 9), (20, 5)]


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


def at_start_of(path: Path, probe: str) -> Session:
    """The session as it was when a probe began."""
    stream = list(events(path))
    end = next(i for i, e in enumerate(stream) if isinstance(e, Span) and e.probe == probe)
    return fold(stream[: end + 1])


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: p.stem)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_size_is_filled_exactly_with_and_without_a_cursor(path: Path, glyphs: object) -> None:
    session = fold(events(path))
    for cells, height in SIZES:
        for at in (None, 0, 3, 99):
            rows = probes_pane.build(session, cells, height, glyphs, at=at)  # type: ignore[arg-type]
            assert [width(r) for r in rows] == [cells] * height
            if glyphs is ASCII:
                assert all(text_of(r).isascii() for r in rows)


def test_at_80_cells_every_column_of_the_quick_suite_stands(h200: Session) -> None:
    rows = lines(probes_pane.build(h200, 80, 14, UNICODE))
    assert rows[0].split() == [
        "probe",
        "expected",
        "measured",
        "nominal",
        "roof",
        "repeats",
        "findings",
    ]
    held = next(r for r in rows if "3 s" in r)
    assert re.search(r"544– 866 TFLOP/s +679 ✓ +69 % +83 % +[▁-█]{7} · throttled$", held)


def test_figures_stand_under_their_heads(full: Session) -> None:
    rows = lines(probes_pane.build(full, 120, 30, UNICODE))
    measured = [r for r in rows[1:] if "✓" in r]
    assert len(measured) > 15
    for head in ("measured", "nominal", "roof"):
        end = rows[0].index(head) + len(head)
        assert all(r[end - 1] in "0123456789%" and r[end] in " +" for r in measured), head
    dashes = {r.index("–") for r in measured}
    assert len(dashes) == 1


@pytest.mark.parametrize(
    ("cells", "gone"),
    [
        (120, []),
        (80, ["repeats"]),
        (66, ["repeats", "roof"]),
        (60, ["repeats", "roof", "nominal"]),
        (48, ["repeats", "roof", "nominal", "expected"]),
        (34, ["repeats", "roof", "nominal", "expected", "findings"]),
    ],
)
def test_columns_give_way_in_their_order(full: Session, cells: int, gone: list[str]) -> None:
    rows = lines(probes_pane.build(full, cells, 30, UNICODE))
    heads = ["probe", "expected", "measured", "nominal", "roof", "repeats", "findings"]
    assert rows[0].split() == [h for h in heads if h not in gone]
    assert re.search(r"^ matmul bf16 .*831", rows[2])
    assert "TFLOP/s" in rows[2]  # no figure loses its unit
    assert "✓" in rows[2]


def test_the_roof_is_the_cards_own_burst(full: Session, h200: Session) -> None:
    rows = lines(probes_pane.build(full, 120, 30, UNICODE))

    def shares(probe: str) -> list[str]:
        line = next(r for r in rows if r.startswith(f" {probe} "))
        return re.findall(r"(\d+) %", line)

    assert shares("matmul bf16") == ["84", "100"]  # a burst defines it
    assert shares("triad fp16") == ["91", "100"]  # the best stream is the slope
    assert shares("strided fp16") == ["37", "40"]
    assert shares("matmul bf16 10 s") == ["70", "84"]
    wrong = lines(probes_pane.build(h200, 120, 30, UNICODE))
    assert not any("%  %" in r for r in wrong)


def test_a_number_made_wrong_has_no_share_of_the_roof() -> None:
    session = fold(events(SESSIONS[0].parent / "h200-mistakes-1.jsonl"))
    rows = lines(probes_pane.build(session, 120, 30, UNICODE))
    assert [len(re.findall(r"\d %", r)) for r in rows if r.startswith(" E1 ")] == [1]


def test_findings_stand_behind_the_mark_of_their_severity(full: Session) -> None:
    rows = lines(probes_pane.build(full, 80, 30, UNICODE))
    assert any(r.endswith("· strided") for r in rows)
    assert any(r.endswith("· E2") for r in rows)
    assert any(r.endswith(" library") for r in rows)
    row = ProbeRow(
        probe="x",
        label="x",
        unit="GB/s",
        state="done",
        low=1.0,
        high=2.0,
        measured=9.0,
        codes=["E2", "units"],
        severities=["wrong", "suspect"],
        grave=True,
    )
    assert words_of(row, UNICODE) == ["✗ E2", "▲ units"]
    assert words_of(row, ASCII) == ["X E2", "! units"]
    assert probes_pane._fitting(["✗ E2", "▲ units"], 8, UNICODE) == "✗ E2 +1"
    assert probes_pane._fitting(["▲ unstable"], 6, UNICODE) == "▲ uns…"


def test_a_held_probes_spark_falls_through_time(h200: Session) -> None:
    rows = lines(probes_pane.build(h200, 120, 14, UNICODE))
    held = next(r for r in rows if "3 s" in r)
    drawn = re.search(r"[▁-█]{7,}", held)
    assert drawn is not None
    assert drawn[0][0] == "█"
    assert max(drawn[0][2:]) < "█"


# -- the cursor ------------------------------------------------------------------------------


def test_the_row_under_the_cursor_is_marked_over_its_whole_width(full: Session) -> None:
    rows = probes_pane.build(full, 80, 30, UNICODE, at=3)
    here = [r for r in rows if text_of(r).startswith("▸")]
    assert [text_of(r)[:12] for r in here] == ["▸matmul tf32"]
    assert all(style.endswith("-here") for _, style in here[0])
    assert width(here[0]) == 80
    ascii_rows = lines(probes_pane.build(full, 80, 30, ASCII, at=3))
    assert [r[:12] for r in ascii_rows if r.startswith(">")] == [">matmul tf32"]


@pytest.mark.parametrize("height", [5, 9, 12, 19])
def test_the_cursor_is_always_in_view_and_what_is_not_is_counted(
    full: Session, height: int
) -> None:
    total = probes_pane.length(full, 80, UNICODE)
    for at in range(probes_pane.count(full)):
        rows = lines(probes_pane.build(full, 80, height, UNICODE, at=at))
        marked = [r for r in rows if r.startswith("▸")]
        assert len(marked) == 1
        above = re.search(r"(\d+) rows? above", rows[-1])
        below = re.search(r"(\d+) more rows?", rows[-1])
        hidden = sum(int(found[1]) for found in (above, below) if found)
        assert hidden == total - (height - 2)
    assert "above" in rows[-1]
    assert "more" not in rows[-1]  # at the last probe all remarks below it are in view


def test_without_a_cursor_the_running_probe_is_in_view(full_file: Path) -> None:
    session = at_start_of(full_file, "read-fp16-sweep")
    rows = lines(probes_pane.build(session, 80, 8, UNICODE, 0.5))
    assert any("read fp16 sizes" in r and "running" in r for r in rows)
    assert probes_pane.start(session) == 17
    assert probes_pane.key_at(session, 17) == "read-fp16-sweep"
    moved = lines(probes_pane.build(session, 80, 8, UNICODE, 0.5, at=0))
    assert moved[1].startswith("▸add_scalar fp16")  # a cursor is followed instead


def test_a_key_is_known_wherever_the_cursor_stands(full: Session) -> None:
    keys = [probes_pane.key_at(full, i) for i in range(probes_pane.count(full))]
    assert keys == [s.key for s in full.specs]
    assert probes_pane.key_at(full, 99) == keys[-1]
    assert probes_pane.key_at(full, -1) == keys[0]


# -- states ----------------------------------------------------------------------------------


def test_a_bar_a_failure_and_a_long_name_have_their_row(h200_file: Path) -> None:
    session = at_start_of(h200_file, "matmul-fp16")
    session.add(Fault(t=9.0, instrument="probes", what="out of memory", probe="matmul-bf16"))
    session.measurements[:] = [m for m in session.measurements if m.probe != "matmul-bf16"]
    rows = lines(probes_pane.build(session, 80, 20, UNICODE, progress=0.25))
    assert re.search(r"matmul fp16 .*█{5}░{15} running", rows[3])
    assert rows[2].split()[-2:] == ["✗", "failed"]
    assert any(r.startswith(" matmul bf16: out of memory") for r in rows)
    narrow = lines(probes_pane.build(session, 34, 20, UNICODE, progress=2.0))
    assert any("running" in r for r in narrow)


def test_what_a_file_says_stays_text_and_large_figures_keep_their_columns() -> None:
    evil = "\x1b[2Jmodel\u202e" + "x" * 90
    session = Session()
    session.add(SessionInfo(t=0.0, suite="decode", models=[{"name": evil}]))
    device = Device(kind="cuda", name=evil)
    session.add(SessionInfo(t=0.0, instrument="telemetry", device=device))
    session.add(Note(t=0.1, text=evil, probe=f"decode-{evil}"))
    for cells in (120, 80, 48):
        rows = probes_pane.build(session, cells, 16, UNICODE, at=5)
        text = "\n".join(lines(rows))
        assert not any(c in text for c in "\x1b\u202e")
        assert {width(r) for r in rows} == {cells}


def test_a_damaged_files_figures_are_not_cut(h200_file: Path) -> None:
    session = fold(events(h200_file))
    m = session.measurements[1]
    fields = {f: getattr(m, f) for f in m.__struct_fields__}
    session.measurements[1] = Measurement(**{**fields, "flop": 1e30, "times_s": [1e-12] * 3})
    rows = lines(probes_pane.build(session, 80, 20, UNICODE))
    broken = next(r for r in rows if r.startswith(" matmul bf16 "))
    assert "1.00e+30" in broken
    assert "over" in broken  # a share that no card has


def test_a_card_without_nominal_figures_has_no_such_column(h200: Session) -> None:
    h200.nominal = None
    rows = lines(probes_pane.build(h200, 80, 14, UNICODE))
    assert "nominal" not in rows[0]
    assert "roof" in rows[0]


def test_before_a_run_the_table_waits(h200_file: Path) -> None:
    session = fold(e for e in events(h200_file) if e.t < 1.0)
    rows = lines(probes_pane.build(session, 80, 20, UNICODE))
    assert sum(r.endswith(WAITING) for r in rows) == 10


def test_a_share_above_the_roof_has_a_sign(full: Session) -> None:
    rows = lines(probes_pane.build(full, 120, 30, UNICODE))
    assert re.search(r"fill fp32 .* 106 %\+ ", next(r for r in rows if "fill fp32" in r))
    assert sum("%+" in r for r in rows) == 1
