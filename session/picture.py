"""The roofline of a session as a picture file. Needs matplotlib, which nothing else here does."""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import math
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofwatch.roofline.peaks import unit
from roofwatch.roofline.roof import Roof
from roofwatch.roofline.toml_text import one_line
from roofwatch.session.began import said_minute
from roofwatch.session.fold import Session
from roofwatch.session.points import Point, points, trace
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.ridges import ridges
from roofwatch.session.roofs import WHICH, ComputeRoof, Roofs, roofs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INCHES, DPI = (12.5, 7.8125), 96  # 1200 x 750 pixels
LEFT, BOTTOM, WIDTH, HEIGHT = 0.08, 0.085, 0.70, 0.79  # of the plot: names stand right of it
LINE_APART = 0.038  # of the plot's height
LETTER_WIDE = 0.0095  # of its width, about
PAPER, INK, DIM = "#fdfdfb", "#24292f", "#6a737d"
# Colours that the colour-blind tell apart (Okabe and Ito); dashes, a hollow line and markers say
# the same without them.
COLOUR = {
    "nominal": "#6b7079",
    "burst": "#0072b2",
    "sustained": "#d55e00",
    "stream": "#007a5a",
    "sweep": "#a2557f",
}
MARKER = {"stream": "o", "burst": "s", "sustained": "D"}
LINE: dict[str, dict[str, Any]] = {
    "nominal": {"linestyle": (0, (5, 3)), "linewidth": 1.6, "zorder": 2},
    "sustained": {"linewidth": 3.4, "zorder": 3},
    "burst": {"linewidth": 2.6, "zorder": 4},
}
SAME_SLOPE = 0.02  # two slopes no further apart are one line: less than its width
LABEL: dict[str, Any] = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}
SETTINGS: Any = {
    "svg.fonttype": "none",  # text stays text: it can be searched and read aloud
    "svg.hashsalt": "roofwatch",  # the same session is the same file
    "text.parse_math": False,  # a name may hold a dollar sign
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": DIM,
    "axes.facecolor": PAPER,
    "axes.labelcolor": INK,
    "figure.facecolor": PAPER,
    "grid.color": "#e6e6e1",
    "savefig.facecolor": PAPER,
    "xtick.color": DIM,
    "ytick.color": DIM,
}


class PictureRefused(ValueError):
    """No picture can be made; one clear line says why."""

    def __init__(self, said: str) -> None:
        super().__init__(one_line(said))


def precision(own: Roofs, key: str | None) -> str | None:
    """The precision to draw: ``key``, else the card's main one, else any; None: slopes alone.

    Raises:
        PictureRefused: there is no roof, or none for ``key``.
    """
    if key is not None and key not in own.compute:
        has = ", ".join(own.compute) or "none"
        raise PictureRefused(f"this session has no roof for {key}; it has {has}")
    if not (own.compute or own.bandwidth_gbs or own.nominal_gbs):
        raise PictureRefused("there is nothing to draw: no roof is known or measured")
    return key or own.main_key or next(iter(own.compute), None)


def write(path: Path, data: bytes) -> None:
    """Write the whole file, mode 0600 where it is new, over an older one; through no link.

    Raises:
        PictureRefused: naming the file.
    """
    if path.exists() and not (path.is_file() or path.is_char_device()):
        raise PictureRefused(f"{path}: is no file that a picture could be written to")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    flags |= os.O_NOFOLLOW | os.O_NONBLOCK  # it may have become a link or a pipe just now
    try:
        if path.is_symlink():
            raise OSError(errno.ELOOP, "is a link, and a picture goes through none")
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(data)
    except OSError as error:
        raise PictureRefused(f"{path}: {error.strerror}") from None


