"""A stride of two: the useful rate and what the memory carried for it."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.strided import strided

GIB = 1 << 30
FIELDS: dict[str, object] = {
    "subject": "strided-fp16",
    "op": "strided",
    "dtype": "fp16",
    "gbs": 1734.0,
    "working_set_bytes": 2 * GIB,  # every second element of 2 GiB, and as many results
    "moved_bytes": 3 * GIB,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**FIELDS, **fields})  # type: ignore[arg-type]


def test_a_stride_of_two_moves_one_and_a_half_times_what_counts() -> None:
    found = strided(reading())
    assert found is not None
    assert found.code == found.name == "strided"
    assert (found.severity, found.root, found.subject) == (NOTE, "bytes", "strided-fp16")
    assert found.evidence == {"useful_gbs": 1734, "moved_gbs": 2601, "moved_over_useful": 1.5}
    assert "1734 GB/s of useful bytes" in found.message
    assert "1.50 times" in found.message
    assert "2601 GB/s" in found.message


@pytest.mark.parametrize("fields", [{"op": "add_scalar"}, {"gbs": None}, {"moved_bytes": None}])
def test_nothing_is_said_of_other_streams_or_without_figures(fields: dict[str, object]) -> None:
    assert strided(reading(**fields)) is None
