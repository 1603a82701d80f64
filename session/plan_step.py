"""One step of a plan: its bytes, its FLOP, its seconds, and what it costs, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from roofwatch.roofline.decode import Decode, at_roof, gap_to_linear
from roofwatch.roofline.model import Model
from roofwatch.roofline.parallel import COMMUNICATION, Peers, comm_s
from roofwatch.roofline.price import cost_per_mtok
from roofwatch.roofline.roof import Roof

if TYPE_CHECKING:
    from roofwatch.session.plan import Question


class PlanPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One batch. ``bound`` is the largest part of the step: memory, compute, overhead, or the
    communication of several cards, of which ``bytes`` and ``flop`` are one card's."""

    batch: int
    intensity: float
    bytes: float
    flop: float
    step_s: float
    tokens_per_s: float
    gap_to_linear: float
    bound: str
    fits: bool  # in the memory, as far as that is known
    comm_s: float = 0.0  # of the step, between cards
    cost_per_mtok: float | None = None


class PlanStep(NamedTuple):
    """A step on one card, or on the share of it that each of several takes."""

    decode: Decode
    model: Model
    roof: Roof
    q: Question
    cap: int | None
    peers: Peers | None

    def points(self, of: list[int]) -> list[PlanPoint]:
        """One a batch."""
        first_s, _ = self._seconds(1)
        return [self._point(batch, first_s) for batch in of]

    def cheapest(self) -> PlanPoint | None:
        """The first batch at the least cost: at the roof, or the last that fits; None: not known.

        Beyond the roof a batch adds no tokens per second, unless an overhead is shared by more.
        """
        batch = at_roof(self.decode.b_star(self.roof.ridge))
        shared = self.q.overhead_s or (self.peers and self.peers.waits_s(self.q.tp))
        if batch is None or shared or (self.cap is not None and self.cap < batch):
            batch = self.cap
        return self.points([batch])[0] if batch else None

    def _seconds(self, batch: int) -> tuple[float, float]:
        """Of a step, and of what the cards exchange in it: nothing overlaps."""
        between_s = comm_s(self.model, batch, self.q.tp, self.peers)
        return self.decode.step_s(batch, self.roof, self.q.overhead_s) + between_s, between_s

    def _point(self, batch: int, first_s: float) -> PlanPoint:
        decode, q = self.decode, self.q
        step_s, between_s = self._seconds(batch)
        rate = batch / step_s
        bound = decode.bound(batch, self.roof, q.overhead_s)
        if between_s > max(decode.busy_s(batch, self.roof), q.overhead_s):
            bound = COMMUNICATION
        return PlanPoint(
            batch=batch,
            intensity=decode.intensity(batch),
            bytes=decode.bytes(batch),
            flop=decode.flop(batch),
            step_s=step_s,
            tokens_per_s=rate,
            gap_to_linear=gap_to_linear(first_s, step_s),
            bound=bound,
            fits=self.cap is None or batch <= self.cap,
            comm_s=between_s,
            cost_per_mtok=cost_per_mtok(q.tp * q.price.per_hour, rate) if q.price else None,
        )
