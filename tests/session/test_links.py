"""Links folded from events: figures beside what they should carry, by what cards meet, findings."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from roofwatch.roofline.workload import Work, memcpy, peer_copy, transfer
from roofwatch.session.cards import load_cards
from roofwatch.session.events import (
    AnyEvent,
    Device,
    End,
    HostCpu,
    Measurement,
    SessionInfo,
    Span,
    Tensor,
)
from roofwatch.session.expectation import expected_anew
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.health import CardHealth, CardPair
from roofwatch.session.link_findings import link_findings
from roofwatch.session.links import links
from roofwatch.session.loaded_look import LoadedLook
from roofwatch.session.markdown import markdown
from roofwatch.session.plan import Question
from roofwatch.session.plan_links import with_links
from roofwatch.session.rates import gbs
from roofwatch.session.summary import record
from roofwatch.session.table import probe_rows
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.probes import measurement_rows

GIB = 1 << 30
HELD = 1 << 28
H200 = Device(
    kind="cuda",
    name="NVIDIA H200",
    uuid="GPU-a",
    index=0,
    compute_capability="9.0",
    sm_count=132,
    bus_bits=6016,
    memory_bytes=150_754_820_096,
    pcie_gen_max=5,
    pcie_lanes_max=16,
    numa_node=0,
)
HERE = HostCpu(cores=16, numa_nodes=[0], numa_count=2)
FULL = CardHealth(
    asked="h2d-pinned",
    pcie_gen=5,
    pcie_lanes=16,
    pcie_gen_max=5,
    pcie_lanes_max=16,
)


def copy(
    work: Work, rate_gbs: float, probe: str, latency_s: float = 0.0, **more: Any
) -> Measurement:
    told: dict[str, Any] = {"protocol": probe, "timing": "event", **more}
    return Measurement(
        t=2.0,
        probe=probe,
        op=work.op,
        shape=work.shape,
        dtype="bytes",
        math="ieee",
        accumulate=None,
        peak_key=None,
        flop=0.0,
        tensors=[
            Tensor(name=t.name, read_bytes=t.read_bytes, write_bytes=t.write_bytes)
            for t in work.tensors
        ],
        times_s=[latency_s + work.bytes / rate_gbs / 1e9] * 3,
        stop="protocol",
        begin_s=1.2,
        end_s=2.0,
        **told,
    )


def held(op: str, memory: str, gbs: float) -> list[AnyEvent]:
    probe = f"{op}-{memory}"
    return [
        Span(t=1.0, probe=probe, edge="begin"),
        copy(transfer(op, HELD), gbs, probe, protocol="transfer", variant=memory),
        Span(t=2.1, probe=probe, edge="end"),
    ]


def by_size(op: str, memory: str, gbs: float, latency_s: float) -> list[AnyEvent]:
    sizes = (1 << 16, 1 << 20, 1 << 24, GIB)
    return [copy(transfer(op, n), gbs, "transfers", latency_s, variant=memory) for n in sizes]


def session(
    *more: AnyEvent,
    device: Device = H200,
    cpu: HostCpu = HERE,
    health: CardHealth | None = FULL,
    neighbours: tuple[Device, ...] = (),
    visible: tuple[Device, ...] = (),
) -> Session:
    found = fold(
        [
            SessionInfo(t=0.0, schema="roofwatch.session/1", suite="links"),
            SessionInfo(t=0.1, instrument="telemetry", device=device, neighbours=list(neighbours)),
            SessionInfo(t=0.2, instrument="probes", cpu=cpu, visible=list(visible)),
        ]
    )
    for event in expected_anew(found, load_cards(), 0.3, 1):
        found.add(event)
    for event in more:
        found.add(event)
    if health is not None:
        found.add(SessionInfo(t=1.5, instrument="telemetry", health=health))
    found.add(End(t=9.0, complete=True))
    found.closed = True
    return found


def an_h200(**more: Any) -> Session:
    return session(
        *held("h2d", "pinned", 55.4),
        *held("d2h", "pinned", 55.3),
        *held("h2d", "pageable", 19.4),
        *by_size("h2d", "pinned", 55.4, 9e-6),
        *by_size("h2d", "pageable", 19.4, 2e-5),
        **more,
    )


def test_a_copy_stands_beside_its_link_as_sold_and_as_read_under_load() -> None:
    up, down, paged = links(an_h200())
    assert (up.source, up.sink, up.kind, up.direction) == ("host", "card 0", "pinned", "one way")
    assert (down.source, down.sink) == ("card 0", "host")
    assert up.gbs == pytest.approx(55.4)
    assert up.nominal_gbs == pytest.approx(63.0, rel=1e-3)
    assert up.of_nominal == pytest.approx(0.879, abs=1e-3)
    assert (up.gen, up.lanes, up.link) == (5, 16, "pcie")
    assert up.carries_gbs == pytest.approx(63.0, rel=1e-3)
    assert up.latency_s == pytest.approx(9e-6)
    assert paged.latency_s == pytest.approx(2e-5)
    assert up.within_expected is True
    assert [s.bytes for s in up.sizes] == [1 << 16, 1 << 20, 1 << 24, GIB]


def test_sizes_that_tell_no_latency_leave_none_and_say_so() -> None:
    """Copies that a cache makes faster when small: the line begins at nothing."""
    rates = {1 << 16: 90.0, 1 << 20: 80.0, 1 << 24: 60.0, GIB: 50.0}
    points = [
        copy(transfer("h2d", n), gbs, "transfers", variant="pinned") for n, gbs in rates.items()
    ]
    (up,) = links(session(*held("h2d", "pinned", 55.4), *points))
    assert (up.latency_s, up.status["latency_s"]) == (None, "not_known")
    (few,) = links(session(*held("h2d", "pinned", 55.4), *points[:2]))
    assert (few.latency_s, few.status["latency_s"]) == (None, "too_few")


def test_a_reading_outside_of_the_probes_span_is_none_under_load() -> None:
    late = session(*held("h2d", "pinned", 55.4), health=None)
    late.add(SessionInfo(t=5.0, instrument="telemetry", health=FULL))
    up = links(late)[0]
    assert (up.gen, up.lanes, up.carries_gbs) == (None, None, None)
    assert up.status["gen"] == "not_measured"
    assert up.gbs == pytest.approx(55.4)


def test_what_the_driver_does_not_tell_has_its_status() -> None:
    blind = CardHealth(asked="h2d-pinned", status={"pcie_gen": "not_supported"})
    up = links(session(*held("h2d", "pinned", 55.4), health=blind))[0]
    assert (up.gen, up.status["gen"]) == (None, "not_supported")


def test_nulls_have_a_status() -> None:
    for link in links(an_h200(health=None)):
        block = msgspec.to_builtins(link)
        nulls = {k for k, v in block.items() if v is None} - {"within_expected", "ancestor"}
        assert nulls <= block["status"].keys()


def test_a_row_has_its_range_and_its_share_of_the_link_not_of_the_memory() -> None:
    rows = {r.probe: r for r in probe_rows(an_h200())}
    up = rows["h2d-pinned"]
    assert up.within is True
    assert up.of_nominal == pytest.approx(0.879, abs=1e-3)
    assert up.of_roof is None
    assert rows["h2d-pageable"].within is True
    assert rows["transfers"].said == "55.4 GB/s at 1 GiB, 8 points"


def test_pageable_copies_are_a_note_and_nothing_else_smells() -> None:
    assert [(f.code, f.severity) for f in findings(an_h200())] == [("pageable", "note")]


def test_a_pinned_copy_that_is_slow_smells() -> None:
    slow = session(*held("h2d", "pinned", 12.0))
    assert "pageable" in {f.code for f in findings(slow) if f.subject == "h2d-pinned"}


def test_the_other_socket_and_a_narrow_link_are_findings() -> None:
    far = an_h200(cpu=HostCpu(cores=16, numa_nodes=[1], numa_count=2))
    assert [f.code for f in link_findings(far)] == ["host-bound", "pageable"]
    down = msgspec.structs.replace(FULL, pcie_gen=3)
    found = link_findings(an_h200(health=down))
    assert "generation 3 x16 under load" in found[0].message
    # The slot has no more: what the card was sold with tells it.
    slot = msgspec.structs.replace(FULL, pcie_lanes=8, pcie_lanes_max=8)
    assert "x8 under load" in link_findings(an_h200(health=slot))[0].message


def test_nothing_is_said_of_links_that_nobody_measured() -> None:
    assert link_findings(session(health=None)) == []
    assert links(session(health=None)) == []


# -- between cards -----------------------------------------------------------------------------

TWO = (Device(kind="cuda", uuid="GPU-a", index=0), Device(kind="cuda", uuid="GPU-b", index=1))
OTHER = Device(kind="cuda", name="NVIDIA H200", uuid="GPU-b", index=5)


def peers(gbs: float, variant: str = "peer", **more: Any) -> Session:
    sizes = (1 << 16, 1 << 20, 1 << 24, HELD)
    events: list[AnyEvent] = []
    for cards in ((0, 1), (1, 0)):
        events += [
            copy(peer_copy(n), gbs, "peers", 1e-5, variant=variant, cards=cards) for n in sizes
        ]
    both = peer_copy(HELD, both_ways=True)
    events.append(copy(both, 1.8 * gbs, "peers", variant=variant, cards=(0, 1)))
    return session(*events, neighbours=(OTHER,), visible=TWO, **more)


def met(nvlink: bool | None, ancestor: str | None = "node") -> CardHealth:
    return msgspec.structs.replace(
        FULL, pairs=[CardPair(a=0, b=5, nvlink=nvlink, ancestor=ancestor)]
    )


def test_peers_are_named_by_nvmls_index_and_by_what_they_meet_over() -> None:
    there, both, back = links(peers(390.0, health=met(True)))
    assert (there.source, there.sink, there.link) == ("card 0", "card 5", "nvlink")
    assert (back.source, back.sink) == ("card 5", "card 0")
    assert there.gbs == pytest.approx(HELD / (1e-5 + HELD / 390e9) / 1e9)
    assert (there.nominal_gbs, there.ancestor) == (450.0, "node")
    assert there.latency_s == pytest.approx(1e-5)
    assert (both.direction, both.nominal_gbs) == ("both ways", 900.0)
    assert both.gbs == pytest.approx(702)


@pytest.mark.parametrize(
    ("variant", "health", "link", "nominal_gbs"),
    [
        ("peer", met(False), "pcie", 63.0),
        ("staged", met(False), "through the host", None),
        ("peer", met(None), "unknown", None),
        ("peer", FULL, "unknown", None),
        ("peer", None, "unknown", None),
    ],
)
def test_without_nvlink_they_meet_over_pcie_or_the_host(
    variant: str, health: CardHealth | None, link: str, nominal_gbs: float | None
) -> None:
    there = links(peers(40.0, variant, health=health))[0]
    assert there.link == link
    assert there.nominal_gbs == (pytest.approx(nominal_gbs, rel=1e-3) if nominal_gbs else None)


def test_a_plan_takes_the_measured_link_and_as_many_latencies_as_a_ring_has_steps() -> None:
    seen = peers(390.0, health=met(True))
    asked = with_links(Question(card="H200", model="Llama-3-8B", tp=4), [seen])
    assert asked.peer_gbs == pytest.approx(HELD / (1e-5 + HELD / 390e9) / 1e9)
    assert (asked.peer_latency_s, asked.peer_hop_s) == (None, pytest.approx(1e-5))
    assert asked.peer_source == "measured"
    given = Question(card="H200", model="Llama-3-8B", tp=4, peer_gbs=100.0)
    assert with_links(given, [seen]) is given
    one = Question(card="H200", model="Llama-3-8B")
    assert with_links(one, [seen]) is one
    assert with_links(msgspec.structs.replace(one, tp=2), [an_h200()]).peer_gbs is None


def test_cards_that_nvml_does_not_name_keep_torchs_name() -> None:
    events = [
        copy(peer_copy(n), 40.0, "peers", variant="peer", cards=(0, 1)) for n in (1 << 16, 1 << 20)
    ]
    there = links(session(*events))[0]
    assert (there.source, there.sink) == ("cuda:0", "cuda:1")


def test_the_hosts_memory_counts_reads_and_writes_as_its_probe_does() -> None:
    one = copy(memcpy(GIB), 20.0, "memcpy", variant="one thread", timing="host")
    found = links(session(one, health=None))[0]
    assert (found.kind, found.link) == ("memcpy", "memory")
    assert found.gbs == pytest.approx(20.0)
    assert found.gbs == gbs(one)


def test_the_record_has_them_by_their_contract() -> None:
    blocks = msgspec.json.decode(msgspec.json.encode(record(an_h200(), None)))["links"]
    wanted = {"from", "to", "kind", "direction", "gbs", "nominal_gbs", "of_nominal"}
    assert all(block.keys() >= wanted | {"latency_s", "gen", "lanes"} for block in blocks)
    assert "| host → card 0, pcie 5 x16 | pinned | 55.4 | 88 % |" in markdown(an_h200())


# -- the look under load -------------------------------------------------------------------------


class Told:
    """A child that keeps what it is told, or says how far a probe is."""

    def __init__(self, probe: str = "", progress: float = 0.0) -> None:
        self.lines: list[str] = []
        self.probe, self.progress = probe, progress

    def tell(self, line: str) -> None:
        self.lines.append(line)


class Two:
    """Instruments of which telemetry listens and the probes are somewhere."""

    def __init__(self, probe: str, progress: float) -> None:
        self.telemetry, self.probes = Told(), Told(probe, progress)

    def get(self, name: str) -> Told:
        return self.telemetry

    def beat(self, name: str) -> Told:
        return self.probes


def test_telemetry_looks_once_while_a_copy_is_under_way() -> None:
    under_way = fold(
        [
            SessionInfo(t=0.0, suite="links"),
            SessionInfo(t=0.1, instrument="telemetry", device=H200),
            Span(t=1.0, probe="h2d-pinned", edge="begin"),
        ]
    )
    look = LoadedLook()
    early: Any = Two("h2d-pinned", 0.0)
    look.step(early, under_way, 1)
    assert early.telemetry.lines == []
    now: Any = Two("h2d-pinned", 0.3)
    look.step(now, under_way, 1)
    look.step(now, under_way, 1)
    assert now.telemetry.lines == ["health h2d-pinned"]
    under_way.add(Span(t=2.0, probe="h2d-pinned", edge="end"))
    under_way.add(Span(t=2.1, probe="transfers", edge="begin"))
    group: Any = Two("transfers", 0.5)
    look.step(group, under_way, 1)
    assert group.telemetry.lines == []


def test_its_page_holds_it_against_the_link_not_against_the_memory() -> None:
    rows = measurement_rows.body(an_h200(), "h2d-pinned", 80, UNICODE)
    said = " ".join(" ".join(map(text_of, rows)).split())
    assert "88 % of 63, the nominal rate of the link" in said
    assert "what crosses a link has no place under the roof" in said
    assert "4800" not in said
