"""The wire format: round trips, names of missing fields, kinds of a newer version."""

from __future__ import annotations

import msgspec
import pytest

from roofwatch.session.events import (
    KINDS,
    AnyEvent,
    Beat,
    Device,
    End,
    Expect,
    Fault,
    Flag,
    Measurement,
    Note,
    Sample,
    Series,
    SessionInfo,
    Span,
    Tensor,
    decode,
    encode,
)

ALL: list[AnyEvent] = [
    SessionInfo(t=0.0, schema="s", device=Device(kind="cuda", name="X")),
    Expect(t=0.1, probe="p", low=1.0, high=2.0, unit="GB/s", why="w"),
    Sample(
        t=0.2,
        gpu=0,
        sm_mhz=1980.0,
        mem_mhz=None,
        power_w=1.0,
        power_instant_w=2.0,
        temp_c=40.0,
        mem_used_bytes=5,
        util=0.5,
        reasons=4,
        counters={"power_cap": 7},
        status={"mem_mhz": "not_supported"},
    ),
    Span(t=0.3, probe="p", edge="begin"),
    Series(t=0.4, probe="p", t0=0.35, times_s=[0.001], flop=2.0),
    Measurement(
        t=0.5,
        probe="p",
        op="matmul",
        shape={"m": 1, "n": 1, "k": 1},
        dtype="bf16",
        math="ieee",
        accumulate="fp32",
        peak_key="bf16",
        flop=2.0,
        tensors=[Tensor(name="a", read_bytes=2)],
        times_s=[1.0, 2.0, 3.0],
        stop="iqr",
        timing="event",
        protocol="burst",
        begin_s=0.1,
        end_s=0.2,
    ),
    Flag(
        t=0.6,
        code="other-process",
        name="other-process",
        root="conditions",
        severity="suspect",
        subject="x",
        message="m",
        why="w",
        do="d",
    ),
    Note(t=0.7, text="t"),
    Fault(t=0.8, instrument="probes", what="w", exit_code=-9, log=["l"]),
    End(t=0.9, complete=True),
    Beat(t=1.0, instrument="probes", state="importing torch"),
]


@pytest.mark.parametrize("event", ALL, ids=lambda e: type(e).__name__)
def test_round_trip(event: AnyEvent) -> None:
    line = encode(event)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line) == event


def test_every_kind_is_covered() -> None:
    assert {msgspec.json.decode(encode(e))["kind"] for e in ALL} == KINDS


def test_a_sample_keeps_its_nulls_with_their_reasons() -> None:
    line = msgspec.json.decode(encode(ALL[2]))
    assert line["mem_mhz"] is None
    assert line["status"] == {"mem_mhz": "not_supported"}


def test_a_missing_field_is_named() -> None:
    with pytest.raises(msgspec.ValidationError, match="low"):
        decode(b'{"kind":"expect","t":1,"probe":"p","high":1,"unit":"x","why":"y"}')


def test_a_wrong_type_is_named() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"times_s"):
        decode(b'{"kind":"series","t":1,"probe":"p","t0":0,"times_s":["x"]}')


def test_kinds_and_fields_of_a_newer_version_are_not_fatal() -> None:
    assert decode(b'{"kind":"hologram","t":1}') is None
    assert decode(b'{"kind":"note","t":1,"text":"x","mood":"new"}') == Note(t=1, text="x")
