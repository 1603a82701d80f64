"""``roofwatch watch`` without a screen: around a command, or alone, a line a second or as JSON."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from subprocess import DEVNULL, Popen
from typing import TextIO

import msgspec

from roofwatch.roofline.reasons import word
from roofwatch.session.events import AnyEvent, End, Sample, SessionInfo, Span, encode
from roofwatch.session.exit_code import ABSENT
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.live import Live
from roofwatch.session.watch.card_roofs import card_roofs
from roofwatch.session.watch.command import NotStarted, Passing, code_of, ended, name_of
from roofwatch.session.watch.marks import Mark, Marks
from roofwatch.session.watch.metrics_file import MetricsFile
from roofwatch.session.watch.openmetrics import openmetrics
from roofwatch.session.watch.summary import watched
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ, percent
from roofwatch.tui.drawing.print_rows import columns, print_rows
from roofwatch.tui.printed.patient_stream import left
from roofwatch.tui.printed.watch_rows import rows

POLL_S = 0.1
FIRST_SAMPLE_S = 3.0  # the card before the work: NVML starts in 0.3 s, or seconds
NAMED_S = 20.0  # of a card that was named: without it nothing is run
LINE_S = 1.0


class Output(msgspec.Struct, kw_only=True):
    """Where readings go beside the session: JSON lines, lines for people, a metrics file.

    ``unread``: whoever read the first two went away. That must not end work that is watched.
    """

    json: bool = False
    lines: TextIO | None = None
    metrics: MetricsFile | None = None
    unread: bool = False

    def take(self, session: Session, news: Sequence[AnyEvent], now_s: float) -> None:
        """Hand on what has come."""
        if self.json and not self.unread and sys.stdout is not None:
            data = b"".join(encode(event) for event in news if isinstance(event, Sample))
            try:
                if data:
                    sys.stdout.buffer.write(data)
                    sys.stdout.flush()
            except (OSError, ValueError):
                self._leave()
            self.unread = self.unread or left(sys.stdout)
        if self.metrics is not None and session.samples and self.metrics.due(now_s):
            self.metrics.write(openmetrics(session, watching=True))

    def say(self, session: Session, glyphs: Glyphs) -> None:
        """One line of now."""
        if self.lines is None or self.unread:
            return
        try:
            self.lines.write(_line(session, glyphs) + "\n")
            self.lines.flush()
        except (OSError, ValueError):
            self._leave()
        self.unread = self.unread or left(self.lines)

    def _leave(self) -> None:
        """What is left unwritten goes nowhere."""
        self.unread = True
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def close(self, session: Session) -> None:
        """The metrics say that they are old from now on."""
        if self.metrics is not None and session.samples:
            self.metrics.write(openmetrics(session, watching=False))


def around(
    live: Live,
    command: Sequence[str],
    environ: Mapping[str, str],
    out: Output,
    tell: Callable[[object], None],
) -> int:
    """Run a command and watch it; its exit code, or 3 where the card that was named is absent.

    With JSON on stdout the command's own stdout goes to stderr.
    """
    marks = Marks()
    try:
        with Passing() as passing:
            live.start()
            code = _card_first(live, passing, out)
            if code is not None:
                return code
            begin_s = live.now()
            stdout = None
            if out.json:
                stdout = DEVNULL if sys.stderr is None else sys.stderr.fileno()
            try:
                process = passing.start(command, {**environ, **marks.environment}, stdout)
            except NotStarted as error:
                tell(f"roofwatch watch: {command[0]}: {error}")
                if live.options.save is None:
                    live.file.discard()
                return error.exit_code
            live.tell(SessionInfo(t=begin_s, command=name_of(command)))
            live.tell(Span(t=begin_s, probe=name_of(command), edge="begin"))
            status = _follow(live, process, passing, marks, out)
            _marked(live, marks.poll(last=True), begin_s)
            live.tell(Span(t=live.now(), probe=live.session.spans[-1].probe, edge="end"))
            live.tell(End(t=live.now(), complete=True, why=ended(status)))
            out.take(live.session, live.poll(), live.now())
            if marks.dropped:
                tell(f"roofwatch watch: {marks.dropped} marks more than are kept")
            return code_of(status)
    finally:
        marks.remove()
        live.close()
        out.close(live.session)


def _card_first(live: Live, passing: Passing, out: Output) -> int | None:
    """Wait for a first reading of the card at rest; an exit code where nothing is to be run."""
    named = live.options.device.startswith("cuda")
    end_s = time.monotonic() + (NAMED_S if named else FIRST_SAMPLE_S)
    while time.monotonic() < end_s and not live.session.samples:
        passing.wait(POLL_S / 2, None)
        out.take(live.session, live.poll(look_up=False), live.now())
        if passing.asked:
            return 128 + passing.asked[0]
        if any(f.exit_code == ABSENT for f in live.session.faults):
            return ABSENT
        if live.instruments.heard_out("telemetry"):
            break
    return None


def _follow(live: Live, process: Popen[bytes], passing: Passing, marks: Marks, out: Output) -> int:
    begin_s = live.now()
    while True:
        passing.wait(POLL_S, process)
        _marked(live, marks.poll(), begin_s)
        out.take(live.session, live.poll(), live.now())
        if (status := process.poll()) is not None:
            return status


def _marked(live: Live, found: Sequence[Mark], begin_s: float) -> None:
    """Each mark ends the part before it; one that tells its moment has that, within the work."""
    for mark in found:
        now_s, t = live.now(), None
        if mark.at_ns is not None:
            t = now_s - (time.monotonic_ns() - mark.at_ns) / 1e9
        moment_s = t if t is not None and begin_s <= t <= now_s else now_s
        last = live.session.spans[-1]
        if last.edge == "begin":
            moment_s = max(moment_s, last.t)
            live.tell(Span(t=moment_s, probe=last.probe, edge="end"))
        live.tell(Span(t=moment_s, probe=mark.name, edge="begin"))


def alone(live: Live, seconds: float | None, out: Output, glyphs: Glyphs) -> int:
    """Watch until a signal, for so many seconds, or until nobody reads; 0, or 128 + the signal."""
    try:
        with Passing() as passing:
            live.start()
            end_s = None if seconds is None else time.monotonic() + seconds
            said_s = 0.0
            while not passing.asked and not out.unread:
                wait_s = POLL_S if end_s is None else min(POLL_S, end_s - time.monotonic())
                if wait_s <= 0:
                    break
                passing.wait(wait_s, None)
                out.take(live.session, live.poll(), live.now())
                if live.session.samples and live.now() >= said_s:
                    said_s = live.now() + LINE_S
                    out.say(live.session, glyphs)
                if any(f.exit_code == ABSENT for f in live.session.faults):
                    return ABSENT
            return 128 + passing.asked[0] if passing.asked else 0
    finally:
        live.close("watched to its end")
        out.close(live.session)


def _line(session: Session, glyphs: Glyphs) -> str:
    """The measured card now."""
    last = session.samples[-1]
    power = last.power_instant_w if last.power_instant_w is not None else last.power_w
    used = last.mem_used_bytes
    parts = [
        f"{session.duration_s:7.1f} s",
        f"{_of(last.sm_mhz):>5} MHz",
        f"{_of(power):>4} W",
        f"{_of(last.temp_c):>3} {glyphs.degree}C",
        f"{NOT_READ if used is None else f'{used / 2**30:.1f}':>6} GiB",
        f"{percent(last.util):>5}",
        word(last.reasons),
    ]
    return "  ".join(parts).rstrip()


def _of(value: float | None) -> str:
    return NOT_READ if value is None else f"{value:.0f}"


def summarise(
    live: Live, to: TextIO | None, glyphs: Glyphs, tell: Callable[[object], None]
) -> None:
    """The summary on ``to``, faults before it, where the session is kept behind it."""
    session = live.session
    said = [fault.what for fault in session.faults]
    said += [note.text for note in session.notes if not note.text.startswith("telemetry: ")]
    for what in dict.fromkeys(said):
        tell(f"roofwatch watch: {what}")
    with contextlib.suppress(OSError):  # the terminal may be gone
        if to is not None and (session.samples or session.command):
            seen = watched(session, card_roofs(session))
            print_rows(rows(seen, findings(session), columns(to), glyphs), to, glyphs)
    if live.file.problem:
        tell(f"not kept: {live.file.problem}")
    elif not live.nothing_kept:
        tell(f" session {live.path}")
