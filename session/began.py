"""When a session began, of what its file says: a moment in any zone, or something that is none."""

from __future__ import annotations

import datetime
import re

OURS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z", re.ASCII)
UNKNOWN, NO_DAY = "at an unknown time", "an unknown day"


def began_s(started_at: str | None) -> float | None:
    """Seconds since 1970 of a moment, in UTC where it names no zone; None where it is none."""
    moment = _told(started_at)
    return moment.timestamp() if moment is not None else None


def iso_utc(started_at: str | None) -> str | None:
    """``2026-11-30T18:08:05.250Z``, of a moment in any zone; None where it is none."""
    moment = _in_utc(started_at)
    if moment is None or (started_at and OURS.fullmatch(started_at)):
        return started_at if moment is not None else None
    digits = "milliseconds" if moment.microsecond % 1000 == 0 else "microseconds"
    return moment.isoformat(timespec=digits).replace("+00:00", "Z")


def minute_utc(started_at: str | None) -> str | None:
    """``2026-11-30 18:08``; None where it is none."""
    moment = _in_utc(started_at)
    return moment.replace(tzinfo=None).isoformat(" ", "minutes") if moment is not None else None


def day_utc(started_at: str | None) -> str | None:
    """``2026-11-30``; None where it is none."""
    moment = _in_utc(started_at)
    return moment.date().isoformat() if moment is not None else None


def said_minute(started_at: str | None) -> str:
    """``2026-11-30 18:08 UTC``, or that it is unknown."""
    when = minute_utc(started_at)
    return f"{when} UTC" if when is not None else UNKNOWN


def _told(started_at: str | None) -> datetime.datetime | None:
    try:
        told = datetime.datetime.fromisoformat((started_at or "").replace("Z", "+00:00"))
    except ValueError:
        return None
    return told.replace(tzinfo=told.tzinfo or datetime.timezone.utc)


def _in_utc(started_at: str | None) -> datetime.datetime | None:
    told = _told(started_at)
    try:
        return told.astimezone(datetime.timezone.utc) if told is not None else None
    except OverflowError:  # its year is none there
        return None
