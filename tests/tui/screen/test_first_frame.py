"""The frame before the first frame: it fits, it is gone when the screen is there or cannot be."""

from __future__ import annotations

import os
import pty
import select
from collections.abc import Iterator
from typing import TextIO

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.tui.screen.first_frame import ENTER, KEYS, LEAVE, first_frame, frame


@given(st.integers(1, 300), st.integers(2, 120))
def test_it_stands_on_the_first_and_the_last_row(columns: int, rows: int) -> None:
    screen = pyte.Screen(columns, rows)
    pyte.Stream(screen).feed(frame(columns, rows))
    assert screen.display[0].startswith(" roofwatch"[:columns])
    assert screen.display[-1].startswith(KEYS[:columns])
    assert not any(line.strip() for line in screen.display[1:-1])
    assert screen.cursor.hidden


@pytest.fixture
def terminal() -> Iterator[tuple[int, TextIO]]:
    """The reading end of a pseudo-terminal, and a stream on the other."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as stream:
        yield master, stream
    os.close(master)


def test_a_screen_that_comes_up_finds_it_there(terminal: tuple[int, TextIO]) -> None:
    master, stream = terminal
    with first_frame(stream):
        pass
    seen = os.read(master, 4096).decode()
    assert seen.startswith(ENTER)
    assert LEAVE not in seen


@pytest.mark.parametrize("error", [ImportError, KeyboardInterrupt, SystemExit])
def test_one_that_does_not_leaves_the_terminal_as_it_was(
    terminal: tuple[int, TextIO], error: type[BaseException]
) -> None:
    master, stream = terminal
    with pytest.raises(error), first_frame(stream):
        raise error
    seen = ""
    while not seen.endswith(LEAVE) and select.select([master], [], [], 2)[0]:
        seen += os.read(master, 4096).decode()
    assert seen.startswith(ENTER)
    assert seen.endswith(LEAVE)


def test_where_there_is_no_terminal_nothing_is_written(tmp_path: pytest.TempPathFactory) -> None:
    path = f"{tmp_path}/out"
    with open(path, "w") as stream, first_frame(stream):
        pass
    assert not os.path.getsize(path)
