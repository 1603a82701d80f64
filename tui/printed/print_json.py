"""Answers on stdout as JSON, a line each."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import msgspec

from roofwatch.session.printable import plain_json


def print_json(answer: object) -> None:
    """One answer."""
    print_json_lines((answer,))


def print_json_lines(answers: Iterable[object]) -> None:
    """As they come; none where the shell has closed stdout."""
    if sys.stdout is None:
        return
    for each in answers:
        sys.stdout.buffer.write(plain_json(msgspec.json.encode(each)) + b"\n")
    sys.stdout.flush()
