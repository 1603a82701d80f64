"""A trace that cannot be read: one line that names the file and the place in it."""

from __future__ import annotations

from roofwatch.roofline.toml_text import one_line


class UnreadableTrace(ValueError):
    """A trace cannot be used; the message is one line."""

    def __init__(self, said: str) -> None:
        super().__init__(one_line(said))
