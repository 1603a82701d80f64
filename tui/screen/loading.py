"""Modules that the first paint does not wait for, loaded while nobody does: one at a time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from importlib import import_module

LATER = (
    "roofwatch.tui.drawing.curves",
    "roofwatch.tui.clocks.clocks_pane",
    "roofwatch.tui.probes.probes_pane",
    "roofwatch.tui.notebook.notebook_pane",
    "roofwatch.tui.screen.opening",
    "roofwatch.session.expectation",
    "roofwatch.tui.plan.plan_tables",
    "roofwatch.tui.plan.plan_pane",
    "roofwatch.tui.decode.decode_pane",
    "roofwatch.tui.kernels.kernels_pane",
    "roofwatch.session.listing",
    "roofwatch.tui.sessions.sessions_pane",
    "roofwatch.tui.probes.measurement_page",
    "roofwatch.tui.trace.trace_pane",
    "roofwatch.tui.notebook.error_page",
    "roofwatch.tui.screen.help_page",
    "plotext",
)


def load() -> Iterator[str]:
    """Each step loads one more, and says which: the first key of a pane is as quick as the next."""
    for name in LATER:
        import_module(name)
        yield name
    gc.freeze()  # all of it stays: looking through it again costs a key 60 ms now and then
