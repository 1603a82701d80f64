"""``roofwatch.triage``: which of three things a function waits for, and what treats it."""

from __future__ import annotations

import inspect
import os
import re
import time
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING

import msgspec

from roofwatch.library.nominal_cards import nominal_here
from roofwatch.library.said import cap_s, number
from roofwatch.library.their_callable import plain
from roofwatch.library.triaged import RoofUsed, Route, Triage
from roofwatch.roofline.floors import Ceilings, Counted, floors, keys_of_note, main_key
from roofwatch.roofline.triage import Evidence, decide, with_floors
from roofwatch.roofline.triage_words import because, treatment, would_help
from roofwatch.roofline.trial import trial_of
from roofwatch.session.events import Device
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown

if TYPE_CHECKING:
    from roofwatch.probes.their_device import TheirDevice
    from roofwatch.probes.triage import Examined

DEVICE = re.compile(r"cpu|cuda(:\d+)?")
MEASURED, NOMINAL = "measured", "nominal"
ROOFS = (MEASURED, NOMINAL)
MOST_NAME = 80


class Refused(ValueError):
    """Arguments that make no sense together, or not on this machine; one line."""


class Absent(Refused):
    """The device that was named is not there."""


def triage(
    fn: Callable[..., object],
    *,
    device: object = None,
    session: str | PathLike[str] | None = None,
    roof: str = MEASURED,
    batch_arg: str | None = None,
    flop: float | None = None,
    bytes: float | None = None,
    name: str | None = None,
    seconds: float = 0.6,
    say: Callable[[str], None] | None = None,
) -> Triage:
    """Find which bottleneck holds ``fn()`` up, by the seed's three routes (Day 1).

    Intensity (FLOP and bytes counted by torch's counter and the operators' shapes) against the
    roof; the profiler's timeline; and experiments, where ``fn`` has a parameter ``batch``,
    ``batch_size``, ``bs``, ``n`` or ``b`` with a whole number as its default, or a parameter
    ``dtype``. ``fn`` is called many times.

    Args:
        fn: takes nothing, or has defaults for all it takes; what it returns is dropped.
        device: ``"cpu"``, ``"cuda"`` or ``"cuda:N"``; by itself the current CUDA device if ``fn``
            works there, else the CPU.
        session: a saved session of this card (a file, or ``"last"``, ``"last~1"``), whose roof is
            taken; else it is measured, in seconds.
        roof: ``"measured"``, or ``"nominal"``: the datasheet's, nothing is measured.
        batch_arg: the parameter to change, where it has another name.
        flop: floating-point operations of one call by your own count.
        bytes: bytes that one call reads and writes, likewise.
        name: what to call it.
        seconds: timing takes at most that long; warming up as long again.
        say: hears what is being done.

    Raises:
        TypeError: ``fn`` cannot be called.
        Refused: an argument makes no sense, or the session is of another card; a ValueError.
        UnreadableSession, NominalError: a file cannot be used. All in one line; what ``fn`` raises
        when it is called as it is passes.
    """
    if not callable(fn):
        raise TypeError(f"fn is of type {type(fn).__name__}, which cannot be called")
    _check_types(name=name, session=session, batch_arg=batch_arg, say=say)
    fn = plain(fn)
    wanted = None if device is None else str(device).strip().lower()
    _check(fn, wanted, roof)
    try:
        most_s, flop, bytes = cap_s(seconds), number("flop", flop), number("bytes", bytes)
    except (TypeError, ValueError) as error:
        raise Refused(str(error)) from None
    given = _folded(session)

    from roofwatch.probes.variation import NoArgument, batch_argument

    heard = say or (lambda _: None)
    try:
        batch_argument(fn, batch_arg)  # a mistake in its name is said before anything runs
    except NoArgument as error:
        raise Refused(str(error)) from None
    try:
        from roofwatch.probes.device import NoDevice
        from roofwatch.probes.their_device import NotThere, TheirDevice
        from roofwatch.probes.triage import examine
    except ImportError as error:
        raise Refused(f"torch cannot be imported: {error}") from None
    clock = time.perf_counter
    try:
        place = TheirDevice(fn, wanted, heard)
    except NoDevice as error:
        raise Absent(f"device is {wanted}: {error}") from None
    except NotThere as error:
        raise Refused(str(error)) from None
    try:
        _clock_is(clock)
        here = place.identity()
        known = _known(given, session, here)
        seen = examine(fn, place, seconds=most_s, batch_name=batch_arg, say=heard)
        _clock_is(clock)
        counted = _counted(seen, flop, bytes)
        rates = _ceilings(place, seen, counted, known, roof, here, heard)
    finally:
        place.put_back()
    return _answer(_name(fn, name), seen, counted, rates, here)


