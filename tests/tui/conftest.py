"""What the tests of the screen share: findings in Chinese, and the comparison of pictures."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from roofwatch.notebook import catalog
from roofwatch.notebook.finding import Finding
from roofwatch.roofline import decode_work
from roofwatch.session.decode import BENT, TERMS, DecodeCurve, DecodePoint
from roofwatch.session.kernel_map import KernelPoint
from roofwatch.session.models import packaged_models
from roofwatch.tui.decode import decode_pane
from roofwatch.tui.kernels import kernels_pane, short_kernels
from roofwatch.tui.plan import plan_answers

PICTURES = Path(__file__).parent / "pictures"


@pytest.fixture
def same_picture() -> Callable[[App[None], str], None]:
    """Compares the screen with a kept SVG; ROOFWATCH_NEW_PICTURES=1 takes new ones, to be looked
    at."""

    def compare(app: App[None], name: str) -> None:
        svg = re.sub(r"terminal-\d+", "terminal", app.export_screenshot())
        svg = re.sub(r"(?s)@font-face \{.*?\}\s*", "", svg)
        path = PICTURES / f"{name}.svg"
        if os.environ.get("ROOFWATCH_NEW_PICTURES"):
            PICTURES.mkdir(exist_ok=True)
            path.write_text(svg)
        assert svg == path.read_text()

    return compare


@pytest.fixture
def chinese() -> Iterator[list[Finding]]:
    """Findings with long Chinese sentences without spaces, while Chinese is spoken."""
    catalog.choose("zh-CN")
    yield [
        Finding(
            code=code,
            name=name,
            root="bytes",
            severity=severity,
            subject="add_scalar-fp16",
            message="实测带宽是标称值的二点八倍，数据全部留在末级缓存里，从未到达显存；这个数不能当作显存带宽来用。",
            why="第一遍之后，数据不再离开芯片（两个张量共2.0 MiB，而缓存有4 MiB），测到的是缓存。",
            do="1. 至少用80 MiB（缓存的二十倍）来测；2. 看大小扫描在哪里变平；3. 最后才怀疑显卡。",
            evidence={"gbs": 900.0, "working_set_bytes": 2 << 20, "说明": "数据留在缓存里"},
        )
        for code, name, severity in (
            ("E2", "l2-hit", "wrong"),
            ("units", "units", "suspect"),
            ("E6", "nominal-as-floor", "note"),
        )
    ]
    catalog.choose("en")


LLAMA = next(m for m in packaged_models() if m.name == "Llama-3-8B")
SLOPE_GBS, FLAT_TFLOPS = 4300.0, 800.0


def curve(context: int, layers: int = LLAMA.layers, graph: bool = True) -> DecodeCurve:
    """Decode steps of Llama-3-8B, about as an H200 takes them."""
    points = [_point(1 << i, context, layers, graph) for i in range(8)]
    steps = [p.step_s or 0.0 for p in points]
    gaps = [1 - steps[0] / step for step in steps]
    bend = next((p.batch for p, gap in zip(points, gaps, strict=True) if gap > BENT), None)
    growth = {t: points[-1].terms[t] - points[0].terms[t] for t in TERMS}
    ai_max = points[0].flop / points[0].kv_bytes
    ridge = FLAT_TFLOPS * 1e3 / SLOPE_GBS
    return DecodeCurve(
        probe="decode-Llama-3-8B",
        model="Llama-3-8B",
        context=context,
        layers=layers,
        layers_of=LLAMA.layers,
        dtype="bf16",
        points=points,
        gaps=gaps,
        first_bend=bend,
        last_over_first=steps[-1] / steps[0],
        ai_max=ai_max,
        b_star=None if ai_max < ridge else 328.0,
        ridge=ridge,
        overhead_s=1.13e-3,
        growth=growth,
        reason=f"From batch 1 to 128 the step grows from {steps[0] * 1e3:.2f} to "
        f"{steps[-1] * 1e3:.2f} ms: {growth['kv'] * 1e3:.2f} ms KV bytes, "
        f"{growth['kernels'] * 1e3:.2f} ms kernels under the roof. The FLOP take 2.37 ms, hidden "
        "under the bytes: compute is not what bends it.",
    )


def _point(batch: int, context: int, layers: int, graph: bool) -> DecodePoint:
    work = decode_work.step(LLAMA, layers, batch, context, "bf16")
    read = {t.name: t.read_bytes for t in work.tensors}
    terms = dict.fromkeys(TERMS, 0.0)
    terms |= {name: read[name] / SLOPE_GBS / 1e9 for name in ("weights", "kv")}
    terms |= {"small": 0.25e-3, "launch": 0.32e-3}
    terms["kernels"] = 0.55e-3 + 0.14 * terms["kv"]
    predicted_s = sum(terms.values())
    return DecodePoint(
        batch=batch,
        flop=work.flop,
        weights_bytes=read["weights"],
        kv_bytes=read["kv"],
        graph_s=1.03 * predicted_s if graph else None,
        eager_s=max(13.1e-3, 1.07 * predicted_s),
        paper_s=terms["weights"] + terms["kv"] + 1.13e-3,
        predicted_s=predicted_s if graph else None,
        eager_predicted_s=max(12.5e-3, predicted_s),
        terms=terms,
        bound="memory",
    )


@pytest.fixture
def curves(monkeypatch: pytest.MonkeyPatch) -> list[DecodeCurve]:
    """Two curves that every session has, while the test runs."""
    found = [curve(256), curve(2048)]
    for pane in (decode_pane, plan_answers):
        monkeypatch.setattr(pane, "decode_curves", lambda session, own: found)
    return found


def kernel(
    op: str, seconds: float, share: float, bound: str = "memory", **more: Any
) -> KernelPoint:
    """One kernel of the map; its intensity and rates follow from a roof of 4300 GB/s."""
    intensity = more.pop("intensity", 0.25)
    rate = 4300.0 * share
    return KernelPoint(
        probe="kernels",
        op=op,
        label=more.pop("label", op.replace("_", " ")),
        shape={"rows": 4096, "columns": 4096},
        dtype="bf16",
        variant=None,
        flop=intensity * rate * 1e9 * seconds,
        bytes=int(rate * 1e9 * seconds),
        intensity=intensity,
        time_s=seconds,
        gbs=rate,
        tflops=intensity * rate / 1e3,
        bound=bound,
        of_roof=share,
        roof=more.pop("roof", 4300.0),
        roof_unit=more.pop("roof_unit", "GB/s"),
        roof_by=more.pop("roof_by", "copy-fp16"),
        reason=more.pop("reason", ""),
        treatment=more.pop("treatment", "fuse it with its neighbours: fewer bytes"),
        terms={"memory": 0.9 * seconds, "overhead": 0.84e-6},
        timing="graph",
        kernel=None,
    )


COS = "special functions: 20 instructions an element (16 a clock and SM at 1755 MHz) take 0.29 ms"
LAUNCH = "launch: a launch of 7.2 us cost 7.2 us, the bytes 41 ns"
LAUNCHED = "a CUDA graph, or fusion: fewer launches"


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[KernelPoint]:
    """A kernel map that every session has, while the test runs."""
    found = [
        kernel("add", 0.31e-3, 0.98, intensity=1 / 6),
        kernel("relu", 0.25e-3, 0.97),
        kernel("cos", 0.31e-3, 0.76, "compute", reason=COS, treatment="cheaper functions"),
        kernel("silu", 0.26e-3, 0.93, intensity=1.0),
        kernel("rmsnorm", 0.28e-3, 0.88, intensity=1.0, reason="not known in figures: it reduces"),
        kernel(
            "rmsnorm",
            7.2e-6,
            0.006,
            "overhead",
            label="rmsnorm 1 row, eager",
            intensity=1.0,
            reason=LAUNCH,
            treatment=LAUNCHED,
        ),
        kernel("layernorm", 0.27e-3, 0.9, intensity=2.0),
        kernel("softmax", 0.27e-3, 0.91, intensity=1.0),
        kernel(
            "embedding", 0.21e-3, 0.86, intensity=0.0, reason="not known in figures: it gathers"
        ),
        kernel("bias_gelu_dropout", 0.73e-3, 0.4, label="bias+gelu+dropout", intensity=0.7),
        kernel("decode_linear", 31e-6, 0.92, label="decode linear", intensity=1.0),
        kernel("decode_attention", 0.13e-3, 0.82, label="decode attention 32 x 2048", intensity=4),
        kernel(
            "prefill_linear",
            0.36e-3,
            0.1,
            "compute",
            label="prefill linear 4096",
            intensity=1365.0,
            roof=826.0,
            roof_unit="TFLOP/s",
            roof_by="matmul-bf16",
        ),
        kernel(
            "prefill_attention",
            0.9e-3,
            0.02,
            "compute",
            label="prefill attention 8192",
            intensity=3000,
        ),
        kernel(
            "sampling",
            0.24e-3,
            0.002,
            "overhead",
            label="sampling, eager",
            reason=LAUNCH,
            treatment=LAUNCHED,
        ),
    ]
    for pane in (kernels_pane, short_kernels):
        monkeypatch.setattr(pane, "kernel_map", lambda session, own: found)
    return found
