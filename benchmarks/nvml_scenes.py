"""Hosts that between them make telemetry call every NVML function it knows, and which those are."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from roofwatch.telemetry.gpu import Gpu
from roofwatch.telemetry.nvml import Nvml

ROOT = Path(__file__).parent.parent
SHIM = ROOT / "tests" / "telemetry" / "shim"
TICKS = 4
"""Samples of a reading: every second with the slow part, and a turn of every neighbour."""


def _stand_in() -> Any:
    spec = importlib.util.spec_from_file_location("pynvml_stand_in", SHIM / "pynvml.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pynvml = _stand_in()
"""The tests' stand-in for pynvml."""


class Scene(NamedTuple):
    """A host: the stand-in's orders, the card that is asked for, the environment."""

    orders: Mapping[str, Any]
    device: str | None = None
    environ: Mapping[str, str] = {}

    def fake(self) -> Any:
        """A stand-in that answers as this host does."""
        return pynvml.ordered(self.orders)

    def open(self, fake: Any) -> Gpu:
        """The card as the instrument opens it."""
        nvml = Nvml(fake)
        nvml.start()
        return Gpu(nvml, self.device, self.environ)


OLD = (
    "nvmlDeviceGetSupportedClocksEventReasons",
    "nvmlDeviceGetCurrentClocksEventReasons",
    "nvmlDeviceGetComputeRunningProcesses",
)
SCENES = {
    "one card": Scene({}),
    "unlike cards": Scene(
        {"cards": 3, "names": ["NVIDIA T400", "NVIDIA H100", "NVIDIA H200"]},
        "cuda:1",
        {"CUDA_VISIBLE_DEVICES": "1,0,2"},
    ),
    "a slice by UUID": Scene({"slice": 0}, pynvml.MIG),
    "the first slice": Scene({"cards": 2, "slice": 0}),
    "an old driver": Scene(dict.fromkeys(OLD, 13)),
    "no UUIDs": Scene({"nvmlDeviceGetUUID": 10}, "GPU-00aa-uuid"),
}


@cache
def called(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """The functions that telemetry calls on a host: at the start, and while it runs."""
    fake = SCENES[name].fake()
    gpu = SCENES[name].open(fake)
    start = frozenset(fake.calls)
    fake.calls.clear()
    for tick in range(TICKS):
        gpu.sample(tick, slow=True)
        gpu.beside(tick)
    gpu.health("asked")
    return start, frozenset(fake.calls)


def scenes_of(function: str) -> list[str]:
    """The hosts on which a function is called."""
    return [name for name in SCENES if any(function in calls for calls in called(name))]


@cache
def functions() -> tuple[str, ...]:
    """Every pynvml function that stands in telemetry's source."""
    found = set()
    for path in (ROOT / "telemetry").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and re.fullmatch(r"nvml[A-Z]\w*", value):
                found.add(value)
    return tuple(sorted(found))
