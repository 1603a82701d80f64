"""One NVML function failing in one way: what comes of it, and whether that is allowed.

Allowed is a true value, a null with its status, or one line that says why there is nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from nvml_garbage import FORMS, distortions
from nvml_scenes import SCENES, TICKS, Scene, called, pynvml, scenes_of

from roofwatch.session.events import Device, Note, Sample, SessionInfo, Software, decode, encode
from roofwatch.session.health import CardHealth, RemappedRows
from roofwatch.telemetry.nvml import Absent, Gone

Change = Callable[[Any], None]
"""Makes a stand-in fail."""

STATUSES = frozenset({"not_supported", "no_permission", "error", "stale"})
CODES: dict[str, tuple[int, str]] = {
    "not supported": (3, "not_supported"),
    "no permission": (4, "no_permission"),
    "function not found": (13, "not_supported"),
    "unknown error": (999, "error"),
    "timeout": (10, "error"),
    "GPU lost": (15, ""),  # no value of a lost card is null: it ends in a line
}
LACKING = ("not in the package", "version mismatch")
COLUMNS = (*CODES, *LACKING, *FORMS)
"""The ways to fail that need no process of their own."""

# Fields of which zero is a reading: an answer of 0 is believed, as it must be.
ZERO: dict[str, Any] = {
    "index": 0,
    "gpu": 0,
    "util": 0,
    "mem_used_bytes": 0,
    "processes": 0,
    "processes_bytes": 0,
    "reasons": 0,
    "reasons_supported": 0,
    "nvlink_links": 0,
    "ecc": False,
    "mig": False,
    "persistence": False,
    "virtualization": "none",
    "cards": 0,
    "compute_mode": "default",
    "ecc_pending": False,
    "ecc_volatile": 0,
    "ecc_aggregate": 0,
    "rows": RemappedRows(correctable=0, uncorrectable=0, pending=False, failed=False),
    "pcie_replays": 0,
    "margin_c": 0,
    "nvlinks": [False, False],
    "ancestor": "internal",
}
WORDS = ("same", "reading", "other card", "null", "line")
"""What may come of a failure, the mildest first.

``same``: every value is true, by another route or because nothing hangs on it. ``reading``: an
answer of 0 where 0 is a reading. ``other card``: the guess of what CUDA counts failed, and all that
is shown is true of the card that it names. ``null``: no value, its status says why. ``line``: one
line, nothing else.
"""

LINE_MAX = 160


class Wrong(Exception):
    """A failure led to something that is not allowed."""


class Seen(NamedTuple):
    """Everything that one opened card has told."""

    device: Device
    software: Software
    health: CardHealth
    samples: list[Sample]
    neighbours: list[Device]
    beside: list[Sample]
    others: tuple[Device | Sample, ...] = ()
    """What the host's cards say as neighbours, where this is the truth."""


def cell(function: str, column: str, hosts: int | None = None) -> str:
    """The worst word on the hosts that call the function; what is not allowed names itself.

    ``hosts`` is how many of them are tried; all where it is None.
    """
    worst = "same"
    for name in scenes_of(function)[:hosts]:
        for fail in _failures(SCENES[name], function, column):
            for late in (False, True):
                if function not in called(name)[late]:
                    continue
                try:
                    word = _came_of(name, fail, late, column)
                except Exception as error:
                    when = "while it runs" if late else "at the start"
                    return f"WRONG: {name}, {when}: {type(error).__name__} {error}"
                worst = max(worst, word, key=WORDS.index)
    return worst


def _failures(scene: Scene, function: str, column: str) -> Iterator[Change]:
    def answering(answer: Any) -> Change:
        return lambda fake: fake.answers.update({function: answer})

    if column in CODES:
        yield answering(pynvml.NVMLError(CODES[column][0]))
    elif column == "not in the package":
        yield lambda fake: fake.answers.pop(function)
    elif column == "version mismatch":
        yield answering(pynvml.NVMLLibraryMismatchError("use a versioned function"))
    else:
        for distort in distortions(column, _healthy(scene, function)):
            yield lambda fake, distort=distort: fake.answers.update(
                {function: _distorted(fake.answers[function], distort)}
            )


def _healthy(scene: Scene, function: str) -> Any:
    """The last healthy answer: its shape is what counts."""
    fake = scene.fake()
    seen = []
    answer = fake.answers[function]
    fake.answers[function] = _distorted(answer, lambda one: seen.append(one) or one)
    gpu = scene.open(fake)
    gpu.sample(0, slow=True)
    gpu.health("asked")
    return seen[-1] if seen else None