def draw(session: Session, key: str | None, path: Path) -> None:
    """Draw one precision's roofs and points into ``path``, an .svg or .png.

    Raises:
        PictureRefused: no such picture, no matplotlib, or the file cannot be written.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise PictureRefused(f"{path}: a picture's name ends in .svg, .png or .txt")
    own = roofs(session)
    key = precision(own, key)
    file = io.BytesIO()
    with _quietly():
        try:
            import matplotlib
            from matplotlib.figure import Figure
        except ImportError:
            raise PictureRefused(
                f"{path}: needs matplotlib: pip install matplotlib (a .txt needs nothing)"
            ) from None
        with matplotlib.rc_context():  # left as found
            matplotlib.rcdefaults()  # a user's own style would move what is placed here
            matplotlib.rcParams.update(SETTINGS)
            figure = Figure(figsize=INCHES, dpi=DPI)
            axes = figure.add_axes((LEFT, BOTTOM, WIDTH, HEIGHT))
            fill(axes, session, own, key)
            _entitle(figure, session, key)
            undated = {"Date": None} if kind == ".svg" else None
            figure.savefig(file, format=kind[1:], metadata=undated)
    write(path, file.getvalue())


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Without matplotlib's remarks on its cache and on glyphs that its font lacks."""
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def fill(axes: Axes, session: Session, own: Roofs, key: str | None) -> None:
    """Draw roofs, points and their names into empty axes, in TFLOP/s (TOPS) over FLOP/byte.

    What is written there is in the unit of the session's screen.
    """
    flat = own.compute.get(key or "") or ComputeRoof(peak_key=key or "")
    found = [p for p in points(session, own, key) if p.style != "sweep"]  # those are the trace
    swept = trace(session, key)
    tops = {w: p for w in WHICH if (p := flat.drawn(w))}
    turns = ridges(own, flat.peak_key)
    _scale(
        axes,
        [*(p.intensity for p in found), *(x for x, _ in swept), *turns.values()],
        [*(p.tflops for p in found), *(y for _, y in swept), *tops.values()],
    )
    scale = rate_scale(session)
    axes.yaxis.set_major_formatter(lambda v, _: _tick(v * scale.factor))
    axes.set_ylabel(scale.named(unit(flat.peak_key)))
    for which in WHICH:
        _roof(axes, own, flat, which, scale)
    if swept:
        (line,) = axes.plot(*zip(*swept, strict=True), color=COLOUR["sweep"], linewidth=0.8)
        line.set(marker="o", markersize=4, markerfacecolor=PAPER, zorder=5)
        line.set_label(f"matmul {key}\nsquares of growing size")
    _name_flats(axes, flat, tops, scale)
    _name_ridges(axes, turns, tops)
    _name_points(axes, found, tops)
    beside: dict[str, Any] = {
        "loc": "lower left",
        "bbox_to_anchor": (1.02, -0.02),
        "frameon": False,
    }
    axes.legend(handlelength=3, fontsize=10, labelspacing=1, **beside)


def _scale(axes: Axes, xs: list[float], ys: list[float]) -> None:
    """Limits that hold all that is drawn, with room for the names under the flats."""
    left, right = (math.log10(f(xs, default=1.0)) for f in (min, max))
    low, high = (math.log10(f(ys, default=1.0)) for f in (min, max))
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(10 ** min(-1.0, left - 0.3), 10 ** max(4.95, right + 0.3))
    axes.set_ylim(10 ** min(low - 0.5, high - 2.5), 10 ** (high + 0.3))
    axes.set_xlabel("arithmetic intensity, FLOP/byte", labelpad=8)
    axes.yaxis.set_label_coords(-0.08, 0.5)  # wherever the figures beside it end
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda v, _: _tick(v))
        axis.set_minor_formatter("")
    axes.grid(which="major", linewidth=0.8)
    axes.tick_params(which="minor", length=2, color="#c4c8cc")
    axes.spines[["top", "right"]].set_visible(False)


def _roof(axes: Axes, own: Roofs, flat: ComputeRoof, which: str, scale: RateScale) -> None:
    """One roof; half of one where only its slope or its flat is known."""
    from matplotlib.patheffects import Stroke

    left, right = axes.get_xlim()
    peak = flat.drawn(which)
    slope = own.slope_gbs(which)
    if peak is None and (
        slope is None or which == "sustained" or (which == "burst" and flat.sustained_tflops)
    ):
        return  # the measured slope stands once
    roof = Roof(bandwidth_gbs=slope, peak_tflops=peak) if slope and peak else None
    if roof is not None:
        begin = _begin(own, flat, which, left)
        xs = [x for x in (begin, roof.ridge) if x < right]
        xs = [*(xs if begin < roof.ridge else xs[1:]), right]
        ys = [roof.attainable_tflops(x) for x in xs]
    else:
        xs = [left, right]
        ys = [peak or (slope or 0.0) * x / 1e3 for x in xs]
    parts = []
    if peak:
        told = flat.flat(which) or peak
        parts.append(f"{_figure(told * scale.factor)} {scale.named(unit(flat.peak_key))}")
    parts += [f"{_figure(slope)} GB/s"] if slope else []
    name = "measured" if which == "burst" and peak is None else which
    label = f"{name}\n{', '.join(parts)}"
    (line,) = axes.plot(xs, ys, color=COLOUR[which], label=label, **LINE[which])
    if which == "sustained":
        line.set_path_effects([Stroke(), Stroke(linewidth=1.3, foreground=PAPER)])  # hollow


def _begin(own: Roofs, flat: ComputeRoof, which: str, left: float) -> float:
    """The intensity from which a roof is drawn.

    The sustained one leaves the burst roof where that bends or where it meets its slope, whichever
    is first; one that was held with another slope has a line of its own from the left.
    """
    burst = own.roof(flat.peak_key, "burst")
    held = own.roof(flat.peak_key, "sustained")
    if which != "sustained" or burst is None or held is None:
        return left
    if abs(held.bandwidth_gbs / burst.bandwidth_gbs - 1) > SAME_SLOPE:
        return left
    return min(held.ridge, burst.ridge)


