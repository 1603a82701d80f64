"""The same session without a screen: a progress line a probe on stderr, a bar on a terminal."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from typing import TextIO, cast

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from roofwatch.notebook.finding import NOTE
from roofwatch.roofline.wide_range import says_little
from roofwatch.session.fold import Session
from roofwatch.session.live import Live
from roofwatch.session.measured_again import Again, measured_again
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import rate_scale, scaled
from roofwatch.session.rates import value
from roofwatch.session.table import DONE, FAILED, RUNNING, SKIPPED, ProbeRow, marked, probe_rows
from roofwatch.session.three_digits import three_digits
from roofwatch.session.which_stands import standing
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ, percent
from roofwatch.tui.drawing.rows_of_text import head_of
from roofwatch.tui.printed.progress_stream import ProgressStream
from roofwatch.tui.probes.probe_columns import MOST_NAME
from roofwatch.tui.probes.probe_mark import mark_of
from roofwatch.tui.screen.leaving import Leaving
from roofwatch.tui.screen.spent import run_cost_said

POLL_S = 0.05
SETTLED = (DONE, SKIPPED, FAILED)
SHOW, HIDE = "\x1b[?25h", "\x1b[?25l"  # the cursor


class Interrupted(Exception):
    """A signal ended the run."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def run(live: Live, glyphs: Glyphs, out: ProgressStream, leaving: Leaving | None = None) -> Session:
    """Start the instruments, say what happens, return the folded session when the suite ends.

    Raises:
        Interrupted: by a signal; the instruments are ended and the file is closed all the same.
    """
    if leaving is not None:
        leaving.ask(lambda _: None)  # seen between two looks at the instruments
    try:
        live.start()
        live.start_probes()
        with _bar(out) as bar:
            _follow(live, out, bar, glyphs, leaving)
    finally:
        live.close(leaving.why if leaving is not None else "quit")
    if leaving is not None and leaving.number:  # while it was closed
        raise Interrupted(leaving.number)
    return live.session


@contextlib.contextmanager
def _bar(out: ProgressStream) -> Iterator[Progress | None]:
    if not out.isatty():
        yield None
        return
    # A name is text: no markup is looked for in it, and no emoji.
    columns = (TextColumn(" {task.description:<20}", markup=False), BarColumn(bar_width=30))
    console = Console(file=cast(TextIO, out), highlight=False, markup=False, emoji=False)
    with Progress(*columns, console=console, transient=True) as bar, _cursor_while_stopped(out):
        bar.add_task("starting", total=1.0)
        yield bar


