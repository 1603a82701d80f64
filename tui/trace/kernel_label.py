"""A kernel's name in few cells: the operator first, then what of the name tells it from others."""

from __future__ import annotations

import re

from roofwatch.session.printable import shown
from roofwatch.trace.report import KernelRow

LONGEST = 600  # characters of a name that are looked at: some are longer than a screen
_SPACE = re.compile(r"(?:\w+::|\(anonymous namespace\)::|\{anonymous\}::)+")
_TELLING = re.compile(r"\b(\w*(?:Functor|KernelImpl|Ops?\b|_functor|Copy|Reduce)\w*)")


def kernel_label(row: KernelRow) -> str:
    """``add: vectorized_elementwise CUDAFunctor_add``; of an operator its name alone."""
    name = short_name(row.name)
    if row.kind == "operator" or not row.operators:
        return name
    first = shown(row.operators[0][:80]).removeprefix("aten::")
    more = f" +{len(row.operators) - 1}" if len(row.operators) > 1 else ""
    return f"{first}{more}: {name}"


def short_name(name: str) -> str:
    """A name without namespaces, arguments and templates, but for the functor that it applies."""
    text = shown(name[:LONGEST]).removeprefix("void ")
    bare = _SPACE.sub("", text)
    if name.startswith(("aten::", "Mem")) or not bare:
        return text
    head, _, template = bare.partition("<")
    head = head.partition("(")[0].strip() if head[:1] != "(" else head
    told = _TELLING.search(template) if template else None
    head = head.removesuffix("_kernel") if told else head
    return f"{head} {told[1]}" if told else head or text