def _name_flats(axes: Axes, flat: ComputeRoof, tops: dict[str, float], scale: RateScale) -> None:
    """Names at the right end, a line apart however close the flats lie; of one line one name."""
    order = sorted(tops, key=lambda w: tops[w])
    if flat.one:
        order.remove("sustained")
    true = [_share(axes.get_ylim(), tops[w]) for w in order]
    placed: list[float] = []
    for y in true:
        placed.append(max(y, placed[-1] + LINE_APART) if placed else y)
    drift = sum(p - y for p, y in zip(placed, true, strict=True)) / max(1, len(true))
    whole, frame = tops.get("nominal"), axes.transAxes
    for which, y, at in zip(order, true, placed, strict=True):
        value = _figure(tops[which] * scale.factor)
        text = f"{which} {value}"
        if flat.one and which == "burst":
            held = _figure((flat.sustained_tflops or 0.0) * scale.factor)
            text = f"burst, sustained {held}" if held == value else f"{text}, sustained {held}"
        if whole and which != "nominal":
            text += f", {tops[which] / whole * 100:.0f} % of nominal"
        xs, ys = [1, 1.006, 1.022, 1.028], [y, y, at - drift, at - drift]
        axes.plot(xs, ys, color=COLOUR[which], linewidth=1, transform=frame, clip_on=False)
        axes.text(1.034, ys[-1], text, color=COLOUR[which], va="center", size=10, transform=frame)


def _name_ridges(axes: Axes, turns: dict[str, float], tops: dict[str, float]) -> None:
    """A line down from each ridge to its name; the rightmost ends first, so that none cross."""
    frame = axes.get_xaxis_transform()  # x in FLOP per byte, y as a share
    ends = max(turns.values(), default=0.0) * 1.3
    if turns.get("sustained") == turns.get("burst"):
        turns = {w: x for w, x in turns.items() if w != "sustained"}  # one ridge
    for i, which in enumerate(sorted(turns, key=lambda w: -turns[w])):
        x, y, colour = turns[which], 0.40 - 0.042 * i, COLOUR[which]
        xs, ys = [x, x, ends], [_share(axes.get_ylim(), tops[which]), y, y]
        axes.plot(xs, ys, color=colour, linewidth=0.9, linestyle=":", zorder=1, transform=frame)
        text = f" ridge {_figure(x)} {which}"
        axes.text(ends, y, text, color=colour, va="center", size=10, bbox=LABEL, transform=frame)


def _name_points(axes: Axes, found: list[Point], tops: dict[str, float]) -> None:
    """A marker where each point is; its letter and name stand where there is room."""
    floor = min((_share(axes.get_ylim(), top) for top in tops.values()), default=0.0)
    under = sorted((p for p in found if p.style != "stream"), key=lambda p: -p.tflops)
    for i, p in enumerate(found):
        x, y, colour = p.intensity, p.tflops, COLOUR[p.style]
        mark: dict[str, Any] = {"marker": MARKER[p.style], "markersize": 7, "zorder": 6}
        axes.plot([x], [y], color=colour, markeredgecolor=PAPER, **mark)
        name = f"{chr(ord('A') + i)}  {shown(p.name)}"
        place: dict[str, Any]
        if p.style == "stream":  # right of the slope, which never comes there
            place = {"xytext": (11, -9), "textcoords": "offset points"}
        else:  # the upper point's name first, its line passing right of the lower point
            row, across = under.index(p), _share(axes.get_xlim(), x)
            aside = 0.006 + 0.016 * (len(under) - 1 - row)
            side = 1 if across + aside + LETTER_WIDE * len(name) < 1 else -1
            place = {
                "xytext": (across + side * aside, floor - 0.075 - 0.05 * row),
                "textcoords": "axes fraction",
                "ha": "left" if side > 0 else "right",
                "arrowprops": {
                    "arrowstyle": "-",
                    "color": colour,
                    "linewidth": 0.9,
                    "relpos": (0.0 if side > 0 else 1.0, 0.5),
                },
            }
        axes.annotate(name, (x, y), color=colour, va="center", zorder=7, bbox=LABEL, **place)


def _entitle(figure: Figure, session: Session, key: str | None) -> None:
    name, told = titles(session, key)
    figure.text(LEFT, 0.945, name, size=17, weight="bold")
    figure.text(LEFT, 0.907, told, color=DIM)


def titles(session: Session, key: str | None) -> tuple[str, str]:
    """What stands over a picture: whose roofline it is, and under what and when it was measured."""
    device = session.device
    named = shown(device.name or "unknown device")
    name = "".join(c if c.isprintable() else "\ufffd" for c in named)[:60]
    told = [f"power limit {device.power_limit_w:.0f} W"] if device.power_limit_w else []
    told.append(f"recorded {said_minute(session.started_at)}")
    told += [] if session.complete else ["not complete"]
    return f"{name}  ·  {key}" if key else name, "  ·  ".join(told)


def _share(limits: tuple[float, float], value: float) -> float:
    """Where a value stands between an axis' limits, 0 to 1."""
    low, high = (math.log10(limit) for limit in limits)
    return (math.log10(value) - low) / (high - low)


def _tick(value: float) -> str:
    return f"{value / 1e3:g}k" if value >= 1e3 else f"{value:g}"


def _figure(value: float) -> str:
    """Three digits, never an exponent where a rate may stand."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
