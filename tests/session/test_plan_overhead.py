"""The overhead of a plan: typed, or that of the session's own decode step, or none."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.cli import main
from roofwatch.notebook.known_card import Cards
from roofwatch.roofline import decode_work
from roofwatch.roofline.model import Model
from roofwatch.roofline.models import named
from roofwatch.roofline.workload import Work, add_scalar, matmul
from roofwatch.session.cards import packaged_cards
from roofwatch.session.decode import decode_curves
from roofwatch.session.events import (
    Device,
    End,
    Event,
    Measurement,
    SessionInfo,
    Tensor,
    encode,
)
from roofwatch.session.fold import Session, fold
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import Plan, Question
from roofwatch.session.plan_overhead import TWO_COUNTS
from roofwatch.session.plan_sources import kept_plan
from roofwatch.session.roofs import roofs

CARDS, MODELS = Cards(packaged_cards()), packaged_models()
TINY, EIGHT = (named(name, MODELS) for name in ("TinyLlama", "Llama-3-8B"))
GBS, TFLOPS = 270.0, 50.0
AT_256_S, AT_2048_S = 7.8e-3, 8.1e-3


def event(probe: str, work: Work, seconds: float, **fields: Any) -> Measurement:
    values: dict[str, Any] = {
        "t": 1.0,
        "probe": probe,
        "op": work.op,
        "shape": work.shape,
        "dtype": "fp16",
        "math": "ieee",
        "accumulate": None,
        "peak_key": "fp16",
        "flop": work.flop,
        "tensors": [
            Tensor(name=t.name, read_bytes=t.read_bytes, write_bytes=t.write_bytes)
            for t in work.tensors
        ],
        "times_s": [seconds] * 3,
        "stop": "protocol",
        "timing": "graph",
        "begin_s": 1.0,
        "end_s": 2.0,
    }
    return Measurement(**{**values, **fields})


def step(model: Model, context: int, overhead_s: float, layers: int) -> list[Measurement]:
    """A step of batch 1 and its one part, which takes its bytes over the bandwidth and more."""
    probe = f"decode-{model.name}"
    work = decode_work.step(model, layers, 1, context, "fp16")
    seconds = work.bytes / GBS / 1e9 + overhead_s
    head = next(w for w in decode_work.parts(model, 1, context, "fp16") if w.op == "head")
    shape = {**head.shape, "batch": 1, "context": context, "calls": 1}
    part = msgspec.structs.replace(head, shape=shape)
    return [
        event(probe, work, seconds, protocol="decode", variant="graph"),
        event(probe, part, seconds, protocol="decode", variant="part"),
    ]


def events(model: Model = TINY, layers: int = TINY.layers) -> list[Event]:
    """A T4 of 270 GB/s and 50 TFLOP/s that ran one model's steps at two contexts."""
    stream, flat = add_scalar(1 << 28, "fp16"), matmul(4096, 4096, 4096, "fp16")
    info = {"models": [msgspec.to_builtins(model)], "contexts": [256, 2048]}
    name = "Tesla T4"
    return [
        SessionInfo(t=0.0, schema="roofwatch.session/1", id="x", suite="decode", **info),
        SessionInfo(
            t=0.1,
            instrument="probes",
            device=Device(kind="cuda", name=name, compute_capability="7.5"),
            nominal=msgspec.to_builtins(CARDS.known("T4").candidates[0]),
        ),
        event(
            "add_scalar-fp16",
            stream,
            stream.bytes / GBS / 1e9,
            protocol="stream",
            peak_key=None,
        ),
        event("matmul-fp16", flat, flat.flop / TFLOPS / 1e12, protocol="burst"),
        *step(model, 256, AT_256_S, layers),
        *step(model, 2048, AT_2048_S, layers),
        End(t=9.0, complete=True),
    ]


def ask(session: Session, model: Model = TINY, **fields: Any) -> Plan:
    return kept_plan([session], [], Question(card="", model="x", **fields), CARDS, model)


def test_the_synthetic_session_has_the_overhead_that_was_put_in() -> None:
    session = fold(events())
    found = {c.context: c.overhead_s for c in decode_curves(session, roofs(session))}
    assert found == {256: pytest.approx(AT_256_S), 2048: pytest.approx(AT_2048_S)}


