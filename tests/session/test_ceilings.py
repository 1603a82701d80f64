"""What a session measured, and what its datasheet fills in, each with its origin."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.floors import Ceilings
from roofwatch.session.ceilings import NOMINAL, nominal_ceilings, session_ceilings
from roofwatch.session.fold import Session
from roofwatch.session.roofs import roofs


def test_a_session_speaks_for_what_it_measured_alone(h200: Session) -> None:
    found, own = session_ceilings(h200, "session"), roofs(h200)
    assert found.bandwidth_gbs == own.bandwidth_gbs
    assert found.bandwidth_origin == "session"
    assert found.peaks_tflops == {k: c.best_tflops for k, c in own.compute.items()}
    assert set(found.peak_origins.values()) == {"session"}
    assert session_ceilings(Session(), "session") == Ceilings()


def test_the_datasheet_fills_in_what_was_not_measured(h200: Session) -> None:
    assert h200.nominal is not None
    paper = nominal_ceilings(h200.nominal)
    own = session_ceilings(h200, "session")
    both = own.or_else(paper)
    assert both.bandwidth_gbs == own.bandwidth_gbs
    assert both.bandwidth_origin == "session"
    assert set(both.peaks_tflops) == set(paper.peaks_tflops) | set(own.peaks_tflops)
    for key, peak in both.peaks_tflops.items():
        measured = key in own.peaks_tflops
        assert both.peak_origins[key] == ("session" if measured else NOMINAL)
        assert peak == (own if measured else paper).peaks_tflops[key]
    assert Ceilings().or_else(paper) == paper


def test_a_card_that_nobody_knows_has_no_ceilings(h200: Session) -> None:
    assert h200.nominal is not None
    unknown = msgspec.structs.replace(h200.nominal, bandwidth_gbs=None, peaks_tflops={})
    assert nominal_ceilings(unknown) == Ceilings()
