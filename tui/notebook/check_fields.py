"""The fields of the check form: which there are for an op, what was typed, where one types."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.notebook import quantity
from roofwatch.notebook.claim import DTYPES, MATHS, OPS, TIMINGS
from roofwatch.notebook.entry import DTYPE_WORDS, OP_WORDS
from roofwatch.tui.drawing.typed_line import TypedLine


class Field(NamedTuple):
    """``choices`` are all that it takes, where that is a closed list."""

    label: str
    hint: str
    choices: tuple[str, ...] = ()


FIELDS = {
    "gpu": Field("gpu", "as the driver or people say it: T4, A100-SXM4-80GB, RTX 4090"),
    "op": Field("op", "", OPS),
    "dtype": Field("dtype", "", DTYPES),
    "math": Field("math", "", MATHS),
    "m": Field("m", "rows of the result, or of the input"),
    "n": Field("n", "columns of the result, or of the input"),
    "k": Field("k", "the length that is summed over"),
    "elements": Field("elements", "of one tensor: 524288, 1e8"),
    "params": Field("params", "parameters that a token reads: 7B, 6.74e9"),
    "batch": Field("batch", "sequences decoded together"),
    "kv_bytes_per_token": Field("kv bytes/token", "of the KV cache, all layers: 131072, 128KiB"),
    "kv_len": Field("kv len", "tokens in the context of each sequence"),
    "weight_bytes": Field("weight bytes", "if it is not params times dtype: 4.2GB"),
    "tokens_per_step": Field("tokens/step", "of one sequence, where speculation makes it more"),
    "read_bytes": Field("read bytes", "by one launch or copy: 1GiB, 2e9"),
    "write_bytes": Field("write bytes", "by one launch: 1GiB, 2e9"),
    "time": Field("time", "of one launch or step, with its unit: 183us, 1.2ms"),
    "claimed": Field("claimed", "with its unit: 900GB/s, 65TFLOP/s, 40tokens/s, 45MFU%"),
    "nominal": Field("nominal", "the figure compared with: 320GB/s"),
    "timing": Field("timing", "", TIMINGS),
    "synchronized": Field("synchronized", "", ("yes", "no")),
}
SIZES: dict[str, tuple[str, ...]] = {
    "matmul": ("math", "m", "n", "k"),
    "softmax": ("m", "n"),
    "layernorm": ("m", "n"),
    "rmsnorm": ("m", "n"),
    "embedding": ("m", "n"),
    "decode": ("params", "batch", "kv_bytes_per_token", "kv_len"),
    "attention": ("read_bytes", "write_bytes"),
    "h2d": ("read_bytes",),
    "d2h": ("read_bytes",),
    "other": ("read_bytes", "write_bytes"),
}
"""Sizes that fit an op; elements fit every other one."""
NUMBER = ("time", "claimed", "nominal", "timing", "synchronized")
MORE = {"decode": ("weight_bytes", "tokens_per_step")}
"""What else an op may need, under the number."""
WORDS = {"op": OP_WORDS, "dtype": DTYPE_WORDS}
COMPARED = {quantity.GBS: "nominal_gbs", quantity.TFLOPS: "nominal_tflops"}
LABELS = {
    **{name: field.label for name, field in FIELDS.items()},
    "time_s": "time",
    "nominal_gbs": FIELDS["nominal"].label,
    "nominal_tflops": FIELDS["nominal"].label,
    **dict.fromkeys((quantity.GBS, quantity.TFLOPS, quantity.TOKENS, quantity.MFU), "claimed"),
}
"""How the form calls what an answer names."""


def option(name: str) -> str:
    """What the command line calls a field; a figure compared with has an option a unit."""
    names = tuple(COMPARED.values()) if name == "nominal" else (name,)
    return " / ".join(f"--{n.replace('_', '-')}" for n in names)


class Entry:
    """What has been typed so far, the field that is open and the place in it.

    It begins on the field that is to be filled first; a ``gpu`` that is known is filled already.
    """

    def __init__(self, gpu: str) -> None:
        self._texts = {"gpu": gpu, "op": "add_scalar"}
        self._offered = gpu
        self.open = "time" if gpu else "gpu"
        self.at = 0
        self.taken = False  # the whole text is marked, and gives way to what is typed next

    def offer(self, gpu: str) -> None:
        """Take over a card that became known later, unless another was typed."""
        if self.text("gpu") == self._offered:
            self._texts["gpu"] = self._offered = gpu

    def text(self, name: str) -> str:
        """What stands in a field."""
        return self._texts.get(name, "")

    def columns(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What ran, and its number: the names of the fields left and right."""
        op = self.meant("op")
        left = ("gpu", "op", "dtype", *SIZES.get(op, ("elements",)))
        return left, (*NUMBER, *MORE.get(op, ()))

    def completion(self, name: str) -> str:
        """What completes the text to the first choice that begins with it."""
        text = self.text(name)
        choices = FIELDS[name].choices
        if not text or text.lower() in (*choices, *WORDS.get(name, ())):
            return ""
        return next((c[len(text) :] for c in choices if c.startswith(text.lower())), "")

    def meant(self, name: str) -> str:
        """The text with its completion; another word for an op is that op."""
        text = self.text(name) + self.completion(name)
        return OP_WORDS.get(text.strip().lower(), text) if name == "op" else text

    def given(self) -> dict[str, object]:
        """The fields as ``check_fields`` takes them."""
        out: dict[str, object] = {}
        for name in (n for column in self.columns() for n in column):
            if self.text(name).strip():
                out[self._key(name)] = self.meant(name)
        return out

    def _key(self, name: str) -> str:
        """A figure compared with is one of bytes or of operations: its unit says which."""
        if name != "nominal":
            return name
        try:
            return COMPARED.get(quantity.claimed(self.text(name)).kind, "nominal_tflops")
        except quantity.QuantityError:
            return "nominal_gbs"

    # -- keys --------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """To the next field or the one before; a choice begun is completed, the text is marked."""
        order = [n for column in self.columns() for n in column]
        self._texts[self.open] = self.text(self.open) + self.completion(self.open)
        self.open = order[(order.index(self.open) + by) % len(order)]
        self.at = len(self.text(self.open))
        self.taken = bool(self.at)

    def choose(self, by: int) -> None:
        """The next choice or the one before; between last and first none, but for the op."""
        choices = FIELDS[self.open].choices
        if self.open != "op":
            choices = ("", *choices)
        now = self.meant(self.open)
        place = choices.index(now) if now in choices else -1 if by > 0 else 0
        self._put(choices[(place + by) % len(choices)])

    @property
    def line(self) -> TypedLine:
        """The open field's text with the place in it."""
        return TypedLine(self.text(self.open), self.at, self.taken)

    def type(self, text: str) -> None:
        """Put text where the cursor stands."""
        self._take(self.line.typed(text))

    def erase(self, ahead: bool = False) -> None:
        """Take away the character before or under the cursor, or all that is marked."""
        self._take(self.line.erased(ahead))

    def clear(self) -> None:
        """Empty the open field."""
        self._put("")

    def go(self, by: int) -> None:
        """Move the cursor in the text."""
        self._take(self.line.gone(by))

    def _take(self, line: TypedLine) -> None:
        self._texts[self.open], self.at, self.taken = line

    def _put(self, text: str) -> None:
        self._take(TypedLine(text, len(text)))
