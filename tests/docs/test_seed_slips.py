"""The page of the seeds' slips is what the arithmetic says today."""

from __future__ import annotations

import re

import seed_slips


def test_the_page_is_what_the_arithmetic_says() -> None:
    assert seed_slips.OUTPUT.read_text(encoding="utf-8") == seed_slips.document()


def test_every_slip_differs_from_what_its_seed_says_and_names_it() -> None:
    slips = [*seed_slips.thousands(), *seed_slips.errors()]
    assert len(slips) >= 25
    for slip in slips:
        assert slip.day in ("Day 1", "Day 18", "H100 note")
        assert slip.right not in slip.said
        assert slip.why
        assert "|" not in "".join(slip)


def test_the_slips_that_were_known_before_are_among_them() -> None:
    page = re.sub(r"\s+", " ", seed_slips.document())
    for figure in (
        "0.21 s at 64 GB/s",
        "1 without GQA",
        "17.0 % at n = 256",
        "10.6 % at n = 160",
        "1.68 ms",
        "22,528 B",
        "7.75",
        "12.57",
        "100.6",
        "59.8",
    ):
        assert figure in page
