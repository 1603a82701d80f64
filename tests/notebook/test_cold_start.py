"""The first block on fresh buffers."""

from __future__ import annotations

import pytest

from roofwatch.notebook.cold_start import cold_start
from roofwatch.notebook.finding import NOTE
from roofwatch.notebook.reading import Reading


def reading(ratio: float | None) -> Reading:
    return Reading(
        subject="add_scalar-fp16", op="add_scalar", dtype="fp16", first_block_ratio=ratio
    )


def test_a_first_block_that_took_a_fifth_longer_is_noted() -> None:
    found = cold_start(reading(1.2))
    assert found is not None
    assert found.code == found.name == "cold-start"
    assert (found.severity, found.root, found.subject) == (NOTE, "conditions", "add_scalar-fp16")
    assert "20 % longer" in found.message
    assert "no figure" in found.message
    assert found.evidence == {"ratio": 1.2}


@pytest.mark.parametrize(("ratio", "fires"), [(1.051, True), (1.05, False), (1.0, False)])
def test_five_per_cent_is_the_limit(ratio: float, fires: bool) -> None:
    assert (cold_start(reading(ratio)) is not None) is fires


@pytest.mark.parametrize("ratio", [0.8, None])
def test_a_faster_first_block_or_none_is_silent(ratio: float | None) -> None:
    assert cold_start(reading(ratio)) is None
