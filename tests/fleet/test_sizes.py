"""The sizes of a collective: steps of eight, and the largest that was asked for."""

from __future__ import annotations

import pytest

from roofwatch.fleet.collective_sizes import sizes


@pytest.mark.parametrize(
    ("mib", "last"), [(1, [1 << 18, 1 << 20]), (2, [1 << 18, 1 << 21]), (16, [1 << 21, 1 << 24])]
)
def test_the_largest_asked_for_is_measured(mib: int, last: list[int]) -> None:
    found = sizes(mib << 20)
    assert found[:3] == [8, 64, 512]
    assert found[-2:] == last
