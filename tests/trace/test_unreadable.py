"""What is no trace, or a hostile one: one line that names the file and the place, or safe text."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.trace import trace_bytes
from roofwatch.trace.read_trace import read_trace
from roofwatch.trace.refusal import UnreadableTrace

from .conftest import answer, events

ONE = events(("aten::mm", [[64, 64], [64, 64]], "k", 100.0, 5.0))


def told(path: Path) -> str:
    with pytest.raises(UnreadableTrace) as error:
        read_trace(path)
    said = str(error.value)
    assert "\n" not in said
    assert path.name in said
    return said


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"hello", "no trace"),
        (b"\x00" * 99, "no trace"),
        (b"{", "cut off"),
        (b'{"traceEvents": [}', "line 1.*byte 17"),
        (b'{"traceEvents": [\n\n{"ph": x}]}', "line 3.*byte"),
        (b"{}", "traceEvents is missing"),
        (b'{"a": 1}', "traceEvents is missing"),
        (b'{"traceEvents": 3}', "traceEvents: expected array"),
        (b'{"traceEvents": [3]}', "event 0: expected object"),
        (b"[[]]", "event 0: expected object"),
        (b'[{"ph": "X", "ts": "soon"}]', "event 0: ts: expected .*float"),
        (b'{"traceEvents": [{}, {"ph": "X", "args": 3}]}', "event 1: args: expected object"),
        (b'{"traceEvents": []}', "no kernel, copy or operator"),
        (b'{"traceEvents": [{"ph": "M", "name": "x"}]}', "no kernel, copy or operator"),
        (b'{"traceEvents": [{"name": "\xff\xfe"}]}', "UTF-8|event 0|invalid"),
        (b'{"x": ' + b"[" * 100_000, "nested too deeply"),
        (b"\x1f\x8bgarbage", "gzip"),
        (b"SQLite format 3\x00 and no more", "no database"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    assert re.search(words, told(path)), told(path)


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    assert "directory" in told(tmp_path).lower()
    assert "No such file" in told(tmp_path / "missing.json")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "pipe" in told(pipe)


def test_a_gzip_that_is_cut_off_says_so(tmp_path: Path) -> None:
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(json.dumps(ONE * 500).encode())[:-20])
    assert "cut off" in told(path)


def test_a_bomb_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_bytes, "PIECE", 1 << 16)
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * (4 << 20) + b"]"))
    with pytest.raises(UnreadableTrace, match="unpacks to more than 1 MiB"):
        trace_bytes.json_bytes(path, 1 << 20)
    path.write_bytes(gzip.compress(b"\0" * (4 << 20)))
    assert "neither JSON" in told(path)
    plain = tmp_path / "long.json"
    plain.write_bytes(b"[" + b" " * (2 << 20))
    with pytest.raises(UnreadableTrace, match="more than 1 MiB"):
        trace_bytes.json_bytes(plain, 1 << 20)


def test_a_hostile_name_reaches_no_terminal(trace: Callable[..., Path]) -> None:
    from roofwatch.tui.drawing.glyphs import UNICODE
    from roofwatch.tui.drawing.rows_of_text import text_of, width
    from roofwatch.tui.trace.trace_kernel_page import whole as kernel_page
    from roofwatch.tui.trace.trace_page import whole

    name = "\x1b]0;owned\x07\r\n\u202e" + "k" * 100_000
    found = [dict(event) for event in ONE]
    found[0]["name"] = "aten::\x1b[31m" + "x" * 5000
    found[2]["name"] = name
    seen = answer(trace(found))
    assert seen.kernels[0].name == name
    for cells in (60, 80, 120):
        rows = [
            *whole(seen, cells, UNICODE, 20),
            *kernel_page(seen.kernels[0], seen, cells, UNICODE),
        ]
        for row in rows:
            assert text_of(row).isprintable()
            assert width(row) <= cells


def test_shapes_of_any_kind_never_end_it(trace: Callable[..., Path]) -> None:
    for dims in (
        3,
        "x",
        [3],
        [[-1, 4], [4, 4]],
        [[1 << 62, 1 << 62], [2, 2]],
        [[1 << 40] * 30, [4, 4]],
        [[[1]], [None]],
        {},
    ):
        found = [dict(event) for event in ONE]
        found[0] = found[0] | {"args": found[0]["args"] | {"Input Dims": dims}}
        row = answer(trace(found)).kernels[0]
        assert row.bound == "unknown"
        assert row.flop is None
