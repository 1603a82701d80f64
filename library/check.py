"""``roofwatch.check``: is this number believable? One by its fields, or a list of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, overload

from roofwatch.library.dtype_word import dtype_word
from roofwatch.library.nominal_cards import named_cards
from roofwatch.notebook.entry import READ, Unreadable, claim_of, unreadable
from roofwatch.notebook.verdict import Verdict, check_claim, check_rows

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Fields(TypedDict, total=False):
    """What can be said of a number; text may carry its unit: ``"4.7us"``, ``"900GB/s"``.

    Bare numbers are bytes, GB/s, TFLOP/s and tokens/s; ``time`` and ``claimed`` need their unit.
    """

    id: str | int | float
    gpu: str
    op: str
    dtype: str
    math: str
    m: str | float
    n: str | float
    k: str | float
    batch: str | float
    elements: str | float
    time: str
    time_s: str | float
    time_ms: str | float
    time_us: str | float
    claimed: str
    claimed_gbs: str | float
    claimed_tflops: str | float
    claimed_tokens_per_s: str | float
    bytes_counted: str | float
    flop_counted: str | float
    read_bytes: str | float
    write_bytes: str | float
    nominal_gbs: str | float
    nominal_tflops: str | float
    synchronized: bool | str
    timing: str
    model: str
    params: str | float
    weight_bytes: str | float
    kv_bytes_per_token: str | float
    kv_len: str | float
    context: str | float
    tokens_per_step: str | float
    note: str


@overload
def check(rows: Iterable[Mapping[str, object]], /) -> list[Verdict]: ...


@overload
def check(**fields: Unpack[Fields]) -> Verdict: ...


def check(
    rows: Iterable[Mapping[str, object]] | None = None, /, **fields: Any
) -> Verdict | list[Verdict]:
    """The verdict on one number given by its fields, or the verdicts on a list of rows.

    A row that cannot be read has its ``error`` set and the others are judged; rows that share an
    ``id`` are points of one experiment.

    Raises:
        Unreadable: a field of the keyword form is unknown, contradicted or not readable; one line.
        NominalError: the user's own file of cards cannot be used; one line.
        TypeError: neither rows nor fields, or both.
    """
    if rows is None:
        if not fields:
            raise TypeError('check() takes fields, as check(op="copy", ...), or a list of rows')
        return _one(fields)
    if fields or isinstance(rows, (str, bytes, Mapping)):
        raise TypeError("check() takes a list of rows alone; one row is check(**row)")
    return list(
        check_rows(((f"row {i}", _row(i, r)) for i, r in enumerate(rows, 1)), named_cards())
    )


def _one(fields: Mapping[str, object]) -> Verdict:
    claim = claim_of(_plain(fields), "")
    for name in fields:
        if name not in READ:  # of a file it may be a person's own column; here it is a slip
            raise unreadable(
                "", name, "is unknown; the fields are those of roofwatch.library.check.Fields"
            )
    return check_claim(claim, named_cards())


def _row(number: int, row: object) -> Mapping[str, object] | Unreadable:
    if isinstance(row, Mapping) and all(isinstance(name, str) for name in row):
        return _plain(row)
    return Unreadable(f"row {number}: is no set of fields by name")


def _plain(fields: Mapping[str, object]) -> dict[str, object]:
    """Numbers of numpy and pandas, and torch's types, as text or Python's own; NaN is not given."""
    out: dict[str, object] = {}
    for name, value in fields.items():
        if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
            value = value.item()
        if name == "dtype":
            value = dtype_word(value)
        out[name] = None if isinstance(value, float) and value != value else value
    return out
