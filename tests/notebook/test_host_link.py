"""The way between host and card: the other socket, a narrow link, memory that is not pinned."""

from __future__ import annotations

from typing import Any

import pytest

from roofwatch.notebook.catalog import LANGUAGES, choose
from roofwatch.notebook.host_link import narrow_link, other_node
from roofwatch.notebook.pageable import staged_costs


def test_a_process_on_the_other_node_is_told_both() -> None:
    found = other_node("h2d-pinned", 1, [0], 2, 31.0)
    assert found is not None
    assert (found.code, found.severity) == ("host-bound", "suspect")
    assert "NUMA node 0, the card hangs on node 1: 31 GB/s" in found.message
    assert "numactl --cpunodebind=1 --membind=1" in found.do


@pytest.mark.parametrize(
    ("card", "own", "count"),
    [(0, [0], 2), (1, [0, 1], 2), (None, [0], 2), (1, None, 2), (1, [], 2), (1, [0], 1)],
)
def test_the_same_node_or_one_that_is_not_known_is_none(
    card: int | None, own: list[int] | None, count: int
) -> None:
    assert other_node("h2d-pinned", card, own, count, None) is None


def test_a_link_below_itself_under_load() -> None:
    found = narrow_link("h2d-pinned", 3, 16, 5, 16, 15.76, 63.0)
    assert found is not None
    assert "generation 3 x16 under load, 15.8 GB/s a direction" in found.message
    assert "generation 5 x16 would carry 63" in found.message


@pytest.mark.parametrize(
    "told",
    [
        (5, 16, 5, 16, 63.0, 63.0),
        (None, 16, 5, 16, None, 63.0),
        (5, 16, None, None, 63.0, None),
        (6, 16, 5, 16, 121.0, 63.0),
    ],
)
def test_a_whole_link_or_one_that_is_not_told_is_none(told: tuple[Any, ...]) -> None:
    assert narrow_link("h2d-pinned", *told) is None


def test_what_pageable_memory_costs_here_is_a_note() -> None:
    found = staged_costs("h2d-pageable", 19.4, 55.4)
    assert found is not None
    assert (found.code, found.severity) == ("pageable", "note")
    assert "19.4 GB/s from pageable memory where pinned memory reaches 55.4: 2.9 times" in (
        found.message
    )
    assert staged_costs("h2d-pageable", 54.0, 55.4) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_languages_say_them(language: str) -> None:
    choose(language)
    try:
        for found in (
            other_node("x", 1, [0], 2, None),
            narrow_link("x", 3, 8, 5, 16, 7.9, 63.0),
            staged_costs("x", 10.0, 50.0),
        ):
            assert found is not None
            assert "{" not in found.message + found.why + found.do
    finally:
        choose(LANGUAGES[0])
