"""What ``triage`` answers: the bound, how certain, each route's vote, and the treatment."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.time_said import time_said
from roofwatch.roofline.triage import Evidence


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One of the seed's three routes. ``status`` is "says", "cannot-say" or "contradicts".

    ``says`` is the bound that it speaks for, ``excludes`` those that it speaks against, both by
    itself; ``because`` is one sentence with the figures.
    """

    status: str
    says: str | None
    excludes: tuple[str, ...]
    because: str


class RoofUsed(msgspec.Struct, frozen=True, kw_only=True):
    """The roof that the work was held against: GB/s, TFLOP/s (int8: TOPS) by peak key.

    ``origin`` is "session", "measured" (on the spot), "nominal" or, where its lines differ, both.
    """

    origin: str | None
    bandwidth_gbs: float | None
    peaks_tflops: dict[str, float]
    ridge: float | None
    peak_key: str | None


class Triage(msgspec.Struct, frozen=True, kw_only=True):
    """One callable, triaged. Times in seconds of one call.

    ``bound`` is "compute", "memory", "overhead", "mixed" (no part takes half of the time) or
    "cannot-say"; ``certainty`` is "certain", "likely" or "unsure", and ``would_help`` what would
    raise it. ``shares`` are the parts of the time. ``status`` says why something is missing.
    """

    name: str
    bound: str
    certainty: str
    would_help: str
    treatment: str
    routes: dict[str, Route]
    shares: dict[str, float]
    time_s: float
    card: str | None
    roof: RoofUsed
    evidence: Evidence
    status: dict[str, str]

    def __str__(self) -> str:
        """The bound, a line a route, the treatment, and what would make it more certain."""
        parts = ", ".join(f"{name} {per_cent(share)}" for name, share in self.shares.items())
        lines = [
            f"{self.name}: {self.bound} ({self.certainty}), {time_said(self.time_s)} a call"
            + (f" on {self.card}" if self.card else ""),
            *([f"  time: {parts}"] if parts else []),
        ]
        for name, route in self.routes.items():
            lines.append(f"  {name}: {self.word(name)}; {route.because}")
        lines.append(f"  treatment: {self.treatment}")
        if self.would_help:
            lines.append(f"  to be surer: {self.would_help}")
        return "\n".join(lines)

    def word(self, name: str) -> str:
        """What a route says, in a few words: ``memory``, ``not overhead``, ``cannot say``."""
        route = self.routes[name]
        if route.says is not None:
            said = route.says
        elif route.excludes:
            said = f"not {' or '.join(route.excludes)}"
        else:
            return "cannot say"
        return f"{said} (contradicts)" if route.status == "contradicts" else said
