"""Orders to telemetry: another rate, the end; what is no order changes nothing."""

import json
import os
import subprocess
import sys
import time

import pytest

from roofwatch.telemetry.orders import Orders


@pytest.mark.parametrize("line", ["", "hz", "hz x", "hz 0", "hz -1", "hz nan", "hz 1e9", "go"])
def test_what_is_no_order(line):
    orders = Orders(10.0)
    orders.hear(line)
    assert (orders.hz, orders.come.is_set(), orders.follow()) == (10.0, False, False)


def test_a_rate_is_followed_once_and_the_end_stays():
    orders = Orders(10.0)
    orders.hear("hz 1")
    assert orders.come.is_set()
    assert orders.follow()
    assert orders.hz == 1.0
    assert not orders.follow()
    orders.hear("quit")
    orders.hear("hz 5")
    assert not orders.follow()


def test_the_instrument_reads_less_often_when_told():
    read, write = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-m", "roofwatch.telemetry", "--source", "host", "--fd", str(write)],
        stdin=subprocess.PIPE,
        pass_fds=(write,),
    )
    os.close(write)
    kinds, rates = [], []
    with os.fdopen(read, "rb") as pipe:
        for line in pipe:
            event = json.loads(line)
            kinds.append(event["kind"])
            if event["kind"] == "session" and "hz" in event:
                rates.append(event["hz"])
                told = time.monotonic()
            if kinds.count("sample") == 3 and len(rates) == 1:
                child.stdin.write(b"hz 1\n")
                child.stdin.flush()
            if kinds.count("sample") == 6:
                break
        child.stdin.write(b"quit\n")
        child.stdin.flush()
        assert child.wait(10) == 0
    assert rates == [10.0, 1.0]
    assert time.monotonic() - told > 0.9  # at least one of the last three was a second away
    child.stdin.close()


def test_a_look_at_its_health_is_asked_for_by_a_word_and_given_once():
    orders = Orders(10.0)
    orders.hear("health idle")
    orders.hear("health loaded")
    assert orders.follow()
    assert (orders.looks(), orders.looks()) == (["idle", "loaded"], [])
    for number in range(1000):
        orders.hear(f"health {number}")
    assert len(orders.looks()) < 100
