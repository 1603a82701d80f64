"""The page of one kernel of the map: its work, its rates, its roof, its least times, what to do."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.time_said import time_said
from roofwatch.session.kernel_map import KernelPoint
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale
from roofwatch.tui.drawing.amount import amount
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import beside, indented, labelled, room
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import Row, head_of, row, spread, text_of, wrapped
from roofwatch.tui.drawing.scrolled import scrolled
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.kernels.kernel_rows import BOUND, IN_TERA, roof_name
from roofwatch.tui.kernels.kernel_table import share
from roofwatch.tui.kernels.roof_share import share_said
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (100, 40)
HEAD = 2  # rows that stay: the name, and a blank one
TIMED = {
    "graph": "as a node of a CUDA graph",
    "event": "by events around launches queued ahead",
    "host": "by the host's clock around each call",
}
LEAST = {"memory": "bytes", "compute": "arithmetic", "overhead": "launches"}
"""What each of the least times is of, by the bound that it makes."""
TAKEN = "taken"
LEAST_ROOM = 34  # cells of a least time's line; under that it stands under its name
BAR_CELLS = 24


def head(p: KernelPoint, cells: int, glyphs: Glyphs) -> Row:
    """Name left, bound right."""
    name = head_of(shown(p.label), max(8, cells - len(p.bound) - 10), glyphs.ellipsis)
    bound = row(("bound by ", "dim"), (shown(p.bound), BOUND.get(p.bound, "")))
    return spread([(name, "title")], bound, cells)


def body(
    p: KernelPoint,
    mapped: Sequence[KernelPoint],
    cells: int,
    glyphs: Glyphs,
    scale: RateScale = IN_TERA,
) -> list[Row]:
    """All rows under the head."""
    shape = ", ".join(f"{shown(name)} {size}" for name, size in p.shape.items())
    variant = f", {shown(p.variant)}" if p.variant else ""
    cut = text_of(head(p, cells, glyphs)).split(" bound by ")[0].strip() != shown(p.label)
    out = [
        *(labelled("name", shown(p.label), cells) if cut else []),
        *labelled("op", f"{shown(p.op)} in {shown(p.dtype)}{variant}", cells),
        *(labelled("shape", shape, cells) if shape else []),
        *labelled("timed", TIMED.get(p.timing, shown(p.timing)), cells),
        *labelled("kernel", _kernel(p), cells),
        row(""),
        *labelled("work", f"{amount(p.flop, 'FLOP')}, {amount(p.bytes, 'B')}", cells),
        *labelled("intensity", f"{significant(p.intensity)} FLOP/byte", cells),
        *labelled("time", time_said(p.time_s), cells, "strong"),
        *labelled("rate", _rate(p, scale), cells, "strong"),
        row(""),
        *_roof(p, mapped, cells, scale),
        *beside("at least", _least(p, room(cells), glyphs), cells),
        row(""),
    ]
    if p.reason:
        out += labelled("why", shown(p.reason), cells)
    out += labelled("do", shown(p.treatment), cells, "note")
    return micro(out, glyphs)


def _kernel(p: KernelPoint) -> str:
    if p.kernel is not None:
        return shown(p.kernel)
    return "its name was not read"


def _rate(p: KernelPoint, scale: RateScale) -> str:
    rate = significant(p.tflops * scale.factor)
    return f"{significant(p.gbs)} GB/s, {rate} {scale.named('TFLOP/s')}"


def _roof(p: KernelPoint, mapped: Sequence[KernelPoint], cells: int, scale: RateScale) -> list[Row]:
    """How near it is to which roof, and whose that is."""
    if p.roof is None:
        return labelled("of roof", "no roof of its own is measured", cells)
    by = f", by {roof_name(p, mapped)}" if p.roof_by else ""
    rate = f"{significant(p.roof * scale.factor_of(p.roof_unit or ''))} "
    said = f"{share(p)} of {rate}{scale.named(p.roof_unit or '')}{by}"
    return labelled("of roof", said, cells, "strong")


def _least(p: KernelPoint, cells: int, glyphs: Glyphs) -> list[Row]:
    """The least times by each of the three bottlenecks beside the time taken, as bars of it."""
    told = [(LEAST.get(n, shown(n)), s, n == p.bound) for n, s in p.terms.items()]
    if not told:
        return [row(("nothing is known of them", "dim"))]
    out: list[Row] = []
    for name, seconds, binds in [*told, (TAKEN, p.time_s, False)]:
        of_time = seconds / p.time_s if p.time_s else 0.0
        if cells < LEAST_ROOM:
            out += _stacked(
                name, seconds, of_time, BOUND.get(p.bound, "") if binds else None, cells
            )
            continue
        line = f"{name:<11}{time_said(seconds):>9}"
        if name != TAKEN:
            line += f"{_share(of_time):>7}"
        style = BOUND.get(p.bound, "") if binds else ""
        bar = round(min(1.0, max(0.0, of_time)) * BAR_CELLS)
        drawn = glyphs.full * bar + glyphs.empty * (BAR_CELLS - bar)
        wide = cells >= LEAST_ROOM + BAR_CELLS
        told_bar = (f"  {drawn}" if wide and name != TAKEN else "", "spark")
        out.append(row((line, style), told_bar, ("  binds" if binds else "", style)))
    return out


def _stacked(name: str, seconds: float, of_time: float, binds: str | None, cells: int) -> list[Row]:
    """A least time under its name; ``binds`` is the style of the one that does."""
    share = "" if name == TAKEN else f", {_share(of_time)}"
    said = f"{time_said(seconds)}{share}{'' if binds is None else ', binds'}"
    return [*wrapped(name, cells, binds or ""), *indented(wrapped(said, cells - 2, binds or ""))]


def _share(of_time: float) -> str:
    """Of the time taken."""
    return share_said(min(9.99, of_time))


def build(
    p: KernelPoint,
    mapped: Sequence[KernelPoint],
    cells: int,
    height: int,
    glyphs: Glyphs,
    scroll: int = 0,
    scale: RateScale = IN_TERA,
) -> list[Row]:
    """The head, and what of the body fits from row ``scroll`` on; at most ``height`` rows."""
    return scrolled(_whole(p, mapped, cells, glyphs, scale), HEAD, cells, height, scroll)


def _whole(
    p: KernelPoint, mapped: Sequence[KernelPoint], cells: int, glyphs: Glyphs, scale: RateScale
) -> list[Row]:
    return [head(p, cells, glyphs), row(""), *body(p, mapped, cells, glyphs, scale)]


class KernelPage(ScrolledSheet):
    """A kernel, opened, as it stood then."""

    def __init__(
        self,
        point: KernelPoint,
        mapped: Sequence[KernelPoint],
        glyphs: Glyphs,
        scale: RateScale = IN_TERA,
    ) -> None:
        super().__init__(glyphs, MOST, HEAD)
        self._point = point
        self._mapped = mapped
        self._scale = scale

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return _whole(self._point, self._mapped, cells, self.glyphs, self._scale)
