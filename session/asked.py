"""What a live session was asked for, and what that makes of its first event and its probes."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

import roofwatch
from roofwatch.roofline.model import Model
from roofwatch.roofline.suite import CARDS, COMPARED, sustain_default_s
from roofwatch.session.done import Done
from roofwatch.session.events import SCHEMA, Device, Price, SessionInfo, Software
from roofwatch.session.fold import Session

ALL = "all"


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a live session was asked for."""

    device: str = "auto"  # "auto" | "cpu" | "cuda:N" | "all": the first, then the others too
    suite: str = "quick"
    sustain_s: float | None = None
    hold: tuple[str, ...] = ()  # precisions to hold; empty: the suite's own
    models: tuple[Model, ...] = ()  # of the decode suite; empty where another runs
    contexts: tuple[int, ...] = ()
    price: Price | None = None
    save: Path | None = None
    resume: Path | None = None  # an incomplete session, to be gone on with
    hz: float = 10.0
    probes: bool = True  # False: telemetry only
    history: bool = True  # expect of a card what it has reached before


def birth() -> tuple[str, str, str]:
    """Of a session that begins now: a stamp for its file, the moment (ISO 8601, UTC), an id."""
    now = datetime.datetime.now(datetime.timezone.utc)
    moment = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return now.strftime("%Y%m%dT%H%M%SZ"), moment, os.urandom(3).hex()


def own_software() -> Software:
    """The versions that the parent knows."""
    python = ".".join(map(str, sys.version_info[:3]))
    return Software(roofwatch=roofwatch.__version__, python=python)


def first_event(options: Options, session_id: str, started_at: str) -> SessionInfo:
    """The event that every session begins with."""
    return SessionInfo(
        t=0.0,
        schema=SCHEMA,
        id=session_id,
        started_at=started_at,
        host=os.uname().nodename,
        suite=options.suite,
        all_cards=options.device == ALL and options.suite in COMPARED,
        sustain_s=options.sustain_s,
        hold=list(options.hold),
        models=[msgspec.to_builtins(m) for m in options.models],
        contexts=list(options.contexts),
        price=options.price,
        software=own_software(),
    )


def asked_before(options: Options, session: Session) -> Options:
    """``options`` with what an earlier session asked for in place of its suite."""
    return msgspec.structs.replace(
        options,
        suite=session.suite,
        sustain_s=session.asked_sustain_s,
        hold=tuple(session.hold),
        models=tuple(msgspec.convert(session.models, list[Model])),
        contexts=tuple(session.contexts),
        price=options.price or session.price,
        save=None,
    )


def telemetry_source(options: Options) -> str:
    """Where telemetry looks first. Of a named card that is only watched, nowhere else."""
    if options.device == "cpu":
        return "host"
    named = not options.probes and options.device.startswith("cuda")
    return "nvml" if named else "auto"


def telemetry_arguments(
    options: Options, source: str, device: str, without: Sequence[str]
) -> list[str]:
    """The command line of the telemetry instrument; ``without``: calls that would hang."""
    arguments = ["--source", source, "--hz", str(options.hz)]
    if device not in ("auto", "cpu"):
        arguments += ["--device", device]
    if without:
        arguments += ["--without", ",".join(without)]
    return arguments


def telemetry_again(options: Options, told: Device | None) -> tuple[str, str]:
    """Source and device of telemetry that is started again: what it was on, never another."""
    if told is None:
        return telemetry_source(options), options.device
    if told.kind == "cpu":
        return "host", "cpu"
    return "nvml", named_card(options, told.uuid)


def named_card(options: Options, uuid: str | None) -> str:
    """The card of a UUID for telemetry; with all the others beside it where those are asked for."""
    if uuid is None:
        return options.device
    return f"{ALL}:{uuid}" if options.device == ALL else uuid


def card_arguments(options: Options, run: int, ordinal: int, gpu: int) -> list[str]:
    """The command line of the probes of one card beside the measured one.

    ``ordinal`` is torch's, ``gpu`` NVML's index of it.
    """
    arguments = ["--device", f"cuda:{ordinal}", "--gpu", str(gpu), "--suite", CARDS]
    arguments += ["--run", str(run), "--stay"]
    return [*arguments, "--sustain", str(options.sustain_s or sustain_default_s(options.suite))]


def probe_arguments(options: Options, run: int, done: Done) -> list[str]:
    """The command line of the probe instrument for one run, or for what is left of it."""
    every = options.device == ALL
    device = "auto" if every else options.device
    arguments = ["--device", device, "--suite", options.suite, "--run", str(run)]
    if every and options.suite in COMPARED:
        arguments.append("--stay")
    if options.sustain_s:
        arguments += ["--sustain", str(options.sustain_s)]
    if options.hold:
        arguments += ["--hold", ",".join(options.hold)]
    if options.models:
        arguments += ["--models", msgspec.json.encode(options.models).decode()]
    if options.contexts:
        arguments += ["--contexts", ",".join(map(str, options.contexts))]
    if done.probes:
        arguments += ["--done", msgspec.json.encode(done).decode()]
    return arguments
