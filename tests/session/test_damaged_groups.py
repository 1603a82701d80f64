"""Groups of points that were damaged: shown with what is left, or the line is named."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.cli import main
from roofwatch.roofline.transformer_work import fused
from roofwatch.session.attribution import attributed
from roofwatch.session.decode import decode_curves
from roofwatch.session.events import AnyEvent, Measurement, decode
from roofwatch.session.fold import fold
from roofwatch.session.fusion import fusions
from roofwatch.session.roofs import roofs
from roofwatch.session.summary import record
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.report import report

SESSIONS = Path(__file__).parent.parent / "sessions"
FILES = ("h200-decode-1.jsonl", "h200-kernels-1.jsonl")
GROUPS = ("launch", "decode", "kernels", "fusion", "alignment", "waves")
TRIALS = 25  # sessions a file, each with several damaged points
OTHER = {
    "op": ("else", "decode", "add", "matmul", "prefill_linear", "decode_attention", "three_cos"),
    "variant": (None, "else", "part", "enqueue", "between", "eager", "graph", "compiled"),
    "dtype": ("else", "", "float32", "int4", "fp64"),
    "protocol": (*GROUPS, "burst", "sustained", "stream", "sweep"),
    "probe": ("decode-Llama-3-8B", "kernels", "fusion", "launch", "matmul-bf16", "else"),
    "kernel": ("else", "\x1b[31m"),
    "layout": ("else",),
}
"""Names that another point, or none, has."""
HARMFUL = ("\x1b", "\u202e", "\x07", "\r", "\u2028")


def without_samples(name: str) -> list[dict[str, Any]]:
    read = (json.loads(line) for line in (SESSIONS / name).read_text().splitlines())
    return [e for e in read if e["kind"] not in ("sample", "series")]


def damaged(point: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """One point with one thing gone, or another value in its place."""
    point = json.loads(json.dumps(point))
    kind = chance.randrange(8)
    if kind == 0 and point["shape"]:
        del point["shape"][chance.choice(sorted(point["shape"]))]
    elif kind == 1 and point["shape"]:
        name = chance.choice(sorted(point["shape"]))
        point["shape"][name] = chance.choice([1, 2, 7, 1 << 40])
    elif kind == 2:
        point["tensors"] = point["tensors"][:1]
    elif kind == 3:
        name = chance.choice(sorted(OTHER))
        point[name] = chance.choice(OTHER[name])
    elif kind == 4:
        point["times_s"] = [chance.choice([1e-12, 1e-9, 1e3, 1e6])] * 3
    elif kind == 5:
        point["flop"] = chance.choice([0, 1, 1e-3, 1e30])
    elif kind == 6:
        point["shape"] = chance.choice([{}, {"rows": 1, "columns": 1}, {"m": 1, "n": 1, "k": 1}])
    elif point["protocol"] == "fusion" and {"rows", "columns"} <= point["shape"].keys():
        point["tensors"] = [as_fused(point)]
    return point


def as_fused(point: dict[str, Any]) -> dict[str, Any]:
    """A tensor of the very bytes that the chain moves in one kernel."""
    shape = point["shape"]
    work = fused(point["op"], shape["rows"], shape["columns"], point["dtype"])
    return {"name": "x", "read_bytes": work.bytes}


def readable(stream: list[dict[str, Any]]) -> list[AnyEvent]:
    found = []
    for line in stream:
        try:
            event = decode(json.dumps(line))
        except msgspec.ValidationError:
            continue  # such a line is named when the file is read
        if event is not None:
            found.append(event)
    return found


@pytest.mark.parametrize("name", [pytest.param(FILES[0], marks=pytest.mark.long), FILES[1]])
def test_what_is_left_of_damaged_points_is_shown(name: str) -> None:
    stream = without_samples(name)
    at = [i for i, e in enumerate(stream) if e["kind"] == "measurement"]
    chance = random.Random(name)
    for _ in range(TRIALS):
        broken = list(stream)
        for i in chance.sample(at, min(6, len(at))):
            broken[i] = damaged(broken[i], chance)
        session = fold(readable(broken))
        session.closed = True
        assert report(session, None, 80, UNICODE)
        msgspec.json.encode(record(session, None))


@pytest.mark.parametrize("name", [pytest.param(FILES[0], marks=pytest.mark.long), FILES[1]])
def test_a_session_stopped_anywhere_in_a_group_is_shown(name: str) -> None:
    stream = readable(without_samples(name))
    for i in range(5, len(stream), max(1, len(stream) // 25)):
        session = fold(stream[:i])
        session.closed = True
        assert report(session, None, 100, UNICODE)
        msgspec.json.encode(record(session, None))


NAMED: list[tuple[str, dict[str, Any], str]] = [
    ("decode", {"shape": {"batch": 1}}, "lacks context, layers, layers_of"),
    ("decode", {"tensors": [{"name": "weights", "read_bytes": 8}]}, "lack weights or kv"),
    ("qkv", {"shape": {"batch": 1, "context": 256}}, "lacks calls"),
    (
        "qkv",
        {"op": "prefill_linear", "shape": {}},
        "`shape` of prefill_linear lacks batch, calls, context, m",
    ),
    ("qkv", {"op": "decode_attention", "protocol": "kernels", "shape": {}}, "lacks batch, context"),
]


@pytest.mark.parametrize(("op", "changes", "said"), NAMED)
def test_a_decode_step_without_what_it_needs_is_named(
    op: str,
    changes: dict[str, Any],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stream = without_samples(FILES[0])
    at = next(i for i, e in enumerate(stream) if e.get("op") == op and e["protocol"] == "decode")
    stream[at] = {**stream[at], **changes}
    file = tmp_path / "damaged.jsonl"
    file.write_text("".join(json.dumps(e) + "\n" for e in stream))
    assert main(["show", str(file)]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert f"row {at + 1}: " in told
    assert said in told


def first(stream: list[dict[str, Any]], **having: object) -> int:
    """Where the first event stands that has all of these."""
    return next(
        i for i, e in enumerate(stream) if all(e.get(name) == v for name, v in having.items())
    )


@pytest.mark.parametrize("dtype", ["float32", "xyz", ""])
def test_a_chain_of_an_unknown_type_is_left_out(dtype: str) -> None:
    stream = without_samples(FILES[1])
    whole = fold(readable(stream))
    at = first(stream, protocol="fusion", variant="eager")
    stream[at]["dtype"] = dtype
    session = fold(readable(stream))
    left = [f.op for f in fusions(session, roofs(session))]
    assert left == [f.op for f in fusions(whole, roofs(whole)) if f.op != stream[at]["op"]]
    assert left


def test_a_chain_that_moves_what_one_kernel_does_is_promised_nothing() -> None:
    stream = without_samples(FILES[1])
    at = first(stream, protocol="fusion", variant="eager")
    stream[at]["tensors"] = [as_fused(stream[at])]
    session = fold(readable(stream))
    found = next(f for f in fusions(session, roofs(session)) if f.op == stream[at]["op"])
    assert found.predicted_ratio == 1
    assert found.measured_ratio
    assert found.delivered is None
    assert found.status["delivered"] == "not_measured"


@pytest.mark.parametrize("variant", ["part", "enqueue", "between"])
def test_a_whole_step_is_no_part_of_a_step(variant: str) -> None:
    stream = without_samples(FILES[0])
    stream[first(stream, protocol="decode", op="decode")]["variant"] = variant
    session = fold(readable(stream))
    curves = decode_curves(session, roofs(session))
    assert {c.context for c in curves} == {256, 2048}
    assert all(p.terms for c in curves for p in c.points)


def test_a_group_has_only_points_of_its_protocol() -> None:
    stream = without_samples(FILES[0])
    probe = "decode-Llama-3-8B"
    whole = fold(readable(stream)).group(probe)
    stream[first(stream, protocol="launch")]["probe"] = probe
    at = first(stream, protocol="decode", variant="part", probe=probe)
    stream[at] |= {"op": "decode", "protocol": "launch"}
    session = fold(readable(stream))
    left = session.group(probe)
    assert len(left) >= len(whole) - 1
    assert {m.protocol for m in left} == {"decode"}
    assert report(session, None, 80, UNICODE)


@pytest.mark.parametrize("name", FILES)
def test_a_burst_of_another_op_has_no_waves(name: str) -> None:
    stream = without_samples(name)
    stream[first(stream, protocol="burst")] |= {"op": "add", "shape": {}}
    session = fold(readable(stream))
    flat = next(c for c in roofs(session).compute.values() if c.burst)
    assert isinstance(flat.burst, Measurement)
    assert flat.burst.op == "add"
    assert attributed(session, flat, "burst") is None
    assert record(session, None)


def refused(stream: list[str], file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that is said of such a file, by ``show`` and by ``plan`` alike."""
    file.write_text("".join(f"{line}\n" for line in stream))
    lines = []
    for command in (["show", str(file)], ["plan", "--session", str(file), "--model", "Llama-3-8B"]):
        assert main(command) == 2
        told = capsys.readouterr()
        assert not told.out
        assert told.err.count("\n") == 1
        lines.append(told.err)
    assert lines[0] == lines[1]
    return lines[0]


