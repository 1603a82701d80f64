"""What a list of sessions says of one: read from its file without its samples."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from roofwatch.roofline.peaks import unit
from roofwatch.session.events import AnyEvent, SessionInfo, decode
from roofwatch.session.fold import Session, fold
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.session.schema import NO_SESSION, is_of_session, refusal, refusal_of

WHOLE_BYTES = 8 << 20  # files up to this size are read whole
HEAD_BYTES = 1 << 20  # of a longer one: identity, and the probes, which run first
TAIL_BYTES = 256 << 10  # how it ended
PART_BYTES = 256 << 10  # between two looks at the clock
SKIPPED = (b'{"kind":"sample"', b'{"kind":"series"')
COMPLETE, CUT_SHORT, UNREADABLE, UNREAD = "complete", "cut short", "unreadable", "reading"
DOUBTED = "doubted"  # a fleet of which a rank's own record does not believe a figure


class EntryRoof(msgspec.Struct, frozen=True, kw_only=True):
    """The flats of one precision, in ``unit``; None was not measured."""

    peak_key: str
    unit: str
    burst: float | None
    sustained: float | None


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One saved session. Rates are of its main precision, ``peak_key``; None was not measured.

    ``complete`` is None as long as the file was not read. ``problem`` is why it cannot be read, in
    one line; ``foreign`` a file that is no session at all. ``partly``: it is long, and the figures
    are those of its head and tail. ``roofs`` are those of all precisions, ``probes`` counts what
    was measured. ``ranks`` is None of a session, of a fleet how many it had; so many of them are
    ``slow``, and of so many a figure is ``doubted``; ``compared`` of the ``judged`` figures could
    be held against each other, ``too_far`` lie too far apart for that. Its rates are their medians,
    of two ranks the slower.
    """

    path: Path
    size_bytes: int
    mtime_s: float
    id: str | None = None
    started_at: str | None = None
    card: str | None = None
    host: str | None = None
    driver: str | None = None
    torch: str | None = None
    suite: str | None = None
    complete: bool | None = None
    duration_s: float | None = None
    runs: int = 1
    bandwidth_gbs: float | None = None
    peak_key: str | None = None
    burst_tflops: float | None = None
    sustained_tflops: float | None = None
    roofs: tuple[EntryRoof, ...] = ()
    probes: int = 0
    faults: int = 0
    problem: str | None = None
    foreign: bool = False
    partly: bool = False
    ranks: int | None = None
    slow: int = 0
    doubted: int = 0
    compared: int = 0
    judged: int = 0
    too_far: int = 0
    findings: dict[str, int] | None = None  # of a fleet: those of all its ranks, by severity

    @property
    def state(self) -> str:
        """What became of it, in a word or two."""
        if self.problem is not None:
            return UNREADABLE
        if self.complete is None:
            return UNREAD
        if self.complete and self.slow:
            return f"{self.slow} slow"
        if self.complete and self.doubted:
            return DOUBTED
        return COMPLETE if self.complete else CUT_SHORT


class _Unreadable(ValueError):
    """Why a file is none that could be listed with figures."""


def entry_of(path: Path, fleets: bool = False) -> Iterator[Entry | None]:
    """Read one file: None after each part of it, then its entry, whatever the file is.

    A fleet's is no session, unless ``fleets`` are wanted too.
    """
    for read in parts_of(path):
        told = entry(read) if read is not None else None
        if fleets and told is not None and told.foreign:
            from roofwatch.session.fleet.fleet_entry import fleet_entry_of
            from roofwatch.session.fleet.fleet_file import is_fleet

            if is_fleet(path):
                yield from fleet_entry_of(path, told.size_bytes, told.mtime_s)
                return
        yield told


class Parts(NamedTuple):
    """A file as it was read, without its samples; ``tail`` is empty where ``head`` is the whole.

    ``problem`` is why it cannot be read, in one line.
    """

    path: Path
    size_bytes: int
    mtime_s: float
    head: list[AnyEvent]
    tail: list[AnyEvent]
    problem: str | None = None


def parts_of(path: Path, check: bool = False) -> Iterator[Parts | None]:
    """Read one file: None after each part of it, then what was read.

    ``check``: a sample that cannot be read counts too, as for whoever shows the session.
    """
    size, mtime = 0, 0.0
    try:
        # Looked at again after opening, without waiting: it may have become a link or a pipe.
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(path, flags), "rb") as file:
            told = os.fstat(file.fileno())
            size, mtime = told.st_size, told.st_mtime
            if not stat.S_ISREG(told.st_mode):
                raise _Unreadable("is no file")
            head, tail = [], []
            for event in _events(file, 0, size if size <= WHOLE_BYTES else HEAD_BYTES, check):
                if event is None:
                    yield None
                else:
                    head.append(event)
            if size > WHOLE_BYTES:
                tail = [e for e in _events(file, size - TAIL_BYTES, size, check) if e is not None]
        yield Parts(path, size, mtime, head, tail)
    except OSError as error:
        yield Parts(path, size, mtime, [], [], error.strerror or str(error))
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        yield Parts(path, size, mtime, [], [], str(error) or "nested too deeply")


