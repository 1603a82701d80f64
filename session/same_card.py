"""Whether several sessions are of one card, so that one table may be made of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofwatch.roofline.toml_text import one_line
from roofwatch.session.fold import Session

SHORT = 12  # characters of a UUID that tell two cards apart


class OtherCard(ValueError):
    """Sessions of several cards where one was meant; one line that names two files."""

    def __init__(self, said: str) -> None:
        super().__init__(one_line(said))


def refuse_others(
    sessions: Sequence[tuple[Path, Session]], one_kind: bool = False, told: bool = True
) -> None:
    """Check that all sessions are of one card; with ``one_kind`` cards of one name are as good.

    A card is told by its UUID, a CPU by its host and its cores; ``told``: the refusal says them.

    Raises:
        OtherCard: naming the first two files that differ.
    """
    if not sessions:
        return
    first_path, first = sessions[0]
    for path, session in sessions[1:]:
        named, other = (s.device.name or "an unknown device" for s in (first, session))
        if named != other:
            raise OtherCard(
                f"{path}: of {other}, but {first_path} is of {named}: a table is of one"
            )
        if not one_kind and not _one(first, session):
            a, b = (f" ({_told(s)})" if told else "" for s in (first, session))
            raise OtherCard(
                f"{path}: of another {other}{b} than {first_path}{a}; "
                "--one-kind takes cards of one name together"
            )


def _one(a: Session, b: Session) -> bool:
    return _told(a) == _told(b) or None in (_told(a), _told(b))


def _told(session: Session) -> str | None:
    """What tells the card from others of its name; None where the session does not say."""
    device = session.device
    if device.kind == "cpu":
        return f"{device.core_count} cores of {session.host}" if session.host else None
    return device.uuid[:SHORT] if device.uuid else None


def count_of(sessions: Sequence[Session]) -> int:
    """How many cards they are of, as far as they say."""
    return len({told for s in sessions if (told := _told(s)) is not None}) or 1
