"""``module:function`` as a person types it: found, imported, and told from what may go wrong."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from roofwatch.roofline.error_text import named, text_of
from roofwatch.roofline.toml_text import one_line

LONGEST_SAID = 200
ROOT = Path(__file__).parent.parent
OURS = (ROOT / "library", ROOT / "probes", ROOT / "cli.py", ROOT / "__main__.py")


class NoCallable(ValueError):
    """What was typed leads to nothing that can be called; one line."""


class Watched:
    """Their function with what it raised: that error is theirs, any other one ours."""

    def __init__(self, fn: Callable[..., object], name: str | None = None) -> None:
        """``name`` is what it is to be called; by itself its own."""
        self._fn = plain(fn)
        self.__wrapped__ = self._fn  # its parameters are looked up there
        self.__name__ = name or getattr(self._fn, "__name__", type(fn).__name__)
        self.called = False
        self.raised: BaseException | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        """Call it; what it raises is kept and passes."""
        self.called = True
        try:
            return self._fn(*args, **kwargs)
        except BaseException as error:
            self.raised = error
            raise


def plain(fn: Callable[..., object]) -> Callable[..., object]:
    """``fn``, or where asking it for its parameters or name fails, a function that calls it.

    Attributes may be code of theirs, and ``__wrapped__`` may lead back to where it came from.
    """
    name: object = None
    try:
        name = getattr(fn, "__name__", "")
        own = inspect.unwrap(fn)
        for each in ("forward", "state_dict", "__name__"):
            hasattr(own, each)
        with contextlib.suppress(TypeError, ValueError):  # written in C
            inspect.signature(own)
        if isinstance(name, str):
            return fn
    except Exception:  # it cannot be asked, but it can be called
        pass

    def run() -> object:
        return fn()

    run.__name__ = name if isinstance(name, str) and name else type(fn).__name__
    return run


def find(typed: str, before: Callable[[], object] = bool) -> Callable[..., object]:
    """The callable behind ``module:function`` or ``./file.py:function``.

    ``before`` is called when the first of their code is about to run.

    A module is found as ``python -m`` finds it, the current directory first; a file's own directory
    comes first for what it imports. Dots in the second part reach into classes.

    Raises:
        NoCallable: nothing is there, it cannot be imported, or cannot be called.
    """
    where, colon, attribute = typed.rpartition(":")
    if not colon or not where or not attribute:
        raise NoCallable(f"{one_line(typed)}: is not module:function or file.py:function")
    module = _module(where, before)
    found: object = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except Exception:  # a module may answer for its names by code of its own
            said = f"{one_line(where)}: has no {one_line(attribute)}{_hint(module)}"
            raise NoCallable(said) from None
    if not callable(found):
        kind = type(found).__name__
        raise NoCallable(f"{one_line(typed)}: is of type {kind}, which cannot be called")
    return found


def told(error: BaseException) -> str:
    """An error of theirs in one line: its type, what it says, and where in their code it rose."""
    if isinstance(error, SystemExit):
        said = "" if error.code is None else text_of(error.code)
        text = f"SystemExit: {said}" if said else "SystemExit"
    else:
        text = named(error)
    text = one_line(text)
    text = text if len(text) <= LONGEST_SAID else text[: LONGEST_SAID - 1] + "…"
    where = _where(error)
    return f"{text} ({where})" if where else text


def _module(where: str, before: Callable[[], object]) -> ModuleType:
    name = one_line(where)
    try:
        if where.endswith(".py") or os.sep in where:
            return _from_file(where, before)
        here = os.getcwd()
        if here not in sys.path:
            sys.path.insert(0, here)
        before()
        return importlib.import_module(where)
    except ModuleNotFoundError as error:
        if error.name and (where == error.name or where.startswith(f"{error.name}.")):
            raise NoCallable(f"{name}: there is no module of that name here") from None
        raise NoCallable(f"{name}: cannot be imported: {told(error)}") from None
    except NoCallable:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # their own code runs here, and may even exit
        raise NoCallable(f"{name}: cannot be imported: {told(error)}") from None


def _from_file(where: str, before: Callable[[], object]) -> ModuleType:
    path = Path(where)
    if not path.is_file():
        raise NoCallable(f"{one_line(where)}: there is no such file")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = path.stem if path.stem not in sys.modules else f"triaged_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise NoCallable(f"{one_line(where)}: is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # classes of it are looked up there
    try:
        before()
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _hint(module: ModuleType) -> str:
    """Names that could have been meant."""
    names = [
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", None) == module.__name__
    ]
    return f"; it has {one_line(', '.join(sorted(names)[:8]))}" if names else ""


def _where(error: BaseException) -> str:
    """File and line in their code: the deepest frame that is neither ours nor a library's."""
    if isinstance(error, SyntaxError) and error.filename:
        return one_line(f"{Path(error.filename).name}:{error.lineno}")
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and not _is_ours(Path(frame.filename))
    ]
    theirs = [f for f in frames if "site-packages" not in f.filename and _is_near(f.filename)]
    if not frames:
        return ""
    frame = (theirs or frames)[-1]
    return one_line(f"{Path(frame.filename).name}:{frame.lineno}")


def _is_ours(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in OURS)


def _is_near(filename: str) -> bool:
    """Whether a file is no part of Python's own library."""
    return not Path(filename).is_relative_to(Path(os.__file__).parent)
