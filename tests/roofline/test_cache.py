"""The last-level cache in a size sweep: plateau, cliff and memory, and the sizes to try."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.cache import FEWEST, cliff, sweep_bytes

MIB = 1 << 20
H200_L2 = 60 * MIB

Points = list[tuple[int, float]]


def stepped(cache: int, plateau: float, memory: float, sizes: tuple[int, ...]) -> Points:
    """An ideal cache: the plateau's rate up to its size, the memory's beyond."""
    return [(size, plateau if size <= cache else memory) for size in sizes]


OCTAVES = tuple(MIB << i for i in range(11))


def test_a_step_turns_half_way_between_two_sizes_over_the_logarithm() -> None:
    found = cliff(stepped(64 * MIB, 8000, 4000, OCTAVES))
    assert found is not None
    assert found.plateau_gbs == 8000
    assert found.memory_gbs == 4000
    assert found.bytes_seen == pytest.approx(math.sqrt(64 * 128) * MIB, rel=1e-6)


def test_a_slope_is_crossed_where_it_is_half_way_down() -> None:
    rates = [8000, 8000, 8000, 7000, 5000, 4000, 4000]
    found = cliff([(MIB << i, float(rate)) for i, rate in enumerate(rates)])
    assert found is not None
    # Half-way is 6000, in the middle between 8 MiB at 7000 and 16 MiB at 5000.
    assert found.bytes_seen == pytest.approx(8 * MIB * math.sqrt(2), rel=1e-6)


@given(
    cache_mib=st.floats(2, 200),
    plateau=st.floats(1.3, 20),  # nearer, the memory's own points lie within a fifth of it
    memory=st.floats(10, 8000),
)
def test_an_ideal_cache_is_found_within_the_two_sizes_around_it(
    cache_mib: float, plateau: float, memory: float
) -> None:
    cache = round(cache_mib * MIB)
    sizes = sweep_bytes(cache, MIB // 4, 4096 * MIB)
    found = cliff(stepped(cache, plateau * memory, memory, sizes))
    assert found is not None
    below = max(s for s in sizes if s <= cache)
    above = min(s for s in sizes if s > cache)
    assert below <= found.bytes_seen <= above


def test_short_launches_at_the_small_end_are_no_plateau() -> None:
    points = [(MIB // 4, 900.0), (MIB // 2, 1700.0), *stepped(64 * MIB, 8000, 4000, OCTAVES)]
    found = cliff(points)
    assert found is not None
    assert found.plateau_gbs == 8000
    assert found.bytes_seen == pytest.approx(math.sqrt(64 * 128) * MIB, rel=1e-6)


def test_one_low_point_on_the_plateau_is_not_the_cliff() -> None:
    points = stepped(64 * MIB, 8000, 4000, OCTAVES)
    points[3] = (points[3][0], 3000.0)
    found = cliff(points)
    assert found is not None
    assert found.bytes_seen > 64 * MIB


@pytest.mark.parametrize(
    "rates",
    [
        [4000.0] * 8,  # level
        [500.0, 1000.0, 2000.0, 3000.0, 4000.0, 4000.0, 4000.0],  # rises to the memory's rate
        [4300.0] * 4 + [4000.0] * 4,  # less than a tenth above it
        [4000.0, 4000.0, 4000.0, 4000.0, 8000.0],  # still on the plateau when it ends
    ],
)
def test_no_cliff_no_cache(rates: list[float]) -> None:
    assert cliff([(MIB << i, rate) for i, rate in enumerate(rates)]) is None


def test_a_handful_of_points_tells_nothing() -> None:
    points = stepped(2 * MIB, 8000, 4000, OCTAVES[: FEWEST - 1])
    assert cliff(points) is None
    assert cliff([]) is None


@given(
    cache=st.integers(0, 512 * MIB),
    least=st.integers(4096, 8 * MIB),
    most=st.integers(4096, 8192 * MIB),
)
def test_sizes_rise_within_their_bounds(cache: int, least: int, most: int) -> None:
    sizes = sweep_bytes(cache, least, most)
    assert list(sizes) == sorted(set(sizes))
    assert all(least <= size <= most for size in sizes)
    assert sizes or most < least


def test_sizes_are_denser_around_the_cache() -> None:
    sizes = sweep_bytes(H200_L2, MIB // 4, 4096 * MIB)
    steps = [(math.log2(b / a), a) for a, b in itertools.pairwise(sizes)]
    around = [step for step, a in steps if H200_L2 / 2 <= a < 2 * H200_L2]
    beyond = [step for step, a in steps if a >= 8 * H200_L2]
    assert max(around) <= 1 / 8 + 1e-6
    assert max(beyond) == pytest.approx(1)
    assert max(step for step, _ in steps) <= 1 + 1e-6
    assert H200_L2 in sizes


def test_both_tensors_fit_with_room_to_spare_at_one_size() -> None:
    assert round(0.4 * H200_L2) in sweep_bytes(H200_L2, MIB, 4096 * MIB)


def test_without_a_known_cache_an_octave_apart() -> None:
    assert sweep_bytes(0, MIB, 16 * MIB) == (MIB, 2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB)
