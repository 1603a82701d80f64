"""The device the probes run on: CUDA through torch, or the CPU, behind one small interface."""

from __future__ import annotations

import itertools
import os
import platform
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch

from roofwatch.probes.host_timer import HostTimer, host_timer_for
from roofwatch.probes.memory import KEPT
from roofwatch.probes.timing import GRAPH_BELOW_S, Launch, Timer
from roofwatch.roofline.statistics import median
from roofwatch.session.events import Device, Software
from roofwatch.session.host_cpu import card_node

FILL_CYCLES = 2_000_000  # about 1 ms: a host that has slept needs some of it for its first launch
SETTINGS = (
    "NVIDIA_TF32_OVERRIDE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCH_BLAS_PREFER_CUBLASLT",
    "DISABLE_ADDMM_CUDA_LT",
    "CUBLASLT_WORKSPACE_SIZE",
    "CUBLAS_EMULATE_DOUBLE_PRECISION",
    "CUBLAS_EMULATE_SINGLE_PRECISION",
    "CUBLAS_EMULATION_STRATEGY",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "CUDA_MODULE_LOADING",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "ONEDNN_MAX_CPU_ISA",
)


class NoDevice(Exception):
    """A device was asked for by name and is absent; the message says which."""


class Target(Protocol):
    """Where probes run."""

    kind: str
    torch_device: torch.device
    units: int  # SMs; 1 where waves mean nothing
    cache_bytes: int  # the last level between the units and memory
    stopped: Callable[[], bool]  # whether the parent asked to stop

    def identity(self) -> Device:
        """What torch knows of the device."""
        ...

    def free_bytes(self) -> int:
        """Memory that may still be taken."""
        ...

    def keep_within(self, share: float) -> None:
        """Say that only this share of what is free may be taken, until told otherwise."""
        ...

    def timer(self) -> Timer:
        """A timer for launches of a hundred microseconds and more."""
        ...

    def timer_for(self, launch: Launch) -> Timer:
        """The timer that suits this launch's length."""
        ...

    def clean_up(self) -> None:
        """Give memory back."""
        ...


def pick(name: str, stopped: Callable[[], bool] = lambda: False) -> Target:
    """``auto``, ``cpu`` or ``cuda:N``. Raises NoDevice when what was named is absent.

    ``stopped`` is asked between a CPU's launches, which may take a second together.
    """
    if name == "cpu":
        return CpuTarget(stopped)
    if torch.cuda.is_available():
        index = int(name.partition(":")[2] or 0) if name != "auto" else 0
        if index >= torch.cuda.device_count():
            raise NoDevice(f"there is no cuda:{index}; torch sees {torch.cuda.device_count()}")
        return CudaTarget(index, stopped)
    if name == "auto":
        return CpuTarget(stopped)
    reason = "this torch was built without CUDA" if torch.version.cuda is None else "no usable GPU"
    advice = "--device cpu measures the CPU"
    raise NoDevice(f"torch {torch.__version__} cannot open {name}: {reason}; {advice}")


def software() -> Software:
    """Versions, and every setting that changes what a matmul computes."""
    settings = {name: os.environ[name] for name in SETTINGS if name in os.environ}
    settings["matmul_threads"] = str(torch.get_num_threads())
    return Software(
        torch=str(torch.__version__),
        cuda=torch.version.cuda,
        python=platform.python_version(),
        settings=settings,
    )


class EventTimer:
    """CUDA events between launches; nothing waits before the last one is enqueued.

    With ``calls`` a repetition is so many launches between two events, which share their cost.
    """

    def __init__(self, index: int, calls: int = 1) -> None:
        self.name = "event" if calls == 1 else "event-many"
        self.calls = calls
        self._index = index

    def times(self, launch: Launch, count: int) -> list[float]:
        """See Timer."""
        return self.each([launch] * count)

    def each(self, launches: Sequence[Launch]) -> list[float]:
        """See Timer. A short spin lets the queue fill, so that no launch waits for the host."""
        events = [torch.cuda.Event(enable_timing=True) for _ in range(len(launches) + 1)]
        if hasattr(torch.cuda, "_sleep"):
            torch.cuda._sleep(FILL_CYCLES)
        events[0].record()
        for launch, event in zip(launches, events[1:], strict=True):
            for _ in range(self.calls):
                launch()
            event.record()
        torch.cuda.synchronize(self._index)
        return [a.elapsed_time(b) / 1e3 / self.calls for a, b in itertools.pairwise(events)]


class GraphTimer:
    """Many launches in one CUDA graph, for launches that an event pair would drown."""

    name = "graph"

    def __init__(
        self, index: int, launch: Launch, launches: int, error_mode: str = "global"
    ) -> None:
        self.calls = launches
        self._events = EventTimer(index)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, capture_error_mode=error_mode):
            for _ in range(launches):
                launch()

    def times(self, launch: Launch, count: int) -> list[float]:
        """See Timer; each figure is the mean of one replay's launches."""
        return self.each([launch] * count)

    def each(self, launches: Sequence[Launch]) -> list[float]:
        """See Timer; every launch is the captured one."""
        replays = [self._graph.replay] * len(launches)
        return [t / self.calls for t in self._events.each(replays)]