@contextlib.contextmanager
def _cursor_while_stopped(out: ProgressStream) -> Iterator[None]:
    """Ctrl-Z gives the cursor back that the bar hides, fg hides it again. Main thread only."""

    def stop(*_: object) -> None:
        out.write(SHOW)
        out.flush()
        os.kill(os.getpid(), signal.SIGSTOP)
        out.write(HIDE)

    before = signal.signal(signal.SIGTSTP, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


def _follow(
    live: Live, out: ProgressStream, bar: Progress | None, glyphs: Glyphs, leaving: Leaving | None
) -> None:
    before = live.session  # of a session that is resumed all that is known already
    again = {one.probe: one for one in measured_again(before)}
    said = {
        r.probe: (r.measured, _times(again.get(r.probe)))
        for r in probe_rows(before, [])
        if r.state in SETTLED
    }
    marks: dict[str, str] = {}  # as said
    faults, notes = len(before.faults), len(before.notes)
    device_said = False
    silence_said: set[str] = set()

    def say(text: str) -> None:
        if bar is None:
            out.write(text + "\n")
        else:
            bar.console.print(text)

    while True:
        if leaving is not None and leaving.number:
            raise Interrupted(leaving.number)
        live.poll()
        session = live.session
        if session.device.name and session.samples and not device_said:
            device_said = True
            kept = "" if live.file.problem else f"   session {shown(str(live.path))}"
            say(f" {shown(session.device.name)}{kept}")
        for note in session.notes[notes:]:
            if note.probe is None:
                say(f" {glyphs.note} {shown(note.text)}")
        notes = len(session.notes)
        for fault in session.faults[faults:]:
            say(f" {glyphs.wrong} {shown(fault.what)}")
            for line in fault.log:
                say(f"     {shown(line)}")
        faults = len(session.faults)
        if device_said or session.measurements:
            scale = rate_scale(session)
            again = {one.probe: one for one in measured_again(session)}
            new = set()
            for r in probe_rows(session, []):
                if r.state == RUNNING:  # one that had failed is tried again
                    said.pop(r.probe, None)
                now = r.measured, _times(again.get(r.probe))
                if r.state in SETTLED and said.get(r.probe) != now:  # a repeated block again
                    said[r.probe] = now
                    new.add(r.probe)
            for r in probe_rows(session) if new else ():  # judged, so that its mark is the record's
                if r.probe in new:
                    marks[r.probe] = marked(r)
                    factor = scale.factor_of(r.unit)
                    say(line_of(scaled(r, scale), glyphs, _again(again.get(r.probe), factor)))
        silence = live.instruments.silence
        if silence is not None and silence[0] not in silence_said:
            silence_said.add(silence[0])
            say(f" {glyphs.warn} {silence[0]}: silent for {silence[1]:.0f} s")
        if live.waiting:
            occupied = live.busy()
            if occupied is not None:
                say(f" {glyphs.warn} {occupied.sentence}; measuring all the same")
            live.go()
            continue  # what came of it is said before anything ends
        if bar is not None:
            _move(live, bar)
        if not live.probing:
            for r in probe_rows(session):
                if marks.get(r.probe, marked(r)) != marked(r):  # by what was measured after it
                    say(changed_line(r, glyphs))
            if session.price is not None:
                say(f" {run_cost_said(session)}")
            return
        time.sleep(POLL_S)


def _move(live: Live, bar: Progress) -> None:
    beat = live.instruments.beat("probes")
    running = live.session.running()
    label = live.session.label(running) if running else None
    share = beat.progress if beat and beat.probe == running and beat.progress else 0.0
    bar.update(
        bar.task_ids[0],
        description=label or (beat.state if beat else "starting"),
        completed=share if running else 0.0,
    )


def changed_line(r: ProbeRow, glyphs: Glyphs) -> str:
    """Of a probe whose mark is another than when its line was said: the mark, and what it is by."""
    why = f" {', '.join(r.codes)}" if r.codes else ""
    label = head_of(r.label, MOST_NAME, glyphs.ellipsis)
    return f" {label:<21} {mark_of(r, glyphs)[0] or glyphs.note} now{why}, by what came after it"


def _times(again: Again | None) -> int:
    return len(again.all) if again is not None else 1


def _again(again: Again | None, factor: float) -> str:
    """Of a probe that was measured again: the figure that gave way, times ``factor``."""
    if again is None:
        return ""
    *before, last = again.all
    if last is not again.stands:
        return f"measured again: {three_digits(value(last) * factor)}, the better one stands"
    stood = standing(before)[again.probe]
    return f"measured again: in place of {three_digits(value(stood) * factor)}"


def line_of(r: ProbeRow, glyphs: Glyphs, again: str = "") -> str:
    """One probe's line: expected, measured, share of nominal, whether it is wrong on purpose.

    ``again`` is what is said of one that was measured again.
    """
    label = head_of(r.label, MOST_NAME, glyphs.ellipsis)
    if r.state in (SKIPPED, FAILED):
        return f" {label:<21} {r.state}: {shown(r.why or '')}"
    expected = ""
    if r.low is not None and r.high is not None:
        expected = f"expected {three_digits(r.low)} {glyphs.dash} {three_digits(r.high)}"
        expected += " (wide)" if says_little(r.low, r.high) else ""
    share = f"{percent(r.of_nominal)} of nominal" if r.of_nominal else ""
    told = r.within is not None and not r.on_purpose  # a wrong number is meant to lie outside
    mark = mark_of(r, glyphs)[0] if told else ""
    if r.said:
        return f" {label:<21} {r.said}"
    rate = three_digits(r.measured) if r.measured is not None else NOT_READ
    measured = f"{rate:>6} {r.unit:<8}"
    said = f" {label:<21} {measured} {mark:<2} {expected:<24} {share}".rstrip()
    grave = [c for c, of in zip(r.codes, r.severities, strict=False) if of != NOTE]
    if told and r.within and grave:  # what else its mark is for than the range beside it
        said += f", {', '.join(grave)}"
    said += f", {again}" if again else ""
    return f"{said}, on purpose" if r.on_purpose else said
