"""The cards of a host: the measured one among its neighbours, in NVML's order."""

from __future__ import annotations

from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.fold import Session, fold
from roofwatch.session.host_cards import card_of, host_cards


def host(measured: int | None, *others: int | None) -> Session:
    cards = [Device(kind="cuda", index=i, uuid=f"GPU-{i}") for i in others]
    own = Device(kind="cuda", index=measured, uuid="GPU-own")
    return fold([SessionInfo(t=0.0, instrument="telemetry", device=own, neighbours=cards)])


def test_they_stand_in_nvmls_order_whichever_is_measured() -> None:
    cards = host_cards(host(2, 3, 0, 1))
    assert [(c.gpu, c.measured) for c in cards] == [(0, False), (1, False), (2, True), (3, False)]


def test_what_has_no_index_or_the_measured_ones_is_no_neighbour() -> None:
    assert [c.gpu for c in host_cards(host(0, None, 0, 1, 1))] == [0, 1]
    assert [c.gpu for c in host_cards(Session())] == [None]


def test_a_card_by_its_index() -> None:
    session = host(0, 1)
    assert card_of(session, 1).gpu == 1
    assert card_of(session, None).measured
    assert card_of(session, 7).measured
