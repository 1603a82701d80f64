"""The seventeen self-test questions of the three seeds, with numbers drawn for a card."""

from __future__ import annotations

import random
from collections.abc import Callable

from roofwatch.roofline import quiz_day_1 as day_1
from roofwatch.roofline import quiz_day_18 as day_18
from roofwatch.roofline import quiz_h100_note as h100
from roofwatch.roofline.quiz import Ground, Question

DRAWN: tuple[Callable[[random.Random, Ground], Question], ...] = (
    day_1.draw_1,
    day_1.draw_2,
    day_1.draw_3,
    day_1.draw_4,
    day_1.draw_5,
    day_1.draw_6,
    day_1.draw_7,
    day_18.draw_8,
    day_18.draw_9,
    day_18.draw_10,
    day_18.draw_11,
    day_18.draw_12,
    day_18.draw_13,
    h100.draw_14,
    h100.draw_15,
    h100.draw_16,
    h100.draw_17,
)
MANY = len(DRAWN)


def question(number: int, seed: int, on: Ground) -> Question:
    """One of them, from 1; the same whichever others are drawn. Raises IndexError beyond."""
    if not 1 <= number <= MANY:
        raise IndexError(number)
    return DRAWN[number - 1](random.Random(f"{seed} {number}"), on)


def questions(seed: int, on: Ground) -> list[Question]:
    """All of them."""
    return [question(number, seed, on) for number in range(1, MANY + 1)]
