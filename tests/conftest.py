"""What all tests share: recorded sessions, and the pseudo-terminal that benchmarks use too."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from roofwatch.cli import main
from roofwatch.notebook.catalog import LANGUAGES, choose
from roofwatch.roofline.workload import Work, add_scalar, copy, fill, matmul, read, triad
from roofwatch.session.events import (
    AnyEvent,
    Device,
    End,
    HostCpu,
    Measurement,
    Note,
    SessionInfo,
    Tensor,
)
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
SESSIONS = ROOT / "tests" / "sessions"
MOST_PARAMETERS = 4  # of a test, without --long
# A busy machine is no failure of what is drawn.
for profile, examples in (("quick", 40), ("long", 100)):
    slow = [HealthCheck.too_slow]
    settings.register_profile(
        profile, deadline=None, suppress_health_check=slow, max_examples=examples
    )


# A module run as by ``-m``, with a file made once Ctrl-C is no longer Python's own, which has a
# traceback. What /proc tells of signals looks the same before Python has caught it.
SIGN = """
import runpy, sys
from roofwatch.verbs import early
ends, path = early.ctrl_c_ends, sys.argv[1]
def signed():
    told = ends()
    open(path, "w").close()
    return told
early.ctrl_c_ends = signed
del sys.argv[:2]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--long``: with those that repeat in other places what one place shows."""
    said = "tests marked long as well, and of every test all parameters"
    parser.addoption("--long", action="store_true", help=said)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("long" if config.getoption("--long") else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    taken = [item for item in items if not item.get_closest_marker("long")]
    kept = set(_some_of_each(taken))
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def _some_of_each(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Of a test with many parameters some, evenly, the first and the last among them.

    Of the pure arithmetic, which costs nothing, all.
    """
    by_test: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        by_test.setdefault((item.path, getattr(item, "originalname", item.name)), []).append(item)
    for (path, _), of in by_test.items():
        if len(of) <= MOST_PARAMETERS or path.parent.name == "roofline":
            yield from of
            continue
        steps = range(MOST_PARAMETERS)
        yield from (of[round(i * (len(of) - 1) / (MOST_PARAMETERS - 1))] for i in steps)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes the user's own sessions and cards, or leaves a language chosen."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    yield
    choose(LANGUAGES[0])


@pytest.fixture
def h200_file() -> Path:
    """A session recorded on an H200."""
    return SESSIONS / "h200-quick-1.jsonl"


@pytest.fixture
def full_file() -> Path:
    """A session of the full suite recorded on an H200."""
    return SESSIONS / "h200-full-1.jsonl"


@pytest.fixture
def full(full_file: Path) -> Session:
    """Its fold."""
    return fold(events(full_file))


@pytest.fixture
def h200(h200_file: Path) -> Session:
    """Its fold."""
    return fold(events(h200_file))


def measurement(
    work: Work, seconds: float | Sequence[float], probe: str = "kernels", **more: Any
) -> Measurement:
    """One that took ``seconds``, or each of three times that; a point of a group unless told so."""
    told: dict[str, Any] = {
        "op": work.op,
        "dtype": "bf16",
        "peak_key": "bf16" if work.flop else None,
        "timing": "event",
        "protocol": probe,
        "clock_mhz": [1980.0] * 2,
    }
    told |= more
    if told["timing"] != "event":
        told["clock_mhz"] = []
    return Measurement(
        t=2.0,
        probe=probe,
        shape=told.pop("shape", work.shape),
        math="ieee",
        accumulate="fp32" if told["peak_key"] else None,
        flop=work.flop,
        tensors=[
            Tensor(name=t.name, read_bytes=t.read_bytes, write_bytes=t.write_bytes)
            for t in work.tensors
        ],
        times_s=list(seconds) if isinstance(seconds, Sequence) else [seconds] * 3,
        stop="protocol",
        begin_s=1.0,
        end_s=1.5,
        clock_t_s=[1.0] * len(told["clock_mhz"]),
        **told,
    )


def roofs_of_a_card() -> list[Measurement]:
    """What an H200's streams, its best matmul and its launches were measured at."""
    plain = {"peak_key": None, "protocol": "stream"}
    size = 1 << 30
    streams = [
        (add_scalar(size, "fp16"), 4296, "fp16"),
        (copy(size, "fp16"), 4290, "fp16"),
        (triad(size, "fp16"), 4388, "fp16"),
        (read(size // 4096, 4096, "fp32"), 4400, "fp32"),
        (fill(size, "fp32"), 3378, "fp32"),
    ]
    found = [
        measurement(w, w.bytes / gbs / 1e9, f"{w.op}-{dtype}", dtype=dtype, **plain)
        for w, gbs, dtype in streams
    ]
    large = matmul(2816, 6144, 8192, "bf16")
    found.append(measurement(large, large.flop / 820e12, "matmul-bf16", protocol="burst"))
    one = add_scalar(1, "fp32")
    for variant, seconds, timing in (
        ("enqueue", 7.2e-6, "host"),
        ("queued", 3e-6, "event"),
        ("graph", 0.84e-6, "graph"),
    ):
        told = {"op": "launch", "variant": variant, "timing": timing, "dtype": "fp32"}
        found.append(measurement(one, seconds, "launch", **told))
    return found


@pytest.fixture
def point() -> Callable[..., Measurement]:
    """Makes a point of the kernel map, or of another probe, from its work and its seconds."""
    return measurement


@pytest.fixture
def of_suite() -> Callable[..., Session]:
    """Folds events of the kernels suite behind what telemetry says of a device, probes of a CPU."""

    def folded(device: Device, *of: AnyEvent, cpu: HostCpu | None = None) -> Session:
        host = [SessionInfo(t=0.2, instrument="probes", cpu=cpu)] if cpu else []
        return fold(
            [
                SessionInfo(t=0.0, schema="roofwatch.session/1", suite="kernels"),
                SessionInfo(t=0.1, instrument="telemetry", device=device),
                *host,
                *of,
                End(t=9.0, complete=True),
            ]
        )

    return folded


@pytest.fixture
def on_card(of_suite: Callable[..., Session]) -> Callable[..., Session]:
    """Folds points behind the roofs of a card like an H200; ``without`` leaves probes out."""

    def folded(*points: Measurement, without: str = "", notes: tuple[str, ...] = ()) -> Session:
        device = Device(
            kind="cuda",
            name="NVIDIA H200",
            sm_count=132,
            compute_capability="9.0",
            l2_bytes=60 << 20,
            sm_max_mhz=1980.0,
        )
        kept = [m for m in roofs_of_a_card() if not without or without not in m.probe]
        told = (Note(t=3.0, text=text, probe="fusion") for text in notes)
        return of_suite(device, *kept, *points, *told)

    return folded


class FirstLine:
    """When the first line of a program of ours has run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def command(self, module: str, *arguments: str) -> list[str]:
        """``python -m module arguments``, with a sign that the line has run."""
        return [sys.executable, "-c", SIGN, str(self.path), module, *arguments]

    def wait(self) -> None:
        end = time.monotonic() + 30
        while not self.path.exists():
            assert time.monotonic() < end, "never happened"
            time.sleep(0.002)


@pytest.fixture
def first_line(tmp_path: Path) -> FirstLine:
    return FirstLine(tmp_path / "first-line")


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command line here; its exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(list(arguments))
        except SystemExit as ended:
            code = int(str(ended.code))
        told = capsys.readouterr()
        return code, told.out, told.err

    return run
