"""The readers that fuzz.py damages input for: how a case is made, and what is done with it.

A case is bytes. ``run`` returns whether the case was refused, and raises whatever is neither an
answer nor a refusal in one line.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import fuzz_seeds as seeds
import fuzz_traces
import msgspec
import mutations
from fuzz_commands import answer_of, hold_answer
from fuzz_promises import Broken, hold_refusal, hold_text
from fuzz_session import looked_at, whole

from roofwatch.notebook.catalog import language_of
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.sheet import rows
from roofwatch.notebook.verdict import VERDICTS, check_rows
from roofwatch.roofline.lookup import Identity, lookup
from roofwatch.roofline.models import ModelError
from roofwatch.roofline.nominal import NominalError
from roofwatch.session.cards import load_cards
from roofwatch.session.file import SaveRefused, sessions_folder
from roofwatch.session.models import load_models, read_config
from roofwatch.session.number_file import UnreadableNumbers, read_numbers
from roofwatch.session.printable import plain_json
from roofwatch.telemetry.choose import visible
from roofwatch.tui.drawing.glyphs import UNICODE, for_terminal
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.drawing.theme import THEMES, theme_of
from roofwatch.tui.notebook.verdict_rows import answers

PLACES = ("field ", "line ", "UTF-8", "nested too deeply", "more than")  # of a TOML file
DEVICES = (
    Identity(name=""),
    Identity(
        name="",
        sm_count=132,
        bus_bits=5120,
        memory_bytes=80 << 30,
        mem_max_mhz=2619.0,
        sm_max_mhz=1980.0,
        compute_capability="9.0",
        l2_bytes=50 << 20,
    ),
)
"""Devices that say nothing, and all, of themselves."""
Make = Callable[[random.Random], bytes]
Run = Callable[[bytes, Path, random.Random, bool], bool]


class Reader(NamedTuple):
    """One reader: ``whole_share`` of its cases go through all that is made of what was read."""

    make: Make
    run: Run
    whole_share: float


def _again(rng: random.Random) -> range:
    """How often a seed is damaged: mostly once, now and then not at all."""
    return range(rng.choice((0, 1, 1, 1, 1, 1, 2, 2, 3, 6)))


def _written(data: bytes, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _toml(name: str, header: str, rng: random.Random) -> bytes:
    entries = seeds.tables(name, header)
    text = "schema = 1\n\n" + "\n".join(rng.choices(entries, k=rng.choice((1, 1, 2))))
    for _ in _again(rng):
        text = mutations.toml_changed(rng, text)
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.3:
        data = mutations.bytes_changed(rng, data, rng.choice(entries).encode())
    return data


def _nominal(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
    path = _written(data, folder / "nominal.toml")
    try:
        cards, mine = load_cards(path, {})
    except NominalError as error:
        hold_refusal(str(error), "nominal.toml", *PLACES)
        return True
    for card in cards if mine else ():
        if card.key in mine:
            for device in DEVICES:
                lookup(msgspec.structs.replace(device, name=card.names[0]), cards, mine)
    if entire and mine:
        card = next(card for card in cards if card.key in mine)
        hold_answer(answer_of(["plan", "--nominal", str(path), "--model", "TinyLlama"]))
        hold_answer(answer_of(["plan", "--nominal", str(path), "--gpu", card.names[0]]))
        of = ["--op", "add", "--elements", "1e9", "--dtype", "fp16", "--time", "1ms"]
        hold_answer(answer_of(["check", "--nominal", str(path), "--gpu", card.names[0], *of]))
    return False


def _models(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
    home = folder / "home"
    _written(data, home / "roofwatch" / "models.toml")
    environ = {"XDG_CONFIG_HOME": str(home)}
    try:
        models = load_models(environ)
    except ModelError as error:
        hold_refusal(str(error), "models.toml", *PLACES)
        return True
    if entire:
        for more in (["--gpu", "T4"], ["--model", models[0].name], ["--json"]):
            hold_answer(answer_of(["plan", *more], environ))
    return False


def _config_case(rng: random.Random) -> bytes:
    document: Any = rng.choice(seeds.CONFIGS)
    for _ in _again(rng):
        document = mutations.changed(rng, document)
    data = mutations.as_json(rng, document).encode("utf-8", "surrogatepass")
    if rng.random() < 0.3:
        data = mutations.bytes_changed(rng, data, json.dumps(rng.choice(seeds.CONFIGS)).encode())
    return data


def _config(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
    path = _written(data, folder / "config.json")
    try:
        read_config(path)
    except ModelError as error:
        hold_refusal(str(error), "config.json", "field ", "no JSON", "an object", "UTF-8", "MiB")
        return True
    if entire:
        for more in ([], ["--gpu", "H200"], ["--gpu", "T4", "--json"]):
            hold_answer(answer_of(["plan", "--model", str(path), *more]))
    return False


def _session_case(rng: random.Random) -> bytes:
    lines = list(seeds.session(rng.choice(seeds.SUITES)))
    for _ in _again(rng):
        at, act = rng.randrange(len(lines)), rng.randrange(12)
        if act == 0:
            lines.insert(rng.randrange(len(lines)), lines.pop(at))
        elif act == 1 and len(lines) > 1:
            del lines[at]
        elif act == 2:
            lines.insert(rng.randrange(len(lines)), lines[at])
        elif act == 3:
            lines.insert(at, rng.choice(seeds.session(rng.choice(seeds.SUITES))))
        elif act == 4:
            lines[at] = mutations.raw_text(mutations.text_changed(rng, lines[at]))
        elif not lines[at].startswith("{"):
            continue
        else:
            with suppress(ValueError, RecursionError):  # its text was damaged before
                lines[at] = mutations.as_json(rng, mutations.changed(rng, json.loads(lines[at])))
    data = ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        other = "\n".join(seeds.session(rng.choice(seeds.SUITES)))
        data = mutations.bytes_changed(rng, data, other.encode())
    return data


def _session(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
    path = _written(data, folder / "s.jsonl")
    session = looked_at(path)
    if session is None:
        return True
    if entire:
        whole(session, path, rng)
    return False


def _row(rng: random.Random) -> dict[str, Any]:
    row: Any = rng.choice(seeds.claims())
    for _ in _again(rng):
        row = mutations.changed(rng, row)
    return row if isinstance(row, dict) else {"op": row}


def _jsonl_case(rng: random.Random) -> bytes:
    lines = [mutations.as_json(rng, _row(rng)) for _ in range(rng.choice((1, 1, 2, 5)))]
    text = f"[{','.join(lines)}]" if rng.random() < 0.1 else "\n".join(lines)
    data = text.encode("utf-8", "surrogatepass")
    return mutations.bytes_changed(rng, data, data) if rng.random() < 0.3 else data


def _csv_case(rng: random.Random) -> bytes:
    row = _row(rng)
    part = rng.choice((",", ",", ";", "\t"))
    cells = [mutations.raw_text(f"{v}") for v in row.values()]
    lines = [part.join(map(str, row)), *[part.join(cells)] * rng.choice((1, 1, 2))]
    for _ in _again(rng):
        at = rng.randrange(len(lines))
        lines[at] = mutations.text_changed(rng, lines[at])
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    return mutations.bytes_changed(rng, data, data) if rng.random() < 0.3 else data


@cache
def _cards() -> Cards:
    return Cards(*load_cards(environ={}))


def _numbers(name: str) -> Run:
    def run(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
        path = _written(data, folder / name)
        try:
            found = list(check_rows(rows(read_numbers(str(path)), name), _cards()))
        except UnreadableNumbers as error:
            hold_refusal(str(error), name)
            return True
        for one in found:
            if (one.verdict in VERDICTS) == (one.error is not None):
                raise Broken(f"neither a verdict nor an error: {one}")
            if one.error is not None:
                hold_refusal(one.error, "", "row ", "heading")
        encoded = b"\n".join(plain_json(msgspec.json.encode(v)) for v in found)
        hold_text(encoded.decode(), "the answer as JSON")
        hold_text("\n".join(map(text_of, answers(found, 80, UNICODE, True))), "the answer")
        if entire:
            hold_answer(answer_of(["check", str(path)]))
        return any(one.error is not None for one in found)

    return run


def _command_case(rng: random.Random) -> bytes:
    words = list(rng.choice(seeds.COMMANDS))
    for _ in _again(rng):
        at, act = rng.randrange(len(words) or 1), rng.randrange(8)
        if not words or act == 0:
            words.insert(at, rng.choice((*seeds.FILES, *mutations.TOKENS[-30:], "--", "-", "--x")))
        elif act == 1:
            del words[at]
        elif act == 2:
            words[at] = rng.choice(seeds.FILES)
        elif act == 3:
            other = rng.choice(seeds.COMMANDS)
            words[at:] = other[rng.randrange(len(other)) :]
        elif act == 4:
            words.insert(rng.randrange(len(words)), words[at])
        else:
            words[at] = mutations.argument(rng, words[at])
    return json.dumps([mutations.as_argument(word) for word in words]).encode()


def _command(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
    return hold_answer(answer_of(json.loads(data)))


def _environment_case(rng: random.Random) -> bytes:
    found = {}
    for name, values in seeds.VARIABLES.items():
        if rng.random() < 0.5:
            value = rng.choice(values)
            for _ in _again(rng):
                value = mutations.argument(rng, value)
            found[name] = mutations.as_argument(value)
    return json.dumps(found).encode()


def _environment(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
    environ: dict[str, str] = json.loads(data)
    for encoding in ("utf-8", "ascii", None):
        for_terminal(encoding, environ)
    language_of(environ)
    if theme_of(environ) not in THEMES:
        raise Broken(f"no theme: {theme_of(environ)!r}")
    entries = visible(environ.get("CUDA_VISIBLE_DEVICES"))
    if entries is not None and not all(isinstance(e, (int, str)) for e in entries):
        raise Broken(f"no cards: {entries!r}")
    refused = False
    with mock.patch.dict(os.environ, environ):
        try:
            sessions_folder()
        except SaveRefused as error:
            hold_refusal(str(error), "home")
            refused = True
    for of in (load_cards, load_models):
        try:
            of(environ=environ)
        except (NominalError, ModelError) as error:
            hold_refusal(str(error), "roofwatch")
            refused = True
    if entire:
        hold_answer(answer_of(["plan", "--gpu", "T4", "--model", "TinyLlama"], environ))
        hold_answer(answer_of(["run", "--device", "cpu"], environ))
    return refused


READERS: dict[str, Reader] = {
    "nominal": Reader(lambda r: _toml("nominal.toml", "[[card]]", r), _nominal, 0.02),
    "models": Reader(lambda r: _toml("models.toml", "[[model]]", r), _models, 0.02),
    "config": Reader(_config_case, _config, 0.02),
    "session": Reader(_session_case, _session, 0.02),
    "jsonl": Reader(_jsonl_case, _numbers("rows.jsonl"), 0.02),
    "csv": Reader(_csv_case, _numbers("rows.csv"), 0.02),
    "trace": Reader(fuzz_traces.chrome_case, fuzz_traces.chrome, 0.003),
    "nsight": Reader(fuzz_traces.nsight_case, fuzz_traces.nsight, 0.003),
    "commands": Reader(_command_case, _command, 1.0),
    "environment": Reader(_environment_case, _environment, 0.02),
}
