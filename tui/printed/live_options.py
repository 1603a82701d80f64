"""What a live session may be asked for on the command line, and how each word of it is read."""

from __future__ import annotations

import argparse
import math
import os
import re
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from roofwatch.roofline.model import Model
    from roofwatch.session.events import Price

DEVICE = re.compile(r"auto|cpu|cuda(:[0-9]{1,4})?")
ANY_DEVICE = re.compile(rf"all|{DEVICE.pattern}")
MOST_SUSTAIN_S = 3600.0
MOST_WATCH_S = 1e7
MOST_CONTEXT = 1 << 20  # tokens

# Of roofline.suite, which costs the first paint 20 ms.
SUITES = ("quick", "full", "mistakes", "decode", "kernels", "links")
QUICK, FULL, DECODE = SUITES[0], SUITES[1], SUITES[3]
SUITE = (
    "quick, full; mistakes: the notebook's E1 to E5 made on purpose, and flagged; decode: a "
    "transformer's step against the batch; kernels: what a transformer's kernels make of the card; "
    "links: copies between host and card and between cards"
)
DEVICES = "auto, cpu or cuda:N; all: the first, then every card alone and all of them at once"
HOLD = "precisions to hold for seconds, or all; without it the suite's own"
RESUME = (
    "go on with a session that was cut short, with its own suite; without FILE, or with last, the "
    "last one in which something is left (last~1: the one saved before the newest)"
)
NOMINAL = "cards that add to or override the table"
MODEL = (
    "what --suite decode runs: names, or a Hugging Face config.json; several with commas (without "
    "it TinyLlama-1.1B and Llama-3-8B)"
)
CONTEXT = "its tokens in the KV cache of each sequence (256,2048)"
NO_HISTORY = "expect what is published, not what this card has reached in saved sessions"
PRICE = "what the card costs, such as 1.99/h, 14.5 CNY/h or 0.033/min: then what it buys is said"


def with_values(arguments: Iterable[str], refuse: Callable[[str], NoReturn]) -> list[str]:
    """``--price -1/h`` as ``--price=-1/h``: argparse takes such a value for an option.

    ``--price=--`` is refused: argparse drops the ``--``, and its value would be an empty list.
    """
    said = list(arguments)
    ours = list(takewhile(lambda word: word != "--", said))  # behind it stand no options
    for each in ours:
        if re.fullmatch(r"-[\w-]+=--", each):
            name = each.removesuffix("=--")
            refuse(f"argument {name[:60]}: expected a value, not '--'")
    for i in range(len(ours) - 1, 0, -1):
        if re.match(r"-\.?\d", said[i]) and re.fullmatch(r"--[a-z][a-z-]*", said[i - 1]):
            said[i - 1 : i + 1] = [f"{said[i - 1]}={said[i]}"]
    return said


def add_live_options(parser: argparse.ArgumentParser) -> None:
    """The options of the screen and of ``roofwatch run``."""
    add = parser.add_argument
    add("--device", type=any_device, default="auto", help=DEVICES)
    add("--suite", choices=SUITES, default=QUICK, help=SUITE)
    add("--sustain", type=seconds, metavar="S", help="seconds of a sustained probe (3, full 10)")
    add("--hold", type=precisions, default=(), metavar="KEY,...", help=HOLD)
    add("--model", type=models, action="extend", default=[], metavar="NAME,...", help=MODEL)
    add("--context", type=contexts, action="extend", default=[], metavar="N,...", help=CONTEXT)
    add("--save", type=Path, metavar="FILE", help="keep the session there (must be new or empty)")
    add("--resume", nargs="?", const="", metavar="FILE", help=RESUME)
    add("--nominal", type=Path, metavar="FILE", help=NOMINAL)
    add("--no-history", dest="history", action="store_false", help=NO_HISTORY)
    add_price_option(parser)


def add_price_option(parser: argparse.ArgumentParser) -> None:
    """``--price``, which a saved session takes as well."""
    parser.add_argument("--price", type=price, metavar="X/h", help=PRICE)


def device(text: str) -> str:
    """``auto``, ``cpu`` or ``cuda:N``."""
    if not DEVICE.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not auto, cpu or cuda:N")
    return "cuda:0" if text == "cuda" else text


def any_device(text: str) -> str:
    """The same, or ``all``."""
    if text == "all":
        return text
    try:
        return device(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not auto, all, cpu or cuda:N") from None


def seconds(text: str) -> float:
    """How long a sustained probe is held."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 1.0 <= value <= MOST_SUSTAIN_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 1 to 3600")
    return value


def seconds_of_watch(text: str) -> float:
    """How long is watched."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.1 <= value <= MOST_WATCH_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0.1 to 1e7")
    return value


def precisions(text: str) -> tuple[str, ...]:
    """Peak keys that a matmul probe exists for, separated by commas."""
    from roofwatch.roofline.probe_spec import MATMUL_KEYS
    from roofwatch.roofline.suite import HOLD_ALL

    keys = tuple(key.strip() for key in text.split(","))
    for key in keys:
        if key not in (*MATMUL_KEYS, HOLD_ALL):
            known = ", ".join((*MATMUL_KEYS, HOLD_ALL))
            raise argparse.ArgumentTypeError(f"{key!r} is none of {known}")
    return keys


def models(text: str) -> list[Model]:
    """Models by name or ``config.json``, separated by commas; a path may hold one itself."""
    try:
        return _models([text] if os.path.exists(text) else text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def contexts(text: str) -> list[int]:
    """Tokens in the KV cache, separated by commas."""
    found = []
    for each in text.split(","):
        tokens = int(each) if re.fullmatch(r"\s*[0-9]{1,7}\s*", each) else 0
        if not 1 <= tokens <= MOST_CONTEXT:
            said = f"{each[:60]!r} is not a number of tokens from 1 to {MOST_CONTEXT}"
            raise argparse.ArgumentTypeError(said)
        found.append(tokens)
    return found


def decode_shapes(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[tuple[Model, ...], tuple[int, ...]]:
    """Models and contexts of the decode suite, each once; empty where another suite runs.

    Ends with the parser's error where another suite was told them, or two models have one name.

    Raises:
        ModelError: the user's own models cannot be used; one line.
    """
    if options.suite != DECODE:
        if options.model or options.context:
            parser.error(f"--{'model' if options.model else 'context'} is of --suite decode")
        return (), ()
    from roofwatch.roofline.suite import CONTEXTS, MODELS

    by_name: dict[str, Model] = {}
    for model in options.model or _models(MODELS):
        if by_name.setdefault(model.name, model) != model:
            parser.error(f"two models are called {model.name}: a session tells them apart by name")
    return tuple(by_name.values()), tuple(dict.fromkeys(options.context or CONTEXTS))


def _models(names: Iterable[str]) -> list[Model]:
    import msgspec

    from roofwatch.session.models import load_models, model_named
    from roofwatch.session.printable import shown

    known = load_models()
    found = [model_named(name.strip(), known) for name in names]
    # A folder's name may be no text; what a session keeps is.
    return [msgspec.structs.replace(m, name=shown(m.name) or "config.json") for m in found]


def price(text: str) -> Price:
    """What the card costs an hour."""
    from roofwatch.roofline.price import price_of
    from roofwatch.session.events import Price

    try:
        per_hour, currency = price_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return Price(per_hour=per_hour, currency=currency)
