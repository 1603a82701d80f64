"""Whether driver, torch and CUDA fit together."""

from __future__ import annotations

import re

from roofwatch.session.doctor.facts import LOST, Facts, no_card, of_card
from roofwatch.session.doctor.said import Checks, Said, fail, ok, unknown, warn
from roofwatch.session.events import Device

HOST_RESETS = "only the host can: reset the card, reload the driver or reboot"
NO_TORCH = "torch cannot be imported"
ANOTHER_TORCH = "install torch's build for CUDA (pytorch.org says which; nvidia-smi the driver's)"
MINOR_FROM = 11  # CUDA's minor versions work with each other's drivers from 11 on


def driver(facts: Facts) -> Said:
    """The driver answers, and says who it is."""
    expected = "a driver that answers every call"
    if facts.hung:
        return fail(f"does not return: {', '.join(facts.hung)}", expected, HOST_RESETS)
    if facts.exit_code == LOST:
        return fail(facts.problem or "the card is lost", "a card that answers", HOST_RESETS)
    if facts.device is not None:
        if facts.problem is not None:
            return fail(facts.problem, expected, HOST_RESETS)
        cuda = f", for CUDA up to {facts.latest.cuda}" if facts.latest and facts.latest.cuda else ""
        return ok(f"{facts.driver or 'a driver that does not tell its version'}{cuda}")
    if facts.asked == "cpu" or facts.no_card or facts.problem is None:
        return no_card(facts)
    if facts.problem.startswith("nvidia-ml-py"):
        return unknown(facts.problem, "", "pip install nvidia-ml-py")
    if facts.problem.startswith("CUDA_VISIBLE_DEVICES"):
        return unknown(facts.problem, "", "unset CUDA_VISIBLE_DEVICES")
    if facts.missing and facts.problem.startswith("there is no GPU"):
        return fail(facts.problem, "the card that was named", "nvidia-smi -L lists those there are")
    there = facts.machine.cards_on_bus
    seen = f"; {there} on the PCI bus" if there else ""
    do = "only the host can: load its driver anew, or start the container with --gpus all"
    return fail(f"{facts.problem}{seen}", expected, do)


def torch(facts: Facts) -> Said:
    """There is a torch, built for what is here."""
    told = facts.checkup
    if told is None or told.torch is None:
        why = facts.torch_problem or "it did not tell in time"
        do = (
            "pip install torch"
            if why.startswith(NO_TORCH)
            else "python -c 'import torch' says more"
        )
        return fail(why, "a torch that can be imported", do)
    parts = [told.torch]
    parts += [f"CUDA {told.cuda}"] if told.cuda else []
    parts += [f"HIP {told.hip}"] if told.hip else []
    parts += [f"cuDNN {told.cudnn}"] if told.cudnn else []
    found = ", ".join(parts)
    card = facts.device is not None or bool(facts.machine.cards_on_bus)
    if card and told.cuda is None and told.hip is None and facts.asked != "cpu":
        return fail(
            f"{found}: built without CUDA, beside a card", "a build for CUDA", ANOTHER_TORCH
        )
    return ok(found)


def _cuda_version(facts: Facts, _: Device) -> Said:
    """The driver speaks the CUDA that torch was built with."""
    newest = _version(facts.latest.cuda if facts.latest else None)
    built = _version(facts.checkup.cuda if facts.checkup else None)
    if built is None:
        return unknown("torch was built without CUDA" if facts.checkup else _no_torch(facts))
    if newest is None:
        return unknown("the driver does not tell which CUDA it speaks")
    found = f"torch's CUDA {_said(built)}, the driver's up to {_said(newest)}"
    if newest >= built:
        return ok(found)
    expected = f"a driver for CUDA {_said(built)} or newer"
    if newest[0] == built[0] >= MINOR_FROM:
        return ok(f"{found}: within {built[0]}.x they work together (PTX apart)", expected)
    do = f"only the host can renew the driver; or a torch for CUDA {_said(newest)} or older"
    return fail(found, expected, do)


def _architecture(facts: Facts, card: Device) -> Said:
    """This torch has code for this card."""
    if facts.checkup is None:
        return unknown(_no_torch(facts))
    built, capability = facts.checkup.architectures, _version(card.compute_capability)
    if facts.checkup.hip is not None or not built:
        return unknown("this torch names no CUDA architectures")
    if capability is None:
        return unknown("the card does not tell its compute capability")
    name = f"sm_{capability[0]}{capability[1]}"
    expected = f"{name}, for compute capability {_said(capability)}"
    code = [arch for each in built if (arch := _arch("sm", each)) is not None]
    if (same := _fitting(code, capability, within_major=True)) is not None:
        said = name if same == capability else f"sm_{same[0]}{same[1]}, which runs on {name}"
        return ok(f"torch has code for {said}", expected)
    ptx = [arch for each in built if (arch := _arch("compute", each)) is not None]
    if (older := _fitting(ptx, capability, within_major=False)) is not None:
        found = f"no code for {name}, only PTX of compute_{older[0]}{older[1]}"
        do = "works, compiled at first use (minutes) and slower: take a newer torch"
        return warn(found, expected, do)
    shown = " ".join(built[-8:])
    return fail(f"torch has none for {name}: {shown}", expected, "install a torch that has it")


def _cuda_device(facts: Facts, _: Device) -> Said:
    """Torch opens the card and launches on it."""
    opened, told = facts.torch_device, facts.checkup
    expected = "torch opens the card"
    if told is not None and told.problem is not None:
        do = "mend what the rows above say first; python -c 'import torch; torch.cuda.init()'"
        return fail(told.problem, expected, do)
    if opened is not None and opened.kind == "cuda":
        if facts.torch_problem is not None:
            return fail(f"{facts.torch_problem} ({facts.torch_at})", expected, HOST_RESETS)
        if not facts.same_card:
            do = "CUDA_DEVICE_ORDER=PCI_BUS_ID makes both count alike"
            return warn(f"torch opened {opened.uuid}, the driver's is another", expected, do)
        return ok(f"torch opened {opened.name or 'it'} and launched on it")
    if told is None:
        return unknown(_no_torch(facts))
    why = facts.torch_problem or "torch opened no card"
    return fail(f"{why} ({facts.torch_at})", expected, HOST_RESETS)


def _no_torch(facts: Facts) -> str:
    return "torch does not tell" if facts.torch_problem else "torch did not tell in time"


def _version(text: str | None) -> tuple[int, int] | None:
    found = re.match(r"(\d{1,4})\.(\d{1,4})", text or "")
    return (int(found[1]), int(found[2])) if found else None


def _said(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _arch(kind: str, text: str) -> tuple[int, int] | None:
    """``sm_90`` is (9, 0); ``sm_90a`` runs on 9.0 alone and ``sm_120f`` in its family."""
    found = re.fullmatch(rf"{kind}_(\d{{1,3}})(\d)[af]?", text)
    return (int(found[1]), int(found[2])) if found else None


def _fitting(
    archs: list[tuple[int, int]], capability: tuple[int, int], within_major: bool
) -> tuple[int, int] | None:
    """The newest that runs on the card: code within a major version, PTX on all that is newer."""
    fit = [a for a in archs if a <= capability and (a[0] == capability[0] or not within_major)]
    return max(fit, default=None)


CHECKS: Checks = {
    "driver": driver,
    "torch": torch,
    "cuda-version": of_card(_cuda_version),
    "architecture": of_card(_architecture),
    "cuda-device": of_card(_cuda_device),
}
