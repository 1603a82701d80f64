"""What was measured again in a run: both figures, so that none is replaced without a word."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.roofline.probe_spec import GROUPS
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.rates import unit_of, value
from roofwatch.session.three_digits import three_digits


class Again(NamedTuple):
    """A probe of one figure that has several in a run: the last stands, ``before`` do not."""

    probe: str
    last: Measurement
    before: tuple[Measurement, ...]


def measured_again(session: Session) -> list[Again]:
    """Of the run on show, in the order in which they were first measured."""
    points = ("sweep", *GROUPS)
    of_each: dict[str, list[Measurement]] = {}
    for m in session.measurements:
        if m.run == session.shown_run and m.protocol not in points:
            of_each.setdefault(m.probe, []).append(m)
    return [
        Again(probe, last, tuple(before)) for probe, (*before, last) in of_each.items() if before
    ]


def said_again(session: Session, probe: str | None = None) -> list[str]:
    """A sentence for each of them (or for one probe), with all its figures."""
    scale = rate_scale(session)
    units = {spec.key: spec.unit for spec in session.specs}
    told = []
    for one in measured_again(session):
        if probe in (None, one.probe):
            tera = units.get(one.probe, unit_of(one.last))
            factor = scale.factor_of(tera)
            before = ", ".join(three_digits(value(m) * factor) for m in one.before)
            now = three_digits(value(one.last) * factor)
            told.append(
                f"{session.label(one.probe)} was measured again: {now} {scale.named(tera)} stands, "
                f"in place of {before}"
            )
    return told
