"""The check form: a person types one number and is answered as they type."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.nominal import NominalError
from roofwatch.session.cards import load_cards, packaged_cards
from roofwatch.session.events import Device
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Piece, Row, fit, head_of, hung, page, row, width
from roofwatch.tui.drawing.typed_line import drawn
from roofwatch.tui.notebook import check_answer
from roofwatch.tui.notebook.check_answer import Answer, answer_to
from roofwatch.tui.notebook.check_fields import FIELDS, Entry, option
from roofwatch.tui.widgets.sheet import Sheet

MOST = (104, 34)
BESIDE = 58  # cells from which the two columns stand beside each other
LABEL = 15
LEAST_ANSWER = 4
ROOMY = 28  # rows from which there is space around the fields


def build(
    entry: Entry, answer: Answer | None, cells: int, height: int, glyphs: Glyphs, scroll: int = 0
) -> list[Row]:
    """Exactly ``height`` rows: the fields, a hint for the open one, a rule, the answer."""
    form = _form(entry, answer, cells, height, glyphs)
    said = check_answer.rows(answer, cells, glyphs) if answer is not None else []
    return page([*form, *said[scroll:]], cells, height)


def most_scroll(
    entry: Entry, answer: Answer | None, cells: int, height: int, glyphs: Glyphs
) -> int:
    """How far the answer can be moved up."""
    said = len(check_answer.rows(answer, cells, glyphs)) if answer is not None else 0
    return max(0, len(_form(entry, answer, cells, height, glyphs)) + said - height)


def _form(
    entry: Entry, answer: Answer | None, cells: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """What stands above the answer; where not all fields fit, those around the open one."""
    fields, at = field_rows(entry, cells, glyphs)
    room = max(1, min(len(fields), height - LEAST_ANSWER - 2))
    first = min(max(0, at - room + 1), len(fields) - room)
    space = [row("")] if height >= ROOMY else []
    out = [*space, *fields[first : first + room], *space, *hint(entry, answer, cells, glyphs)]
    return [*out, row((glyphs.horizontal * cells, "axis"))]


def field_rows(entry: Entry, cells: int, glyphs: Glyphs) -> tuple[list[Row], int]:
    """The fields in two columns, in one where it is narrow; and the row of the open one."""
    left, right = entry.columns()
    if cells < BESIDE:
        order = [*left, *right]
        return [_field(entry, n, cells, glyphs) for n in order], order.index(entry.open)
    half = (cells - 2) // 2
    out: list[Row] = []
    for i in range(max(len(left), len(right))):
        one = _field(entry, left[i], half, glyphs) if i < len(left) else fit((), half)
        two = _field(entry, right[i], cells - 2 - half, glyphs) if i < len(right) else ()
        out.append((*one, ("  ", ""), *two))
    column = left if entry.open in left else right
    return out, column.index(entry.open)


def _field(entry: Entry, name: str, cells: int, glyphs: Glyphs) -> Row:
    """Exactly ``cells`` cells: the label, then what was typed on its ground."""
    here = name == entry.open
    label: Piece = (
        f"{glyphs.here if here else ' '} {FIELDS[name].label}",
        "key" if here else "dim",
    )
    room = max(4, cells - LABEL - 2)
    if not here:
        text = head_of(shown(entry.text(name)), room - 2, glyphs.ellipsis)
        return (*fit([label], LABEL + 2), *fit([(f" {text}", "field")], room, "field"))
    return (*fit([label], LABEL + 2), *fit(_open(entry, room - 2, glyphs), room, "field-open"))


def _open(entry: Entry, room: int, glyphs: Glyphs) -> list[Piece]:
    """The text of the open field with its cursor, and what would complete it."""
    return drawn(entry.line, entry.completion(entry.open), room, glyphs)


def hint(entry: Entry, answer: Answer | None, cells: int, glyphs: Glyphs) -> list[Row]:
    """What the open field lacks, else its option and what it takes: a line, whole where it is
    narrow."""
    if answer is not None and answer.unfinished:
        return [fit(r, cells) for r in hung("  ", shown(answer.unfinished), cells)]
    field = FIELDS[entry.open]
    pieces: list[Piece] = [(f"  {option(entry.open)}  ", "")]
    if not field.choices:
        return [fit(r, cells) for r in hung(pieces[0][0], field.hint, cells, "dim", "")]
    pieces.append((f"{glyphs.left_right} ", "key"))
    chosen = entry.meant(entry.open)
    return [fit([*pieces, *_in_view(field.choices, chosen, cells - width(pieces), glyphs)], cells)]


def _in_view(choices: Sequence[str], chosen: str, cells: int, glyphs: Glyphs) -> list[Piece]:
    """The choices in ``cells``, whole words; a list that is too long moves to the one chosen.

    It begins and ends with a sign where there are more.
    """
    more: Piece = (f" {glyphs.ellipsis}", "dim")
    said: list[Piece] = [(f" {c}", "strong" if c == chosen else "dim") for c in choices]
    if width(said) <= cells:
        return said
    at = choices.index(chosen) if chosen in choices else 0
    first = 0
    while True:
        ahead = [more] if first else []
        last = len(said)
        while last > first and width([*ahead, *said[first:last], more]) > cells:
            last -= 1
        if width([*ahead, *said[first:]]) <= cells:
            return [*ahead, *said[first:]]
        if at < last or first >= at:
            return [*ahead, *said[first:last], more]
        first += 1


def keys(left: int, above: int, cells: int, glyphs: Glyphs) -> str:
    """The keys that the frame names in ``cells``, the least needed left out where it is narrow."""
    moves = f"{left} more rows: PgDn" if left else f"{above} rows above: PgUp" if above else ""
    all_of = [moves, "Tab next", "Shift-Tab back", f"{glyphs.left_right} choices", "Esc closes"]
    for missing in ((), (3,), (3, 2), (3, 2, 1)):
        line = "   ".join(k for i, k in enumerate(all_of) if k and i not in missing)
        if cell_len(line) <= cells:
            return line
    return all_of[-1]


def entry_for(device: Device, entry: Entry | None) -> Entry:
    """What was typed before, else the fields with the card; no CPU is a card to judge by."""
    gpu = "" if device.kind == "cpu" else device.name or ""
    if entry is None:
        return Entry(gpu)
    entry.offer(gpu)
    return entry


class CheckForm(Sheet):
    """The form as a modal; every key but the quitting ones is its own.

    The ``entry`` is the caller's, and holds what was typed when the form is closed.
    """

    def __init__(self, entry: Entry, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST)
        self.entry = entry
        self._cards: Cards | None = None
        self._answer: Answer | None = None
        self._scroll = 0
        self._title = "Check a number"

    def on_mount(self) -> None:
        """Read the cards once the form is seen."""
        self.call_after_refresh(self._load)

    def _load(self) -> None:
        try:
            self._cards = Cards(*load_cards())
        except NominalError as error:
            self._cards = Cards(packaged_cards())
            self._title += f"; {shown(str(error))}"
        self.judge()

    def judge(self) -> None:
        """Answer what stands there now."""
        if self._cards is not None:
            self._answer = answer_to(self.entry, self._cards)
        self._scroll = 0
        self.draw()

    def build(self, cells: int, height: int) -> list[Row]:
        """The form in the room there is; the frame says the keys."""
        most = most_scroll(self.entry, self._answer, cells, height, self.glyphs)
        self._scroll = min(self._scroll, most)
        named = keys(most - self._scroll, self._scroll, cells - 2, self.glyphs)
        self.frame(self._title, named)
        return build(self.entry, self._answer, cells, height, self.glyphs, self._scroll)

    def on_key(self, event: events.Key) -> None:
        """Move, type, close."""
        event.stop()
        entry, key = self.entry, event.key
        chooses = bool(FIELDS[entry.open].choices)
        if key == "escape":
            self.close()
            return
        if key in ("pagedown", "pageup"):
            self.wheel(5 if key == "pagedown" else -5)
            return
        if key in ("tab", "down", "enter", "shift+tab", "up"):
            entry.step(-1 if key in ("shift+tab", "up") else 1)
        elif key in ("left", "right"):
            by = -1 if key == "left" else 1
            (entry.choose if chooses else entry.go)(by)
        elif key in ("home", "end", "ctrl+a", "ctrl+e"):
            entry.go(-(10**6) if key in ("home", "ctrl+a") else 10**6)
        elif key in ("backspace", "delete", "ctrl+h", "ctrl+d"):
            entry.erase(ahead=key in ("delete", "ctrl+d"))
        elif key == "ctrl+u":
            entry.clear()
        elif event.is_printable and event.character:
            entry.type(event.character)
        else:
            return
        self.judge()

    def wheel(self, step: int) -> None:
        """The answer, so many rows on or back."""
        self._scroll = max(0, self._scroll + step)
        self.draw()

    def on_paste(self, event: events.Paste) -> None:
        """The first line of what is pasted."""
        event.stop()
        self.entry.type((event.text.strip().splitlines() or [""])[0])
        self.judge()
