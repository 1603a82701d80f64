"""What all cards do at once: each process on its own card, at the moments that the parent named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.session.instrument import Instrument
from roofwatch.session.stuck import STAYING
from roofwatch.session.turns import FINISHED, Turns

if TYPE_CHECKING:
    from roofwatch.probes.worker import Worker


def together(worker: Worker, out: Instrument, specs: Iterable[ProbeSpec], turns: Turns) -> bool:
    """Wait for the turn, take it, wait for the others; whether a probe failed.

    What is measured is told of the card in particular: of the session's own card too. Its process
    ends the run, so that it stays until the parent has heard all the others.
    """
    out.say(STAYING)
    turn = turns.wait()
    if turn is None:
        return False
    own, out.gpu = out.gpu, turn.gpu
    try:
        failed = worker.measure(specs, turn.moments(specs))
    finally:
        out.gpu = own
    out.say(FINISHED)
    if own is None:
        turns.wait()
    return failed
