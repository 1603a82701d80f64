"""``roofwatch plan`` without a screen: its options, and the answer on stdout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.example import Example
from roofwatch.roofline.model import Model
from roofwatch.session.cards import load_cards
from roofwatch.session.models import load_models, model_named
from roofwatch.session.plan import Plan, PlanError, Question
from roofwatch.session.plan_fields import FIELDS, question_of
from roofwatch.session.plan_sources import answer, kept_plan, seeds, table
from roofwatch.session.saved_names import ROOFS, path_named
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.printed.print_json import print_json

DESCRIPTION = "A card and a model on paper: ridge, weights, KV cache, what a batch can reach."
EPILOG = """\
Without any option: the worked examples of the three notes that the project
grew from (its seeds: Day 1, Day 18, H100 note), below their table of cards and
models (--examples: these alone). With --gpu, --session or --model alone: the
table over the other. Figures are nominal unless given (--bandwidth, --peak,
--overhead) or measured (--session FILE); what is given goes before what was
measured. --price adds a line, and a column to a table. --weights: fp8, int8
and int4 count a byte or half a byte for each weight, head and embedding too,
without scales. --tp N: N cards share each layer; --link-gbs and --link-latency
say by what. Exit codes: 0 answered; 1 it could not be written (a full disk); 2
usage, or a card, a model or a file that cannot be used.

examples:
  roofwatch plan --gpu "A100 80GB SXM" --model Llama-2-7B --price 1.99/h
  roofwatch plan --model Llama-3-8B             over every card
  roofwatch plan --gpu H200 --context 8192      over every model
  roofwatch plan --gpu T4 --model TinyLlama --weights int4 --batch-max 512
  roofwatch plan --session last --model ./config.json --json
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``roofwatch plan``."""
    for name, field in FIELDS.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(
            option, dest=f"said_{name}", metavar="X", help=field.what.replace("%", "%%")
        )
    said = "a saved session or a fleet's file: its card, by the bandwidth, peak, overhead and "
    said += "links measured there, nominal where it has none; several times: the first that has "
    said += f"a figure gives it; {ROOFS}"
    parser.add_argument("--session", type=Path, action="append", metavar="FILE", help=said)
    parser.add_argument("--nominal", type=Path, metavar="FILE", help="cards of your own")
    said = "every worked example of the notes, each worked out; goes with --json only"
    parser.add_argument("--examples", action="store_true", help=said)
    parser.add_argument("--json", action="store_true", help="the plan as JSON, alone on stdout")


def run(options: argparse.Namespace, glyphs_of: Callable[[str | None], Glyphs]) -> int:
    """Print the plan, or the table where a card or a model is not named; exit code 0.

    Where nothing is asked at all, the seeds' worked examples stand below their table.

    Raises:
        PlanError, ModelError, NominalError, UnreadableSession: bad input, in one line.
    """
    said = {n: v for n in FIELDS if (v := getattr(options, f"said_{n}")) is not None}
    asked = bool(said or options.session or options.nominal)
    if options.examples and asked:
        raise PlanError(
            "--examples is of the notes' own cards and models: only --json goes with it"
        )
    question = question_of(said)
    for name in ("link_gbs", "link_latency"):
        if name in said and "tp" not in said:
            raise PlanError(f"--{name.replace('_', '-')} is of several cards: it goes with --tp")
    found = None if options.examples else _found(options, question)
    if options.json:
        print_json(_examples() if found is None else found)
    elif sys.stdout is not None:  # closed by the shell
        pairs = asked and not (question.card or question.model or options.session)
        _print_text(found, [] if asked else _examples(), glyphs_of(sys.stdout.encoding), pairs)
    return 0


def _found(options: argparse.Namespace, question: Question) -> Plan | list[Plan]:
    all_cards, user_keys = load_cards(options.nominal)
    cards, models = Cards(all_cards, user_keys), load_models()
    if options.session is not None:
        files = [path_named(str(file)) for file in options.session]
        return _measured(files, question, cards, models)
    if question.card and question.model:
        return answer(question, cards, models)
    return table(question, all_cards, cards, models)


def _examples() -> list[Example]:
    from roofwatch.roofline.worked_examples import worked_examples

    return worked_examples(seeds())


def _measured(
    files: Sequence[Path], question: Question, cards: Cards, models: Sequence[Model]
) -> Plan | list[Plan]:
    from roofwatch.session.fleet.fleet_file import is_fleet, read_fleet
    from roofwatch.session.replay import Replay

    of_fleets = [file for file in files if is_fleet(file)]
    sessions = [Replay(file).session for file in files if file not in of_fleets]
    kept = sessions, [read_fleet(file) for file in of_fleets]
    model = model_named(question.model, models) if question.model else None
    try:
        if model is None:
            return [kept_plan(*kept, question, cards, each) for each in models]
        return kept_plan(*kept, question, cards, model)
    except PlanError as error:
        raise PlanError(f"{', '.join(map(str, files))}: {error}") from None


def _print_text(
    found: Plan | Sequence[Plan] | None, examples: Sequence[Example], glyphs: Glyphs, pairs: bool
) -> None:
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.drawing.rows_of_text import row
    from roofwatch.tui.notebook.example_rows import HEAD, PAIRS, example_rows, head_rows
    from roofwatch.tui.plan.card_model_rows import table_rows
    from roofwatch.tui.plan.parallel_rows import scaling_rows
    from roofwatch.tui.plan.plan_rows import plan_rows

    cells = columns(sys.stdout)
    if isinstance(found, Plan):
        rows = [*plan_rows(found, cells, glyphs), *scaling_rows(found, cells)]
    else:
        rows = table_rows(found, cells, glyphs) if found is not None else []
    below = example_rows(examples, cells)
    head = head_rows(HEAD, cells) if below else head_rows(PAIRS, cells) if pairs else []
    print_rows([*head, *rows, *([row("")] if rows and below else []), *below], sys.stdout, glyphs)
