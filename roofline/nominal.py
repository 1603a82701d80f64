"""Nominal cards: what a datasheet prints, the factors behind it, and the TOML they are read from.

Units are those of the table: TFLOP/s (int8: TOPS) dense, GB/s of 1e9 bytes, MiB, MHz, watts. A
field that is None is a figure that the card lacks or nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import msgspec

from roofwatch.roofline.peaks import EXTRA_KEYS, PEAK_KEYS, TENSOR_KEYS, VECTOR_LANES
from roofwatch.roofline.toml_text import kind_of, one_line, toml_document

SCHEMA = 1
LEAST, LARGEST = 1e-9, 1e12  # of any figure, and of what is worked out of it
FASTEST_MHZ, SLOWEST_GBS = 1e5, 1.0  # of a device that an entry is met with
MOST_CARDS = 2000  # of one file
MOST_EACH = 100  # entries of one array
LONGEST_NAME, LONGEST_TEXT = 200, 2000  # characters
LONGEST_SAID = 60  # of them in a message
ALL_KEYS = PEAK_KEYS + EXTRA_KEYS


class NominalError(ValueError):
    """A nominal file cannot be used. The message is one line: file, table, field and reason."""


class Lanes(msgspec.Struct, frozen=True, kw_only=True):
    """Vector lanes of one SM (Instinct: compute unit, Radeon: two of them), by element type."""

    fp64: float | None = None
    fp32: float | None = None
    fp16: float | None = None


class Tensor(msgspec.Struct, frozen=True, kw_only=True):
    """Tensor cores of one SM, and the FMA of one core in one clock by peak key."""

    cores: int
    fma: dict[str, float] = {}


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """One card as the driver lists it: one GPU of a board, one die of a package."""

    key: str
    names: tuple[str, ...]
    vendor: str = ""
    architecture: str = ""
    pci_device_ids: tuple[str, ...] = ()
    compute_capability: str | None = None  # "9.0"; on AMD "gfx942"
    sm_count: int | None = None
    clock_vector_mhz: float | None = None
    clock_tensor_mhz: float | None = None
    clock_tensor_implied: bool = False  # worked out from a printed peak
    clock_fp64_tensor_mhz: float | None = None  # where it differs from clock_tensor_mhz
    sm_max_mhz: float | None = None  # the driver's maximum
    sm_max_seen: bool = False
    memory_type: str = ""
    memory_gb: float | None = None
    memory_total_mib_seen: tuple[int, ...] = ()
    bus_bits: int | None = None
    pin_gbps: float | None = None
    bandwidth_gbs: float | None = None  # as printed
    l2_mib: float | None = None
    llc_mib: float | None = None  # last-level cache behind L2, where there is one
    tdp_w: float | None = None
    pcie_gen: int | None = None
    pcie_lanes: int | None = None
    nvlink_gbs: float | None = None  # one direction
    c2c_gbs: float | None = None  # coherent link to the host, one direction
    evidence: str | None = None  # "A" | "B" | "C"
    source: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()  # peaks that no document prints
    notes: str = ""
    peaks: dict[str, float] = {}
    lanes: Lanes | None = None
    tensor: Tensor | None = None
    mismatch: dict[str, str] = {}  # peak key or "bandwidth": why the factors miss it
    measured_best: dict[str, float] = {}


def factor_bandwidth_gbs(card: Card) -> float | None:
    """Bus width / 8 x data rate per pin, in GB/s; None where a factor is missing."""
    if card.bus_bits is None or card.pin_gbps is None:
        return None
    return card.bus_bits / 8 * card.pin_gbps


def clock_behind(card: Card, key: str) -> float | None:
    """The clock in MHz at which peak ``key`` of this card holds."""
    if key in VECTOR_LANES:
        return card.clock_vector_mhz
    if key == "fp64_tensor" and card.clock_fp64_tensor_mhz is not None:
        return card.clock_fp64_tensor_mhz
    return card.clock_tensor_mhz


def factor_peak_tflops(card: Card, key: str) -> float | None:
    """SM x FMA per SM and clock x 2 x clock, in TFLOP/s; None where a factor is missing.

    The FMA of an SM are its lanes for a vector peak, tensor cores x FMA per core for the others.
    """
    fma: float | None = None
    if key in VECTOR_LANES:
        fma = getattr(card.lanes, VECTOR_LANES[key], None)
    elif card.tensor is not None and key in card.tensor.fma:
        fma = card.tensor.cores * card.tensor.fma[key]
    clock = clock_behind(card, key)
    if fma is None or clock is None or card.sm_count is None:
        return None
    return card.sm_count * fma * 2 * clock / 1e6


def ceiling_tflops(card: Card, key: str, sm_max_mhz: float | None = None) -> float | None:
    """The peak at the highest clock that the SMs may run: no true rate lies above it.

    Nominal is printed at a datasheet clock, which many cards exceed. ``sm_max_mhz`` is the
    device's own limit; without it the table's is used. None where the card has no such peak.
    """
    # Capability 12.0 has been measured at the fast rate whatever fp8 accumulator was asked for.
    if key == "fp8" and card.compute_capability == "12.0" and "fp8_fast" in card.peaks:
        key = "fp8_fast"
    peak = card.peaks.get(key)
    if peak is None:
        return None
    clock = clock_behind(card, key)
    limit = sm_max_mhz or card.sm_max_mhz
    return peak * max(1.0, limit / clock) if clock and limit else peak


def merge(base: Iterable[Card], user: Iterable[Card]) -> tuple[Card, ...]:
    """``base`` with each card of ``user`` put in whole place of the one of its key, or added."""
    return tuple(({card.key: card for card in base} | {card.key: card for card in user}).values())


def parse(text: str, source: str) -> tuple[Card, ...]:
    """Read the cards of a nominal file; ``source`` is its name in messages.

    Raises:
        NominalError: not TOML, or a field is unknown, missing, doubled, of the wrong type, or a
            number that is not positive and finite.
    """
    try:
        document = toml_document(text)
    except ValueError as error:
        raise NominalError(one_line(f"{source}: {error}")) from None
    seen: dict[str, int] = {}
    cards: list[Card] = []
    place = ""
    try:
        for name in document:
            _known(name, ("schema", "accumulate", "card"))
        if _whole(document.get("schema", SCHEMA), "schema") != SCHEMA:
            raise _Wrong("schema", f"this version reads schema {SCHEMA} only")
        _table(_name, ALL_KEYS)(document.get("accumulate", {}), "accumulate")
        tables = document.get("card", [])
        if not isinstance(tables, list):
            raise _Wrong("card", f"expected [[card]] tables, got {kind_of(tables)}")
        if len(tables) > MOST_CARDS:
            raise _Wrong("card", f"{len(tables)} cards; at most {MOST_CARDS} are read")
        for number, table in enumerate(tables, 1):
            key = table.get("key") if isinstance(table, dict) else None
            place = f"[[card]] {number} " + (
                f'"{key[:LONGEST_SAID]}" ' if isinstance(key, str) else ""
            )
            cards.append(card := _card(table))
            if seen.setdefault(card.key, number) != number:
                raise _Wrong("key", f"already used by [[card]] {seen[card.key]}")
    except _Wrong as error:
        raise NominalError(one_line(f"{source}: {place}field {error.field}: {error}")) from None
    return tuple(cards)


class _Wrong(Exception):
    def __init__(self, field: str, what: str) -> None:
        super().__init__(what)
        self.field = field


def _known(name: str, names: Collection[str], prefix: str = "") -> None:
    if name not in names:
        from difflib import get_close_matches  # only a mistake needs it

        near = get_close_matches(name[:LONGEST_SAID], names, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise _Wrong(prefix + name, f"unknown{hint}")


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _Wrong(field, f"expected a string, got {kind_of(value)}")
    if len(value) > LONGEST_TEXT:
        raise _Wrong(field, f"longer than {LONGEST_TEXT} characters")
    return value


def _name(value: object, field: str) -> str:
    if not _text(value, field).strip():
        raise _Wrong(field, "expected a name, got an empty string")
    if len(str(value)) > LONGEST_NAME:
        raise _Wrong(field, f"longer than {LONGEST_NAME} characters")
    return str(value)


def _letter(value: object, field: str) -> str:
    if _text(value, field) not in ("A", "B", "C"):
        raise _Wrong(field, f'expected "A", "B" or "C", got "{value}"')
    return str(value)


def _flag(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(field, f"expected true or false, got {kind_of(value)}")
    return value


def _number(value: object, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Wrong(field, f"expected a number, got {kind_of(value)}")
    if not LEAST < value < LARGEST:  # NaN fails this as well
        far = abs(value) >= LARGEST or 0 < value <= LEAST
        got = "one far outside" if far else str(value)
        raise _Wrong(field, f"expected a number above 0 and below 1e12, got {got}")
    return value


def _whole(value: object, field: str) -> int:
    number = _number(value, field)
    if not isinstance(number, int):
        raise _Wrong(field, f"expected a whole number, got {number}")
    return number


def _list(item: _Check) -> _Check:
    def check(value: object, field: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _Wrong(field, f"expected an array, got {kind_of(value)}")
        if len(value) > MOST_EACH:
            raise _Wrong(field, f"{len(value)} entries; at most {MOST_EACH} are read")
        return tuple(item(each, field) for each in value)

    return check


def _table(item: _Check, names: Iterable[str]) -> _Check:
    known = tuple(names)

    def check(value: object, field: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _Wrong(field, f"expected a table, got {kind_of(value)}")
        for name in value:
            _known(name, known, f"{field}.")
        return {name: item(each, f"{field}.{name}") for name, each in value.items()}

    return check


def _lanes(value: object, field: str) -> Lanes:
    return Lanes(**_table(_number, ("fp64", "fp32", "fp16"))(value, field))


def _tensor(value: object, field: str) -> Tensor:
    fma = _table(_number, ("cores", *sorted(TENSOR_KEYS)))(value, field)
    if "cores" not in fma:
        raise _Wrong(f"{field}.cores", "missing")
    return Tensor(cores=_whole(fma.pop("cores"), f"{field}.cores"), fma=fma)


def _computed(value: object, field: str) -> tuple[str, ...]:
    keys: tuple[str, ...] = _list(_text)(value, field)
    for key in keys:
        _known(key, ALL_KEYS, f"{field} ")
    return keys


def _card(table: object) -> Card:
    if not isinstance(table, dict):
        raise _Wrong("card", f"expected [[card]] tables, got {kind_of(table)}")
    for name in table:
        _known(name, _FIELDS)
    for name in ("key", "names"):
        if not table.get(name):
            raise _Wrong(name, "missing or empty")
    card = Card(**{name: _FIELDS[name](value, name) for name, value in table.items()})
    if card.bandwidth_gbs is None and not card.peaks:
        raise _Wrong("peaks", "missing, and bandwidth_gbs too: a card needs one figure")
    for key in card.mismatch:
        if key not in card.peaks and (key != "bandwidth" or card.bandwidth_gbs is None):
            raise _Wrong(f"mismatch.{key}", "the card has no such figure")
    for field, value in _worked_out(card):
        if not LEAST < value < LARGEST:
            raise _Wrong(field, "no roof can be drawn of it: far outside of what a card has")
    return card


def _worked_out(card: Card) -> Iterator[tuple[str, float]]:
    """What a lookup works out, each with the field that it comes from."""
    for field, mib in (("l2_mib", card.l2_mib), ("llc_mib", card.llc_mib)):
        if mib is not None:
            yield field, round(mib * 2**20)
    product = factor_bandwidth_gbs(card)
    if product is not None:
        yield "pin_gbps", product
    for key, peak in card.peaks.items():
        field = f"peaks.{key}"
        yield field, ceiling_tflops(card, key, FASTEST_MHZ) or peak
        yield field, ceiling_tflops(card, key) or peak
        yield field, peak * 1e3 / (card.bandwidth_gbs or SLOWEST_GBS)
        yield field, peak * 1e3 / SLOWEST_GBS


_Check = Callable[[object, str], Any]

_BY_TYPE: dict[str, _Check] = {
    "str": _text,
    "bool": _flag,
    "int | None": _whole,
    "float | None": _number,
    "tuple[str, ...]": _list(_text),
    "tuple[int, ...]": _list(_whole),
    "dict[str, float]": _table(_number, ALL_KEYS),
}
_FIELDS: dict[str, _Check] = {
    "key": _name,
    "names": _list(_name),
    "compute_capability": _name,
    "evidence": _letter,
    "computed": _computed,
    "lanes": _lanes,
    "tensor": _tensor,
    "mismatch": _table(_name, (*ALL_KEYS, "bandwidth")),
}
# The other fields are read as Card declares them.
_FIELDS |= {n: _BY_TYPE[t] for n, t in Card.__annotations__.items() if n not in _FIELDS}
