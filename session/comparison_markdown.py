"""Sessions side by side as Markdown: a table for each that is held against the first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from roofwatch.session.began import minute_utc
from roofwatch.session.compare import Pair, Which
from roofwatch.session.comparison_words import doubts_said, method, noise_said, verdict
from roofwatch.session.differences import UUID, Condition
from roofwatch.session.pair_scale import side_by_side_shown
from roofwatch.session.side_by_side import Against, SideBySide

HEAD = ("figure", "A", "{}", "unit", "{} / A", "95 % interval", "noise")
NOT_KNOWN = "not known"
DIGITS, MOST_DECIMALS = 5, 12
PRIVATE = ("host", UUID)  # conditions that name a machine: only that they differ is said

Text = Callable[[str], str]
Table = Callable[[Sequence[str], Sequence[Sequence[str]]], str]


def letter(at: int) -> str:
    """A, B and so on; S27 beyond the alphabet."""
    return chr(ord("A") + at) if at < 26 else f"S{at + 1}"


def _noise(p: Pair) -> str:
    said = noise_said(p)
    return f"{said}, {p.verdict}" if p.verdict else said


def comparison_markdown(told: SideBySide, text: Text, table: Table) -> str:
    """All tables; ``table`` draws one.

    ``text`` takes the markup out of what a file says.
    """
    told = side_by_side_shown(told)
    parts = [f"**A**: {_who(told.others[0].told.a, text)}"]
    for at, other in enumerate(told.others, 1):
        parts += _against(letter(at), other, text, table)
    parts.append(text(method(*(other.told for other in told.others))))
    return "\n\n".join(parts) + "\n"


def _against(name: str, other: Against, text: Text, table: Table) -> list[str]:
    said = [f"**{name}**: {_who(other.told.b, text)}"]
    if other.told.conditions:
        said.append("\n".join(_condition(name, c, text) for c in other.told.conditions))
    else:
        said.append("No condition that both know differs.")
    head = [column.format(name) for column in HEAD]
    said.append(text(verdict(other.told, name)))
    pairs = other.told.pairs
    noted = [f"- {text(p.what)}: {text('; '.join(p.notes))}" for p in pairs if p.notes]
    for side, letter_of in (("a", "A"), ("b", name)):
        if doubts := doubts_said(pairs, side):
            noted.append(f"- doubted in {letter_of}: {text(doubts)}")
    rows = table(head, [_row(p, text) for p in pairs])
    return [*said, rows, *(["\n".join(noted)] if noted else [])]


def _who(which: Which, text: Text) -> str:
    told = [text(which.name or "unknown device"), text(which.suite)]
    if when := minute_utc(which.started_at):
        told.append(f"{when} UTC")
    if which.id:
        told.append(f"session {text(which.id)}")
    if not which.complete:
        told.append("cut short")
    return " · ".join(told)


def _condition(name: str, c: Condition, text: Text) -> str:
    if c.what in PRIVATE:
        return f"- {text(c.what)}: not the same"
    a, b = (_value(value, c.unit, text) for value in (c.a, c.b))
    return f"- {text(c.what)}: {a} in A, {b} in {name}"


def _value(value: str | float | bool | None, unit: str, text: Text) -> str:
    if value is None:
        return NOT_KNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    return text(f"{value:.4g} {unit}".rstrip() if isinstance(value, float) else value)


def _decimals(p: Pair) -> int:
    """As many behind the point for both as the larger needs for its digits."""
    most = max(abs(p.a), abs(p.b)) or 1.0
    return max(0, min(MOST_DECIMALS, DIGITS - 1 - math.floor(math.log10(most))))


def _row(p: Pair, text: Text) -> list[str]:
    interval = "" if p.interval is None else f"{p.interval[0]:.4f} to {p.interval[1]:.4f}"
    figures = [f"{side:.{_decimals(p)}f}" for side in (p.a, p.b)]
    what = f"{p.what} ({p.by})" if p.by else p.what
    return [text(what), *figures, text(p.unit), f"{p.ratio:.4f}", interval, _noise(p)]
