"""``roofwatch plan --tp``: whose latency for how many cards, whose roof, and what a table says."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from roofwatch.cli import main

TWO = Path(__file__).parent / "sessions" / "two"
SPLIT = ("--model", "Llama-3-8B", "--tp", "2")


def printed(*arguments: str) -> str:
    """What one call in this process prints, its lines as they are."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out):
        assert main(["plan", *arguments]) == 0
    out.flush()
    return out.buffer.getvalue().decode()


def test_both_measured_latencies_say_of_how_many_cards_they_are() -> None:
    """Copies' grow with the ring, an all-reduce's stays: of the latter more cards pay at most."""
    out = printed("--session", str(TWO / "links.jsonl"), *SPLIT)
    told = " ".join(out.split())
    assert "27.1 µs an all-reduce of 2 cards (measured; it grows with the cards)" in told
    assert "batch 128: stops paying at 2 with 27.1 µs" in told
    out = printed("--session", str(TWO / "fleet-1.jsonl"), *SPLIT)
    told = " ".join(out.split())
    beyond = "51.3 µs an all-reduce of 2 cards (measured; over more it is longer, which is not"
    assert told.index(beyond) < told.index("off linear")  # in the answer, above the curve
    assert "batch 128: pays up to the 8 shown at most, by the latency of 2 cards with" in told
    assert "batch 1: stops paying at 1 with" in told  # what 2 cards measured is no bound
    assert "tokens/s are an upper bound" not in told
    out = printed("--session", str(TWO / "fleet-1.jsonl"), "--model", "Llama-3-8B", "--tp", "4")
    assert "not counted): tokens/s are an upper bound" in " ".join(out.split())


def test_a_slow_rank_is_the_roof_of_its_fleet_and_is_named() -> None:
    out = printed("--session", str(TWO / "fleet-slow.jsonl"), *SPLIT)
    told = " ".join(out.split())
    assert "670 TFLOP/s (fp16, measured burst, slowest of 2)" in told
    assert "GB/s (measured, slowest of 2)" in told
    slow = "slow in this fleet: vm card 1 (rank 1), matmul-fp16 670.3 TFLOP/s, "
    assert f"{slow}15 % under the faster 789.4" in told
    assert "1 other process holds the GPU" in told
    assert "links of this fleet: not measured, and the file does not say why" in told
    out = printed("--session", str(TWO / "fleet-1.jsonl"), *SPLIT)
    assert "links of this fleet" not in out


@pytest.mark.parametrize(
    ("asked", "link"),
    [
        ((), "each over 2 cards, all-reduce over PCIe or NVLink as printed"),
        (("--gpu", "H200"), "each over 2 cards, all-reduce over 450 GB/s (NVLink as printed)"),
        (("--model", "Llama-3-8B"), "each over 2 cards, all-reduce over PCIe or NVLink as printed"),
    ],
)
def test_a_table_over_several_cards_says_so_above_it(asked: tuple[str, ...], link: str) -> None:
    out = printed(*asked, "--tp", "2")
    told = " ".join(out.split())
    assert f"{link}, no latency counted: an upper bound" in told
    assert "cap is of the cards together" in told
    in_table = any("tokens/s" in line for line in _heads(out))
    assert ("tokens/s contain what a step exchanges" in told) == in_table
    assert "each over" not in printed(*(asked or ("--context", "2048")))


def _heads(out: str) -> list[str]:
    """The lines that name a table's columns."""
    return [x for x in out.splitlines() if x.split()[:1] in (["card"], ["model"])]


def test_a_table_by_a_fleets_latency_says_of_how_many_cards_it_is() -> None:
    out = printed("--session", str(TWO / "fleet-1.jsonl"), "--tp", "4", "--price", "2/h")
    told = " ".join(out.split())
    assert "each over 4 cards, all-reduce over 332 GB/s (measured), 51.3 µs an all-reduce" in told
    assert "of 2 cards (measured; over more it is longer, which is not counted): an upper" in told
    assert "an hour a card" in told
    assert "measured figures, slowest of 2" in told