def _distorted(answer: Any, distort: Callable[[Any], Any]) -> Any:
    def call(*arguments: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return distort(answer(*arguments) if callable(answer) else answer)

    return call


def _came_of(name: str, fail: Change, late: bool, column: str) -> str:
    scene = SCENES[name]
    fake = scene.fake()
    if not late:
        fail(fake)
    try:
        gpu = scene.open(fake)
        for note in gpu.notes:
            one_line(note)
        if late:
            gpu.sample(0, slow=True)
            fail(fake)
        seen = _read(gpu)
    except (Absent, Gone) as error:
        one_line(str(error))
        return "line"
    allowed = frozenset({CODES[column][1]}) if column in CODES else STATUSES
    if column in LACKING:
        allowed = frozenset({"not_supported"})
    refusals = []
    for truth, other in _truths(name):
        try:
            words = set(_told(seen, truth, allowed, column))
        except Wrong as error:
            refusals.append(str(error))
            continue
        return max(words | ({"other card"} if other else set()), key=WORDS.index, default="same")
    raise Wrong(refusals[0])


def _read(gpu: Any) -> Seen:
    samples, beside = [], []
    for tick in range(TICKS):
        samples.append(gpu.sample(0, slow=tick % 2 == 1))
        beside += gpu.beside(tick)
    for note in [event for event in beside if isinstance(event, Note)]:
        one_line(note.text)
    health = gpu.health("asked")
    info = SessionInfo(
        t=0,
        device=gpu.device,
        software=gpu.software,
        neighbours=gpu.neighbours,
        health=health,
    )
    for event in (info, *samples, *beside):
        if decode(encode(event)) != event:
            raise Wrong("an event that does not survive its own encoding")
    others = [replace(event, t=0.0) for event in beside if isinstance(event, Sample)]
    return Seen(gpu.device, gpu.software, health, samples, gpu.neighbours, others)


@cache
def _truths(name: str) -> list[tuple[Seen, bool]]:
    """What this host's cards say when nothing fails: the one that is meant, then the others."""
    scene = SCENES[name]
    truths = [(_read(scene.open(scene.fake())), False)]
    others: list[Device | Sample] = []
    for card in scene.fake().cards:
        for sliced in (True, False):
            fake = scene.fake()
            fake.answers["nvmlDeviceGetUUID"] = lambda one: one.uuid
            if not sliced:
                fake.fail(6, "nvmlDeviceGetMigDeviceHandleByIndex")
            seen = _read(scene._replace(device=card.uuid).open(fake))
            truths.append((seen, True))
        others += [seen.device, _quick(seen.samples[0])]
    return [(truth._replace(others=tuple(others)), other) for truth, other in truths]


def _quick(sample: Sample) -> Sample:
    """What a neighbour's sample has of it."""
    return replace(sample, power_instant_w=None, counters={})


def _told(seen: Seen, truth: Seen, allowed: frozenset[str], column: str) -> Iterator[str]:
    """A word for every field that is not as in the truth."""
    zero = column in ("zero", "empty list")
    yield from _matched(seen.device, truth.device, seen.device.status, allowed, zero)
    yield from _matched(seen.software, truth.software, seen.device.status, allowed, zero)
    yield from _matched(seen.health, truth.health, seen.health.status, allowed, zero)
    pairs = {frozenset((p.a, p.b)): p for p in truth.health.pairs}
    for pair in seen.health.pairs:
        true_pair = pairs.get(frozenset((pair.a, pair.b)))
        if true_pair is None:
            raise Wrong(f"there are no two cards {pair.a} and {pair.b}")
        pair = replace(pair, a=true_pair.a, b=true_pair.b)
        yield from _matched(pair, true_pair, pair.status, allowed, zero)
    for one, true in zip(seen.samples, truth.samples, strict=True):
        status = {**one.status, "gpu": seen.device.status.get("index")}
        yield from _matched(one, true, status, allowed, zero)
    for one in (*seen.neighbours, *seen.beside):
        yield from _any_matched(one, truth.others, allowed, zero)


def _any_matched(
    one: Device | Sample, truths: tuple[Device | Sample, ...], allowed: frozenset[str], zero: bool
) -> list[str]:
    refusals = []
    for true in truths:
        try:
            return list(_matched(one, true, one.status, allowed, zero))
        except Wrong as error:
            refusals.append(str(error))
    raise Wrong(f"a neighbour: {refusals}")


def _matched(
    one: Any, true: Any, status: Mapping[str, str | None], allowed: frozenset[str], zero: bool
) -> Iterator[str]:
    if type(one) is not type(true):
        raise Wrong("another kind of event")
    now, was = _flat(one), _flat(true)
    for name in was.keys() | now.keys():
        value = now.get(name)
        if value == was.get(name):
            continue
        if value is None:
            if status.get(name) not in allowed:
                raise Wrong(f"{name} is null with status {status.get(name)!r}")
            yield "null"
        elif zero and value == (0 if name.startswith("counters.") else ZERO.get(name)):
            yield "reading"
        else:
            raise Wrong(f"{name} is {value!r} in place of {was.get(name)!r}")


def _flat(one: Any) -> dict[str, Any]:
    """Its fields by name, each counter one of them."""
    fields = msgspec.structs.asdict(one)
    fields.pop("status", None)
    fields.pop("pairs", None)  # each is looked at by itself
    counters = fields.pop("counters", {})
    return fields | {f"counters.{name}": value for name, value in counters.items()}


def one_line(text: str) -> None:
    """Refuse what is not one printable line."""
    if not text or not text.isprintable() or len(text) > LINE_MAX:
        raise Wrong(f"not one line: {text!r}")
