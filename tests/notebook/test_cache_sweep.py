"""A size sweep over nominal: what it shows of the last-level cache."""

from __future__ import annotations

import pytest

from roofwatch.notebook.cache_sweep import cache_sweep
from roofwatch.notebook.finding import NOTE, Finding

MIB = 1 << 20
PROBE = "add_scalar-fp16-sweep"


def swept(
    highest: float = 7000.0,
    nominal: float | None = 4800.0,
    turns: int | None = 36 * MIB,
    seen: int | None = 58 * MIB,
    cache: int | None = 60 * MIB,
) -> Finding | None:
    return cache_sweep(PROBE, highest, nominal, turns, seen, cache)


def message(found: Finding | None) -> str:
    assert found is not None
    return found.message


def test_an_h200s_sweep_names_the_rate_the_turn_and_the_cache() -> None:
    found = swept()
    assert found is not None
    assert (found.code, found.name, found.severity) == ("E2", "l2-hit", NOTE)
    assert (found.root, found.subject) == ("bytes", PROBE)
    for said in ("7000 GB/s", "1.46 times nominal", "36 MiB", "at 58 MiB", "60 MiB reported"):
        assert said in found.message
    assert found.evidence == {
        "highest_gbs": 7000.0,
        "nominal_gbs": 4800.0,
        "turns_bytes": 36 * MIB,
        "seen_bytes": 58 * MIB,
        "cache_bytes": 60 * MIB,
    }


def test_a_stream_that_writes_turns_earlier_for_a_reason() -> None:
    earlier, later = swept(turns=36 * MIB), swept(turns=58 * MIB)
    assert earlier is not None
    assert later is not None
    assert "dirty lines" in earlier.why
    assert "dirty lines" not in later.why


@pytest.mark.parametrize("highest", [4800.0, 4700.0])
def test_nothing_over_nominal_and_no_cliff_is_no_cache(highest: float) -> None:
    assert swept(highest, turns=None) is None
    assert "times nominal" not in message(swept(highest))


def test_over_nominal_is_enough_without_a_cliff() -> None:
    found = swept(4801.0, turns=None)
    assert "turns at" not in message(found)
    assert found is not None
    assert "dirty lines" not in found.why
    assert "turns_bytes" not in found.evidence


def test_a_cliff_is_enough_without_a_nominal_figure() -> None:
    found = swept(60.0, nominal=None)
    assert "turns at 36 MiB" in message(found)
    assert "nominal" not in message(found)
    assert swept(60.0, nominal=None, turns=None) is None


def test_what_is_not_known_is_not_said() -> None:
    said = message(swept(seen=None, cache=None))
    assert "read-only" not in said
    assert "reported" not in said
    assert said.endswith(".")
