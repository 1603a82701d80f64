"""What was watched as a Markdown table: no host, no path, no arguments."""

from __future__ import annotations

from collections.abc import Callable

from roofwatch.roofline.peaks import unit
from roofwatch.roofline.per_cent import per_cent
from roofwatch.session.fold import Session
from roofwatch.session.watch.card_roofs import card_roofs
from roofwatch.session.watch.summary import CardWatched, watched

HEAD = (
    "| card | time | busy | SM clock, MHz | power, W | most, W | energy, kJ | memory, GiB | limits "
    "| throttling cost up to |\n|---|---:|---:|---:|---:|---:|---:|---:|---|---|"
)


def watch_markdown(session: Session, text: Callable[[str], str]) -> str:
    """A line on the command, a row a card; ``text`` escapes what is not ours."""
    seen = watched(session, card_roofs(session))
    what = f"`roofwatch watch` around **{text(seen.command)}**" if seen.command else "watched"
    ended = f", {text(seen.ended)}" if seen.ended else ""
    rows = [_row(card, seen.seconds, text) for card in seen.cards if card.samples > 1]
    return f"{what}: {seen.seconds:.1f} s{ended}\n\n" + "\n".join([HEAD, *rows])


def _row(card: CardWatched, seconds: float, text: Callable[[str], str]) -> str:
    limits = []
    for reason in card.reasons:
        share = reason.sampled_share if reason.counter_share is None else reason.counter_share
        limits.append(f"{reason.key} {per_cent(share)}")
    cost = card.cost
    index = "" if card.gpu is None else f" ({card.gpu})"
    cells = (
        text(card.name or "-") + index,
        f"{seconds:.1f} s",
        _said(card.busy_share, ".0%"),
        _said(card.sm_mhz, ".0f"),
        _said(card.power_w, ".0f"),
        _said(card.power_max_w, ".0f"),
        _said(card.energy.joules / 1e3 if card.energy else None, ".3g"),
        _said(card.memory_max_bytes / 2**30 if card.memory_max_bytes else None, ".1f"),
        text(", ".join(limits)) or "-",
        f"{cost.tflops:.0f} {unit(cost.peak_key)} {cost.peak_key}" if cost else "-",
    )
    return f"| {' | '.join(cells)} |"


def _said(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
