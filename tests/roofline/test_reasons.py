"""The reasons table: every bit has its word, the most telling comes first."""

import pytest

from roofwatch.roofline import reasons


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (0x000, []),
        (0x001, ["idle"]),
        (0x002, ["application clocks"]),
        (0x004, ["power limit"]),
        (0x008, ["hardware slowdown"]),
        (0x010, ["sync boost"]),
        (0x020, ["thermal slowdown"]),
        (0x040, ["hardware thermal slowdown"]),
        (0x080, ["power brake"]),
        (0x100, ["display clocks"]),
        (0x200, ["board limit"]),
        (0x400, ["reliability"]),
        (0x800, ["0x800"]),
        (0x805, ["power limit", "0x800", "idle"]),
        (0x048, ["hardware thermal slowdown", "hardware slowdown"]),
        (0x024, ["thermal slowdown", "power limit"]),
    ],
)
def test_decode(mask, words):
    assert reasons.decode(mask) == words


@pytest.mark.parametrize(
    ("mask", "word"),
    [(0, ""), (None, "n/a"), (4, "power limit"), (1, "idle"), (0x84, "power brake")],
)
def test_word(mask, word):
    assert reasons.word(mask) == word


def test_keys_are_words_for_machines():
    assert reasons.keys(0x864) == ["hw_thermal", "sw_thermal", "power_cap", "0x800"]


def test_the_table_covers_the_eleven_bits_of_nvml_h():
    assert sum(reasons.NAMES) == 0x7FF
    keys = [key for key, _ in reasons.NAMES.values()]
    assert len(set(keys)) == len(keys) == 11
