"""``with roofwatch.watch() as w``: what a block did to the machine, and that nothing is left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import roofwatch

Children = Callable[[], list[Any]]


def test_a_block_is_summed_up(telemetry_children: Children) -> None:
    with roofwatch.watch(device="cpu") as w:
        w.mark("first  part")
        time.sleep(0.5)
        w.mark("second")
        end = time.perf_counter() + 0.5
        while time.perf_counter() < end:
            pass
        with pytest.raises(RuntimeError, match="has not ended"):
            _ = w.summary
    assert telemetry_children() == []
    assert w.summary.seconds == pytest.approx(1.0, abs=0.2)
    assert [m.name for m in w.summary.marks] == ["first part", "second"]
    (card,) = w.summary.cards
    assert card.kind == "cpu"
    assert card.samples >= 5
    assert w.summary.ended == ""
    assert w.findings == []


def test_what_it_raises_passes(telemetry_children: Children) -> None:
    w = roofwatch.watch(device="cpu")

    def block() -> None:
        with w:
            time.sleep(0.2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        block()
    assert telemetry_children() == []
    assert w.summary.ended == "ended by ZeroDivisionError"


def test_a_device_that_is_none() -> None:
    with pytest.raises(ValueError, match="device is 'gpu', not auto, all, cpu or cuda:N"):
        roofwatch.watch(device="gpu")
