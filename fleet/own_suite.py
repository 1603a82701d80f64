"""This rank's own suite: a live session without a screen, whose children may die while it lives."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from roofwatch.roofline.per_cent import per_cent
from roofwatch.session.asked import Options
from roofwatch.session.cards import load_cards
from roofwatch.session.exit_code import ABSENT, exit_code
from roofwatch.session.fleet.lines import DONE, FAILED, PARTIAL
from roofwatch.session.live import Live
from roofwatch.session.summary import record

LOOK_S = 0.05
NOBODY_KEEPS = Path(os.devnull)  # the record goes into the fleet's own file


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a rank's suite ended, and its record as JSON."""

    state: str
    why: str = ""
    record: bytes = b"null"
    absent: bool = False  # the device that was asked for is not there


def own_suite(
    options: Options,
    doing: Callable[[str], None],
    may_go: Callable[[], bool],
    stopped: Callable[[], str],
) -> Outcome:
    """Measure, and sum it up. Main thread only.

    ``doing`` hears every look what is under way; ``may_go`` is asked once everything is ready;
    ``stopped`` gives a reason to end early, or nothing.
    """
    live = Live(msgspec.structs.replace(options, save=NOBODY_KEEPS), load_cards)
    why = ""
    try:
        live.start()
        live.start_probes()
        while live.probing and not why:
            live.poll()
            doing(_doing(live))
            if live.waiting and may_go():
                live.go()
            why = stopped()
            time.sleep(LOOK_S)
    finally:
        live.close(why or "quit")
    return _outcome(live, why)


def _doing(live: Live) -> str:
    beat = live.instruments.beat("probes")
    running = live.session.running()
    if running is not None:
        share = beat.progress if beat and beat.probe == running else 0.0
        return f"measuring {running}{f' {per_cent(share)}' if share else ''}"
    return beat.state if beat is not None else "starting"


def _outcome(live: Live, why: str) -> Outcome:
    session = live.session
    code = exit_code(session, [], strict=False)
    faults = [f.what for f in session.open_faults if f.instrument != "file"]
    if not session.measured():
        state = FAILED
    elif why or code or not session.complete:
        state = PARTIAL
    else:
        state = DONE
    said = why or (faults[0] if faults and state != DONE else "")
    return Outcome(
        state=state,
        why=said or ("nothing was measured" if state == FAILED else ""),
        record=msgspec.json.encode(record(session, None)),
        absent=code == ABSENT,
    )
