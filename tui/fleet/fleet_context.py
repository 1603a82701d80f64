"""When and where a fleet was recorded, with what, and under which limits."""

from __future__ import annotations

from roofwatch.session.began import minute_utc
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.rows_of_text import Row, hung

MOST_NODES = 3


def context_rows(fleet: Fleet, cells: int) -> list[Row]:
    """A line or two; what the file does not say is left out."""
    h = fleet.header
    moment = minute_utc(h.started_at)
    when = f"recorded {moment} UTC" if moment else ""
    on = f"on {_nodes(fleet)}" if fleet.nodes else ""
    made = [
        f"{name} {version}"
        for name, version in (("roofwatch", h.roofwatch), ("torch", h.torch))
        if version
    ]
    parts = [" ".join(filter(None, (when, on))), ", ".join(filter(None, (*made, _joined(fleet))))]
    drivers = sorted({r.driver for r in fleet.in_order if r.driver})
    threads = sorted({r.threads for r in fleet.in_order if r.threads and r.kind == "cpu"})
    watts = sorted({round(r.power_limit_w) for r in fleet.in_order if r.power_limit_w})
    parts += [
        f"driver {', '.join(drivers)}" if drivers else "",
        f"power limit {_ends([f'{w}' for w in watts])} W" if watts else "",
        f"each rank with OMP_NUM_THREADS={_ends(threads)}" if threads else "",
    ]
    said = "; ".join(filter(None, parts))
    return hung(" ", shown(said), cells, "dim") if said else []


def _nodes(fleet: Fleet) -> str:
    """Names of the nodes; two that call themselves alike were given names apart."""
    names = list(fleet.nodes)
    said = ", ".join(names[:MOST_NODES])
    if len(names) > MOST_NODES:
        said += f" and {len(names) - MOST_NODES} more"
    hosts = [ranks[0].host for ranks in fleet.nodes.values()]
    alike = list(dict.fromkeys(host for host in hosts if hosts.count(host) > 1))
    return said + (f" (nodes of one name, {alike[0]}, are numbered)" if alike else "")


def _joined(fleet: Fleet) -> str:
    """What joins the ranks, with its version where the file has it."""
    if fleet.header.nccl:
        return f"NCCL {fleet.header.nccl}"
    backends = {c.backend for c in fleet.collectives}
    return "NCCL" if "nccl" in backends else "gloo" if "gloo" in backends else ""


def _ends(of: list[str]) -> str:
    return of[0] if len(of) == 1 else f"{of[0]} to {of[-1]}"
