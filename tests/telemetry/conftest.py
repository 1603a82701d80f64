"""Fixtures of the telemetry tests: the fake NVML, in this process and in one of its own."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from roofwatch.session import events
from roofwatch.telemetry.gpu import Gpu
from roofwatch.telemetry.nvml import Nvml

SHIM = Path(__file__).parent / "shim"


def _load():
    spec = importlib.util.spec_from_file_location("fake_pynvml", SHIM / "pynvml.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_pynvml = _load()


@pytest.fixture
def pynvml():
    """The stand-in's module: ``Fake``, ``NVMLError``, ``field``."""
    return _pynvml


@pytest.fixture
def fake():
    """One healthy H200."""
    return _pynvml.Fake()


@pytest.fixture
def open_gpu():
    """Open the card of a fake as the instrument does."""

    def run(fake, device=None, environ=None):
        return Gpu(Nvml(fake), device, environ or {})

    return run


@pytest.fixture
def start():
    """Start the instrument in a process of its own; with ``fake`` it meets the stand-in."""
    children = []

    def run(*arguments, fake=None, environ=None, **options):
        env = os.environ | (environ or {})
        env.pop("CUDA_VISIBLE_DEVICES", None)
        if fake is not None:
            path = os.pathsep.join(filter(None, [str(SHIM), env.get("PYTHONPATH")]))
            env |= {"PYTHONPATH": path, "ROOFWATCH_FAKE": json.dumps(fake)}
        child = subprocess.Popen(
            [sys.executable, "-m", "roofwatch.telemetry", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            **options,
        )
        children.append(child)
        return child

    yield run
    for child in children:
        if child.poll() is None:
            child.kill()
        child.communicate()


@pytest.fixture
def finish():
    """Wait for an instrument's end: its exit code and its events, all of them readable."""

    def run(child):
        out, err = child.communicate(timeout=30)
        assert b"Traceback" not in err, err.decode()
        return child.returncode, [events.decode(line) for line in out.splitlines()]

    return run
