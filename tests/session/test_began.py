"""When a session began is written in one way, in UTC, and never as a piece of something else."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from roofwatch.session.began import NO_DAY, UNKNOWN, day_utc, minute_utc, said_minute
from roofwatch.session.compare import compare
from roofwatch.session.events import SCHEMA, SessionInfo, encode
from roofwatch.session.file import events
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.fleet_json import fleet_json
from roofwatch.session.fleet.lines import SCHEMA as FLEET
from roofwatch.session.fleet.lines import Header
from roofwatch.session.fold import Session, fold
from roofwatch.session.log_entry import session_log
from roofwatch.session.markdown import compared_markdown, markdown
from roofwatch.session.picture import titles
from roofwatch.session.record_table import merged
from roofwatch.session.saved_names import path_named
from roofwatch.session.side_by_side import Named, side_by_side
from roofwatch.session.summary import record
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.log_plain import log_rows
from roofwatch.tui.printed.report import recorded_when
from roofwatch.tui.sessions import comparison_rows

SESSIONS = Path(__file__).parent.parent / "sessions"


@pytest.mark.parametrize(
    ("told", "minute"),
    [
        ("2026-11-30T18:08:31.123Z", "2026-11-30 18:08"),
        ("2026-11-30T23:30:00+05:30", "2026-11-30 18:00"),
        ("2026-11-30T23:30:00-08:00", "2026-12-01 07:30"),
        ("2026-11-30T18:08:31", "2026-11-30 18:08"),
        ("yesterday", None),
        ("0001-01-01T00:00:00+05:00", None),
        ("", None),
        (None, None),
    ],
)
def test_a_moment_is_told_in_utc(told: str | None, minute: str | None) -> None:
    assert minute_utc(told) == minute
    assert day_utc(told) == (minute[:10] if minute else None)
    assert said_minute(told) == (f"{minute} UTC" if minute else UNKNOWN)


def begun(told: str | None) -> Session:
    said = list(events(SESSIONS / "h200-quick-1.jsonl"))
    assert isinstance(said[0], SessionInfo)
    said[0] = msgspec.structs.replace(said[0], started_at=told)
    return fold(said)


@pytest.mark.parametrize(
    ("told", "moment"),
    [
        ("2026-11-30T18:08:31.123Z", "2026-11-30T18:08:31.123Z"),
        ("2026-11-30T18:08:31Z", "2026-11-30T18:08:31Z"),
        ("2026-11-29T23:30:35-05:00", "2026-11-30T04:30:35.000Z"),
        ("2026-11-30 18:08:31.123456", "2026-11-30T18:08:31.123456Z"),
        ("2026-13-30T18:08:31Z", None),
        ("yesterday", None),
    ],
)
def test_in_what_scripts_read_it_is_iso_8601_in_utc(
    tmp_path: Path, told: str, moment: str | None
) -> None:
    session = begun(told)
    said = record(session, None)
    assert said.session.started_at == moment
    assert (said.session.status.get("started_at") == "not_known") is (moment is None)
    assert said.table.sessions[0].started_at == (moment or "")
    first = msgspec.structs.replace(SessionInfo(t=0.0, schema=SCHEMA), started_at=told)
    (tmp_path / "a.jsonl").write_bytes(encode(first))
    (logged,) = session_log([tmp_path])
    assert logged.started_at == moment
    header = Header(schema=FLEET, started_at=told)
    (tmp_path / "a.jsonl").write_bytes(msgspec.json.encode(header) + b"\n")
    (logged,) = session_log([tmp_path])
    assert logged.started_at == moment
    fleet = b"".join(fleet_json(read_fleet(tmp_path / "a.jsonl"), []))
    assert msgspec.json.decode(fleet)["fleet"]["started_at"] == (moment or "")


def test_the_later_of_two_is_told_by_its_moment_in_whatever_zone() -> None:
    early, late = begun("2026-11-30T23:30:00+09:00"), begun("2026-11-30T20:00:00Z")
    for pair in ([early, late], [late, early]):
        first = merged(pair).table.sessions[0]
        assert first.started_at == "2026-11-30T20:00:00Z"


@pytest.mark.parametrize("told", [None, "yesterday, at noon", "2026-11-30T23:30:00-08:00"])
def test_every_place_that_tells_it(told: str | None) -> None:
    session, other = begun(told), begun("2026-01-01T00:00:00Z")
    found = compare(other, session)
    side = side_by_side([Named("a", other), Named("b", session)], False)
    places = [
        recorded_when(session),
        titles(session, None)[1],
        markdown(session),
        compared_markdown(side),
        *(text_of(r) for r in comparison_rows.head(found, 100, UNICODE)),
    ]
    said = "\n".join(places)
    if told is not None and told.startswith("2026"):
        assert said.count("2026-12-01 07:30") == len([p for p in places if "07:30" in p]) >= 4
        return
    assert "yesterday" not in said
    assert said.count(UNKNOWN) == 3
    assert f"{UNKNOWN} UTC" not in said
    assert NO_DAY not in said


def test_last_and_the_log_count_alike(tmp_path: Path) -> None:
    """A file that does not say when it began is as old as it is."""
    for number, told in enumerate(
        [None, "2026-01-01T00:00:00Z", "no date", "1999-01-01T00:00:00Z"]
    ):
        said = list(events(SESSIONS / "h200-quick-1.jsonl"))
        assert isinstance(said[0], SessionInfo)
        said[0] = msgspec.structs.replace(said[0], started_at=told)
        (tmp_path / f"{number}.jsonl").write_bytes(b"".join(map(encode, said)))
    logged = list(session_log([tmp_path]))
    assert [e.file for e in logged] == [str(path_named(f"last~{i}", [tmp_path])) for i in range(4)]
    dates = [text_of(r)[:18].strip() for r in log_rows(logged, 120, UNICODE)[1:5]]
    assert dates == ["unknown", "unknown", "2026-01-01 00:00", "1999-01-01 00:00"]
