"""All that a look at a machine came to. The checks judge it and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from roofwatch.roofline.lookup import Nominal
from roofwatch.session.doctor.machine import Machine
from roofwatch.session.doctor.said import Said, unknown
from roofwatch.session.events import Device, Sample
from roofwatch.session.health import CardHealth, Checkup

NO_CARD = "no NVIDIA GPU here"
NOT_ASKED = "not looked at: --device cpu"
ABSENT, LOST = 3, 4  # exit codes of telemetry
NONE_THERE = (
    "no NVIDIA driver library",
    "the NVIDIA driver is not loaded",
    "NVML found no such GPU",
    "NVML lists no NVIDIA GPU",
)
"""How telemetry begins to say that there is nothing to read; with a card on the bus it is wrong."""
UNTOLD = {
    "not_supported": "the driver does not tell it here",
    "no_permission": "there is no permission to read it",
    "error": "the driver answers with an error",
}


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen. ``problem`` is why there is no card, or none any more, in telemetry's words.

    ``idle``, ``loaded`` and ``after`` are readings before, while and after the probes held a load;
    ``before`` and ``under`` samples of the first two times. ``hung`` are calls of NVML that did not
    return. ``torch_problem`` is why the probes did not tell all; ``torch_at`` where they were.
    """

    asked: str = "auto"  # "auto" | "cpu" | "cuda:N"
    machine: Machine = Machine()
    others_cores: float | None = None  # that other work kept while we looked
    environ: Mapping[str, str] = {}
    device: Device | None = None
    driver: str | None = None
    problem: str | None = None
    exit_code: int | None = None
    hung: tuple[str, ...] = ()
    idle: CardHealth | None = None
    loaded: CardHealth | None = None
    after: CardHealth | None = None
    before: tuple[Sample, ...] = ()
    under: tuple[Sample, ...] = ()
    nominal: Nominal | None = None
    checkup: Checkup | None = None
    torch_device: Device | None = None
    torch_problem: str | None = None
    torch_at: str = "starting"

    @property
    def no_card(self) -> bool:
        """There is none, as far as anybody can tell: nothing is wrong with that."""
        named = self.asked not in ("auto", "cpu")
        said = (self.problem or "").startswith(NONE_THERE)
        return self.device is None and said and not named and not self.machine.cards_on_bus

    @property
    def missing(self) -> bool:
        """A device was named, and neither the driver nor torch has it."""
        opened = self.torch_device is not None and self.torch_device.kind == "cuda"
        named = self.asked not in ("auto", "cpu")
        return named and self.device is None and self.exit_code == ABSENT and not opened

    @property
    def latest(self) -> CardHealth | None:
        """The last reading: errors that the load brought out are in it."""
        return self.after or self.loaded or self.idle

    @property
    def same_card(self) -> bool:
        """Torch opened the card that telemetry reads, as far as both say which it is."""
        ours = self.device.uuid if self.device else None
        theirs = self.torch_device.uuid if self.torch_device else None
        return ours is None or theirs is None or ours == theirs

    @property
    def no_load(self) -> str:
        """Why nothing was seen under load."""
        if not self.same_card:
            return "torch opened another card"
        if self.checkup is None or self.checkup.torch is None:
            return "not under load: torch does not tell"
        if self.checkup.problem is not None:
            return "not under load: torch cannot use the card"
        return f"not under load: {self.torch_problem or 'nothing was heard of it'}"


def of_card(check: Callable[[Facts, Device], Said]) -> Callable[[Facts], Said]:
    """A check that needs a card: without one it is unknown, and says why."""

    def checked(facts: Facts) -> Said:
        return no_card(facts) if facts.device is None else check(facts, facts.device)

    return checked


def of_health(check: Callable[[Facts, CardHealth], Said]) -> Callable[[Facts], Said]:
    """A check that needs a reading of a card's condition."""

    def checked(facts: Facts) -> Said:
        if facts.device is None:
            return no_card(facts)
        if facts.latest is None:
            return unknown(facts.problem or "the driver did not tell in time")
        return check(facts, facts.latest)

    return checked


def no_card(facts: Facts) -> Said:
    """What every check of a card says where there is none."""
    if facts.asked == "cpu":
        return unknown(NOT_ASKED)
    return unknown(NO_CARD if facts.no_card else facts.problem or "the driver told nothing")


def untold(status: Mapping[str, str], *names: str) -> Said:
    """What a check says of values that are null: the first of them that has a status."""
    why = next((status[name] for name in names if name in status), "error")
    return unknown(UNTOLD.get(why, UNTOLD["error"]))
