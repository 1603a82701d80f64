"""The word for a data type, whoever's object it is given by."""

from __future__ import annotations


def dtype_word(dtype: object) -> str | None:
    """``"fp16"``, ``torch.float16`` and ``numpy.float16`` say the same."""
    if dtype is None or isinstance(dtype, str):
        return dtype
    named = getattr(dtype, "__name__", None) or getattr(dtype, "name", None)
    return named if isinstance(named, str) else str(dtype)