def _events(file: BinaryIO, begin: int, end: int, check: bool) -> Iterator[AnyEvent | None]:
    """The whole lines between two places, but for samples and series; None after each part.

    Of the last sample only the moment is of use, and it is decoded for that.
    """
    file.seek(begin)
    if begin:
        file.readline(TAIL_BYTES)  # its beginning lies before
    row, at, part, last = 0, file.tell(), 0, b""
    while at < end:
        raw = file.readline(end - at)
        if not raw.endswith(b"\n"):
            break
        row, at, part = row + 1, at + len(raw), part + len(raw)
        if raw.startswith(SKIPPED) and row > 1:
            last = raw
            if check:
                _event(raw, 0 if begin else row)
        elif (event := _event(raw, 0 if begin else row)) is not None:
            yield event
        if part >= PART_BYTES:
            part = 0
            yield None
    if last and (event := _event(last, 0 if begin else row)) is not None:
        yield event
    if not begin and not row:
        raise _Unreadable(f"{NO_SESSION} (no whole line)")


def _event(raw: bytes, row: int) -> AnyEvent | None:
    """One line; ``row`` is 0 where lines were not counted. Raises _Unreadable."""
    where = f"row {row}: " if row else "near its end: "
    try:
        event = decode(raw)
    except msgspec.ValidationError as error:
        if row == 1:
            why = str(error) if is_of_session(raw) else refusal_of(raw) or NO_SESSION
            raise _Unreadable(f"row 1: {why}") from None
        raise _Unreadable(f"{where}{error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if row == 1:
            raise _Unreadable(f"row 1: {NO_SESSION}") from None
        raise _Unreadable(f"{where}not an event ({error})") from None
    except RecursionError:
        raise _Unreadable(f"{where}nested too deeply") from None
    schema = event.schema if isinstance(event, SessionInfo) else None
    if row == 1 and (said := refusal(schema) if event else refusal_of(raw) or NO_SESSION):
        raise _Unreadable(f"row 1: {said}")
    if row != 1 and schema is not None:
        raise _Unreadable(f"{where}a second session begins here")
    return event


def folded(read: Parts) -> tuple[Session, Session]:
    """The session without its samples, and the one that its figures are of.

    The two differ where a long file's last run has its measurements between head and tail.

    Raises:
        ValueError: the events do not make a session; one line.
    """
    session = fold([*read.head, *read.tail])
    if read.tail and not _known(roofs(session)):
        return session, fold(read.head)
    return session, session


def entry(read: Parts) -> Entry:
    """What a list says of a file that was read."""
    path, size, mtime = read.path, read.size_bytes, read.mtime_s
    if read.problem is None:
        try:
            return _entry(path, size, mtime, *folded(read))
        except (ValueError, msgspec.MsgspecError, RecursionError) as error:
            read = read._replace(problem=str(error) or "nested too deeply")
    problem = read.problem or ""
    foreign = NO_SESSION in problem
    return Entry(path=path, size_bytes=size, mtime_s=mtime, problem=problem, foreign=foreign)


def _entry(path: Path, size: int, mtime: float, session: Session, measured: Session) -> Entry:
    own = roofs(measured)
    main = own.compute.get(own.main_key or "")
    device = session.device
    return Entry(
        path=path,
        size_bytes=size,
        mtime_s=mtime,
        id=session.id,
        started_at=session.started_at,
        card=device.name,
        host=session.host,
        driver=session.software.driver,
        torch=session.software.torch,
        suite=session.suite,
        complete=session.complete,
        duration_s=session.duration_s,
        runs=session.run,
        bandwidth_gbs=own.bandwidth_gbs,
        peak_key=own.main_key,
        burst_tflops=main.burst_tflops if main else None,
        sustained_tflops=main.sustained_tflops if main else None,
        roofs=entry_roofs(own),
        probes=len({m.probe for m in session.measurements}),
        faults=len(session.faults),
        partly=size > WHOLE_BYTES,
    )


def entry_roofs(own: Roofs) -> tuple[EntryRoof, ...]:
    """Of each precision that was measured."""
    return tuple(
        EntryRoof(
            peak_key=key, unit=unit(key), burst=flat.burst_tflops, sustained=flat.sustained_tflops
        )
        for key, flat in own.compute.items()
        if flat.burst_tflops is not None or flat.sustained_tflops is not None
    )


def _known(own: Roofs) -> bool:
    return bool(own.bandwidth_gbs or own.main_key)
