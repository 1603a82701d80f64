"""``roofwatch plan`` without a screen: its options, and the answer on stdout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.model import Model
from roofwatch.session.cards import load_cards
from roofwatch.session.models import load_models, model_named
from roofwatch.session.plan import Plan, PlanError, Question
from roofwatch.session.plan_fields import FIELDS, question_of
from roofwatch.session.plan_sources import answer, measured_plan, table
from roofwatch.session.printable import plain_json
from roofwatch.tui.glyphs import Glyphs

DESCRIPTION = "A card and a model on paper: ridge, weights, KV cache, what a batch can reach."
EPILOG = """\
Without --gpu and --model: the table of the seeds; with one of them the table over the other.
Figures are nominal unless given (--bandwidth, --peak) or measured (--session FILE).
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``roofwatch plan``."""
    for name, field in FIELDS.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(
            option, dest=f"said_{name}", metavar="X", help=field.what.replace("%", "%%")
        )
    said = "a saved session: its card, by the bandwidth and peak measured there"
    parser.add_argument("--session", type=Path, metavar="FILE", help=said)
    parser.add_argument("--nominal", type=Path, metavar="FILE", help="cards of your own")
    parser.add_argument("--json", action="store_true", help="the plan as JSON, alone on stdout")


def run(options: argparse.Namespace, glyphs_of: Callable[[str | None], Glyphs]) -> int:
    """Print the plan, or the table where a card or a model is not named; exit code 0.

    Raises:
        PlanError, ModelError, NominalError, UnreadableSession: bad input, in one line.
    """
    said = {n: v for n in FIELDS if (v := getattr(options, f"said_{n}")) is not None}
    question = question_of(said)
    all_cards, user_keys = load_cards(options.nominal)
    cards, models = Cards(all_cards, user_keys), load_models()
    found: Plan | list[Plan]
    if options.session is not None:
        found = _measured(options.session, question, cards, models)
    elif question.card and question.model:
        found = answer(question, cards, models)
    else:
        found = table(question, all_cards, cards, models)
    _print(found, options.json, glyphs_of)
    return 0


def _measured(file: Path, question: Question, cards: Cards, models: Sequence[Model]) -> Plan:
    from roofwatch.session.replay import Replay

    session = Replay(file).session
    if not question.model:
        raise PlanError("a session's card needs a model (--model)")
    model = model_named(question.model, models)
    try:
        return measured_plan(session, question, cards, model)
    except PlanError as error:
        raise PlanError(f"{file}: {error}") from None


def _print(
    found: Plan | Sequence[Plan], as_json: bool, glyphs_of: Callable[[str | None], Glyphs]
) -> None:
    if sys.stdout is None:  # closed by the shell
        return
    if as_json:
        sys.stdout.buffer.write(plain_json(msgspec.json.encode(found)) + b"\n")
        sys.stdout.flush()
        return
    from roofwatch.tui.plan_rows import plan_rows, table_rows
    from roofwatch.tui.print_rows import columns, print_rows

    cells, glyphs = columns(sys.stdout), glyphs_of(sys.stdout.encoding)
    if isinstance(found, Plan):
        print_rows(plan_rows(found, cells, glyphs), sys.stdout)
    else:
        print_rows(table_rows(found, cells, glyphs), sys.stdout)