DEEP = "[" * 2000 + "]" * 2000


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (9, f'{{"kind":"newer","t":1,"what":{DEEP}}}'),
        (9, f'{{"kind":"note","t":1,"text":{DEEP}}}'),
        (1, f'{{"kind":"session","t":0,"schema":"roofwatch.session/1","models":[{{"a":{DEEP}}}]}}'),
    ],
)
def test_a_line_that_is_nested_too_deeply_is_named(
    row: int, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = [json.dumps(e) for e in without_samples(FILES[0])]
    stream[row - 1] = line
    said = refused(stream, tmp_path / "deep.jsonl", capsys)
    assert said.endswith(f"row {row}: nested too deeply\n")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"price": {"per_hour": 5e-324}}, "`$.price.per_hour`"),
        ({"price": {"per_hour": 1e10}}, "`$.price.per_hour`"),
        ({"models": [{"name": "Llama-3-8B"}]}, "models, 1: Object missing required field `layers`"),
        ({"models": [{"name": []}]}, "models, 1: Expected `str`, got `array` - at `$.name`"),
    ],
)
def test_what_a_session_says_of_itself_is_named(
    changes: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = without_samples(FILES[0])
    stream[0] |= changes
    told = refused([json.dumps(e) for e in stream], tmp_path / "said.jsonl", capsys)
    assert "row 1: " in told
    assert said in told


@pytest.mark.parametrize(
    ("field", "value"), [("kv_heads", 0), ("kv_heads", 5), ("vocab", True), ("layers", 10**9)]
)
def test_a_model_that_no_decoder_is_is_named(
    field: str, value: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = without_samples(FILES[0])
    stream[0]["models"][1][field] = value
    told = refused([json.dumps(e) for e in stream], tmp_path / "model.jsonl", capsys)
    assert "row 1: models, 2: " in told
    assert field in told


NAMES = ("A\x1b[31mB", "A\u202eB", "A\nB\r\x07\u2028", "long " * 60)


@pytest.mark.parametrize("name", NAMES)
def test_a_models_name_does_nothing_to_a_terminal(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = without_samples(FILES[0])
    stream[0]["models"][1]["name"] = name
    stream[0]["price"]["currency"] = name
    for e in stream:
        for field in ("probe", "subject"):
            if e.get(field) == "decode-Llama-3-8B":
                e[field] = f"decode-{name}"
    file = tmp_path / "named.jsonl"
    file.write_text("".join(json.dumps(e) + "\n" for e in stream))
    for command in (["show"], ["show", "--json"], ["plan", "--model", "Llama-3-8B", "--session"]):
        assert main([*command, str(file)]) == 0
        out = capsys.readouterr().out
        assert not [c for c in HARMFUL if c in out]
    session = fold(decode(line) for line in file.read_text().splitlines() if decode(line))
    session.closed = True
    rows = report(session, None, 100, UNICODE)
    assert all("\n" not in text for r in rows for text, _ in r)
    texts = [text_of(r) for r in rows]
    label = f"decode {'A' if name.startswith('A') else 'long'}"
    assert "points" in next(text for text in texts if text.startswith(f" {label}"))
