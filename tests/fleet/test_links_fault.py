"""Whose part of the links failed, from what the ranks say of their own."""

from __future__ import annotations

import pytest

from roofwatch.fleet.links_fault import (
    BROKEN,
    KILLED,
    SAID,
    SILENT,
    SILENT_S,
    Fault,
    culprit,
    fault_of,
    faults_heard,
    say_fault,
    shortened,
)

GLOO = (
    "[/__w/pytorch/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:537] Read error "
    "[127.0.0.1]:58555: Connection reset by peer. This is typically caused by a remote worker "
    "hanging or bugs in the application. Check the logs of the remote worker before reporting an "
    "error. GLHF! \U0001f3d6\ufe0f (at measuring all_reduce 12 B)"
)
NCCL = (
    "[E1130 15:20:12.645403265 ProcessGroupNCCL.cpp:1028] [Rank 1] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=4) ran for 60000 milliseconds"
)


class Process:
    """A process of the links as it may be found."""

    def __init__(self, how: str | None, killed: bool = False, silent_s: float = 0.0) -> None:
        self._how, self.killed, self.silent_s = how, killed, silent_s
        self.doing = "measuring all_reduce 12 B"

    def over(self) -> bool:
        return self._how is not None

    def how(self) -> str:
        return self._how or ""


class Meeting:
    """What is said and counted."""

    def __init__(self) -> None:
        self.told: dict[str, str] = {}
        self.counted = 0

    def say(self, key: str, text: str) -> None:
        self.told[key] = text

    def said(self, key: str) -> str | None:
        return self.told.get(key)

    def count(self, key: str, by: int = 0) -> int:
        self.counted += by
        return self.counted


def test_what_a_library_says_is_cut_down_to_what_helps() -> None:
    at = " (at measuring all_reduce 12 B)"
    assert shortened(GLOO) == f"Read error [127.0.0.1]:58555: Connection reset by peer{at}"
    assert shortened(NCCL).startswith("[Rank 1] Watchdog caught collective operation timeout")
    waited = "wait timeout after 60000ms, keys: /4baba3/roofwatch/links/0//cpu//1/2"
    assert shortened(f"{waited}{at}") == f"not all ranks came in 60 s{at}"
    assert len(shortened("x" * 5000 + at)) < 200
    assert shortened("x" * 5000 + at).endswith(at)


@pytest.mark.parametrize(
    ("process", "cause"),
    [
        (Process(None), None),
        (Process(""), None),
        (Process(None, silent_s=SILENT_S + 1), SILENT),
        (Process("killed by signal 9 at measuring", killed=True), KILLED),
        (Process(GLOO), BROKEN),
        (Process("CUDA error: out of memory (at measuring all_reduce 8 B)"), SAID),
    ],
)
def test_how_a_process_ended(process: Process, cause: str | None) -> None:
    fault = fault_of(process)  # type: ignore[arg-type]
    assert (fault.cause if fault else None) == cause


@pytest.mark.parametrize(
    ("causes", "rank"),
    [
        ({0: BROKEN, 1: BROKEN, 2: KILLED}, 2),
        ({0: BROKEN, 1: SILENT, 2: BROKEN}, 1),
        ({3: BROKEN, 1: SAID, 2: BROKEN}, 1),
        ({5: KILLED, 2: KILLED}, 5),  # the first to say so
        ({4: "of a newer version", 2: BROKEN}, 4),
    ],
)
def test_the_cause_is_named_not_those_who_suffer_from_it(causes: dict[int, str], rank: int) -> None:
    meeting = Meeting()
    for each, cause in causes.items():
        say_fault(meeting, each, Fault(cause=cause, how="so"))  # type: ignore[arg-type]
    found = culprit(faults_heard(meeting, range(8)))  # type: ignore[arg-type]
    assert found is not None
    assert found[0] == rank


def test_a_word_that_cannot_be_read_is_that_ranks_fault() -> None:
    meeting = Meeting()
    meeting.say("links/2", "junk")
    say_fault(meeting, 1, Fault(cause=BROKEN, how="so"))  # type: ignore[arg-type]
    found = culprit(faults_heard(meeting, range(4)))  # type: ignore[arg-type]
    assert found is not None
    assert (found[0], found[1].how) == (2, "ended")
    assert culprit({}) is None
