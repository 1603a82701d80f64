"""What a list of sessions says of a fleet's file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG
from roofwatch.session.began import iso_utc
from roofwatch.session.entry import Entry, entry_roofs
from roofwatch.session.file import UnreadableSession
from roofwatch.session.fleet.compared import compared
from roofwatch.session.fleet.doubted import doubted
from roofwatch.session.fleet.fleet import Fleet, complete
from roofwatch.session.fleet.fleet_file import fleet_lines, folded
from roofwatch.session.fleet.fleet_roofs import device_names, fleet_roofs
from roofwatch.session.fleet.outliers import outliers
from roofwatch.session.fleet.slow_ranks import slow_ranks
from roofwatch.session.fleet.spreads import metrics


def fleet_entry_of(path: Path, size_bytes: int, mtime_s: float) -> Iterator[Entry | None]:
    """Read one fleet: None after each line of it, then its entry."""
    fleet = Fleet()
    at_s = 0.0
    try:
        for line in folded(path, fleet, fleet_lines):
            at_s = max(at_s, line.t)
            yield None
    except (UnreadableSession, OSError) as error:
        said = str(error).removeprefix(f"{path}: ")
        yield Entry(path=path, size_bytes=size_bytes, mtime_s=mtime_s, problem=said, ranks=0)
        return
    yield _entry(path, size_bytes, mtime_s, fleet, at_s)


def _entry(path: Path, size_bytes: int, mtime_s: float, fleet: Fleet, at_s: float) -> Entry:
    """Rates are the medians of its ranks, of two the slower; of several kinds of
    card, of the first."""
    kinds = device_names(fleet)
    own = fleet_roofs(fleet, kinds[0] if kinds else "")
    main = own.compute.get(own.main_key or "")
    found = metrics(fleet)
    slow, of = slow_ranks(fleet, outliers(fleet, found)), compared(found)
    said = Counter(f.severity for r in fleet.in_order for f in r.findings)
    names = list(fleet.nodes)
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    h = fleet.header
    return Entry(
        path=path,
        size_bytes=size_bytes,
        mtime_s=mtime_s,
        id=h.id or None,
        started_at=iso_utc(h.started_at),
        card=" and ".join(kinds) or None,
        host=f"{names[0]}{more}" if names else None,
        torch=h.torch or None,
        suite=h.suite or None,
        complete=bool(fleet.end and fleet.end.complete),
        duration_s=at_s,
        bandwidth_gbs=own.bandwidth_gbs,
        peak_key=own.main_key,
        burst_tflops=main.burst_tflops if main else None,
        sustained_tflops=main.sustained_tflops if main else None,
        roofs=entry_roofs(own),
        probes=len(fleet.metrics()),
        faults=len(fleet.troubled),
        ranks=complete(fleet).world,
        slow=sum(len(s.ranks) for s in slow),
        doubted=len({d.rank for d in doubted(fleet)}),
        compared=of.compared,
        judged=of.judged,
        too_far=of.too_far,
        findings={kind: said[kind] for kind in (WRONG, SUSPECT, NOTE)},
    )
