"""roofwatch: what this GPU really does, and whether a measured number can be believed.

``check`` judges a number that someone gives, ``measure`` times a function and judges that,
``triage`` says what a function waits for, ``watch`` looks at the card while a block runs, and
``mark`` names a part of a program that is watched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from roofwatch.library.check import check
    from roofwatch.library.mark import mark
    from roofwatch.library.measure import measure
    from roofwatch.library.measured import Measured
    from roofwatch.library.triage import triage
    from roofwatch.library.triaged import Triage
    from roofwatch.library.watch import Watching, watch
    from roofwatch.notebook.entry import Unreadable
    from roofwatch.notebook.finding import Finding
    from roofwatch.notebook.verdict import Verdict
else:
    # Loaded when first asked for: every instrument imports this package, and the screen is quick.
    _HOMES = {
        "check": "library.check",
        "mark": "library.mark",
        "measure": "library.measure",
        "Measured": "library.measured",
        "Triage": "library.triaged",
        "triage": "library.triage",
        "Unreadable": "notebook.entry",
        "Finding": "notebook.finding",
        "Verdict": "notebook.verdict",
        "watch": "library.watch",
        "Watching": "library.watch",
    }

    def __getattr__(name):
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *_HOMES})


__all__ = [
    "Finding",
    "Measured",
    "Triage",
    "Unreadable",
    "Verdict",
    "Watching",
    "__version__",
    "check",
    "mark",
    "measure",
    "triage",
    "watch",
]
