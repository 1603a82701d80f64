"""Whether sessions are of one card: compared over time, remembered, put into one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofwatch.roofline.toml_text import one_line
from roofwatch.session.fold import Session
from roofwatch.session.stand_ins import is_stand_in

SHORT = 12  # characters of a UUID that a refusal names


class OtherCard(ValueError):
    """Sessions of several cards where one was meant; one line that names two files."""

    def __init__(self, said: str) -> None:
        super().__init__(one_line(said))


def refuse_others(
    sessions: Sequence[tuple[Path, Session]], one_kind: bool = False, told: bool = True
) -> None:
    """Check that all sessions are of one card; with ``one_kind`` cards of one name are as good.

    Where that is not known they are taken together. ``told``: the refusal says by what they differ.

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
        if not one_kind and same_card(first, session) is False:
            a, b = (_told(s) if told else "" for s in (first, session))
            raise OtherCard(
                f"{path}: of another {other}{b} than {first_path}{a}; "
                "--one-kind takes cards of one name together"
            )


def same_card(a: Session, b: Session) -> bool | None:
    """Whether two sessions are of one card; None where one of them does not say enough to tell.

    A card is told by its UUID; a CPU by its host and name, and is another to a process that may use
    another number of its cores, as far as both say that.
    """
    first, second = a.device, b.device
    told: list[tuple[str | int | None, str | int | None]] = [(first.kind, second.kind)]
    if "cpu" in told[0]:
        told += [_alike(a.host, b.host), (first.name, second.name)]
        cores = (first.core_count, second.core_count)
        told += [cores] if None not in cores else []
    else:
        told.append(_alike(first.uuid, second.uuid))
    if any(None not in pair and pair[0] != pair[1] for pair in told):
        return False
    return None if any(None in pair for pair in told) else True


def _alike(a: str | None, b: str | None) -> tuple[str | None, str | None]:
    """Two names; what stands for one says nothing of one that is told."""
    return (a, b) if is_stand_in(a) == is_stand_in(b) else (None, None)


def count_of(sessions: Sequence[Session]) -> int:
    """How many cards they are of, as far as they say."""
    met: list[Session] = []
    for one in sessions:
        known = same_card(one, one)  # itself, where it says which it is
        if known and all(same_card(one, other) is False for other in met):
            met.append(one)
    return len(met) or 1


def _told(session: Session) -> str:
    """What tells the card from others of its name, in brackets; empty where it does not say."""
    device = session.device
    if device.kind != "cpu":
        return f" ({device.uuid[:SHORT]})" if device.uuid else ""
    cores = f"{device.core_count} cores" if device.core_count is not None else ""
    said = " of ".join(part for part in (cores, session.host) if part)
    return f" ({said})" if said else ""
