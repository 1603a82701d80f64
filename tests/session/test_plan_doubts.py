"""A plan by measured roofs says where the session or the fleet itself does not believe them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.models import named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.rank_figures import Said
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import Question
from roofwatch.session.plan_sources import kept_plan
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.plan.card_model_rows import table_rows

SESSIONS = Path(__file__).parent.parent / "sessions"
CARDS = Cards(packaged_cards())
SMALL = named("TinyLlama", packaged_models())
ASKED = Question(card="", model=SMALL.name)


def notes(session: str = "", fleet: str = "", asked: Question = ASKED) -> list[str]:
    sessions = [Replay(SESSIONS / session).session] if session else []
    fleets = [read_fleet(SESSIONS / fleet)] if fleet else []
    found = kept_plan(sessions, fleets, asked, CARDS, SMALL)
    return [n for n in found.notes if "not to be believed" in n]


def test_a_roof_that_its_session_doubts_says_so() -> None:
    below = "is not to be believed: below its expected range"
    assert notes("cpu/decode-1.jsonl") == [
        f"the measured bandwidth (add_scalar-fp32) {below}",
        f"the measured peak (matmul-fp32) {below}",
    ]
    assert notes("h200-quick-1.jsonl") == []


@pytest.mark.parametrize(
    ("given", "left"), [({"bandwidth_gbs": 20.0}, "peak"), ({"peak_tflops": 0.1}, "bandwidth")]
)
def test_a_figure_that_was_given_is_nobodys_to_doubt(given: dict[str, float], left: str) -> None:
    asked = msgspec.structs.replace(ASKED, **given)
    (said,) = notes("cpu/decode-1.jsonl", asked=asked)
    assert said.startswith(f"the measured {left} ")


def test_a_table_over_models_says_so_once_above_it() -> None:
    session = Replay(SESSIONS / "cpu/decode-1.jsonl").session
    plans = [kept_plan([session], [], ASKED, CARDS, model) for model in packaged_models()]
    rows = [text_of(r) for r in table_rows(plans, 80, UNICODE)]
    head = next(i for i, r in enumerate(rows) if r.startswith(" model "))
    assert sum("the measured bandwidth" in r for r in rows) == 1
    assert " ".join("".join(rows[:head]).split()).count("is not to be believed") == 2


def test_ranks_that_doubt_a_roof_of_their_fleet_are_named() -> None:
    (said,) = notes(fleet="two/fleet-slow.jsonl")
    assert said.startswith("not to be believed of this fleet: rank 1: ")
    for figure in ("add_scalar-fp16 (unstable)", "matmul-fp16 (unstable)"):
        assert figure in said
    assert "matmul-bf16" not in said  # no figure of this plan
    given = msgspec.structs.replace(ASKED, bandwidth_gbs=4000.0, peak_tflops=700.0)
    assert notes(fleet="two/fleet-slow.jsonl", asked=given) == []


def doubting(**of: tuple[str, str]) -> Fleet:
    """A fleet whose ranks doubt one figure each, named by rank: ``r1=(figure, card)``."""
    found = read_fleet(SESSIONS / "two/fleet-1.jsonl")
    (first, *_) = found.in_order
    for name, (figure, device) in of.items():
        said = Said(code="unstable", subject=figure, severity="suspect")
        rank = int(name.removeprefix("r"))
        told = {"rank": rank, "findings": (said,), "device": device}
        found.ranks[rank] = msgspec.structs.replace(found.ranks.get(rank, first), **told)
    return found


H200, H100 = "NVIDIA H200", "NVIDIA H100 80GB HBM3"


def told_of(asked: Question, *fleets: Fleet) -> list[str]:
    found = kept_plan([], list(fleets), asked, CARDS, SMALL)
    return [n for n in found.notes if "not to be believed" in n]


def test_only_the_figures_that_the_plan_takes_are_told_of() -> None:
    own, of_peak = "add_scalar-fp16", "matmul-fp16"
    assert doubting().ranks[0].bandwidth_kernel == own
    assert told_of(ASKED, doubting(r1=("add_scalar-fp32", H200))) == []
    (said,) = told_of(ASKED, doubting(r1=(own, H200)))
    assert said == f"not to be believed of this fleet: rank 1: {own} (unstable)"
    both = doubting(r0=(of_peak, H200), r1=(own, H200))
    given = msgspec.structs.replace(ASKED, bandwidth_gbs=4000.0)
    assert [s.partition(": ")[2] for s in told_of(given, both)] == [f"rank 0: {of_peak} (unstable)"]
    given = msgspec.structs.replace(ASKED, peak_tflops=700.0)
    assert [s.partition(": ")[2] for s in told_of(given, both)] == [f"rank 1: {own} (unstable)"]


def test_only_ranks_on_the_card_that_is_planned_are_told_of() -> None:
    mixed = doubting(r2=("add_scalar-fp16", H100), r3=("matmul-fp16", H100))
    assert told_of(msgspec.structs.replace(ASKED, card=H200), mixed) == []
    (said,) = told_of(msgspec.structs.replace(ASKED, card=H100), mixed)
    assert said.partition(": ")[2].startswith("rank 2: add_scalar-fp16 (unstable); rank 3: ")


def test_of_several_fleets_the_one_that_gives_the_roof_is_told_of() -> None:
    doubts = doubting(r1=("add_scalar-fp16", H200))
    assert told_of(ASKED, doubting(), doubts) == []
    assert len(told_of(ASKED, doubts, doubting())) == 1


def test_a_record_that_names_no_stream_is_doubted_in_any() -> None:
    old = doubting(r1=("add_scalar-fp32", H200))
    old.ranks[1] = msgspec.structs.replace(old.ranks[1], bandwidth_kernel="")
    assert len(told_of(ASKED, old)) == 1
