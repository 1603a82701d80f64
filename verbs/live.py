"""A live session from a command line, and what is said of its file at the end."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from roofwatch.tui.printed.live_options import FULL, QUICK, add_live_options, decode_shapes
from roofwatch.verbs.parser import Parser, add_language_option

if TYPE_CHECKING:
    from roofwatch.roofline.nominal import Card
    from roofwatch.session.live import Live


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a live session."""
    add_live_options(parser)
    add_language_option(parser)


def live_session(parser: Parser, options: argparse.Namespace) -> Live:
    """A live session from the options. A bad file ends with code 2 before anything runs."""
    from roofwatch.session.asked import Options
    from roofwatch.session.live import Live

    def cards() -> tuple[tuple[Card, ...], frozenset[str]]:
        from roofwatch.session.cards import load_cards  # after the first paint

        return load_cards(options.nominal)

    if options.nominal is not None or _has_own_cards():
        cards()  # a mistake in a user's file is said before the screen opens
    if options.resume is not None:
        own = {"--save": options.save, "--hold": options.hold, "--sustain": options.sustain}
        own |= {"--model": options.model, "--context": options.context}
        own |= {"--suite": options.suite != QUICK}
        if (name := next((name for name, given in own.items() if given), None)) is not None:
            parser.error(f"--resume goes on as the session began; {name} is of a new one")
    if options.device == "all" and options.suite not in (QUICK, FULL):
        parser.error(f"--device all is of --suite {QUICK} and {FULL}; the others look at one card")
    models, contexts = decode_shapes(parser, options)
    return Live(
        Options(
            device=options.device,
            suite=options.suite,
            sustain_s=options.sustain,
            hold=options.hold,
            models=models,
            contexts=contexts,
            price=options.price,
            save=options.save,
            resume=_resumed(options.resume),
            history=options.history,
        ),
        cards,
    )


def _resumed(name: str | None) -> Path | None:
    """The session that ``--resume`` names; the last that can go on where it names none."""
    if name is None:
        return None
    from roofwatch.session.resume import last_session

    if name in ("", "last"):
        return last_session()
    from roofwatch.session.saved_names import path_named

    return path_named(name, with_roofs=False)


def kept_said(live: Live) -> str:
    """Where the session is kept, or why not, and what it cost."""
    problem = live.file.problem
    if live.nothing_kept:
        return "nothing was measured: no session is kept"
    from roofwatch.tui.screen.spent import session_cost_said

    spent = session_cost_said(live.session)
    kept = f"not kept: {problem}" if problem else f"what was measured is in {live.path}"
    if not problem and not live.session.complete and live.options.probes:
        kept = f"{kept} (--resume measures the rest)"
    return f"{kept}; it {spent}" if spent else kept


def _has_own_cards() -> bool:
    from roofwatch.session.cards import user_file

    return user_file(os.environ) is not None
