"""A worked example of a seed: what, how, the figure worked out here, and the seed's own."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.roof import Roof

DAY_1, DAY_18, H100_NOTE = "Day 1", "Day 18", "H100 note"
ROUNDED, THOUSAND, WRONG = "rounded", "thousand", "wrong"
FLOP_BYTE, TIMES = "FLOP/byte", "x"
OWN = Roof(bandwidth_gbs=270, peak_tflops=50)
"""The T4 as Day 18 takes it to be measured."""


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of a seed. ``value`` (to ``upper``, of a range) is in ``unit``: percent as 14.5.

    ``said`` is the seed's own figure as it writes it, in the same unit unless it names another;
    None where it has none. ``slip`` says how that one differs (``rounded``; ``thousand``: one of
    1000 and 1024 taken for the other; ``wrong``: it does not follow), ``why`` what it comes from.
    """

    seed: str
    what: str
    how: str  # the formula, with its numbers
    value: float
    unit: str
    decimals: int  # worth printing
    said: str | None = None
    slip: str = ""
    why: str = ""
    upper: float | None = None

    @property
    def figure(self) -> str:
        """The value with its unit, ``upper`` after it."""
        ends = (self.value,) if self.upper is None else (self.value, self.upper)
        form = f"{',' if self.unit == 'B' else ''}.{self.decimals}f"
        number = " to ".join(format(end, form) for end in ends)
        return number + (self.unit if self.unit == TIMES else f" {self.unit}" if self.unit else "")


def example(
    seed: str,
    what: str,
    how: str,
    figure: tuple[float, str, int],
    said: str | None = None,
    *,
    slip: str = "",
    why: str = "",
    upper: float | None = None,
) -> Example:
    """An example; ``figure`` is its value, unit and decimals."""
    value, unit, decimals = figure
    return Example(
        seed=seed,
        what=what,
        how=how,
        value=value,
        unit=unit,
        decimals=decimals,
        said=said,
        slip=slip,
        why=why,
        upper=upper,
    )


class Seeds(msgspec.Struct, frozen=True, kw_only=True):
    """The cards and the models that the seeds work with."""

    t4: Nominal
    a100: Nominal  # 80 GB SXM
    h100: Nominal  # SXM
    tiny: Model  # TinyLlama-1.1B
    seven: Model  # Llama-2-7B
    thirteen: Model  # Llama-2-13B
    eight: Model  # Llama-3-8B


def nominal_roof(card: Nominal, key: str = "fp16") -> Roof:
    """A card's nominal roof in one precision. Raises ValueError where it has none."""
    if card.bandwidth_gbs is None or key not in card.peaks_tflops:
        raise ValueError(f"{card.name} has no nominal bandwidth, or no peak for {key}")
    return Roof(bandwidth_gbs=card.bandwidth_gbs, peak_tflops=card.peaks_tflops[key])


def over(roof: Roof) -> str:
    """How a ridge is worked out."""
    return f"{roof.peak_tflops:.4g} TFLOP/s / {roof.bandwidth_gbs:g} GB/s"


def gb(size_bytes: float) -> str:
    """Decimal GB to three digits."""
    return f"{size_bytes / 1e9:.3g} GB"


def at(size_bytes: float, roof: Roof) -> str:
    """How a floor is worked out."""
    return f"{gb(size_bytes)} / {roof.bandwidth_gbs:g} GB/s"
