"""A command line and an environment through ``roofwatch.cli.main``, in this process.

Nothing is measured and no code of anybody's is run: where a live session or a callable would be
made, the command line has been read, and that is the answer.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import fuzz_seeds as seeds
from fuzz_promises import Broken, hold_text

from roofwatch import cli
from roofwatch.library import triage_plain
from roofwatch.library.their_callable import NoCallable
from roofwatch.notebook import catalog
from roofwatch.session import live

USAGE = 2
KNOWN = (0, USAGE, 5)
LONGEST = 1000  # characters of a line that says what is wrong


class Measures(Exception):
    """From here on it would measure."""


class Answer(NamedTuple):
    """What came out of a command."""

    code: int
    out: str
    err: str


def lay_out(folder: Path) -> None:
    """The files that the command lines name, of every kind that a path may lead to."""
    (folder / "s.jsonl").write_text("\n".join(seeds.session("mistakes")) + "\n", encoding="utf-8")
    (folder / "mine.toml").write_text(seeds.tables("nominal.toml", "[[card]]")[3], "utf-8")
    (folder / "config.json").write_text(json.dumps(seeds.LLAMA), encoding="utf-8")
    (folder / "rows.csv").write_text("op,gpu,elements,dtype,time\nadd,T4,1e8,fp16,4ms\n", "utf-8")
    (folder / "folder").mkdir(exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (folder / "link").symlink_to("s.jsonl")
        os.mkfifo(folder / "pipe")


def _measures(*_: object, **__: object) -> None:
    raise Measures


def _no_callable(typed: str, before: object) -> None:
    raise NoCallable("no code is run here")


def _exit(code: int) -> None:
    raise Broken(f"ends the process at once, with {code}")


@contextlib.contextmanager
def _harmless(environ: Mapping[str, str] | None) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for patch in (
            mock.patch.object(live, "Live", _measures),
            mock.patch.object(triage_plain, "find", _no_callable),
            mock.patch.object(os, "_exit", _exit),
        ):
            stack.enter_context(patch)
        if environ is not None:
            stack.enter_context(mock.patch.dict(os.environ, environ))
        yield


def answer_of(argv: Sequence[str], environ: Mapping[str, str] | None = None) -> Answer:
    """The exit code and both streams of one command; raises what leaves it."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(b'{"op": "add"}\n'), "utf-8")
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = given, out, err
    code: object = 0
    try:
        with _harmless(environ):
            code = cli.main(list(argv))
    except SystemExit as error:
        code = error.code
    except Measures:
        pass
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        catalog.choose(catalog.LANGUAGES[0])
    if not isinstance(code, int):
        raise Broken(f"exit code {code!r}")
    return Answer(code, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")


def hold_answer(answer: Answer) -> bool:
    """An answer or a refusal, both of plain text; whether it was refused."""
    hold_text(answer.out, "stdout")
    hold_text(answer.err, "stderr")
    if answer.code not in KNOWN:
        raise Broken(f"exit code {answer.code}: {answer.err[:300]}")
    if answer.code == USAGE and len(max(answer.err.splitlines(), key=len, default="")) > LONGEST:
        raise Broken(f"a refusal of {len(answer.err)} characters: {answer.err[:300]!r}")
    if "Traceback" in answer.err:
        raise Broken(answer.err[:300])
    lines = answer.err.splitlines()
    rows = all(line.startswith("roofwatch: point ") for line in lines)  # a line for each
    if answer.code == USAGE and (not lines or (not answer.out and len(lines) > 1 and not rows)):
        raise Broken(f"exit code 2 with {len(lines)} lines: {answer.err[:300]!r}")
    return answer.code == USAGE
