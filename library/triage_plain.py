"""``roofwatch triage`` without a screen: their output goes to stderr, the answer to stdout."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import msgspec

from roofwatch.library.their_callable import NoCallable, Watched, find, told
from roofwatch.library.triage import MEASURED, ROOFS, Absent, Refused, triage
from roofwatch.library.triaged import Triage
from roofwatch.roofline.error_text import text_of
from roofwatch.roofline.nominal import NominalError
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.time_said import time_said
from roofwatch.roofline.toml_text import one_line
from roofwatch.roofline.triage import CERTAIN, LIKELY
from roofwatch.roofline.trial import BOUNDS
from roofwatch.session.file import UnreadableSession
from roofwatch.session.printable import plain_json, shown
from roofwatch.session.rate_scale import scale_of
from roofwatch.session.saved_names import ROOFS as SAVED
from roofwatch.tui.drawing.glyphs import Glyphs, for_terminal
from roofwatch.tui.drawing.print_rows import columns, print_rows
from roofwatch.tui.drawing.rows_of_text import Row, hung, row
from roofwatch.tui.printed.live_options import device
from roofwatch.tui.printed.patient_stream import patient

USAGE, ABSENT, FAILED = 2, 3, 4
OF_FILES = (NominalError, UnreadableSession)
EPILOG = """\
The function is called many times, without arguments. A parameter batch,
batch_size, bs, n or b with a whole number as its default is changed in an
experiment, and so is a parameter dtype.
Exit codes: 0 answered; 2 nothing that can be called, or it does not work on
the device that was named; 3 that device is absent; 4 the function raised an
error. What it prints goes to stderr.
It is code, and run with your rights: triage is the one verb that runs any.

examples:
  roofwatch triage train:step
  roofwatch triage ./model.py:forward --batch-arg rows
  roofwatch triage train:step --session last        the roof of a saved session
  roofwatch triage train:step --device cpu --roof nominal --json
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add("function", metavar="MODULE:FUNCTION", help="a module's or a file's: ./x.py:function")
    add("--json", action="store_true", help="the answer as JSON, alone on stdout")
    add("--device", type=device, default="auto", help="auto, cpu or cuda:N")
    said = f"the roof of a saved session of this card; {SAVED}"
    add("--session", type=Path, metavar="FILE", help=said)
    add("--roof", choices=ROOFS, default=MEASURED, help="measured here (seconds), or nominal")
    add("--batch-arg", metavar="NAME", help="the parameter to change in the experiment")
    add("--flop", type=float, metavar="X", help="FLOP of one call by your own count")
    add("--bytes", type=float, metavar="X", help="bytes that one call reads and writes, likewise")
    add("--seconds", type=float, default=0.6, metavar="S", help="timing takes at most that long")
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def answer(options: argparse.Namespace, tell: Callable[[object], None]) -> int:
    """Triage what was asked for; the exit code. ``tell`` says one line on stderr."""
    out = _own_stdout()
    watched: Watched | None = None
    found: Triage | None = None
    typed = options.function

    def warn() -> None:
        tell(f"roofwatch: {one_line(typed)} is code: it runs now, in this process")

    try:
        watched = Watched(find(typed, warn), typed.rpartition(":")[2])
        found = triage(
            watched,
            device=None if options.device == "auto" else options.device,
            session=options.session,
            roof=options.roof,
            batch_arg=options.batch_arg,
            flop=options.flop,
            bytes=options.bytes,
            name=typed,
            seconds=options.seconds,
            say=_saying(tell),
        )
        if out is not None:
            _write(found, out, options.json)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if watched is not None and watched.raised is error:
            _tell_anyhow(tell, f"roofwatch triage: {typed} raised {told(error)}")
            return FAILED
        if isinstance(error, (Refused, NoCallable)):
            tell(f"roofwatch triage: {error}")
            return ABSENT if isinstance(error, Absent) else USAGE
        theirs = watched is not None and watched.called and isinstance(error, Exception)
        unwritten = found is not None and isinstance(error, OSError)
        if not theirs or unwritten or isinstance(error, OF_FILES):
            raise
        what = one_line(f"{type(error).__name__}: {text_of(error)}")
        _tell_anyhow(
            tell, f"roofwatch triage: {typed}: their code changed torch or the interpreter: {what}"
        )
        return FAILED
    return 0


def _tell_anyhow(tell: Callable[[object], None], line: str) -> None:
    """``tell``, or stderr itself where their code took away what telling needs."""
    try:
        tell(line)
    except Exception:
        os.write(2, f"{shown(line)}\n".encode("utf-8", errors="replace"))


def _own_stdout() -> TextIO | None:
    """A stream of our own on what was stdout; from now on their writing to it goes to stderr.

    It stays so: what their code prints at its very end must not stand behind the answer either.
    None where stdout is closed.
    """
    if sys.stdout is None:
        return None
    try:
        sys.stdout.flush()
        number = sys.stdout.fileno()
        out = patient(os.dup(number), sys.stdout.encoding)
        os.dup2(2, number)
    except (OSError, ValueError):  # no file behind it, or no stderr
        return sys.stdout
    sys.stdout = sys.stderr
    return out


def _saying(tell: Callable[[object], None]) -> Callable[[str], None]:
    """Progress, where somebody looks."""
    if sys.stderr is None or not sys.stderr.isatty():
        return lambda _: None
    return lambda what: tell(f"{what} ...")


def _write(found: Triage, out: TextIO, as_json: bool) -> None:
    if as_json:
        out.write(plain_json(msgspec.json.encode(found)).decode("utf-8") + "\n")
        out.flush()
        return
    glyphs = for_terminal(out.encoding, os.environ)
    print_rows(rows(found, columns(out), glyphs), out, glyphs)


def rows(found: Triage, cells: int, glyphs: Glyphs) -> list[Row]:
    """The answer as rows of text."""
    style = {CERTAIN: "ok", LIKELY: "ok"}.get(found.certainty, "warn")
    card = f"   {shown(found.card)}" if found.card else ""
    out = [
        row(
            (f" {shown(found.name)}", "strong"), (f"   {time_said(found.time_s)} a call{card}", "")
        ),
        row((f"   {found.bound}", style), (f"   {found.certainty}", "")),
    ]
    if found.shares:
        parts = ", ".join(f"{n} {per_cent(found.shares[n])}" for n in BOUNDS if n in found.shares)
        out += hung("   time         ", parts, cells)
    for name, route in found.routes.items():
        out += hung(f"   {name:<13}", f"{found.word(name)}: {route.because}", cells)
    out += hung("   treatment    ", found.treatment, cells)
    if found.would_help:
        out += hung("   to be surer  ", found.would_help, cells)
    if found.roof.origin:
        out += hung("   roof         ", _roof(found), cells, "dim")
    return out


def _roof(found: Triage) -> str:
    used = found.roof
    parts = [f"{used.bandwidth_gbs:.4g} GB/s"] if used.bandwidth_gbs else []
    scale = scale_of(list(used.peaks_tflops.values()))
    parts += [
        f"{key} {value * scale.factor_of(unit(key)):.3g} {scale.of(key)}"
        for key, value in used.peaks_tflops.items()
    ]
    return f"{', '.join(parts)} ({used.origin})"
