"""Decode curves from hand-made events: prediction, terms, where a curve bends and what of."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from roofwatch.notebook.finding import NOTE
from roofwatch.roofline import decode_work
from roofwatch.roofline.workload import Work, matmul
from roofwatch.session.decode import TERMS, DecodeCurve, decode_curves
from roofwatch.session.decode_bends import bends
from roofwatch.session.decode_blocks import curve_blocks, decode_blocks
from roofwatch.session.events import Device, End, Measurement, SessionInfo, Tensor
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.models import model_named, packaged_models
from roofwatch.session.questions import questions
from roofwatch.session.roofs import roofs
from roofwatch.session.summary import record

TINY = model_named("TinyLlama-1.1B", packaged_models())
GBS, TFLOPS = 270.0, 50.0  # seed: example figures of a T4
PROBE = f"decode-{TINY.name}"
NODE_S = 1e-6
BETWEEN_S = 30e-6
BATCHES = (1, 16, 128)
CALLS = {"rmsnorm": 45, "embedding": 1, "head": 1}
SPENT = {"rmsnorm": 6e-6, "rotary": 9e-6, "silu_mul": 5e-6, "embedding": 3e-6}
SLOWER = 1.25  # than its bytes: every linear part and the attention
KERNELS = 300


def event(probe: str, work: Work, seconds: float, **fields: Any) -> Measurement:
    values: dict[str, Any] = {
        "t": 1.0,
        "probe": probe,
        "op": work.op,
        "shape": work.shape,
        "dtype": "fp16",
        "math": "ieee",
        "accumulate": None,
        "peak_key": "fp16" if work.flop else None,
        "flop": work.flop,
        "tensors": [
            Tensor(name=t.name, read_bytes=t.read_bytes, write_bytes=t.write_bytes)
            for t in work.tensors
        ],
        "times_s": [seconds] * 3,
        "stop": "protocol",
        "timing": "graph",
        "protocol": "decode",
        "begin_s": 1.0,
        "end_s": 2.0,
    }
    return Measurement(**{**values, **fields})


def part_s(work: Work) -> float:
    return SPENT.get(work.op, SLOWER * work.bytes / GBS / 1e9)


def step_s(batch: int, context: int) -> float:
    each = decode_work.parts(TINY, batch, context, "fp16")
    return sum(CALLS.get(w.op, 22) * part_s(w) for w in each)


def decoding(batch: int, context: int, unexplained: float = 1.0) -> list[Measurement]:
    found = []
    for work in decode_work.parts(TINY, batch, context, "fp16"):
        shape = {**work.shape, "batch": batch, "context": context, "calls": CALLS.get(work.op, 22)}
        shaped = msgspec.structs.replace(work, shape=shape)
        found += [
            event(PROBE, shaped, part_s(work) + BETWEEN_S, variant="part"),
            event(PROBE, shaped, BETWEEN_S, variant="between"),
        ]
        if batch == 1:
            found.append(event(PROBE, shaped, 20e-6, variant="enqueue", timing="host"))
    work = decode_work.step(TINY, 22, batch, context, "fp16")
    counted = msgspec.structs.replace(work, shape={**work.shape, "kernels": KERNELS})
    seconds = step_s(batch, context) * unexplained
    found += [
        event(PROBE, counted, max(seconds, 16e-3), variant="eager", timing="event"),
        event(PROBE, counted, seconds, variant="graph"),
    ]
    return found


def session(*decode: Measurement, roofed: bool = True) -> Session:
    stream = Work(
        op="add_scalar",
        shape={"elements": 1 << 28},
        flop=float(1 << 28),
        tensors=(),
    )
    moved = [Tensor(name="x", read_bytes=1 << 29), Tensor(name="y", write_bytes=1 << 29)]
    flat = matmul(4096, 4096, 4096, "fp16")
    right = [
        event(
            "add_scalar-fp16",
            stream,
            (1 << 30) / GBS / 1e9,
            protocol="stream",
            tensors=moved,
            peak_key=None,
        ),
        event("matmul-fp16", flat, flat.flop / TFLOPS / 1e12, protocol="burst"),
    ]
    tiny = Work(op="launch", shape={"elements": 1}, flop=1.0, tensors=())
    node = event(
        "launch",
        tiny,
        NODE_S,
        protocol="launch",
        variant="graph",
        tensors=[Tensor(name="x", read_bytes=4, write_bytes=4)],
    )
    return fold(
        [
            SessionInfo(t=0.0, suite="decode", models=[msgspec.to_builtins(TINY)]),
            SessionInfo(
                t=0.1,
                instrument="probes",
                device=Device(kind="cuda", name="Tesla T4", compute_capability="7.5"),
            ),
            *(right if roofed else []),
            node,
            *decode,
            End(t=9.0, complete=True),
        ]
    )


def curves(context: int = 256, unexplained: float = 1.0) -> list[DecodeCurve]:
    s = session(*(m for b in BATCHES for m in decoding(b, context, unexplained)))
    return decode_curves(s, roofs(s))


def test_the_parts_predict_the_step() -> None:
    (curve,) = curves()
    assert [p.batch for p in curve.points] == list(BATCHES)
    for p in curve.points:
        assert p.predicted_s == pytest.approx(step_s(p.batch, 256))
        assert p.explained == pytest.approx(1.0)
        assert sum(p.terms.values()) == pytest.approx(p.predicted_s)
        assert list(p.terms) == list(TERMS)
        assert p.bound == "memory"


def test_what_no_part_explains_is_not_fitted_away() -> None:
    (curve,) = curves(unexplained=1.3)
    for p in curve.points:
        assert p.explained == pytest.approx(1 / 1.3)
        assert sum(p.terms.values()) == pytest.approx(step_s(p.batch, 256))


def test_each_term_is_what_it_says() -> None:
    (curve,) = curves()
    p = curve.points[-1]
    assert p.terms["weights"] == pytest.approx(2 * TINY.read_params / GBS / 1e9)
    assert p.terms["kv"] == pytest.approx(128 * 256 * 22_528 / GBS / 1e9)
    assert p.terms["launch"] == pytest.approx(KERNELS * NODE_S)
    assert p.terms["compute"] == 0.0  # 128 sequences lie left of the ridge of 185
    small = sum(CALLS.get(op, 22) * s for op, s in SPENT.items())
    streaming = 22 * 5 + 1
    assert p.terms["small"] == pytest.approx(small - (KERNELS - streaming) * NODE_S)


def test_compute_is_a_term_where_flop_take_longer_than_bytes() -> None:
    s = session(*(m for b in (1, 1024) for m in decoding(b, 256)))
    (curve,) = decode_curves(s, roofs(s))
    first, last = curve.points
    assert first.terms["compute"] == 0.0
    assert last.terms["compute"] > 0.0


def test_the_seed_s_curve_bends_where_it_says() -> None:
    """Seed, Day 16: B = 270, P = 50, 7.8 ms of overhead: 1.97 and 14.5 % at 16 and 128."""
    whole = []
    for batch in BATCHES:
        work = decode_work.step(TINY, 22, batch, 256, "fp16")
        # The seed reads all weights, the input embedding too.
        seconds = (2 * TINY.params + batch * 256 * 22_528) / 270e9 + 7.8e-3
        whole.append(event(PROBE, work, seconds, variant="graph"))
    s = session(*whole)
    (curve,) = decode_curves(s, roofs(s))
    assert curve.gaps == pytest.approx([0.0, 0.0197, 0.145], abs=5e-4)
    assert curve.first_bend == 128
    assert curve.last_over_first == pytest.approx(18.68 / 15.97, rel=1e-3)
    assert curve.growth is None  # no parts were measured
    assert curve.points[0].predicted_s is None
    assert curve.points[0].status["terms"] == "not_measured"


def test_the_paper_curve_has_the_overhead_of_the_parts_at_the_first_batch() -> None:
    (curve,) = curves()
    first, last = curve.points[0], curve.points[-1]
    assert curve.overhead_s == pytest.approx(step_s(1, 256) - first.bytes / GBS / 1e9)
    assert first.paper_s == pytest.approx(step_s(1, 256))
    assert last.paper_s == pytest.approx(last.bytes / GBS / 1e9 + curve.overhead_s)


def test_eager_is_predicted_by_the_host_where_the_host_is_slower() -> None:
    (curve,) = curves()
    host_s = 20e-6 * sum(CALLS.get(w.op, 22) for w in decode_work.parts(TINY, 1, 256, "fp16"))
    assert host_s < step_s(1, 256)
    assert curve.points[0].eager_predicted_s == pytest.approx(step_s(1, 256))


def test_a_context_that_never_reaches_the_ridge_has_no_b_star() -> None:
    (short,) = curves(256)
    (long,) = curves(2048)
    assert short.ai_max > 185 > long.ai_max
    assert long.b_star is None
    assert short.b_star is not None
    assert short.b_star > 185  # KV bytes put it further out than the ridge


def test_e7_says_whether_kv_bytes_explain_the_bend() -> None:
    (curve,) = curves(2048)
    (found,) = bends([curve])
    assert (found.code, found.severity, found.subject) == ("E7", NOTE, PROBE)
    assert found.evidence["kv_ms"] > found.evidence["kernels_ms"]
    assert "KV bytes" in found.message
    s = session(*(m for b in BATCHES for m in decoding(b, 2048)))
    assert [f.code for f in findings(s) if f.subject == PROBE] == ["E7"]


def test_the_record_has_a_row_a_batch_and_what_the_contract_names() -> None:
    s = session(*(m for n in (256, 2048) for b in BATCHES for m in decoding(b, n)))
    whole = record(s, None)
    assert [(d.context, d.batch) for d in whole.decode] == [
        (n, b) for n in (256, 2048) for b in BATCHES
    ]
    row = msgspec.to_builtins(whole.decode[0])
    names = {"model", "context", "batch", "eager_s", "graph_s", "predicted_s", "terms"}
    assert names <= row.keys()
    assert [c.context for c in whole.decode_curves] == [256, 2048]
    fourth = questions(s, roofs(s))[3]
    assert "TinyLlama-1.1B at 2048" in fourth.values
    assert all(check.ok for check in fourth.checks)


def test_without_roofs_the_step_is_shown_and_nothing_is_split() -> None:
    s = session(*decoding(1, 256), roofed=False)
    (curve,) = decode_curves(s, roofs(s))
    (p,) = curve.points
    assert p.graph_s == pytest.approx(step_s(1, 256))
    assert p.terms == {}
    assert p.bound == ""
    assert curve.reason == ""
    (block,) = curve_blocks([curve])
    assert block.status["growth"] == "not_known"
    assert decode_blocks([curve])[0].status["terms"] == "not_measured"


def test_a_measurement_that_was_repeated_stands_as_it_was_last() -> None:
    first = decoding(1, 256)
    s = session(*first, *decoding(16, 256), *decoding(1, 256, 1.1))
    (curve,) = decode_curves(s, roofs(s))
    assert curve.points[0].graph_s == pytest.approx(1.1 * step_s(1, 256))
