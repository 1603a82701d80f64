"""From the fields that a person wrote to a claim: names, words and units checked one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from roofwatch.notebook import quantity
from roofwatch.notebook.claim import DTYPES, MATHS, OPS, TIMINGS, Claim
from roofwatch.notebook.quantity import Quantity, QuantityError
from roofwatch.roofline.toml_text import one_line


class Unreadable(ValueError):
    """A row that cannot be used: one line that names the row and the field."""

    def __init__(self, said: str) -> None:
        super().__init__(one_line(said))


Read = Callable[[str], Any]

TF32 = "tf32"
OP_WORDS = {"gemm": "matmul", "mm": "matmul", "bmm": "matmul", "linear": "matmul", "sum": "reduce"}
DTYPE_WORDS = {
    "float64": "fp64",
    "double": "fp64",
    "float32": "fp32",
    "float": "fp32",
    "float16": "fp16",
    "half": "fp16",
    "bfloat16": "bf16",
    "fp8_e4m3": "fp8",
    "fp8_e5m2": "fp8",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "fp8",
    "nvfp4": "fp4",
    "mxfp4": "fp4",
    "uint8": "bytes",
    "byte": "bytes",
}


def _word(known: tuple[str, ...], others: Mapping[str, str] | None = None) -> Read:
    def read(text: str) -> str:
        word = text.strip().lower().removeprefix("torch.")
        word = (others or {}).get(word, word)
        if word not in known:
            near = get_close_matches(word[:LONGEST], known, 1)
            hint = f"; did you mean {near[0]}?" if near else f": one of {', '.join(known)}"
            raise QuantityError(f"is not known{hint}")
        return word

    return read


def _truth(text: str) -> bool:
    word = text.strip().lower()
    if word not in ("true", "false", "yes", "no", "1", "0"):
        raise QuantityError("is neither true nor false")
    return word in ("true", "yes", "1")


def _text(text: str) -> str:
    return text


COUNTS = ("m", "n", "k", "batch", "elements", "context", "kv_len")

READ: dict[str, Read] = {
    "id": _text,
    "gpu": _text,
    "model": _text,
    "note": _text,
    "op": _word(OPS, OP_WORDS),
    "dtype": _word((*DTYPES, TF32), DTYPE_WORDS),
    "math": _word(MATHS),
    "timing": _word(TIMINGS),
    "synchronized": _truth,
    "time": lambda text: quantity.time_s(text, None),
    "time_s": lambda text: quantity.time_s(text, 1.0),
    "time_ms": lambda text: quantity.time_s(text, 1e-3),
    "time_us": lambda text: quantity.time_s(text, 1e-6),
    "claimed": quantity.claimed,
    "claimed_gbs": lambda text: quantity.rate(text, quantity.GBS),
    "claimed_tflops": lambda text: quantity.rate(text, quantity.TFLOPS),
    "claimed_tokens_per_s": lambda text: quantity.rate(text, quantity.TOKENS),
    "nominal_gbs": lambda text: quantity.rate(text, quantity.GBS).value,
    "nominal_tflops": lambda text: quantity.rate(text, quantity.TFLOPS).value,
    "params": lambda text: quantity.number(text).value,
    "tokens_per_step": lambda text: quantity.number(text).value,
    "flop_counted": lambda text: quantity.number(text).value,
    **dict.fromkeys(
        ("bytes_counted", "read_bytes", "write_bytes", "weight_bytes", "kv_bytes_per_token"),
        lambda text: quantity.size_bytes(text).value,
    ),
    **dict.fromkeys(COUNTS, quantity.count),
}
"""How each field is read from text. Names are those of a file's headings and of the options."""

PLAIN = (
    "nominal_gbs",
    "nominal_tflops",
    "params",
    "tokens_per_step",
    "flop_counted",
    "bytes_counted",
    "read_bytes",
    "write_bytes",
    "weight_bytes",
    "kv_bytes_per_token",
)
MEASURED = {
    "time_s": ("", 1.0),
    "time_ms": ("", 1e-3),
    "time_us": ("", 1e-6),
    **{name: (name, 1.0) for name in (quantity.GBS, quantity.TFLOPS, quantity.TOKENS)},
}
"""Fields whose digits tell how well they are known: kind and unit of a bare number."""
TELLING = tuple(name for name, read in READ.items() if read is not _text)
"""Fields whose slip changes the answer; a column beside a free text may be a person's own."""
OTHER_NAMES = {
    "tokens_per_s": "claimed_tokens_per_s",
    "tok_s": "claimed_tokens_per_s",
    "gbs": "claimed_gbs",
    "gb_s": "claimed_gbs",
    "tflops": "claimed_tflops",
    "bandwidth_gb_s": "claimed_gbs",
    "bandwidth": "claimed",
    "throughput": "claimed",
    "latency": "time",
    "latency_us": "time_us",
    "latency_ms": "time_ms",
    "latency_s": "time_s",
    "duration_us": "time_us",
    "duration_ms": "time_ms",
    "precision": "dtype",
    "kernel": "op",
    "operation": "op",
    "device": "gpu",
    "card": "gpu",
    "gpu_name": "gpu",
}
TIMES = ("time", "time_s", "time_ms", "time_us")
CLAIMS = ("claimed", "claimed_gbs", "claimed_tflops", "claimed_tokens_per_s")
ZERO = re.compile(r"\s*0+(?:\.0*)?\s*[kKMGT]?i?B?\s*")
MAY_BE_ZERO = ("kv_bytes_per_token", "kv_len", "context", "read_bytes", "write_bytes")
SAME = 0.01  # two fields that say one thing may round it differently
LONGEST = 400  # characters of a text that is echoed


