"""What the collectives send: values that stay random and finite, however often they are summed."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

WARM, REPETITIONS = 3, 7  # fleet/group_timer.py, which imports torch

RANKS, CALLS = 8, 40
EACH = WARM + 1 + REPETITIONS * CALLS  # 3 doublings a call: 1.0 were infinite after 43


class Summed:
    """Stands in for a group of ranks alike: a sum is a product with their number."""

    def __init__(self) -> None:
        self.finite: list[bool] = []
        self.unlike: list[bool] = []

    def __call__(self, tensor: Any, op: Any = None, group: Any = None, **_: Any) -> Any:
        if tensor.numel() > 16:  # neither a barrier's one nor the blocks' times
            tensor.mul_(RANKS)
            self.finite.append(bool(torch.isfinite(tensor).all()))
            self.unlike.append(tensor.unique().numel() > tensor.numel() // 2)
        return self

    def wait(self) -> None:
        pass


@pytest.fixture
def summed(monkeypatch: pytest.MonkeyPatch) -> Summed:
    import torch.distributed as dist

    from roofwatch.fleet import group_timer

    monkeypatch.setattr(group_timer, "BLOCK_S", 1e3)  # as many calls as may be
    monkeypatch.setattr(group_timer, "MOST_CALLS", CALLS)
    made = Summed()
    monkeypatch.setattr(dist, "all_reduce", made)
    monkeypatch.setattr(dist, "get_backend", lambda group: "gloo")
    return made


def test_an_all_reduce_never_sums_what_has_become_infinite(summed: Summed) -> None:
    from roofwatch.fleet.collectives import over_sizes
    from roofwatch.fleet.group_timer import GroupTimer

    timer = GroupTimer(torch.device("cpu"))
    line = over_sizes("all_reduce", timer, list(range(RANKS)), 4096, lambda _: None)
    assert line.sizes_bytes[-1] == 4096
    assert len(summed.finite) == 2 * EACH
    assert all(summed.finite)
    assert all(summed.unlike)


def test_the_all_reduce_beside_matmuls_neither(
    summed: Summed, monkeypatch: pytest.MonkeyPatch
) -> None:
    from roofwatch.fleet import overlap as overlaps
    from roofwatch.fleet.group_timer import GroupTimer

    monkeypatch.setitem(overlaps.SIDE, "cpu", 64)
    monkeypatch.setitem(overlaps.SIZE_BYTES, "cpu", 4096)
    line = overlaps.overlap(GroupTimer(torch.device("cpu")), RANKS)
    assert len(summed.finite) == 2 * EACH
    assert all(summed.finite)
    assert all(summed.unlike)
    assert line.flop % (2 * 64**3) == 0
    assert line.flop > 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_is_drawn_is_random_and_so_small_that_200_sums_of_two_are_finite(dtype: Any) -> None:
    from roofwatch.fleet.collectives import drawn
    from roofwatch.fleet.group_timer import MOST_CALLS

    values = torch.empty(4096, dtype=dtype)
    assert drawn(values) is values
    assert values.unique().numel() > 100
    assert float(values.max()) > 0
    assert bool(torch.isfinite(values * 2.0**100 * 2.0 ** (MOST_CALLS - 100)).all())


def test_what_a_block_needs_comes_before_the_barrier_and_is_not_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch.distributed as dist

    from roofwatch.fleet import group_timer

    def noted(what: str) -> Any:
        return lambda *_, **__: seen.append(what) or 0.0

    seen: list[str] = []
    monkeypatch.setattr(dist, "all_reduce", noted("barrier"))
    timer = group_timer.GroupTimer(torch.device("cpu"))
    with monkeypatch.context() as patched:
        patched.setattr(group_timer.time, "perf_counter", noted("clock"))
        timer._block(noted("call"), 2, noted("before"))
    assert seen == ["before", "barrier", "clock", "call", "call", "clock"]
