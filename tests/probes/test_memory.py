"""Memory that is short: less is taken, and said; what is no shortage passes through."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import memory, streams  # noqa: E402
from roofwatch.probes.device import CpuTarget, CudaTarget  # noqa: E402
from roofwatch.probes.matmul import fitting, work  # noqa: E402
from roofwatch.probes.memory import SHARES, out_of_memory, shortage, within_room  # noqa: E402
from roofwatch.probes.shapes import candidates  # noqa: E402
from roofwatch.roofline.suite import suite  # noqa: E402

pytestmark = pytest.mark.torch
GIB = 1 << 30


class Target:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.shares: list[float] = []
        self.cleaned = 0

    def keep_within(self, share: float) -> None:
        self.shares.append(share)

    def clean_up(self) -> None:
        self.cleaned += 1

    def free_bytes(self) -> int:
        return 3 * GIB


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "WAIT_S", 0.0)


@pytest.mark.parametrize(
    ("error", "short"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0"), True),
        (RuntimeError("CUDA error: out of memory"), True),
        (RuntimeError("CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("too little memory is free: 0 bytes"), True),
        (MemoryError(), True),
        (RuntimeError("CUDA error: device-side assert triggered"), False),
        (ValueError("shape"), False),
    ],
)
def test_what_is_a_shortage(error: BaseException, short: bool) -> None:
    assert out_of_memory(error) is short


def test_half_the_room_until_it_fits() -> None:
    target, said = Target(), []

    def measure() -> None:
        if len(target.shares) < 3:
            raise torch.OutOfMemoryError("CUDA out of memory.")

    within_room(target, measure, said.append)  # type: ignore[arg-type]
    assert target.shares == list(SHARES[:3])
    assert target.cleaned == 2
    assert said == [
        "out of memory: tried again with 50.0 % of what is free",
        "out of memory: tried again with 25.0 % of what is free",
    ]


def test_the_smallest_room_is_the_last_and_other_errors_pass() -> None:
    target = Target()

    def never() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        within_room(target, never, lambda _: None)  # type: ignore[arg-type]
    assert target.shares == list(SHARES)

    def broken() -> None:
        raise ValueError("other")

    with pytest.raises(ValueError, match="other"):
        within_room(Target(), broken, lambda _: None)  # type: ignore[arg-type]


def test_a_shortage_in_one_line() -> None:
    error = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has …")
    said = shortage(error, Target())  # type: ignore[arg-type]
    assert said == "out of memory of 2.00 GiB, whatever the size: 3.00 GiB are free"


def test_a_card_keeps_its_last_twentieth(monkeypatch: pytest.MonkeyPatch) -> None:
    card = object.__new__(CudaTarget)
    card.index, card._share = 0, 1.0
    card._properties = SimpleNamespace(total_memory=100 * GIB)
    told: list[Any] = []
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (30 * GIB, 100 * GIB))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda _: 10 * GIB)
    monkeypatch.setattr(
        torch.cuda, "set_per_process_memory_fraction", lambda *told_: told.append(told_)
    )
    assert card.free_bytes() == 25 * GIB
    card.keep_within(0.5)
    assert card.free_bytes() == 12.5 * GIB
    assert told == [(pytest.approx(0.35), 0)]  # what is reserved, and all that may be taken


def test_a_cpu_sizes_itself_by_the_share() -> None:
    cpu = CpuTarget()
    whole = cpu.free_bytes()
    cpu.keep_within(0.25)
    assert cpu.free_bytes() < whole / 3


def test_a_stream_leaves_room_to_draw_its_elements() -> None:
    target = SimpleNamespace(
        kind="cuda",
        cache_bytes=60 << 20,
        free_bytes=lambda: GIB,
        stopped=lambda: False,
        torch_device=torch.device("cpu"),
    )
    size, beyond = streams.tensor_bytes(target, "add_scalar")  # type: ignore[arg-type]
    assert not beyond
    drawn = size // 2 // 16 * (4 + 2)  # fp32, then fp16
    assert 2 * size + drawn < GIB
    x = streams.random_normal(target, 1000, "fp16")  # type: ignore[arg-type]
    assert x.std().item() == pytest.approx(1.0, abs=0.5)
    assert torch.equal(x[:63], x[63:126])  # drawn once, laid out again


def test_a_search_drops_its_largest_shapes() -> None:
    spec = next(s for s in suite("quick", "cuda", "9.0") if s.key == "matmul-bf16")
    shapes = candidates(132, 1e13, "bf16")
    assert fitting(shapes, spec, 1 << 50) == shapes
    some = fitting(shapes, spec, GIB)
    assert 1 < len(some) < len(shapes)
    assert 2 * sum(work(spec, s).bytes for s in some) <= GIB
    assert max(work(spec, s).bytes for s in some) < max(work(spec, s).bytes for s in shapes)
    assert len(fitting(shapes, spec, 0)) == 1
