"""torch.compile as a guest: in this process, in a folder of its own, for a limited time.

A compiler may be missing, too old for this Python, or raise whatever it likes. None of that is a
fault of the device: ``NotCompiled`` says in a line why there is no fused kernel.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import torch

from roofwatch.probes.device import Target
from roofwatch.probes.timing import Cancelled
from roofwatch.roofline.error_text import first_line

CAP_S = 60.0  # of one function's compilation; 5 s are usual for the first, 1 for the next
LOOK_S = 0.25  # between two looks at the clock and at whether the parent wants to stop
FOLDERS = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
COMPILERS = ("c++", "g++", "clang++")
LONGEST = 200
Function = Callable[..., torch.Tensor]


class NotCompiled(Exception):
    """There is no compiled function; the message says why."""


class _TooLong(Exception):
    """The compiler's time is up."""


def compile_now(
    function: Function, arguments: tuple[torch.Tensor, ...], target: Target
) -> Function:
    """``function`` compiled for ``arguments``, which it has been called with once.

    Call it inside ``workshop``.

    Raises:
        NotCompiled: no compiler, a compiler that failed, or one that took too long.
        Cancelled: the parent asked to stop meanwhile.
    """
    if why := missing(target):
        raise NotCompiled(why)
    try:
        with warnings.catch_warnings(), _limited(target):
            warnings.simplefilter("ignore")
            compiled: Function = torch.compile(function, fullgraph=True, dynamic=False)
            compiled(*arguments)
    except Exception as error:  # the compiler wraps what stops it in errors of its own
        if target.stopped():
            raise Cancelled from None
        if _caused_by(error, _TooLong):
            raise NotCompiled(f"the compiler took over {CAP_S:.0f} s") from None
        raise NotCompiled(f"torch.compile failed: {first_line(error)[:LONGEST]}") from None
    return compiled


def missing(target: Target) -> str | None:
    """What torch.compile would need and this machine lacks, or None."""
    if target.kind == "cuda":
        if importlib.util.find_spec("triton") is None:
            return "triton is not installed: torch.compile cannot make a kernel for the card"
        compilers: tuple[str, ...] = ("cc", "gcc", "clang")  # for the launcher of a kernel
    else:
        compilers = COMPILERS
    named = [os.environ[n] for n in ("CC", "CXX") if os.environ.get(n)]
    if not any(shutil.which(name.split()[0]) for name in (*named, *compilers)):
        return f"no compiler is installed ({', '.join(compilers)}): torch.compile needs one"
    return None


@contextlib.contextmanager
def workshop() -> Iterator[None]:
    """A temporary folder for all that the compiler writes, and no helpers of its own outside.

    Worker processes would outlive a killed instrument, and caches would fill a home directory.
    """
    before = {name: os.environ.get(name) for name in FOLDERS}
    with tempfile.TemporaryDirectory(prefix="roofwatch-", ignore_cleanup_errors=True) as folder:
        for name in FOLDERS:
            os.environ[name] = os.path.join(folder, name.lower())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                settings = _settings()
            with settings:
                yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
            with contextlib.suppress(Exception):
                torch.compiler.reset()


def _settings() -> Any:
    """One thread, no precompiled header (built for one function it costs more than it saves).

    What this CPU can do is taken from its flags instead of by compiling programs that try it.
    """
    try:
        import torch._inductor.config as inductor

        known: dict[str, object] = {
            "compile_threads": 1,
            "cpp_cache_precompile_headers": False,
            "cpp.vec_isa_ok": True,
        }
        there = inductor.get_config_copy() if hasattr(inductor, "get_config_copy") else {}
        return inductor.patch({name: value for name, value in known.items() if name in there})
    except Exception:  # a torch without inductor: what it lacks shows when it compiles
        return contextlib.nullcontext()


@contextlib.contextmanager
def _limited(target: Target) -> Iterator[None]:
    """Interrupt what runs here when its time is up or the parent wants to stop.

    Only the main thread hears signals; in another the compiler takes the time it takes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    until = time.monotonic() + CAP_S

    def look(_signal: int, _frame: FrameType | None) -> None:
        if target.stopped():
            raise Cancelled
        if time.monotonic() > until:
            raise _TooLong

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LOOK_S, LOOK_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _caused_by(error: BaseException | None, kind: type[Exception]) -> bool:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, kind):
            return True
        seen.add(id(error))
        error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__
    return False