def claim_of(fields: Mapping[str, object], where: str = "") -> Claim:
    """The claim that ``fields`` describe; ``where`` (``row 3``) stands before what is said of it.

    Raises:
        Unreadable: a field is unknown, doubled, contradicted or not readable.
    """
    values: dict[str, Any] = {}
    for name, given in fields.items():
        if given is None or (isinstance(given, str) and not given.strip()):
            continue
        read = READ.get(name)
        if read is None:
            name = plain_name(name)
            read = READ.get(name)
            if read is None:
                _unknown(name, where, fields)
                continue
        if name in values:
            raise unreadable(where, name, "is given twice")
        try:
            values[name] = _value(name, given, read)
        except QuantityError as error:
            raise unreadable(where, name, f"{_echo(given)} {error}") from None
    if values.get("dtype") == TF32:  # a mode of fp32, and often called a type
        if values.setdefault("math", TF32) != TF32:
            raise unreadable(where, "math", f"contradicts dtype {TF32}")
        values["dtype"] = "fp32"
    if "op" not in values:
        raise unreadable(where, "op", f"missing: one of {', '.join(OPS)}")
    slack = 0.0
    time = _one(values, TIMES, where)
    if time is not None:
        values["time_s"], slack = time.value, time.rounding
    least = 0.0
    for quantity_ in [values.pop(name) for name in CLAIMS if name in values]:
        known = values.setdefault(quantity_.kind, quantity_.value)
        if abs(known / quantity_.value - 1) > SAME:
            raise unreadable(where, quantity_.kind, "is given twice, and differs")
        least = max(least, quantity_.rounding)
    return Claim(**values, rounding=min(slack + least, quantity.MOST_ROUNDING))


def plain_name(name: str) -> str:
    """A heading in the form of our fields: ``Time (ms)`` is ``time_ms``."""
    return re.sub(r"[^a-z0-9]+", "_", name[:LONGEST].lower()).strip("_")


def unused_of(fields: Mapping[str, object]) -> list[str]:
    """Names in a row that are no fields of ours, as they stand there; what is no text is ``?``."""
    unused = (n[:LONGEST] for n in fields if n not in READ and plain_name(n) not in READ)
    return [n.encode("utf-8", "replace").decode("utf-8") for n in unused]


def _value(name: str, given: object, read: Read) -> Any:
    if name == "id" and isinstance(given, (int, float)) and not isinstance(given, bool):
        return given
    if isinstance(given, bool):
        if name != "synchronized":
            raise QuantityError("is true or false where something else belongs")
        return given
    if isinstance(given, (int, float)):
        return _number(name, given, read)
    if not isinstance(given, str):
        raise QuantityError("is no text and no number")
    if not given.isascii() and any("\ud800" <= c <= "\udfff" for c in given):
        raise QuantityError("is not UTF-8 text")
    if name in MAY_BE_ZERO and ZERO.fullmatch(given):
        return None
    return read(given)


def _number(name: str, given: int | float, read: Read) -> Any:
    """A number as JSON has it: its field's name tells the unit, so no text need be taken apart."""
    if given == 0 and name in MAY_BE_ZERO:
        return None
    if name in COUNTS:
        if not 0 < given <= quantity.MOST_COUNT or given != int(given):
            raise QuantityError("is no whole number from 1 to 1e18")
        return int(given)
    if abs(given) > quantity.MOST:  # an int may be too large to become a float
        raise QuantityError(quantity.BEYOND)
    if name in PLAIN:
        return quantity.checked(float(given))
    if name in MEASURED:
        kind, scale = MEASURED[name]
        return Quantity(quantity.checked(given * scale), quantity.rounding(repr(given)), kind)
    if name in ("time", "claimed"):
        return read(repr(given))  # has no unit: asked back
    if read is _text or (read is _truth and given in (0, 1)):
        return read(f"{given}")  # gpu 4090, note 5, synchronized 1
    raise QuantityError("is a number where a word belongs")


def _one(values: dict[str, Any], names: tuple[str, ...], where: str) -> Quantity | None:
    first: tuple[str, Quantity] | None = None
    for name in names:
        if name not in values:
            continue
        seen: Quantity = values.pop(name)
        if first is None:
            first = name, seen
        elif abs(seen.value / first[1].value - 1) > SAME:
            raise unreadable(where, name, f"contradicts {first[0]}")
    return first[1] if first else None


def _unknown(name: str, where: str, given: Mapping[str, object]) -> None:
    """A person's own column may stand there; one that looks like ours is a slip."""
    meant = meant_by(name)
    if meant and meant not in given:
        raise unreadable(where, name, f"is unknown; did you mean {meant}?")


def meant_by(name: str) -> str | None:
    """The field that a name which is none of ours was meant for, as far as one can tell."""
    near = get_close_matches(name, TELLING, 1, 0.8) if len(name) < 40 else []
    return OTHER_NAMES.get(name) or next(iter(near), None)


def unreadable(where: str, field: str, what: str) -> Unreadable:
    """One line: where, which field, what."""
    place = f"{where}, " if where else ""
    return Unreadable(f"{place}field {_echo(field, quoted=False)}: {what}")


def _echo(given: object, quoted: bool = True) -> str:
    text = given if isinstance(given, str) and not quoted else repr(given)
    text = "".join(c for c in text if c.isprintable())
    return text if len(text) <= LONGEST // 4 else text[: LONGEST // 4] + "…"
