"""What the tests of the library share: cards loaded from the table alone, children counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psutil
import pytest

from roofwatch.library import nominal_cards


@pytest.fixture(autouse=True)
def _fresh_cards() -> Iterator[None]:
    """Cards are kept for the process; a test's own file must not outlive it."""
    yield
    nominal_cards._loaded.cache_clear()
    nominal_cards.named_cards.cache_clear()


@pytest.fixture
def telemetry_children() -> Callable[[], list[psutil.Process]]:
    """The telemetry instruments that this process has started and that are alive."""

    def now() -> list[psutil.Process]:
        return [
            child
            for child in psutil.Process().children(recursive=True)
            if "roofwatch.telemetry" in child.cmdline()
        ]

    return now
