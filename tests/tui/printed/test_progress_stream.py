"""Progress reaches who reads it, and holds nobody up where nobody does."""

from __future__ import annotations

import contextlib
import io
import os
import time
from collections.abc import Iterator
from typing import TextIO

import pytest

from roofwatch.tui.printed.progress_stream import FLUSH_S, MOST, ProgressStream


@pytest.fixture
def pipe() -> Iterator[tuple[int, TextIO]]:
    """A reading end, and a stream on the other."""
    read, write = os.pipe()
    with os.fdopen(write, "w", encoding="utf-8") as stream:
        yield read, stream
    os.close(read)


def test_what_is_written_is_there_when_the_block_ends(pipe: tuple[int, TextIO]) -> None:
    read, stream = pipe
    with ProgressStream(stream) as out:
        for i in range(5):
            out.write(f"{i} – done\n")
    assert os.read(read, 4096).decode().splitlines() == [f"{i} – done" for i in range(5)]


def test_a_pipe_that_nobody_reads_holds_nothing_up(pipe: tuple[int, TextIO]) -> None:
    read, stream = pipe
    begin = time.monotonic()
    with ProgressStream(stream) as out:
        for _ in range(2 * MOST):
            out.write("x" * 200 + "\n")
    assert time.monotonic() - begin < 2 * FLUSH_S + 1.0
    os.set_blocking(read, False)
    while not out._waits.empty():  # its thread must not outlive the test in a write
        assert time.monotonic() - begin < 30
        with contextlib.suppress(BlockingIOError):
            os.read(read, 1 << 16)


def test_one_that_is_closed_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    stream = os.fdopen(write, "w")
    with ProgressStream(stream) as out:
        out.write("nobody\n")
        out.write("hears\n")
    stream.close()


def test_a_stream_without_a_descriptor_is_written_at_once() -> None:
    stream = io.StringIO()
    with ProgressStream(stream) as out:
        out.write("here\n")
        assert stream.getvalue() == "here\n"
    with ProgressStream(None) as out:
        out.write("nowhere\n")
        assert not out.isatty()
