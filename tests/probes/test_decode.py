"""The decode probe for real on the CPU with a tiny model, and what small memory leaves out."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import decode  # noqa: E402
from roofwatch.probes.decode import BATCHES, fitting, points  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.place import Place, Point  # noqa: E402
from roofwatch.roofline import decode_work  # noqa: E402
from roofwatch.roofline.model import Model  # noqa: E402
from roofwatch.roofline.probe_spec import decode_spec  # noqa: E402
from roofwatch.session.models import model_named, packaged_models  # noqa: E402

pytestmark = pytest.mark.torch

SMALL = Model(
    name="small",
    layers=4,
    hidden=64,
    intermediate=96,
    heads=4,
    kv_heads=2,
    head_dim=16,
    vocab=128,
)
LLAMA3 = model_named("Llama-3-8B", packaged_models())
SPEC = decode_spec("small", "fp32")
FEW = (1, 4, 32)  # batches: a CPU of two cores takes its time


def place(note: Callable[[str], None], contexts: tuple[int, ...] = (8, 16)) -> Place:
    return Place(
        target=CpuTarget(),
        clock=None,
        shapes={},
        peaks_tflops={},
        rest=lambda _: None,
        models={"small": SMALL},
        contexts=contexts,
        note=note,
    )


@pytest.fixture(scope="module")
def measured() -> tuple[list[Point], list[str], list[float]]:
    notes: list[str] = []
    progress: list[float] = []
    with pytest.MonkeyPatch.context() as patched, torch.inference_mode():
        patched.setattr(decode, "BATCHES", FEW)
        found = list(points(SPEC, place(notes.append), progress.append))
    return found, notes, progress


def test_every_batch_and_context_has_its_step_and_its_parts(
    measured: tuple[list[Point], list[str], list[float]],
) -> None:
    found, _, progress = measured
    whole = [p for p in found if p.work.op == "decode"]
    assert {(p.work.shape["batch"], p.work.shape["context"]) for p in whole} == {
        (b, n) for b in FEW for n in (8, 16)
    }
    assert {p.variant for p in whole} == {"eager"}  # a CPU has no graphs
    names = [w.op for w in decode_work.parts(SMALL, 1, 8, "fp32")]
    for context in (8, 16):
        for batch in FEW:
            of_step = [
                p
                for p in found
                if p.variant == "part"
                and (p.work.shape["batch"], p.work.shape["context"]) == (batch, context)
            ]
            assert [p.work.op for p in of_step][-len(names) :] == names
            assert all(min(p.timed.times_s) > 0 for p in of_step)
    assert progress == sorted(progress)
    assert progress[-1] == pytest.approx(1.0)


def test_the_first_batch_is_measured_again_behind_the_others(
    measured: tuple[list[Point], list[str], list[float]],
) -> None:
    found, _, _ = measured
    order = [
        p.work.shape["batch"]
        for p in found
        if p.work.op == "decode" and p.work.shape["context"] == 8
    ]
    assert order == [*FEW, 1]


def test_fewer_layers_are_said(measured: tuple[list[Point], list[str], list[float]]) -> None:
    found, notes, _ = measured
    assert notes[0].startswith("2 of 4 layers")
    assert {p.work.shape["layers"] for p in found if p.work.op == "decode"} == {2}


def test_a_slow_cpu_ends_a_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "CPU_STEP_S", 0.0)
    notes: list[str] = []
    with torch.inference_mode():
        found = list(points(SPEC, place(notes.append, (8,)), lambda _: None))
    assert {p.work.shape["batch"] for p in found} == {1}
    assert any("no batch over 1" in n for n in notes)


def target(free_bytes: float, kind: str = "cuda") -> Any:
    return SimpleNamespace(kind=kind, free_bytes=lambda: int(free_bytes))


def test_all_layers_where_they_fit() -> None:
    assert fitting(LLAMA3, "bf16", target(130e9), 2048) == (32, BATCHES)


def test_layers_give_way_to_memory_before_batches_do() -> None:
    layers, batches = fitting(LLAMA3, "bf16", target(23e9), 2048)
    assert batches == BATCHES
    assert 2 <= layers < 32
    kv = batches[-1] * 2048 * LLAMA3.kv_bytes_per_token("bf16") / 32
    need = layers * (2 * LLAMA3.layer_params + kv) + 4 * LLAMA3.embedding_params
    a_layer = 2 * LLAMA3.layer_params + kv
    assert need <= decode.KEPT * 23e9 < need + a_layer


def test_batches_give_way_when_not_even_two_layers_fit() -> None:
    layers, batches = fitting(LLAMA3, "bf16", target(5e9), 8192)
    assert layers >= 2
    assert batches == BATCHES[: len(batches)]
    assert batches[-1] < BATCHES[-1]


def test_too_little_memory_is_said_with_what_is_needed() -> None:
    with pytest.raises(RuntimeError, match=r"two layers need \d+\.\d GB"):
        fitting(LLAMA3, "bf16", target(1e9), 256)
