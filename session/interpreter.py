"""How an instrument's Python is started: the folder one stands in is no place to import from."""

from __future__ import annotations

import os
import sys

import roofwatch

# What -P does, for Python 3.10: the first entry of the path is the current folder.
_WITHOUT_FOLDER = (
    "import sys; del sys.path[0]; import runpy; "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


def start_of(module: str) -> list[str]:
    """The command that runs a module of ours; a ``torch.py`` that lies in the way is not imported.

    Where roofwatch itself is found by the current folder alone, that folder stays.
    """
    safe = getattr(sys.flags, "safe_path", False)
    found_in = os.path.dirname(os.path.dirname(os.path.abspath(str(roofwatch.__file__))))
    if found_in == os.getcwd() and not safe:
        return [sys.executable, "-m", module]
    if sys.version_info >= (3, 11):
        return [sys.executable, "-P", "-m", module]
    return [sys.executable, "-c", _WITHOUT_FOLDER, module]
