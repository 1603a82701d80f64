"""``with roofwatch.watch() as w``: the card while a block of a program runs, summed up after it."""

from __future__ import annotations

import time
from types import TracebackType

from roofwatch.library.telemetry_child import TelemetryChild
from roofwatch.notebook.finding import Finding
from roofwatch.roofline.suite import WATCH
from roofwatch.session.events import End, SessionInfo, Span
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.watch.card_roofs import card_roofs
from roofwatch.session.watch.summary import Watched, watched
from roofwatch.tui.printed.live_options import ANY_DEVICE


class Watching:
    """Enter it around the work. ``summary`` and ``findings`` are there once it is left."""

    def __init__(self, device: str) -> None:
        self._t0_ns = time.monotonic_ns()
        self._session = Session()
        kind = "host" if device == "cpu" else "auto"
        chosen = [] if device in ("auto", "cpu") else ["--device", device]
        self._child = TelemetryChild(["--source", kind, *chosen], self._session, self._t0_ns)
        self._summary: Watched | None = None

    def _now(self) -> float:
        return (time.monotonic_ns() - self._t0_ns) / 1e9

    def __enter__(self) -> Watching:
        self._session.add(SessionInfo(t=0.0, suite=WATCH))
        self._child.start()
        self._child.first_sample()
        self._session.add(SessionInfo(t=self._now(), command="the block"))
        self._session.add(Span(t=self._now(), probe="the block", edge="begin"))
        return self

    def mark(self, name: str) -> None:
        """Name the part of the work that begins now."""
        self._session.add(Span(t=self._now(), probe=" ".join(name.split()), edge="begin"))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        end_s = self._now()
        try:
            if kind is None or issubclass(kind, Exception):
                self._child.sample_after(end_s)
        finally:
            self._child.end()
        ended = "" if kind is None else f"ended by {kind.__name__}"
        self._session.add(End(t=end_s, complete=True, why=ended))
        self._session.closed = True

    @property
    def summary(self) -> Watched:
        """Clocks, energy, power, limits, memory, use and marks, each card apart.

        Raises:
            RuntimeError: the block is still running.
        """
        if self._summary is None:
            if not self._session.closed:
                raise RuntimeError("the block that is watched has not ended")
            self._summary = watched(self._session, card_roofs(self._session))
        return self._summary

    @property
    def findings(self) -> list[Finding]:
        """What smells in it, the gravest first."""
        return findings(self._session)


def watch(device: str = "auto") -> Watching:
    """Watch a card (``auto``, ``cuda:N``, ``cpu`` or ``all``) while the block runs.

    Telemetry is a process of its own, which reads ten times a second and needs no torch.

    Raises:
        ValueError: ``device`` is none of them.
    """
    if not ANY_DEVICE.fullmatch(device):
        raise ValueError(f"device is {device[:40]!r}, not auto, all, cpu or cuda:N")
    return Watching("cuda:0" if device == "cuda" else device)
