"""torch.compile as a guest: what stands in its way, its folder, its time, a stop; once for real."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from roofwatch.probes import compiled  # noqa: E402
from roofwatch.probes.compiled import NotCompiled, compile_now, missing, workshop  # noqa: E402
from roofwatch.probes.timing import Cancelled  # noqa: E402


def target(kind: str = "cpu", stopped: Any = lambda: False) -> Any:
    return SimpleNamespace(kind=kind, stopped=stopped)


def compiling(monkeypatch: pytest.MonkeyPatch, call: Any) -> None:
    """A torch.compile whose function does ``call``."""
    monkeypatch.setattr(compiled, "missing", lambda _: None)
    monkeypatch.setattr(torch, "compile", lambda function, **_: call)


def double(x: torch.Tensor) -> torch.Tensor:
    return x.cos() * 2


def test_without_a_compiler_it_says_which_it_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CC", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(compiled.shutil, "which", lambda _: None)
    with pytest.raises(NotCompiled, match="no compiler is installed \\(c\\+\\+, g\\+\\+"):
        compile_now(double, (), target())
    monkeypatch.setattr(compiled.importlib.util, "find_spec", lambda _: None)
    assert missing(target("cuda")) == (
        "triton is not installed: torch.compile cannot make a kernel for the card"
    )


def test_a_compiler_that_is_named_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/opt/mine/g++ -O2")
    monkeypatch.setattr(
        compiled.shutil, "which", lambda name: name if name.startswith("/opt") else None
    )
    assert missing(target()) is None


def test_a_failure_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise RuntimeError("g++: fatal error: no such file\nlong\ntrace")

    compiling(monkeypatch, fails)
    with pytest.raises(NotCompiled) as why:
        compile_now(double, (), target())
    assert str(why.value) == "torch.compile failed: g++: fatal error: no such file"


def test_warnings_break_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    def warns(*_: Any) -> None:
        warnings.warn("dynamo has something to say", stacklevel=1)

    compiling(monkeypatch, warns)
    assert compile_now(double, (), target()) is warns


def test_its_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "CAP_S", 0.1)
    monkeypatch.setattr(compiled, "LOOK_S", 0.05)

    def wraps(*_: Any) -> None:
        try:
            time.sleep(30)
        except Exception as error:
            raise RuntimeError("backend compiler failed") from error

    compiling(monkeypatch, wraps)
    with pytest.raises(NotCompiled, match="the compiler took over 0 s"):
        compile_now(double, (), target())
    time.sleep(0.1)  # no alarm is left behind


def test_a_stop_is_heard_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "LOOK_S", 0.05)
    compiling(monkeypatch, lambda *_: time.sleep(30))
    with pytest.raises(Cancelled):
        compile_now(double, (), target(stopped=lambda: True))


def test_its_files_go_with_the_workshop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/mine")
    monkeypatch.delenv("TRITON_CACHE_DIR", raising=False)
    with workshop():
        folder = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]).parent
        assert folder.is_dir()
        assert Path(os.environ["TRITON_CACHE_DIR"]).parent == folder
        import torch._inductor.config as inductor

        assert inductor.compile_threads == 1
    assert not folder.exists()
    assert os.environ["TORCHINDUCTOR_CACHE_DIR"] == "/mine"
    assert "TRITON_CACHE_DIR" not in os.environ


@pytest.mark.long
def test_a_function_is_really_compiled_under_inference_mode() -> None:
    x = torch.randn(4, 64)
    with torch.inference_mode(), workshop():
        if why := missing(target()):
            pytest.skip(why)
        function = compile_now(double, (x,), target())
        torch.testing.assert_close(function(x), double(x))
        made = list(Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]).rglob("*"))
    assert function is not double
    assert made  # what the compiler wrote lay in the workshop
