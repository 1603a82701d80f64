"""The doctor's answer as text: a word and a glyph each, what to do where it matters, any width."""

from __future__ import annotations

import pytest

from roofwatch.session.doctor.checks import GROUPS, KEYS
from roofwatch.session.doctor.said import Row, Word
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.printed.doctor_rows import doctor_rows

LONG = "nvmlDeviceGetTotalEccErrors does not return, and has not for a good while " * 2


def answer(**statuses: Word) -> list[Row]:
    """All rows, ok unless said otherwise."""
    found = []
    for key in KEYS:
        status = statuses.get(key.replace("-", "_"), "ok")
        bad = status in ("warn", "fail")
        said = LONG if bad else f"found of {key}"
        found.append(
            Row(check=key, status=status, found=said, expected="better", do="mend it" * bad)
        )
    return found


@pytest.mark.parametrize("cells", [60, 80, 109, 110, 120])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_it_fits(cells: int, glyphs: type) -> None:
    found = answer(driver="fail", mig="warn", nvlink="unknown")
    rows = doctor_rows(found, cells, glyphs)
    assert max(map(width, rows)) <= cells
    text = "\n".join(map(text_of, rows))
    assert glyphs is UNICODE or text.isascii()
    assert all(key in text for key in KEYS)


def test_the_worst_comes_first_with_its_glyph_and_word() -> None:
    first = text_of(
        doctor_rows(answer(driver="fail", mig="warn", nvlink="unknown"), 80, UNICODE)[0]
    )
    counts = f"✗ 1 fail ▲ 1 warn ? 1 unknown ✓ {len(KEYS) - 3} ok"
    assert " ".join(first.split()) == counts


def test_only_what_is_wrong_says_what_to_do_at_80_columns() -> None:
    text = [text_of(r) for r in doctor_rows(answer(driver="fail"), 80, UNICODE)]
    assert sum("do: mend it" in line for line in text) == 1
    assert sum("expected: better" in line for line in text) == 1
    wide = [text_of(r) for r in doctor_rows(answer(driver="fail"), 120, UNICODE)]
    assert sum("expected: better" in line for line in wide) == len(KEYS)


def test_a_group_that_says_one_thing_is_one_line() -> None:
    alike = [Row(check=k, status="unknown", found="no GPU", expected="", do="") for k in KEYS]
    text = [text_of(r) for r in doctor_rows(alike, 80, UNICODE)]
    assert sum("no GPU" in line for line in text) == len(GROUPS)
