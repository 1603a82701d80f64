"""A plan by a session's own roofs: what stands in for nominal figures, and what was typed."""

from __future__ import annotations

import msgspec
import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.models import named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.events import Device
from roofwatch.session.fold import Session
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import PlanError, Question, plan
from roofwatch.session.plan_roofs import unmeasured, with_measured
from roofwatch.session.plan_sources import card_of, kept_plan
from roofwatch.session.roofs import roofs

CARDS, MODELS = Cards(packaged_cards()), packaged_models()
TINY = named("TinyLlama", MODELS)


def test_a_sessions_own_figures(full: Session) -> None:
    found = kept_plan([full], [], Question(card="", model="x"), CARDS, TINY)
    own = roofs(full)
    assert found.gpu == "NVIDIA H200"
    assert found.bandwidth_gbs == own.bandwidth_gbs
    assert found.peak_tflops == own.compute["fp16"].burst_tflops
    assert found.ridge == pytest.approx(found.peak_tflops * 1e3 / found.bandwidth_gbs)
    assert (found.figures, found.ridge_nominal) == ("measured", pytest.approx(206.1, abs=0.1))
    assert found.memory_bytes == full.device.memory_bytes
    nominal = kept_plan([full], [], Question(card="H200", model="x", ridge="nominal"), CARDS, TINY)
    assert nominal.ridge == nominal.ridge_nominal
    fp8 = kept_plan([full], [], Question(card="", model="x", weights="fp8"), CARDS, TINY)
    assert fp8.peak_key == "fp8"
    assert fp8.peak_tflops == own.compute["fp8"].burst_tflops


def test_a_session_is_of_its_own_card(full: Session) -> None:
    with pytest.raises(PlanError, match="measured on NVIDIA H200, not on Tesla T4"):
        kept_plan([full], [], Question(card="T4", model="x"), CARDS, TINY)


def test_a_session_that_measured_too_little() -> None:
    with pytest.raises(PlanError, match="no bandwidth is known"):
        kept_plan([Session()], [], Question(card="", model="x"), CARDS, TINY)


def test_what_was_not_measured_is_the_cards_own_and_each_figure_says_whose(full: Session) -> None:
    card = card_of(full)
    bare = roofs(Session())
    only = msgspec.structs.replace(bare, bandwidth_gbs=4000.0)
    asked = Question(card="", model="x")
    found = plan(card, TINY, with_measured(asked, only))
    assert (found.bandwidth_gbs, found.bandwidth_from) == (4000.0, "measured")
    assert (found.peak_tflops, found.peak_from) == (card.peaks_tflops["fp16"], "nominal")
    assert found.figures == "partly measured"
    assert unmeasured(asked, only) == "peak for fp16 weights not measured: nominal figures"
    assert unmeasured(asked, bare).startswith("bandwidth and peak for fp16 weights")
    typed = Question(card="", model="x", bandwidth_gbs=100, peak_tflops=10)
    assert unmeasured(typed, bare) == unmeasured(asked, roofs(full)) == ""


def test_the_link_that_the_driver_reports_where_the_table_has_none(full: Session) -> None:
    assert full.nominal is not None
    known = kept_plan([full], [], Question(card="", model="x"), CARDS, TINY)
    assert known.link_gbs == pytest.approx(63, abs=0.1)
    assert isinstance(full.device, Device)
    assert full.device.pcie_gen_max == 5


def test_a_card_has_one_memory_whatever_the_roofs(full: Session) -> None:
    """What the driver reports; older sessions' nominal figures have none, newer ones the sold."""
    memory = full.device.memory_bytes
    assert memory is not None
    caps = set()
    for sold in (None, 141.0 * 2**30):
        full.nominal = msgspec.structs.replace(full.nominal or card_of(full), memory_bytes=sold)
        measured = kept_plan([full], [], Question(card="", model="x"), CARDS, TINY)
        nominal = plan(card_of(full), TINY, Question(card="", model="x"))
        assert measured.memory_bytes == nominal.memory_bytes == memory
        caps |= {measured.batch_memory_cap, nominal.batch_memory_cap}
    assert len(caps) == 1
    assert None not in caps
    given = Question(card="", model="x", memory_bytes=memory / 2)  # what a question gives stands
    assert kept_plan([full], [], given, CARDS, TINY).memory_bytes == memory / 2


def test_measured_figures_with_weights_that_were_not_measured(full: Session) -> None:
    own = msgspec.structs.replace(
        roofs(full), compute={k: c for k, c in roofs(full).compute.items() if k == "bf16"}
    )
    question = with_measured(Question(card="", model="x", weights="fp8"), own)
    assert question.peak_key == "bf16"
    assert full.nominal is not None
    found = plan(full.nominal, TINY, question)
    assert found.notes[0].endswith(
        "no scales; the session measured no fp8 peak: its bf16 one is taken instead; "
        "the nominal ridge is that of fp8"
    )
    peaks = full.nominal.peaks_tflops
    assert found.ridge_nominal == pytest.approx(peaks["fp8"] * 1e3 / 4800)
    int4 = plan(full.nominal, TINY, msgspec.structs.replace(question, weights="int4"))
    assert int4.notes[0].endswith("unpacked and multiplied as bf16")
    assert int4.ridge_nominal == pytest.approx(206.1, abs=0.1)
    half = plan(full.nominal, TINY, with_measured(Question(card="", model="x"), own))
    assert half.notes == ["fp16 weights go by the bf16 peak: the session measured none of fp16"]


@pytest.mark.parametrize(
    ("given", "whence"),
    [
        ({}, ("measured", "measured", "measured")),
        ({"bandwidth_gbs": 4000.0}, ("given", "measured", "given")),
        ({"peak_tflops": 500.0}, ("measured", "given", "given")),
        ({"bandwidth_gbs": 4000.0, "peak_tflops": 500.0}, ("given", "given", "given")),
    ],
)
def test_what_was_typed_goes_before_the_session(
    full: Session, given: dict[str, float], whence: tuple[str, str, str]
) -> None:
    found = kept_plan([full], [], Question(card="", model="x", **given), CARDS, TINY)
    assert (found.bandwidth_from, found.peak_from, found.figures) == whence
    assert {k: getattr(found, k) for k in given} == given
    assert found.ridge == pytest.approx(found.peak_tflops * 1e3 / found.bandwidth_gbs)
    assert found.peak_flat == ("burst" if found.peak_from == "measured" else "given")
    own = kept_plan([full], [], Question(card="", model="x"), CARDS, TINY)
    measured = kept_plan(
        [full], [], Question(card="", model="x", ridge="measured", **given), CARDS, TINY
    )
    assert (measured.ridge, measured.ridge_from) == (pytest.approx(own.ridge), "measured")
    assert measured.roof_ridge == pytest.approx(found.ridge)


def test_a_session_needs_only_what_was_not_typed() -> None:
    question = Question(card="", model="x", bandwidth_gbs=100, peak_tflops=10)
    assert with_measured(question, roofs(Session())).measured is False
    with pytest.raises(PlanError, match="no measured ridge: bandwidth and peak for fp16"):
        with_measured(msgspec.structs.replace(question, ridge="measured"), roofs(Session()))
