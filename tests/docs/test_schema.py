"""The JSON Schemas are what the types say, and every kept session and its record keep to them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import schemas

from roofwatch.session.events import KINDS
from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.session.printable import plain_json
from roofwatch.session.summary import record

ROOT = Path(__file__).parent.parent / "sessions"
ALIKE = ("runs/run-", "two/fleet-")  # more of what one shows, and files of another schema
SESSIONS = sorted(
    path for path in ROOT.glob("**/*.jsonl") if not str(path.relative_to(ROOT)).startswith(ALIKE)
)
FIRST, EACH = 2, 80  # lines of a kind that are looked at, for speed: so many, then one of so many


@pytest.mark.parametrize("name", schemas.OUTPUT)
def test_a_schema_is_what_the_types_say(name: str) -> None:
    assert schemas.OUTPUT[name].read_text(encoding="utf-8") == schemas.document(name)


@cache
def validator(name: str) -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = json.loads(schemas.OUTPUT[name].read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def some_lines(path: Path) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if seen[event["kind"]] < FIRST or seen[event["kind"]] % EACH == 0:
            yield event
        seen[event["kind"]] += 1


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_kept_session_and_its_record_keep_to_the_schemas(path: Path) -> None:
    line = validator("session")
    for event in some_lines(path):
        assert line.is_valid(event), event
    told = json.loads(plain_json(msgspec.json.encode(record(fold(events(path)), path))))
    validator("record").validate(told)


def test_a_line_and_a_record_that_are_damaged_do_not() -> None:
    line = validator("session")
    end = {"kind": "end", "t": 1.0, "complete": True}
    assert line.is_valid({**end, "of": "a newer version"})
    for bad in ({"complete": 1}, {"t": -1.0}, {"kind": "beat"}, {"run": 0}):
        assert not line.is_valid({**end, **bad}), bad
    path = next(path for path in SESSIONS if path.stem == "h200-quick-1")
    told = json.loads(msgspec.json.encode(record(fold(events(path)), path)))
    for bad in ({"schema": "roofwatch.record/2"}, {"roofs": {}}, {"cost": {"run_s": 1}}):
        assert not validator("record").is_valid({**told, **bad}), bad


def test_every_kind_of_a_file_has_its_schema_and_the_pipes_own_has_none() -> None:
    page = json.loads(schemas.OUTPUT["session"].read_text(encoding="utf-8"))
    parts = [page["$defs"][each["$ref"].rpartition("/")[2]] for each in page["oneOf"]]
    kinds = [kind for part in parts for kind in part["properties"]["kind"]["enum"]]
    assert len(kinds) == len(set(kinds))
    assert set(kinds) == KINDS - {"beat"}