class CudaTarget:
    """One CUDA device."""

    kind = "cuda"

    def __init__(self, index: int, stopped: Callable[[], bool] = lambda: False) -> None:
        self.stopped = stopped
        torch.cuda.set_device(index)
        torch.cuda.init()
        self.index = index
        self.torch_device = torch.device("cuda", index)
        self._properties: Any = torch.cuda.get_device_properties(index)
        self.units = self._properties.multi_processor_count
        self.cache_bytes = int(getattr(self._properties, "L2_cache_size", 0))
        self.capability = f"{self._properties.major}.{self._properties.minor}"
        self._share = 1.0

    def identity(self) -> Device:
        """See Target."""
        p = self._properties
        uuid = getattr(p, "uuid", None)
        bus_id = _bus_id(p)
        node = card_node(bus_id) if bus_id else None
        return Device(
            kind="cuda",
            pci_bus_id=bus_id,
            numa_node=node,
            name=p.name,
            uuid=f"GPU-{uuid}" if uuid is not None else None,
            index=self.index,
            compute_capability=self.capability,
            sm_count=self.units,
            memory_bytes=p.total_memory,
            l2_bytes=self.cache_bytes or None,
            bus_bits=getattr(p, "memory_bus_width", None),
            status={
                name: "not_supported"
                for name, value in (("pci_bus_id", bus_id), ("numa_node", node))
                if value is None
            },
        )

    def free_bytes(self) -> int:
        """Free memory less five per cent of the card, which is never taken."""
        free, total = torch.cuda.mem_get_info(self.index)
        return max(0, int(self._share * (free - KEPT * total)))

    def keep_within(self, share: float) -> None:
        """See Target. Torch's allocator keeps off the rest of the card whatever a probe asks for:
        more than what is free now, less the last 5 %, is its out-of-memory error."""
        self._share = 1.0
        total = self._properties.total_memory
        most = torch.cuda.memory_reserved(self.index) + self.free_bytes()
        torch.cuda.set_per_process_memory_fraction(min(1.0, most / total), self.index)
        self._share = share

    def timer(self) -> Timer:
        """See Target."""
        return EventTimer(self.index)

    def timer_for(self, launch: Launch) -> Timer:
        """See Target."""
        calls = self.calls_for(launch)
        return self.timer() if calls == 1 else GraphTimer(self.index, launch, calls)

    def calls_for(self, launch: Launch) -> int:
        """Launches that one repetition needs: one from 100 us on, below that a millisecond's."""
        events = EventTimer(self.index)
        events.times(launch, 3)
        seconds = median(events.times(launch, 5))
        return 1 if seconds >= GRAPH_BELOW_S else max(8, int(1e-3 / seconds))

    def clean_up(self) -> None:
        """See Target."""
        torch.cuda.synchronize(self.index)
        torch.cuda.empty_cache()


def _bus_id(properties: Any) -> str | None:
    """As sysfs names the card; None where this torch does not tell."""
    names = ("pci_domain_id", "pci_bus_id", "pci_device_id")
    parts = [getattr(properties, name, None) for name in names]
    if not all(isinstance(part, int) for part in parts):
        return None
    domain, bus, device = parts
    return f"{domain:04x}:{bus:02x}:{device:02x}.0"


def visible() -> list[Device]:
    """The cards that torch sees, in its order: ordinal, name and UUID; none without CUDA."""
    if not torch.cuda.is_available():
        return []
    found = []
    for index in range(torch.cuda.device_count()):
        p: Any = torch.cuda.get_device_properties(index)
        uuid = getattr(p, "uuid", None)
        found.append(
            Device(
                kind="cuda",
                name=p.name,
                uuid=f"GPU-{uuid}" if uuid is not None else None,
                index=index,
                pci_bus_id=_bus_id(p),
            )
        )
    return found


class CpuTarget:
    """The CPU, with the threads torch uses by itself."""

    kind = "cpu"
    units = 1
    capability = None

    def __init__(self, stopped: Callable[[], bool] = lambda: False) -> None:
        from roofwatch.probes.cpu import available_bytes
        from roofwatch.session.host_cpu import last_level_cache

        self.torch_device = torch.device("cpu")
        self.cache_bytes = last_level_cache() or 0
        self._available_bytes = available_bytes
        self._share = 1.0
        self.stopped = stopped

    def identity(self) -> Device:
        """See Target."""
        return Device(kind="cpu", l2_bytes=self.cache_bytes or None)

    def free_bytes(self) -> int:
        """A third of what the machine can spare: it has other work."""
        return int(self._share * self._available_bytes()) // 3

    def keep_within(self, share: float) -> None:
        """See Target; the probes size themselves by it."""
        self._share = share

    def timer(self) -> HostTimer:
        """See Target."""
        return HostTimer(stopped=self.stopped)

    def timer_for(self, launch: Launch) -> Timer:
        """See Target."""
        return host_timer_for(launch, self.timer(), self.stopped)

    def clean_up(self) -> None:
        """See Target; freed tensors are already back."""
