"""Which characters a terminal gets."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, for_terminal


def test_the_sets_are_of_one_cell_a_mark_and_ascii_is_ascii() -> None:
    assert all(mark.isascii() for mark in ASCII)
    assert all(cell_len(g) == 1 for g in (UNICODE.nominal, UNICODE.full, UNICODE.warn))


@pytest.mark.parametrize(
    ("environ", "encoding", "unicode"),
    [
        ({"LANG": "en_US.UTF-8"}, "utf-8", True),
        ({"LC_ALL": "C.utf8"}, "utf-8", True),
        ({}, "utf-8", True),  # a container: nothing is named
        ({}, "ascii", False),
        ({}, None, False),
        ({"LANG": "C"}, "utf-8", False),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, "utf-8", False),  # Python's own coercion
        ({"LC_CTYPE": "C.UTF-8"}, "utf-8", True),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, "utf-8", False),
        ({"LANG": "de_DE.ISO-8859-1"}, "iso8859-1", False),
        ({"LANG": "de_DE", "LC_CTYPE": "de_DE.UTF-8"}, "utf-8", True),
    ],
)
def test_the_locale_and_the_encoding_decide(
    environ: dict[str, str], encoding: str | None, unicode: bool
) -> None:
    assert for_terminal(encoding, environ) is (UNICODE if unicode else ASCII)
    assert for_terminal(encoding, environ, ascii_only=True) is ASCII
