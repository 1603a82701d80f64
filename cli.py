"""The verbs. Each imports its parts only when it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from roofwatch.verbs.parser import USAGE, Parser, tell
from roofwatch.verbs.streams import forgiving, not_written


def _speak() -> None:
    """The language that the shell asks for; --lang says another."""
    from roofwatch.notebook.catalog import choose, language_of

    choose(language_of(os.environ))


def _cards(argv: list[str]) -> int:
    from roofwatch.verbs import cards

    return cards.main(argv)


def _check(argv: list[str]) -> int:
    from roofwatch.verbs import check

    return check.main(argv)


def _compare(argv: list[str]) -> int:
    from roofwatch.verbs import compare

    return compare.main(argv)


def _doctor(argv: list[str]) -> int:
    from roofwatch.verbs import doctor

    return doctor.main(argv)


def _plan(argv: list[str]) -> int:
    from roofwatch.verbs import plan

    return plan.main(argv)


def _quiz(argv: list[str]) -> int:
    from roofwatch.verbs import quiz

    return quiz.main(argv)


def _run(argv: list[str]) -> int:
    from roofwatch.verbs import run

    return run.main(argv)


def _screen(argv: list[str]) -> int:
    from roofwatch.verbs import screen

    return screen.main(argv, VERBS)


def _show(argv: list[str]) -> int:
    from roofwatch.verbs import show

    return show.main(argv)


def _trace(argv: list[str]) -> int:
    from roofwatch.verbs import trace

    return trace.main(argv)


def _triage(argv: list[str]) -> int:
    from roofwatch.verbs import triage

    return triage.main(argv)


def _watch(argv: list[str]) -> int:
    from roofwatch.verbs import watch

    return watch.main(argv)


VERBS: dict[str, Callable[[list[str]], int]] = {
    "cards": _cards,
    "check": _check,
    "compare": _compare,
    "doctor": _doctor,
    "plan": _plan,
    "quiz": _quiz,
    "run": _run,
    "show": _show,
    "trace": _trace,
    "triage": _triage,
    "watch": _watch,
}


def main(argv: list[str] | None = None) -> int:
    """Run a verb; a person's mistake is one line and exit code 2."""
    from roofwatch.tui.printed.live_options import with_values

    refuse = Parser(prog="roofwatch").error
    arguments = with_values(sys.argv[1:] if argv is None else argv, refuse)
    forgiving()
    _speak()
    try:
        if arguments and not arguments[0].startswith("-"):
            verb = VERBS.get(arguments[0])
            if verb is None:
                Parser(prog="roofwatch").error(f"{arguments[0]!r} is no verb")
            return verb(arguments[1:])
        return _screen(arguments)
    except ValueError as error:
        from roofwatch.roofline.models import ModelError
        from roofwatch.roofline.nominal import NominalError
        from roofwatch.session.file import SaveRefused, UnreadableSession
        from roofwatch.session.number_file import UnreadableNumbers
        from roofwatch.session.picture import PictureRefused
        from roofwatch.session.plan import PlanError
        from roofwatch.session.same_card import OtherCard
        from roofwatch.session.side_by_side import CompareRefused
        from roofwatch.session.watch.metrics_file import MetricsRefused
        from roofwatch.trace.refusal import UnreadableTrace

        of_files = (NominalError, SaveRefused, UnreadableNumbers, UnreadableSession)
        more = (MetricsRefused, ModelError, PictureRefused, PlanError, UnreadableTrace)
        known = (*of_files, *more, CompareRefused, OtherCard)
        if not isinstance(error, known):
            raise
        tell(f"roofwatch: {error}")
        return USAGE
    except OSError as error:
        not_written(error, "roofwatch")
    except KeyboardInterrupt:
        return 130
