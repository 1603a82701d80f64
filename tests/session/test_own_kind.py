"""Our own files, given to a verb that takes other people's, are told by how they begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.session.number_file import UnreadableNumbers, read_numbers
from roofwatch.session.own_kind import own_kind
from roofwatch.trace.read_trace import read_trace
from roofwatch.trace.refusal import UnreadableTrace

SESSIONS = Path(__file__).parent.parent / "sessions"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("h200-quick-1.jsonl", "a saved session"),
        ("watch/h200-1.jsonl", "a saved session"),
        ("two/fleet-1.jsonl", "a fleet's file"),
    ],
)
def test_a_file_of_ours_is_named_with_the_verb_that_takes_it(file: str, said: str) -> None:
    path = SESSIONS / file
    with pytest.raises(UnreadableNumbers) as numbers:
        read_numbers(str(path))
    assert str(numbers.value) == f"{path}: {said}, not numbers to check: roofwatch show takes it"
    with pytest.raises(UnreadableTrace) as trace:
        read_trace(path)
    assert str(trace.value) == f"{path}: {said}, not a profiler's trace: roofwatch show takes it"


@pytest.mark.parametrize(
    ("head", "ours"),
    [
        (b'{"schema": "roofwatch.record/1", "session"', True),
        (b'\xef\xbb\xbf{\n  "schema": "roofwatch.record/1"', True),
        (b'{"kind":"session","t":0.0,"schema":"roofwatch.session/2"', True),
        (b'{"op":"add","note":"schema roofwatch.session/1"}', False),
        (b'{"op":"add"}\n{"schema":"roofwatch.session/1"}', False),
        (b'{"schemaVersion": 1, "traceEvents": [', False),
        (b"op,elements\nadd,7\n", False),
        (b"\xff\xfe{", False),
        (b"", False),
    ],
)
def test_what_is_ours_and_what_is_not(head: bytes, ours: bool) -> None:
    assert (own_kind(head, "numbers") is not None) is ours
