"""Which card to read: CUDA's ordinals under CUDA_VISIBLE_DEVICES, as far as NVML alone can tell.

NVML lists every card by PCI bus; CUDA lists the visible ones, fastest first unless
CUDA_DEVICE_ORDER is PCI_BUS_ID. The parent compares our UUID with torch's and asks again by UUID
where this guess was wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from roofwatch.telemetry.metric import (
    CARD_COUNT,
    CARD_INDEX,
    CORES,
    MHZ,
    MODE,
    believe,
    of_pair,
    text,
    uuid,
    whole,
)
from roofwatch.telemetry.nvml import CLOCK_SM, Absent, Gone, Nvml, NvmlError, absent

T = TypeVar("T")

_BARE_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ORDINAL = re.compile(r"(?:cuda:?)?(\d{0,9})")
MOST_DIGITS = 20
NO_CARD = 1 << 64
SLICES_MAX = 64  # a card has seven at most


class Card(NamedTuple):
    """A chosen card: the whole of it and, under MIG, the slice that CUDA sees."""

    whole: Any
    slice: Any | None = None

    @property
    def seen(self) -> Any:
        """What CUDA sees: the slice where there is one."""
        return self.whole if self.slice is None else self.slice


def choose(nvml: Nvml, device: str | None, environ: Mapping[str, str]) -> Card:
    """The card for ``cuda:N``, ``N``, a UUID, or None for the first that CUDA would take.

    Raises:
        Absent: it is not there.
        Gone: it is there no more.
    """
    name = (device or "").strip()
    if name.startswith(("GPU-", "MIG-")):
        card = _by_uuid(nvml, name, _handles(nvml))
    elif _BARE_UUID.fullmatch(name):  # as torch writes it
        cards = _handles(nvml)
        card = _by_uuid(nvml, f"GPU-{name}", cards) or _by_uuid(nvml, f"MIG-{name}", cards)
    else:
        number = ordinal(name)
        if number is None:
            raise Absent(f"{name!r} is neither cuda:N nor a UUID")
        card = _by_ordinal(nvml, number, environ)
    if card is None:
        raise Absent(f"there is no GPU {name}" if name else "CUDA_VISIBLE_DEVICES hides every GPU")
    return card if card.slice is not None else _first_slice(nvml, card)


def ordinal(device: str | None) -> int | None:
    """The N of ``cuda:N``, as CUDA counts; None for a card that is named otherwise."""
    match = _ORDINAL.fullmatch((device or "").strip())
    return int(match[1] or 0) if match else None


def visible(value: str | None) -> list[int | str] | None:
    """The entries of CUDA_VISIBLE_DEVICES as CUDA reads them; None when it is not set.

    An entry is an ordinal or a UUID (prefix). The first that is neither ends the list; an entry
    that stands twice empties it.
    """
    if value is None:
        return None
    entries: list[int | str] = []
    for name in map(str.strip, value.split(",")):
        entry: int | str = name
        number = re.match(r"\+?\d+", name)
        if number:  # like strtoul: "1gpu" is 1, and what is too large the largest
            entry = int(number[0]) if len(number[0]) < MOST_DIGITS else NO_CARD
        elif not name.startswith(("GPU-", "MIG-")):
            break
        if entry in entries:
            return []
        entries.append(entry)
    return entries


def neighbours(nvml: Nvml, card: Card, environ: Mapping[str, str]) -> list[Any]:
    """The other cards that this process may use, in NVML's order: whole ones that answer."""
    try:
        handles = _handles(nvml)
        if len(handles) == 1:
            return []
        entries = visible(environ.get("CUDA_VISIBLE_DEVICES"))
        if entries is not None:
            seen = {_index(nvml, handle) for handle in _named(nvml, entries, environ)}
            handles = [handle for handle in handles if _index(nvml, handle) in seen]
    except (Absent, Gone):
        return []
    own = _index(nvml, card.whole)
    others = [handle for handle in handles if _index(nvml, handle) not in (None, own)]
    return [handle for handle in others if own is not None and not _sliced(nvml, handle)]


def _named(nvml: Nvml, entries: list[int | str], environ: Mapping[str, str]) -> list[Any]:
    """The cards of CUDA_VISIBLE_DEVICES, up to the first that is not there; a slice is none."""
    cards = _in_cuda_order(nvml, environ)
    found = []
    for entry in entries:
        card = _entry(nvml, entry, cards)
        if card is None:
            break
        if card.slice is None:
            found.append(card.whole)
    return found


