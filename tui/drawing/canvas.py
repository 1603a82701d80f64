"""A grid of styled cells: curves are laid over each other, text over curves."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.tui.drawing.rows_of_text import Row

BRAILLE = 0x2800


class Canvas:
    """``width`` x ``height`` cells, each one character with a style name. Row 0 is the top."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._chars = [[" "] * width for _ in range(height)]
        self._styles = [[""] * width for _ in range(height)]

    def put(self, x: int, y: int, char: str, style: str) -> None:
        """Set one cell; outside cells are dropped."""
        if 0 <= x < self.width and 0 <= y < self.height:
            self._chars[y][x] = char
            self._styles[y][x] = style

    def lay(self, rows: Sequence[str], style: str) -> None:
        """Lay a curve over what is there; dots of two braille curves in one cell are joined."""
        for y, line in enumerate(rows[: self.height]):
            for x, char in enumerate(line[: self.width]):
                if char == " " or char == chr(BRAILLE):
                    continue
                under = self._chars[y][x]
                if _braille(char) and _braille(under):
                    char = chr(ord(char) | ord(under))
                self.put(x, y, char, style)

    def write(self, x: int, y: int, text: str, style: str) -> None:
        """Write text over whatever is there."""
        for i, char in enumerate(text):
            self.put(x + i, y, char, style)

    def free(self, x: int, y: int, length: int) -> bool:
        """Whether ``length`` cells from (x, y) on are inside and blank."""
        if not (0 <= y < self.height and x >= 0 and x + length <= self.width):
            return False
        return all(char == " " for char in self._chars[y][x : x + length])

    def row(self, y: int) -> Row:
        """One row as pieces of equal style."""
        pieces: list[tuple[str, str]] = []
        for char, style in zip(self._chars[y], self._styles[y], strict=True):
            if pieces and pieces[-1][1] == style:
                pieces[-1] = (pieces[-1][0] + char, style)
            else:
                pieces.append((char, style))
        return tuple(pieces)


def _braille(char: str) -> bool:
    return BRAILLE <= ord(char) < BRAILLE + 256