@pytest.mark.parametrize(("context", "overhead_s"), [(256, AT_256_S), (2048, AT_2048_S)])
def test_the_step_of_that_model_and_context(context: int, overhead_s: float) -> None:
    found = ask(fold(events()), context=context)
    assert found.overhead_s == pytest.approx(overhead_s)
    assert found.overhead_source == "measured"
    said = "the overhead is that of TinyLlama-1.1B's decode step, measured here at"
    assert found.notes == [f"{said} {context} tokens", TWO_COUNTS]


def test_the_seeds_bends_come_out_of_a_measured_overhead() -> None:
    """Seed, Day 16: 1.97, 7.77 and 14.5 % at batch 16, 64 and 128, B = 270, P = 50."""
    found = ask(fold(events()), context=256)
    gaps = {p.batch: 100 * p.gap_to_linear for p in found.curve}
    assert [gaps[b] for b in (16, 64, 128)] == pytest.approx([1.97, 7.77, 14.52], abs=0.01)


@pytest.mark.parametrize(("context", "near"), [(1, 256), (1000, 256), (1200, 2048), (9999, 2048)])
def test_the_nearest_context_is_taken_and_named(context: int, near: int) -> None:
    found = ask(fold(events()), context=context)
    assert found.overhead_s == pytest.approx({256: AT_256_S, 2048: AT_2048_S}[near])
    assert found.notes[0].endswith(f"measured here at {near} tokens, the nearest to {context}")


def test_what_was_typed_stands() -> None:
    session = fold(events())
    typed = ask(session, overhead_s=1e-3)
    assert (typed.overhead_s, typed.overhead_source, typed.notes) == (1e-3, "given", [])
    none = ask(session, overhead_source="given")  # --overhead 0
    assert (none.overhead_s, none.overhead_source, none.notes) == (0.0, "given", [])


def test_another_model_has_none() -> None:
    found = ask(fold(events()), EIGHT)
    assert (found.overhead_s, found.overhead_source) == (0.0, "none")
    assert found.notes == ["no overhead: the session has no decode step of Llama-3-8B"]


def test_shapes_tell_a_model_and_its_name_does_not() -> None:
    session = fold(events(msgspec.structs.replace(TINY, name="my-llama", names=())))
    assert ask(session).overhead_source == "measured"
    other = msgspec.structs.replace(TINY, kv_heads=8)
    assert ask(session, other).overhead_source == "none"


def test_a_step_of_fewer_layers_is_no_step_of_the_model() -> None:
    found = ask(fold(events(layers=4)))
    assert (found.overhead_s, found.overhead_source) == (0.0, "none")
    said = "no overhead: the session has only a decode step of TinyLlama-1.1B, of fewer layers"
    assert found.notes == [f"{said} than it has"]


def test_other_weights_than_the_probes_are_said() -> None:
    found = ask(fold(events()), weights="int4", context=256)
    assert found.overhead_source == "measured"
    assert found.notes[-2].endswith("at 256 tokens, with fp16 weights and KV")
    same = ask(fold(events()), weights="bf16", context=256)  # as many bytes
    assert same.notes[-2].endswith("at 256 tokens")


def test_a_session_without_a_decode_step(full: Session) -> None:
    found = ask(full)
    assert (found.overhead_s, found.overhead_source) == (0.0, "none")
    assert "no overhead: the session has no decode step of TinyLlama-1.1B" in found.notes


def printed(file: Path, *arguments: str) -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out):
        assert main(["plan", "--session", str(file), "--model", "TinyLlama", *arguments]) == 0
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode()


def test_the_option_reaches_the_text_and_the_json(tmp_path: Path) -> None:
    file = tmp_path / "t4.jsonl"
    file.write_bytes(b"".join(encode(e) for e in events()))
    text = " ".join(printed(file, "--context", "256").split())
    assert "without the measured overhead of 7.80 ms" in text
    assert "decode step, measured here at 256 tokens" in text
    assert TWO_COUNTS in text
    found = json.loads(printed(file, "--context", "256", "--json"))
    assert found["overhead_source"] == "measured"
    assert found["overhead_s"] == pytest.approx(AT_256_S)
    for typed, seconds in (("0", 0.0), ("1ms", 1e-3)):
        found = json.loads(printed(file, "--overhead", typed, "--json"))
        assert (found["overhead_s"], found["overhead_source"]) == (seconds, "given")
    text = printed(file, "--overhead", "1ms")
    assert "measured overhead" not in text
    assert TWO_COUNTS not in " ".join(text.split())