def _index(nvml: Nvml, handle: Any) -> int | None:
    return _quiet(nvml, CARD_INDEX, "nvmlDeviceGetIndex", handle)


def _handles(nvml: Nvml) -> list[Any]:
    """Every card that answers, in NVML's order. One broken card does not hide its neighbours."""
    problem: NvmlError | Gone | None = None
    handles = []
    try:
        count = believe(CARD_COUNT, nvml.call("nvmlDeviceGetCount"))
        if count is None:
            raise Absent("NVML answers no number that could count cards")
        for index in range(count):
            try:
                handles.append(nvml.handle("nvmlDeviceGetHandleByIndex", index))
            except (NvmlError, Gone) as error:
                problem = error
    except NvmlError as error:
        problem = error
    if handles:
        return handles
    if isinstance(problem, NvmlError):
        raise absent(problem)
    raise problem or Absent("NVML lists no NVIDIA GPU")


def _in_cuda_order(nvml: Nvml, environ: Mapping[str, str]) -> list[Any]:
    handles = _handles(nvml)
    if environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or len(handles) == 1:
        return handles
    if len({_quiet(nvml, text, "nvmlDeviceGetName", handle) for handle in handles}) == 1:
        return handles  # equal cards keep their order

    def slowness(handle: Any) -> float:
        cores = _quiet(nvml, CORES, "nvmlDeviceGetNumGpuCores", handle) or 0
        mhz = _quiet(nvml, MHZ, "nvmlDeviceGetMaxClockInfo", handle, CLOCK_SM) or 0
        return -cores * mhz

    return sorted(handles, key=slowness)


def _by_ordinal(nvml: Nvml, ordinal: int, environ: Mapping[str, str]) -> Card | None:
    cards = _in_cuda_order(nvml, environ)
    entries = visible(environ.get("CUDA_VISIBLE_DEVICES"))
    if entries is None:
        return Card(cards[ordinal]) if ordinal < len(cards) else None
    card = None
    # Every entry up to ours must exist: CUDA stops at the first that does not.
    for entry in entries[: ordinal + 1]:
        card = _entry(nvml, entry, cards)
        if card is None:
            return None
    return card if ordinal < len(entries) else None


def _entry(nvml: Nvml, entry: int | str, cards: list[Any]) -> Card | None:
    """The card of one entry of CUDA_VISIBLE_DEVICES."""
    if isinstance(entry, str):
        return _by_uuid(nvml, entry, cards)
    return Card(cards[entry]) if entry < len(cards) else None


def _by_uuid(nvml: Nvml, name: str, cards: list[Any]) -> Card | None:
    """The card or slice of a UUID; a card's may be shortened as long as it is unique."""
    if name.startswith("MIG-"):
        try:
            slice_ = nvml.handle("nvmlDeviceGetHandleByUUID", name)
            return Card(nvml.handle("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", slice_), slice_)
        except NvmlError:
            return None
    uuids = [_quiet(nvml, uuid, "nvmlDeviceGetUUID", card) for card in cards]
    matches = [card for card, own in zip(cards, uuids, strict=True) if (own or "").startswith(name)]
    if not matches and None in uuids:  # a card that does not say its UUID may be found by it
        try:
            return Card(nvml.handle("nvmlDeviceGetHandleByUUID", name))
        except NvmlError:
            return None
    return Card(matches[0]) if len(matches) == 1 else None


def _first_slice(nvml: Nvml, card: Card) -> Card:
    """Under MIG, CUDA takes the first slice of a card that was named as a whole."""
    if not _sliced(nvml, card.whole):
        return card
    count = _quiet(nvml, whole(0, SLICES_MAX), "nvmlDeviceGetMaxMigDeviceCount", card.whole)
    for index in range(count or 0):
        try:
            slice_ = nvml.handle("nvmlDeviceGetMigDeviceHandleByIndex", card.whole, index)
        except NvmlError:
            continue
        return Card(card.whole, slice_)
    return card


def _sliced(nvml: Nvml, handle: Any) -> bool:
    """Whether MIG is on: then the card is used in slices only."""
    return _quiet(nvml, of_pair(0, MODE), "nvmlDeviceGetMigMode", handle) == 1


def _quiet(nvml: Nvml, take: Callable[[Any], T | None], function: str, *arguments: Any) -> T | None:
    """A believable answer, or None where there is none: a guess must not fail."""
    try:
        return believe(take, nvml.call(function, *arguments))
    except (NvmlError, Gone):
        return None
