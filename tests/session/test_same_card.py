"""Whether two sessions are of one card: yes, no, or not known; and who reads that strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.session.anonymous import anonymous
from roofwatch.session.differences import CARD_TO_CARD, STREAMS_APART, apart_of, of_one_kind
from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.same_card import OtherCard, count_of, refuse_others, same_card
from roofwatch.session.side_by_side import CompareRefused, Named, side_by_side

SESSIONS = Path(__file__).parent.parent / "sessions"
ONE, TWO = "GPU-44390328-4f64-373b-2809-94bb45e03e0a", "GPU-44390328-4f64-373b-2809-94bb45e03e0b"


def card(uuid: str | None, name: str = "NVIDIA H200", host: str = "a") -> Session:
    device = Device(kind="cuda", name=name, uuid=uuid)
    return fold([SessionInfo(t=0.0, instrument="telemetry", host=host, device=device)])


def cpu(host: str | None, cores: int | None = 2, name: str | None = "AMD EPYC") -> Session:
    device = Device(kind="cpu", name=name, core_count=cores)
    return fold([SessionInfo(t=0.0, instrument="telemetry", host=host, device=device)])


@pytest.mark.parametrize(
    ("a", "b", "one"),
    [
        (card(ONE), card(ONE, host="b"), True),  # it was moved
        (card(ONE), card(TWO), False),  # by their last letter
        (card(ONE), card(None), None),
        (card(None), card(None), None),
        (cpu("vm"), cpu("vm"), True),
        (cpu("vm"), cpu("other"), False),
        (cpu("vm"), cpu("vm", 4), False),
        (cpu("vm"), cpu("vm", name="Intel Xeon"), False),
        (cpu("vm"), cpu("vm", None), True),
        (cpu(None), cpu("vm"), None),
        (cpu(None), cpu(None), None),
        (cpu("vm"), card(ONE), False),
        (cpu("vm"), card(None), False),
        (Session(), card(ONE), None),
        (Session(), Session(), None),
    ],
)
def test_yes_no_or_not_known(a: Session, b: Session, one: bool | None) -> None:
    assert same_card(a, b) is same_card(b, a) is one


def test_a_table_takes_what_is_not_known_and_counts_what_is() -> None:
    named = [(Path("a"), card(ONE)), (Path("b"), card(None)), (Path("c"), card(TWO))]
    refuse_others(named[:2])
    with pytest.raises(OtherCard, match=r"^c: of another NVIDIA H200 \(GPU-44390328\)"):
        refuse_others(named)
    assert count_of([s for _, s in reversed(named)]) == 2
    assert count_of([card(None), Session()]) == 1
    assert count_of([card(None), card(ONE), card(ONE), cpu("vm"), cpu("vm", 4)]) == 3


def test_a_refusal_says_of_each_only_what_is_known() -> None:
    known, unknown = cpu("vm"), cpu(None, 4)
    with pytest.raises(OtherCard, match=r"\(4 cores\) than a \(2 cores of vm\)"):
        refuse_others([(Path("a"), known), (Path("b"), unknown)])


def test_two_cards_of_one_name_differ_by_more_and_two_cpus_are_none() -> None:
    assert of_one_kind(card(ONE), card(TWO))
    assert not of_one_kind(card(ONE), card(ONE))
    assert not of_one_kind(card(ONE), card(None))
    assert not of_one_kind(card(ONE), card(TWO, name="Tesla T4"))
    assert not of_one_kind(cpu("vm"), cpu("other"))
    assert [apart_of(u) for u in ("GB/s", "TFLOP/s", "TOPS", "MHz", "s")] == [
        STREAMS_APART,
        *[CARD_TO_CARD] * 4,
    ]


def test_over_time_only_what_is_known_to_be_one_card_is_compared(h200: Session) -> None:
    told = list(events(SESSIONS / "h200-quick-1.jsonl"))
    for other in (told, list(anonymous(told))):
        side_by_side([Named("a", h200), Named("b", fold(other))])
    side_by_side([Named("a", h200), Named("b", fold(told))], strict=True)
    with pytest.raises(CompareRefused, match="b is not known to be of the card of a"):
        side_by_side([Named("a", h200), Named("b", fold(anonymous(told)))], strict=True)
