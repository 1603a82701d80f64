"""What was measured again in a run: all its figures, so that none goes without a word."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.roofline.probe_spec import GROUPS
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.rates import unit_of, value
from roofwatch.session.three_digits import three_digits
from roofwatch.session.which_stands import REACHED, standing


class Again(NamedTuple):
    """A probe of one figure that has several in a run: ``all`` as measured, and which stands."""

    probe: str
    stands: Measurement
    all: tuple[Measurement, ...]

    @property
    def apart(self) -> float:
        """The share by which the least lies below the best."""
        rates = [value(m) for m in self.all]
        return 1 - min(rates) / max(rates)


def measured_again(session: Session, run: int | None = None) -> list[Again]:
    """Of a run (the one on show by default), in the order in which they were first measured."""
    points = ("sweep", *GROUPS)
    of_each: dict[str, list[Measurement]] = {}
    for m in session.measurements:
        if m.run == (run or session.shown_run) and m.protocol not in points:
            of_each.setdefault(m.probe, []).append(m)
    return [
        Again(probe, standing(of)[probe], tuple(of)) for probe, of in of_each.items() if len(of) > 1
    ]


def said_again(session: Session, probe: str | None = None) -> list[str]:
    """A sentence for each of them (or for one probe), with all its figures."""
    scale = rate_scale(session)
    units = {spec.key: spec.unit for spec in session.specs}
    told = []
    for one in measured_again(session):
        if probe in (None, one.probe):
            tera = units.get(one.probe, unit_of(one.stands))
            factor = scale.factor_of(tera)
            rates = {id(m): three_digits(value(m) * factor) for m in one.all}
            if one.stands.protocol in REACHED:
                better = "better" if len(one.all) == 2 else "best"
                why = f"the {better} of {', '.join(rates[id(m)] for m in one.all)}"
            else:
                why = "the last, after "
                why += ", ".join(rates[id(m)] for m in one.all if m is not one.stands)
            told.append(
                f"{session.label(one.probe)} was measured again: {rates[id(one.stands)]} "
                f"{scale.named(tera)} stands, {why}"
            )
    return told
