"""The bill of a session: seconds times price, tokens a million, compute that stands idle."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
import pytest

from roofwatch.session import cost as of_cost
from roofwatch.session.cost import costs
from roofwatch.session.decode import DecodeCurve, DecodePoint
from roofwatch.session.events import End, Note, Price, SessionInfo, Span, decode
from roofwatch.session.fold import Session, fold
from roofwatch.session.rates import tflops
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.session.summary import record


def decode_point(
    batch: int,
    graph_s: float | None = None,
    eager_s: float | None = None,
    launch_s: float | None = None,
) -> DecodePoint:
    """A step of an 8B model in two bytes at 256 tokens of context."""
    return only(
        DecodePoint,
        batch=batch,
        flop=2 * 7.5e9 * batch,
        weights_bytes=15_010_000_000,
        kv_bytes=batch * 256 * 131_072,
        graph_s=graph_s,
        eager_s=eager_s,
        terms={} if launch_s is None else {"launch": launch_s},
    )


def curve(points: list[DecodePoint], dtype: str = "bf16") -> DecodeCurve:
    shape = {"model": "Llama-3-8B", "context": 256, "layers": 32, "layers_of": 32}
    return only(DecodeCurve, points=points, dtype=dtype, **shape)


T = TypeVar("T", DecodePoint, DecodeCurve)


def only(kind: type[T], **said: Any) -> T:
    """A struct of the curves with what a bill rests on; the rest is null."""
    names = [field.name for field in msgspec.structs.fields(kind)]
    return kind(**(dict.fromkeys(names) | said))


@pytest.fixture
def priced(h200: Session) -> Session:
    h200.price = Price(per_hour=1.99)
    return h200


def bill(session: Session, curves: list[DecodeCurve] | None = None) -> of_cost.Cost:
    found = costs(session, roofs(session), curves)
    assert found is not None
    return found


def test_without_a_price_there_is_no_bill(h200: Session) -> None:
    assert costs(h200, roofs(h200)) is None
    assert record(h200, None).cost == {}


def test_the_price_that_was_said_is_kept_in_the_session() -> None:
    session = fold(
        [
            SessionInfo(t=0.0, price=Price(per_hour=14.5, currency="CNY")),
            End(t=3600.0, complete=True),
        ]
    )
    found = bill(session)
    assert (found.per_hour, found.currency) == (14.5, "CNY")
    assert found.session_cost == found.run_cost == 14.5
    assert found.per_exa == {}
    assert found.per_petabyte is None
    assert found.status == {"per_petabyte": "not_measured"}
    assert found.idle == found.decode == []


@pytest.mark.parametrize("price", [b"-1", b"0", b"1e13", b'"1.99/h"', b"null"])
def test_a_damaged_price_is_named(price: bytes) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.price\.per_hour"):
        decode(b'{"kind":"session","t":0,"price":{"per_hour":' + price + b"}}")


def test_seconds_of_the_run_and_of_the_whole_session() -> None:
    first = [SessionInfo(t=0.0, price=Price(per_hour=3.6)), End(t=20.0, complete=True)]
    again = [Note(t=100.0, text="run 2", run=2), Span(t=103.0, probe="x", edge="begin", run=2)]
    one = fold(first)
    assert one.run_s == 20.0  # from the session's begin: the rent runs while torch is imported
    two = fold([*first, *again, End(t=130.0, complete=True, run=2), Note(t=150.0, text="", run=2)])
    assert two.run_s == 30.0
    found = bill(two)
    assert found.run_cost == pytest.approx(0.030)  # 3.6 an hour is a thousandth a second
    assert found.session_cost == pytest.approx(0.150)
    # One that was broken off is not the reported one.
    broken = fold([*first, *again, End(t=110.0, complete=False, run=2)])
    assert broken.run_s == 20.0


def test_what_an_hour_of_an_h200_buys(priced: Session) -> None:
    found, own = bill(priced), roofs(priced)
    held = own.compute["bf16"].sustained_tflops
    assert held is not None
    assert found.per_exa["bf16"] == pytest.approx(1.99 / (held * 3600 / 1e6))
    burst = own.compute["fp8"].burst_tflops
    assert burst is not None
    assert found.per_exa["fp8"] == pytest.approx(1.99 / (burst * 3600 / 1e6))
    assert own.bandwidth_gbs is not None
    assert found.per_petabyte == pytest.approx(1.99 / (own.bandwidth_gbs * 3600 / 1e6))


def test_a_stream_leaves_the_compute_idle(priced: Session) -> None:
    (idle,) = bill(priced).idle
    assert (idle.probe, idle.peak_key, idle.roof) == ("add_scalar-fp16", "bf16", "sustained")
    own = roofs(priced)
    assert own.bandwidth is not None
    assert idle.achieved_tflops == tflops(own.bandwidth)
    assert idle.per_hour == pytest.approx(1.99 * (1 - idle.achieved_tflops / idle.roof_tflops))
    assert 1.98 < idle.per_hour < 1.99


def test_a_copy_computes_nothing_so_a_stream_that_does_stands_for_it(priced: Session) -> None:
    own = roofs(priced)
    assert own.bandwidth is not None
    copied = msgspec.structs.replace(own.bandwidth, op="copy", probe="copy-fp16", flop=0)
    with_copy = msgspec.structs.replace(own, bandwidth=copied)
    found = costs(priced, with_copy)
    assert found is not None
    (idle,) = found.idle
    assert idle.probe.startswith("add_scalar")
    assert idle.achieved_tflops > 0


def test_a_million_tokens_against_the_batch(priced: Session) -> None:
    points = [
        decode_point(1, graph_s=0.004, eager_s=0.008, launch_s=0.0004),
        decode_point(32, graph_s=0.0042, eager_s=0.0084, launch_s=0.0004),
        decode_point(128, graph_s=0.005),
    ]
    (found,) = bill(priced, [curve(points)]).decode
    first, middle, last = found.batches
    # 250 tokens a second: 4000 s a million, 1.99 / 0.9 each.
    assert first.per_mtok == pytest.approx(1.99 * 4000 / 3600)
    assert middle.per_mtok == pytest.approx(first.per_mtok / 32 * 1.05)  # a 32nd, but for 5 %
    assert first.eager_per_mtok == pytest.approx(2 * first.per_mtok)
    assert found.cheapest_batch == 128
    assert found.times_cheaper == pytest.approx(128 * 0.004 / 0.005)
    own = roofs(priced).compute["bf16"].sustained_tflops
    assert own is not None
    assert (found.peak_key, found.roof) == ("bf16", "sustained")
    assert first.of_roof == pytest.approx(points[0].flop / 0.004 / 1e12 / own)
    assert first.of_roof is not None
    assert first.of_roof < 0.01  # seed, Day 1: under 1 % of the compute at batch 1
    assert first.idle_per_hour == pytest.approx(1.99 * (1 - first.of_roof))
    # Launches are a tenth of the replayed step, and half of an eager one is gap.
    assert first.overhead_per_hour == pytest.approx(0.199)
    assert first.eager_overhead_per_hour == pytest.approx(0.995)
    assert first.status == {}
    assert last.eager_per_mtok is None
    assert set(last.status) == {"eager_per_mtok", "overhead_per_hour", "eager_overhead_per_hour"}


def test_smaller_weights_by_the_bytes_they_save(priced: Session) -> None:
    points = [decode_point(1, graph_s=0.005)]
    (found,) = bill(priced, [curve(points)]).decode
    slope = roofs(priced).bandwidth_gbs
    assert slope is not None
    left = {"int8": points[0].weights_bytes / 2, "int4": points[0].weights_bytes * 3 / 4}
    for name, saved in left.items():
        step_s = 0.005 - saved / slope / 1e9
        assert found.smaller_weights[name] == pytest.approx(1.99 * step_s / 3600 * 1e6)


def test_weights_that_cannot_have_taken_so_long_promise_nothing(priced: Session) -> None:
    (found,) = bill(priced, [curve([decode_point(1, graph_s=0.001)])]).decode
    assert found.smaller_weights == {}


def test_a_graph_that_is_no_faster_saves_nothing(priced: Session) -> None:
    point = decode_point(1, graph_s=0.0051, eager_s=0.005, launch_s=0.01)
    (found,) = bill(priced, [curve([point])]).decode
    assert found.batches[0].eager_overhead_per_hour == 0.0
    assert found.batches[0].overhead_per_hour == pytest.approx(1.99)  # never more than the hour


def test_a_step_without_a_graph_is_counted_as_it_ran(priced: Session) -> None:
    (found,) = bill(priced, [curve([decode_point(4, eager_s=0.008)])]).decode
    only = found.batches[0]
    assert only.tokens_per_s == pytest.approx(500)
    assert only.per_mtok == only.eager_per_mtok
    assert only.eager_overhead_per_hour is None


def test_what_was_not_measured_has_no_row(priced: Session) -> None:
    assert bill(priced, [curve([decode_point(1)])]).decode == []
    assert bill(priced, [curve([])]).decode == []
    assert bill(priced, []).decode == []
    (found,) = bill(priced, [curve([decode_point(1), decode_point(2, graph_s=0.01)])]).decode
    assert [b.batch for b in found.batches] == [2]
    (found,) = bill(priced, [curve([decode_point(1, graph_s=0.01)], dtype="bf8")]).decode
    assert found.batches[0].idle_per_hour is None
    assert found.batches[0].status["idle_per_hour"] == "not_measured"
    assert found.status == {"peak_key": "not_measured", "roof": "not_measured"}
    assert found.smaller_weights == {}


def test_curves_are_made_only_where_decode_was_measured(
    priced: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def made(session: Session, own: Roofs) -> list[DecodeCurve]:
        asked.append(session)
        return [curve([decode_point(1, graph_s=0.004)])]

    monkeypatch.setattr(of_cost, "decode_curves", made)
    assert bill(priced).decode == []
    assert asked == []
    step = msgspec.structs.replace(
        priced.measurements[0],
        probe="decode-x",
        protocol="decode",
        shape={"batch": 1, "context": 256, "calls": 1},
    )
    priced.add(step)
    assert len(bill(priced).decode) == 1
    assert asked == [priced]


@pytest.mark.parametrize("per_hour", [1e-12, 1e-4, 1.99, 1e12])
def test_a_record_with_any_price_has_a_status_for_every_null(
    full: Session, per_hour: float
) -> None:
    full.price = Price(per_hour=per_hour, currency="¥")
    seen = msgspec.json.decode(msgspec.json.encode(record(full, None)))["cost"]
    assert seen["per_hour"] == per_hour
    for block in (seen, *seen["idle"], *seen["decode"]):
        assert all(v is not None or k in block["status"] for k, v in block.items())


def test_bursts_stand_in_where_nothing_was_held(priced: Session) -> None:
    priced.measurements = [m for m in priced.measurements if m.protocol != "sustained"]
    (idle,) = bill(priced).idle
    assert idle.roof == "burst"
    assert idle.roof_tflops == roofs(priced).compute["bf16"].burst_tflops


def test_a_stream_is_held_against_its_own_precision_where_that_was_measured(
    priced: Session,
) -> None:
    own = roofs(priced)
    assert own.bandwidth is not None
    wide = msgspec.structs.replace(own.bandwidth, probe="add_scalar-fp32", dtype="fp32")
    assert "fp32" in own.compute
    found = costs(priced, msgspec.structs.replace(own, bandwidth=wide))
    assert found is not None
    (idle,) = found.idle
    flat = own.compute["fp32"]
    assert idle.peak_key == "fp32"
    assert idle.roof_tflops == (flat.sustained_tflops or flat.burst_tflops)
    none = {k: c for k, c in own.compute.items() if k != "fp32"}
    found = costs(priced, msgspec.structs.replace(own, bandwidth=wide, compute=none))
    assert found is not None
    assert found.idle[0].peak_key == "bf16"
