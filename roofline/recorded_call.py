"""An operator as a profiler records it: its name, and each argument's shape, type and text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

Shape = tuple[int, ...]

_FLOATS = {
    "double": ("fp64", 8),
    "float": ("fp32", 4),
    "c10::Half": ("fp16", 2),
    "c10::BFloat16": ("bf16", 2),
    "c10::Float8_e4m3fn": ("fp8", 1),
    "c10::Float8_e5m2": ("fp8", 1),
    "c10::Float8_e4m3fnuz": ("fp8", 1),
    "c10::Float8_e5m2fnuz": ("fp8", 1),
}
_WHOLE = {
    "long": 8,
    "long int": 8,
    "long long": 8,
    "int": 4,
    "short": 2,
    "short int": 2,
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "bool": 1,
}
_COMPLEX = {"c10::complex<float>": ("fp32", 8), "c10::complex<double>": ("fp64", 16)}
ELEMENTS: dict[str, tuple[str, int]] = {
    **_FLOATS,
    **{name: (f"int{8 * size}", size) for name, size in _WHOLE.items()},
    **_COMPLEX,
}
"""The profiler's name of an element type: the house's word, and bytes of one element."""


class Argument(NamedTuple):
    """One argument; ``value`` is its text where the profiler kept that (a number, a list)."""

    kind: str = ""  # an element type, "Scalar", "ScalarList", "TensorList" or nothing
    dims: Shape = ()
    strides: Shape | None = None
    value: str = ""
    parts: tuple[Shape, ...] = ()  # shapes of a list of tensors, whose type is not recorded

    @property
    def is_tensor(self) -> bool:
        """Whether it is one tensor of a known element type."""
        return self.kind in ELEMENTS

    @property
    def is_complex(self) -> bool:
        """Whether its elements are complex."""
        return self.kind in _COMPLEX

    @property
    def is_float(self) -> bool:
        """Whether its elements are floating-point numbers."""
        return self.kind in _FLOATS

    @property
    def dtype(self) -> str:
        """The house's word for its element type."""
        return ELEMENTS[self.kind][0]

    @property
    def element_bytes(self) -> int:
        """Bytes of one element."""
        return ELEMENTS[self.kind][1]

    @property
    def elements(self) -> int:
        """How many there are."""
        return math.prod(self.dims)

    @property
    def bytes(self) -> int:
        """Bytes that it spans: an expanded dimension (stride 0) repeats what it has."""
        held = self.dims
        if self.strides is not None and len(self.strides) == len(self.dims):
            held = tuple(d for d, s in zip(self.dims, self.strides, strict=True) if s != 0)
            if not self.elements:
                return 0
        return math.prod(held) * self.element_bytes


class RecordedCall(NamedTuple):
    """One operator's name without its namespace, and its arguments in the schema's order."""

    namespace: str
    name: str
    arguments: tuple[Argument, ...] = ()

    @property
    def tensors(self) -> tuple[Argument, ...]:
        """Its single tensors, in order."""
        return tuple(a for a in self.arguments if a.is_tensor)

    def at(self, index: int) -> Argument:
        """An argument; an empty one where there are fewer."""
        return self.arguments[index] if index < len(self.arguments) else Argument()


def whole_numbers(text: str) -> Shape | None:
    """``[1, 2]`` or ``1`` as numbers; None for what is none."""
    inner = text.strip().removeprefix("[").removesuffix("]")
    if not inner.strip():
        return () if text.strip() else None
    try:
        return tuple(int(part) for part in inner.split(","))
    except ValueError:
        return None


def truth(text: str) -> bool | None:
    """``True`` or ``False``; None for what is neither."""
    return {"true": True, "false": False, "1": True, "0": False}.get(text.strip().lower())


def broadcast(shapes: Iterable[Shape]) -> Shape | None:
    """The shape that operands of these shapes have together; None where they do not fit."""
    out: list[int] = []
    for shape in shapes:
        out = [1] * (len(shape) - len(out)) + out
        for i in range(1, len(shape) + 1):
            if out[-i] == 1:
                out[-i] = shape[-i]
            elif shape[-i] not in (1, out[-i]):
                return None
    return tuple(out)
