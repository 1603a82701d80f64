"""A stand-in for a torch built for CUDA: as much of it as the doctor's probes touch.

Its card opens and computes nothing. TORCH_STUB says otherwise: words with commas of ``sm_80`` or
``compute_80`` for what it was built for, ``cuda=12.4`` for its CUDA, ``cannot-open``, ``hang`` and
``crash`` for what comes of opening the card, ``missing`` for a torch that cannot be imported.
"""

import os
import signal
import sys
import time
from types import ModuleType, SimpleNamespace

SAID = [word for word in os.environ.get("TORCH_STUB", "").split(",") if word]
if "missing" in SAID:
    raise ImportError("No module named 'torch'")
__version__ = "2.11.0+stand-in"
ARCHS = [word for word in SAID if word.startswith(("sm_", "compute_"))] or ["sm_80", "sm_90"]
CUDA = next((word[5:] for word in SAID if word.startswith("cuda=")), "13.0")
version = SimpleNamespace(cuda=CUDA, hip=None)
_C = SimpleNamespace(_cuda_getArchFlags=lambda: " ".join(ARCHS))


class Tensor:
    def copy_(self, other, non_blocking=False):
        time.sleep(COPY_S)


class Event:
    def __init__(self, enable_timing=False):
        self.at_s = 0.0

    def record(self, stream=None):
        self.at_s = time.monotonic()

    def elapsed_time(self, other):
        return 1e3 * (other.at_s - self.at_s)


class Nothing:
    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


COPY_S = 1.2e-3  # 64 MiB at 55 GB/s
OutOfMemoryError = type("OutOfMemoryError", (RuntimeError,), {})
device = lambda *_: "cuda:0"  # noqa: E731
Stream = inference_mode = Nothing


def _open():
    if "hang" in SAID:
        time.sleep(60)
    if "crash" in SAID:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "cannot-open" in SAID:
        raise RuntimeError("CUDA error: all CUDA-capable devices are busy or unavailable\nmore")


def _tensor(*_, **__):
    return Tensor()


ones = empty = empty_like = randn = _tensor


def add(*_, **__):
    time.sleep(0)


def matmul(*_, **__):
    time.sleep(1e-4)


def get_num_threads():
    return 2


cuda = SimpleNamespace(
    is_available=lambda: True,
    device_count=lambda: 1,
    set_device=lambda index: None,
    init=_open,
    get_device_properties=lambda index: SimpleNamespace(
        name="NVIDIA H200",
        uuid="00000000-0000-0000-0000-000000000000",
        major=9,
        minor=0,
        multi_processor_count=132,
        total_memory=150_754_820_096,
    ),
    synchronize=lambda index=None: None,
    Stream=Nothing,
    stream=Nothing,
    Event=Event,
)
backends = SimpleNamespace(
    cudnn=SimpleNamespace(is_available=lambda: True, version=lambda: 91002),
)
float32 = float16 = uint8 = "a type"
__path__: list[str] = []  # it has parts
profiler = sys.modules["torch.profiler"] = ModuleType("torch.profiler")
profiler.__getattr__ = lambda name: Nothing
