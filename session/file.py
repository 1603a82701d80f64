"""The session file: one event a line, append only, flushed per event, readable after any death."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from roofwatch.roofline.toml_text import one_line
from roofwatch.session.bounds import Moment
from roofwatch.session.events import UNDECODABLE, AnyEvent, Note, Sample, SessionInfo, decode
from roofwatch.session.own_file import refuse_pipe
from roofwatch.session.schema import NO_SESSION, refusal, refusal_of

LONGEST_BYTES = 16 << 20
MOST_BYTES = 4 << 30  # of a file: two weeks of samples
MOST_KEPT_BYTES = 256 << 20  # of all but short samples, which are kept as they stand
SHORT_BYTES = 2 << 10  # of a sample
TAIL_BYTES = 1 << 16  # a few hundred samples
LONGEST_NAME = 240  # characters of a path that a refusal repeats


class UnreadableSession(ValueError):
    """One clear line that names file, row and field."""

    def __init__(self, said: str) -> None:
        super().__init__(one_line(said))


class SaveRefused(ValueError):
    """The file to save to cannot be taken; one clear line says why."""

    def __init__(self, said: str) -> None:
        super().__init__(one_line(said))


def sessions_folder() -> Path:
    """``$XDG_DATA_HOME/roofwatch/sessions``, by default under ``~/.local/share``.

    Raises:
        SaveRefused: there is no home folder.
    """
    base = Path(os.environ.get("XDG_DATA_HOME", ""))
    if not base.is_absolute():  # the specification: a relative one is ignored
        try:
            base = Path("~/.local/share").expanduser()
        except RuntimeError:
            base = Path()
        if not base.is_absolute() or os.environ.get("HOME") == "":  # else it would be "/"
            raise SaveRefused("there is no home folder: set HOME or XDG_DATA_HOME, or say --save")
    return base / "roofwatch" / "sessions"


def slug(name: str) -> str:
    """A card's name as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "device"


class Line(msgspec.Struct, frozen=True):
    """One line of a file: as it stood, and decoded (None: a kind from a newer version)."""

    raw: bytes
    event: AnyEvent | None


def read(path: Path) -> Iterator[Line]:
    """Each line of a session file; a torn last line is left out.

    Raises:
        UnreadableSession: naming file, row and field.
    """
    return (Line(raw, _event(path, row, raw)) for row, raw in lines(path))


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each whole line with its row, within bounds. Raises UnreadableSession."""
    left = MOST_BYTES
    try:
        refuse_pipe(path)
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > left:
                raise UnreadableSession(f"{path}: more than {MOST_BYTES >> 30} GiB")
            for row, raw in enumerate(iter(partial(file.readline, LONGEST_BYTES + 1), b""), 1):
                left -= len(raw)
                if len(raw) > LONGEST_BYTES:
                    raise UnreadableSession(f"{path}: row {row}: longer than any event")
                if left < 0:
                    raise UnreadableSession(f"{path}: row {row}: past {MOST_BYTES >> 30} GiB")
                if not raw.endswith(b"\n"):
                    return
                yield row, raw
    except OSError as error:
        raise _unreadable(path, error) from None
    except ValueError as error:
        if isinstance(error, UnreadableSession):
            raise
        raise UnreadableSession(f"{path}: {error}") from None  # a path with a null byte


def _unreadable(path: Path, error: OSError) -> UnreadableSession:
    name = str(path)
    name = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."
    return UnreadableSession(f"{name}: {error.strerror}")


class _When(msgspec.Struct):
    t: Moment


_when_decoder = msgspec.json.Decoder(_When)


def last_moment(path: Path) -> float:
    """The latest moment that the last lines of a file tell, in seconds; 0 where none can be read.

    Raises:
        UnreadableSession: the file cannot be opened.
    """
    try:
        refuse_pipe(path)
        with path.open("rb") as file:
            if not file.seekable():  # what the shell has piped to us: reading would take it away
                return 0.0
            size = file.seek(0, os.SEEK_END)
            for tail in (TAIL_BYTES, 2 * LONGEST_BYTES):
                begin = max(0, size - tail)
                file.seek(begin)
                lines = file.read(tail).split(b"\n")[1 if begin else 0 : -1]
                moments = [t for raw in lines if (t := _moment(raw)) is not None]
                if moments:
                    return max(moments)
    except OSError as error:
        raise _unreadable(path, error) from None
    return 0.0


def _moment(raw: bytes) -> float | None:
    try:
        return _when_decoder.decode(raw).t
    except UNDECODABLE:
        return None


def _event(path: Path, row: int, raw: bytes) -> AnyEvent | None:
    try:
        event = decode(raw)
    except msgspec.ValidationError as error:
        said = refusal_of(raw) if row == 1 else None
        raise UnreadableSession(f"{path}: row {row}: {said or error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableSession(f"{path}: row {row}: not an event ({error})") from None
    except RecursionError:
        raise UnreadableSession(f"{path}: row {row}: nested too deeply") from None
    if isinstance(event, Sample) and row > 1:  # nearly every line of a long session
        return event
    if isinstance(event, SessionInfo) and event.models:
        from roofwatch.session.session_models import session_models  # as below

        try:
            session_models(event.models)
        except ValueError as error:
            raise UnreadableSession(f"{path}: row {row}: {error}") from None
    if isinstance(event, SessionInfo) and event.nominal is not None:
        from roofwatch.roofline.lookup import Nominal  # a live session never reads

        try:
            msgspec.convert(event.nominal, Nominal)
        except msgspec.ValidationError as error:
            raise UnreadableSession(f"{path}: row {row}: nominal: {error}") from None
    schema = event.schema if isinstance(event, SessionInfo) else None
    if row == 1 and (said := refusal(schema) if event else refusal_of(raw) or NO_SESSION):
        raise UnreadableSession(f"{path}: row 1: {said}")
    if row > 1 and schema is not None:
        raise UnreadableSession(f"{path}: row {row}: a second session begins here")
    return event


def events(path: Path) -> Iterator[AnyEvent]:
    """The events of a file that this version knows; of others a note says how many there are.

    Raises:
        UnreadableSession: naming file, row and field.
    """
    empty, left, unknown, at_s = True, MOST_KEPT_BYTES, 0, 0.0
    for row, raw in lines(path):
        empty = False
        event = _event(path, row, raw)
        if event is not None and (len(raw) > SHORT_BYTES or not isinstance(event, Sample)):
            left -= len(raw)
            if left < 0:
                most = f"{MOST_KEPT_BYTES >> 20} MiB of events beside its samples"
                raise UnreadableSession(f"{path}: row {row}: more than {most}")
        if event is None:
            unknown += 1
            continue
        at_s = event.t
        yield event
    if empty:
        raise UnreadableSession(f"{path}: row 1: {NO_SESSION} (no whole line)")
    if unknown:
        said = "1 line is" if unknown == 1 else f"{unknown} lines are"
        yield Note(t=at_s, text=f"{said} of a kind that only a newer roofwatch knows: left out")
