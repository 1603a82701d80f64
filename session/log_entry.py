"""What the log says of one saved session, in one line; read without its samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG
from roofwatch.roofline.price import cost
from roofwatch.roofline.suite import WATCH
from roofwatch.session.decode import decode_curves
from roofwatch.session.entry import COMPLETE, CUT_SHORT, Parts, entry, entry_of, folded, parts_of
from roofwatch.session.events import Price
from roofwatch.session.file import UnreadableSession
from roofwatch.session.findings import findings
from roofwatch.session.fleet.fleet_file import is_fleet
from roofwatch.session.fold import Session
from roofwatch.session.listing import Listing, age
from roofwatch.session.record_rows import longest
from roofwatch.session.roofs import roofs


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """One session. Null is what it did not measure, or could not say.

    ``state`` is "complete", "cut short" or "unreadable", and then ``problem`` says why. Rates are
    of the main precision, ``peak_key``. ``decode`` has ``model``, ``context``, ``step_s`` at batch
    1 and ``of_roof`` of the largest model. ``findings`` counts them by severity, of the
    measurements alone: null where somebody else's work was watched. ``cost`` is the rent of
    ``hours`` where a price was said. Of a fleet ``ranks`` counts them (null: a session) and
    ``slow`` those that are named, ``doubted`` those of which a figure is not to be believed; its
    rates are their medians (of two ranks the slower), findings and rent those of all.
    """

    file: str | None
    id: str | None
    started_at: str | None
    card: str | None
    uuid: str | None
    suite: str | None
    state: str
    problem: str | None
    hours: float | None
    runs: int
    bandwidth_gbs: float | None
    peak_key: str | None
    burst_tflops: float | None
    sustained_tflops: float | None
    decode: dict[str, Any] | None
    findings: dict[str, int] | None
    faults: int
    cost: float | None
    currency: str | None
    ranks: int | None = None
    slow: int | None = None
    doubted: int | None = None


def logged(read: Parts, price: Price | None = None) -> Logged:
    """The line of a file that was read, whatever it is; ``price`` replaces its own."""
    told = entry(read)
    session, measured = folded(read) if told.problem is None else (None, None)
    price = (price or session.price) if session else None
    duration_s = told.duration_s
    return Logged(
        file=str(read.path),
        id=told.id,
        started_at=told.started_at,
        card=told.card,
        uuid=session.device.uuid if session else None,
        suite=told.suite,
        state=told.state,
        problem=told.problem,
        hours=duration_s / 3600 if duration_s is not None else None,
        runs=told.runs,
        bandwidth_gbs=told.bandwidth_gbs,
        peak_key=told.peak_key,
        burst_tflops=told.burst_tflops,
        sustained_tflops=told.sustained_tflops,
        decode=_decode(measured) if measured else None,
        findings=count(measured) if measured else None,
        faults=told.faults,
        cost=cost(price.per_hour, duration_s) if price and duration_s is not None else None,
        currency=price.currency if price else None,
    )


def logged_fleet(path: Path, price: Price | None = None) -> Logged:
    """The line of a fleet's file."""
    told = [e for e in entry_of(path, fleets=True) if e is not None][-1]
    hours = told.duration_s / 3600 if told.duration_s is not None else None
    rent = None
    if price is not None and told.duration_s is not None:
        rent = cost(price.per_hour, told.duration_s) * (told.ranks or 0)
    return Logged(
        file=str(path),
        id=told.id,
        started_at=told.started_at,
        card=told.card,
        uuid=None,
        suite=told.suite,
        state=CUT_SHORT if told.complete is False else COMPLETE if told.complete else told.state,
        problem=told.problem,
        hours=hours,
        runs=told.runs,
        bandwidth_gbs=told.bandwidth_gbs,
        peak_key=told.peak_key,
        burst_tflops=told.burst_tflops,
        sustained_tflops=told.sustained_tflops,
        decode=None,
        findings=told.findings,
        faults=told.faults,
        cost=rent,
        currency=price.currency if price else None,
        ranks=told.ranks,
        slow=told.slow,
        doubted=told.doubted,
    )


def count(session: Session) -> dict[str, int] | None:
    """Findings by severity, as far as they need no samples."""
    if session.suite == WATCH:
        return None
    found = findings(session)
    return {kind: sum(f.severity == kind for f in found) for kind in (WRONG, SUSPECT, NOTE)}


def _decode(session: Session) -> dict[str, Any] | None:
    own = roofs(session)
    curve = longest(decode_curves(session, own))
    first = curve.points[0] if curve else None
    if curve is None or first is None or not first.step_s:
        return None
    floor_s = first.bytes / own.bandwidth_gbs / 1e9 if own.bandwidth_gbs else None
    return {
        "model": curve.model,
        "context": curve.context,
        "step_s": first.step_s,
        "of_roof": floor_s / first.step_s if floor_s else None,
    }


def session_log(
    folders: Iterable[Path] | None = None, price: Price | None = None
) -> Iterator[Logged]:
    """Every saved session of the folders (by default where they are kept), newest first.

    ``price`` stands in the place of each session's own.

    Raises:
        UnreadableSession: after the others, of a folder that cannot be listed.
    """
    listing = Listing(folders=folders, fleets=True)
    listing.refresh()
    found = []
    for one in listing.entries:
        if is_fleet(one.path):
            found.append((one, logged_fleet(one.path, price)))
            continue
        read = [p for p in parts_of(one.path, check=True) if p is not None][-1]
        found.append((one, logged(read, price)))
    # A file that is no session at all stands on the list of our own folder, and not in the log.
    kept = [
        (age(one, e.started_at), e)
        for one, e in found
        if e.problem is None or e.id or "not a roofwatch session" not in e.problem
    ]
    yield from (e for _, e in sorted(kept, key=lambda aged: aged[0], reverse=True))
    if listing.problem is not None:
        raise UnreadableSession(listing.problem)