def _clock_is(clock: Callable[[], float]) -> None:
    if time.perf_counter is not clock:
        raise RuntimeError("time.perf_counter is no longer Python's own: nothing can be timed")


def _check_types(*, name: object, session: object, batch_arg: object, say: object) -> None:
    """Raises TypeError or Refused, before anything is run or read."""
    for argument, value in (("name", name), ("batch_arg", batch_arg)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{argument} is of type {type(value).__name__} where text belongs")
    if session is not None:
        path = os.fspath(session) if isinstance(session, PathLike) else session
        if not isinstance(path, str):
            raise TypeError(f"session is of type {type(path).__name__} where a path belongs")
        if not path or "\0" in path:
            raise Refused(f"session is {shown(path)[:40]!r}, which is no path of a file")
    if say is not None and not callable(say):
        raise TypeError(f"say is of type {type(say).__name__}, which cannot be called")


def _check(fn: Callable[..., object], wanted: str | None, roof: str) -> None:
    own = inspect.unwrap(fn)
    name = _name(fn, None)
    kinds = (
        inspect.iscoroutinefunction,
        inspect.isgeneratorfunction,
        inspect.isasyncgenfunction,
    )
    if any(kind(own) for kind in kinds):
        raise Refused(f"{name} only makes a coroutine or generator when called: wrap what runs it")
    if _is_module(own) and isinstance(own, type):
        raise Refused(
            f"{name} is a class of modules: make one and wrap its call: net = {name}(...), "
            "def run(): return net(x), and triage run"
        )
    if roof not in ROOFS:
        raise Refused(f"roof is {str(roof)[:40]!r}, not measured or nominal")
    if wanted is not None and not DEVICE.fullmatch(wanted):
        raise Refused(f"device is {shown(wanted)[:40]!r}, not cpu, cuda or cuda:N")
    from roofwatch.probes.variation import required

    missing = required(fn)
    if missing:
        arguments = ", ".join(f"{each}=..." for each in missing)
        if _is_module(own):
            raise Refused(
                f"{name} is a module whose forward needs {', '.join(missing)}; wrap a call of it: "
                f"def run(): return {_own_name(fn) or 'net'}({arguments}), and triage run"
            )
        raise Refused(
            f"{name} needs {', '.join(missing)}; wrap it: "
            f"def run(): return {name}({arguments}), and triage run"
        )


def _name(fn: Callable[..., object], name: str | None) -> str:
    return shown(name or _own_name(fn) or _kind(fn))[:MOST_NAME]


def _own_name(fn: Callable[..., object]) -> str | None:
    """What it calls itself, where that is a name."""
    try:
        own = getattr(fn, "__name__", None)
    except Exception:  # a property of theirs
        return None
    return own if isinstance(own, str) and own != "<lambda>" else None


def _kind(fn: Callable[..., object]) -> str:
    return "fn" if inspect.isfunction(fn) else type(fn).__name__


def _is_module(own: object) -> bool:
    """Whether it is a module of torch's, or a class of them."""
    return hasattr(own, "forward") and hasattr(own, "state_dict")


def _folded(session: str | PathLike[str] | None) -> Session | None:
    if session is None:
        return None
    from roofwatch.session.saved_names import session_named

    return session_named(os.fspath(session))


def _known(given: Session | None, path: object, here: Device) -> Ceilings:
    """The roofs of a saved session of this device. Raises Refused where it is of another one."""
    if given is None:
        return Ceilings()
    of = given.device
    same = of.uuid == here.uuid if of.uuid and here.uuid else of.name == here.name
    if of.kind != here.kind or not same:
        raise Refused(
            shown(f"{path}: is of {of.name or of.kind}, and this is {here.name or here.kind}")
        )
    from roofwatch.session.ceilings import session_ceilings

    return session_ceilings(given, "session")


def _counted(seen: Examined, flop: float | None, bytes: float | None) -> tuple[Counted, ...]:
    """What was counted; a person's own figures take its place, as one operator."""
    found = seen.count.counted if seen.count else ()
    if flop is None and bytes is None:
        return found
    return (
        Counted(
            op="given",
            calls=1,
            flop=flop if flop is not None else sum(c.calls * c.flop for c in found),
            bytes=bytes if bytes is not None else sum(c.calls * c.bytes for c in found),
            peak_key=main_key(found),
        ),
    )


def _ceilings(
    place: TheirDevice,
    seen: Examined,
    counted: tuple[Counted, ...],
    known: Ceilings,
    roof: str,
    here: Device,
    say: Callable[[str], None],
) -> Ceilings:
    """The session's roof, what it lacks measured here, what that leaves out nominal."""
    from roofwatch.probes.triage import ceilings

    if not counted:
        return known
    keys = list(keys_of_note(counted))
    for varied in seen.varied:
        keys += [key for key in keys_of_note(varied.counted) if key not in keys]
    if roof == MEASURED:
        known = ceilings(place, tuple(keys), known, say, seen.evidence.status)
    nominal = nominal_here(here)
    if nominal is None:
        return known
    from roofwatch.session.ceilings import nominal_ceilings

    return known.or_else(nominal_ceilings(nominal))


def _answer(
    name: str, seen: Examined, counted: tuple[Counted, ...], rates: Ceilings, here: Device
) -> Triage:
    evidence = seen.evidence
    if counted:
        found = floors(counted, rates)
        evidence = with_floors(evidence, found)
    key = evidence.peak_key or ""
    launches = float(seen.count.operators) if seen.count and seen.count.operators else None
    evidence = msgspec.structs.replace(
        evidence,
        trials=tuple(trial_of(each, counted, launches, rates) for each in seen.varied),
        bandwidth_gbs=rates.bandwidth_gbs,
        bandwidth_origin=rates.bandwidth_origin,
        peak_tflops=rates.peaks_tflops.get(key),
        peak_origin=rates.peak_origins.get(key),
    )
    return _triaged(name, evidence, rates, here)


def _triaged(name: str, evidence: Evidence, rates: Ceilings, here: Device) -> Triage:
    decision = decide(evidence)
    why = because(evidence, decision)
    key = evidence.peak_key or ""
    used = {evidence.bandwidth_origin, evidence.peak_origin} - {None}
    return Triage(
        name=name,
        bound=decision.bound,
        certainty=decision.certainty,
        would_help=would_help(evidence, decision),
        treatment=treatment(evidence, decision),
        routes={
            route: Route(
                status=decision.statuses[route],
                says=vote.says,
                excludes=vote.excludes,
                because=why[route],
            )
            for route, vote in decision.votes.items()
        },
        shares=decision.shares,
        time_s=evidence.time_s,
        card=here.name,
        roof=RoofUsed(
            origin=" and ".join(sorted(str(o) for o in used)) or None,
            bandwidth_gbs=rates.bandwidth_gbs,
            peaks_tflops={k: v for k, v in rates.peaks_tflops.items() if k == key},
            ridge=evidence.ridge,
            peak_key=evidence.peak_key,
        ),
        evidence=evidence,
        status=evidence.status,
    )
