"""The page of the seeds' slips is what the arithmetic says today."""

from __future__ import annotations

import re

import seed_slips

from roofwatch.roofline.example import ROUNDED, THOUSAND, WRONG


def test_the_page_is_what_the_arithmetic_says() -> None:
    assert seed_slips.OUTPUT.read_text(encoding="utf-8") == seed_slips.document()


def test_every_slip_stands_on_the_page_once() -> None:
    page = seed_slips.document()
    slips = [e for kind in (THOUSAND, ROUNDED, WRONG) for e in seed_slips.slips(kind)]
    assert len(slips) > 40
    assert len(slips) == sum(bool(e.slip) for e in seed_slips.EXAMPLES)
    for e in slips:
        assert page.count(f"| {e.seed} | {e.what} | {e.said} | {e.figure} |") == 1
        assert "|" not in e.what + e.how + e.why


def test_the_slips_that_were_known_before_are_among_them() -> None:
    page = re.sub(r"\s+", " ", seed_slips.document())
    for figure in (
        "0.21 s",
        "0.43 s",
        "4 FLOP/byte | 32 heads / 8 KV heads",
        "17.0 % is n = 256",
        "10.6 %",
        "1.68 ms",
        "22,528 B",
        "7.75",
        "12.57",
        "100.6",
        "59.8",
    ):
        assert figure in page
