"""The roofline of a session as a picture file. Needs matplotlib, which nothing else here does."""

from __future__ import annotations

import contextlib
import io
import logging
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofwatch.roofline.peaks import unit
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.questions import main_roof
from roofwatch.session.rates import intensity, tflops
from roofwatch.session.roofs import WHICH, ComputeRoof, Roofs, roofs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".svg", ".png", ".txt")
INCHES, DPI = (12.5, 7.8125), 96  # 1200 x 750 pixels
LEFT = 0.08  # of the width: the y labels
PAPER, INK, DIM = "#fdfdfb", "#24292f", "#6a737d"
# Colours that the colour-blind tell apart (Okabe and Ito); dashes, a hollow line and markers say
# the same without them.
COLOUR = {"nominal": "#6b7079", "burst": "#0072b2", "sustained": "#d55e00", "stream": "#007a5a"}
MARKER = {"stream": "o", "burst": "s", "sustained": "D"}
LINE: dict[str, dict[str, Any]] = {
    "nominal": {"linestyle": (0, (5, 3)), "linewidth": 1.6, "zorder": 2},
    "sustained": {"linewidth": 3.4, "zorder": 3},
    "burst": {"linewidth": 2.6, "zorder": 4},
}
SETTINGS = {
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
    main = main_roof(own)
    return key or (main.peak_key if main else next(iter(own.compute), None))


def write(path: Path, data: bytes) -> None:
    """Write the whole file, over an older one. Raises PictureRefused naming it."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise PictureRefused(f"{path}: {error.strerror}") from None


def draw(session: Session, key: str | None, path: Path) -> None:
    """Draw one precision's roofs and points into ``path``, an .svg or .png.

    Raises:
        PictureRefused: no such picture, no matplotlib, or the file cannot be written.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise PictureRefused(f"{path}: a picture's name ends in {', '.join(SUFFIXES)}")
    own = roofs(session)
    key = precision(own, key)
    file = io.BytesIO()
    with _quietly():
        try:
            import matplotlib
            from matplotlib.figure import Figure
        except ImportError:
            raise PictureRefused(
                f"{path}: needs matplotlib: pip install 'roofwatch[plot]' (a .txt needs nothing)"
            ) from None
        with matplotlib.rc_context():  # left as found
            matplotlib.rcdefaults()  # a user's own style would move what is placed here
            matplotlib.rcParams.update(SETTINGS)
            figure = Figure(figsize=INCHES, dpi=DPI)
            axes = figure.add_axes((LEFT, 0.085, 0.70, 0.79))
            _fill(axes, own, key)
            _entitle(figure.text, session, key)
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


def _fill(axes: Axes, own: Roofs, key: str | None) -> None:
    flat = own.compute.get(key or "", ComputeRoof(peak_key=key or ""))
    points = _points(own, flat)
    ridges = {w: r.ridge for w in WHICH if (r := own.roof(flat.peak_key, w))}
    tops = {w: p for w in WHICH if (p := flat.flat(w))}
    _scale(axes, points, ridges, tops, unit(flat.peak_key))
    for which in WHICH:
        _roof(axes, own, flat, which)
    _name_flats(axes, tops)
    _name_ridges(axes, ridges, tops)
    _name_points(axes, points, tops)
    axes.legend(loc="upper left", edgecolor="none", framealpha=1, handlelength=3.2)


def _points(own: Roofs, flat: ComputeRoof) -> list[tuple[str, Measurement]]:
    """What each point stands for, and the point; one without any FLOP has no place."""
    found = [("stream", own.bandwidth), ("burst", flat.burst), ("sustained", flat.sustained)]
    return [(which, m) for which, m in found if m is not None and m.flop]


def _scale(
    axes: Axes,
    points: list[tuple[str, Measurement]],
    ridges: dict[str, float],
    tops: dict[str, float],
    unit_name: str,
) -> None:
    """Limits that hold every point and ridge, with room for the names under the flats."""
    xs = [math.log10(x) for x in (*(intensity(m) for _, m in points), *ridges.values())]
    ys = [math.log10(y) for y in (*(tflops(m) for _, m in points), *tops.values())] or [0.0]
    low, high = min(-1.0, *(x - 0.3 for x in xs)), max(4.95, *(x + 0.3 for x in xs))
    axes.set(xscale="log", yscale="log", xlim=(10**low, 10**high))
    axes.set_ylim(10 ** min(min(ys) - 0.5, max(ys) - 2.5), 10 ** (max(ys) + 0.3))
    axes.set_xlabel("arithmetic intensity, FLOP/byte", labelpad=8)
    axes.set_ylabel(unit_name)
    axes.yaxis.set_label_coords(-0.085, 0.5)  # wherever the figures beside it end
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda v, _: f"{v / 1e3:g}k" if v >= 1e3 else f"{v:g}")
        axis.set_minor_formatter("")
    axes.grid(which="major", linewidth=0.8)
    axes.tick_params(which="minor", length=2, color="#c4c8cc")
    axes.spines[["top", "right"]].set_visible(False)


def _roof(axes: Axes, own: Roofs, flat: ComputeRoof, which: str) -> None:
    """One roof; half of one where only its slope or its flat is known."""
    from matplotlib.patheffects import Stroke

    left, right = axes.get_xlim()
    peak = flat.flat(which)
    slope = own.nominal_gbs if which == "nominal" else own.bandwidth_gbs
    if peak is None and (slope is None or which == "sustained" or flat.sustained_tflops):
        return  # the measured slope stands once
    roof = own.roof(flat.peak_key, which)
    if roof is not None:
        # A slope is drawn once: the sustained flat leaves it where it meets it.
        shares = which == "sustained" and flat.burst_tflops is not None
        xs = [roof.ridge, right] if shares else [left, roof.ridge, right]
        ys = [roof.attainable_tflops(x) for x in xs]
    else:
        xs = [left, right]
        ys = [peak or (slope or 0.0) * x / 1e3 for x in xs]
    name = "measured" if which == "burst" and peak is None else which
    parts = [f"{_figure(peak)} {unit(flat.peak_key)}"] if peak else []
    parts += [f"{slope:.0f} GB/s"] if slope else []
    (line,) = axes.plot(xs, ys, color=COLOUR[which], label=f"{name}: {', '.join(parts)}")
    line.set(**LINE[which])
    if which == "sustained":
        hollow = [Stroke(), Stroke(linewidth=1.3, foreground=PAPER)]
        line.set_path_effects(hollow)


def _name_flats(axes: Axes, tops: dict[str, float]) -> None:
    """Names at the right end, kept a line apart however close the flats lie."""
    order = sorted(tops, key=lambda w: tops[w])
    true = [_height(axes, tops[w]) for w in order]
    placed: list[float] = []
    for y in true:
        placed.append(max(y, placed[-1] + 0.038) if placed else y)
    drift = sum(p - y for p, y in zip(placed, true, strict=True)) / max(1, len(true))
    whole = tops.get("nominal")
    for which, y, at in zip(order, true, placed, strict=True):
        text = f"{which} {_figure(tops[which])}"
        if whole and which != "nominal":
            text += f", {tops[which] / whole * 100:.0f} % of nominal"
        colour, frame = COLOUR[which], axes.transAxes
        ys = [y, y, at - drift, at - drift]
        xs = [1, 1.006, 1.022, 1.028]
        axes.plot(xs, ys, color=colour, linewidth=1, transform=frame, clip_on=False)
        axes.text(1.034, at - drift, text, color=colour, va="center", size=10, transform=frame)


def _name_ridges(axes: Axes, ridges: dict[str, float], tops: dict[str, float]) -> None:
    """A line down from each ridge to its name; the rightmost ends first, so that none cross."""
    order = sorted(ridges, key=lambda w: -ridges[w])
    low, high = (math.log10(x) for x in axes.get_xlim())
    for i, which in enumerate(order):
        y = 10 ** _at_height(axes, 0.40 - 0.042 * i)
        ends = 10 ** (math.log10(ridges[order[0]]) + 0.02 * (high - low))
        xs, ys = [ridges[which], ridges[which], ends], [tops[which], y, y]
        axes.plot(xs, ys, color=COLOUR[which], linewidth=0.9, linestyle=(0, (1, 2)), zorder=1)
        text = f" ridge {_figure(ridges[which])} {which}"
        axes.text(ends, y, text, color=COLOUR[which], va="center", size=10)


def _name_points(axes: Axes, points: list[tuple[str, Measurement]], tops: dict[str, float]) -> None:
    """A marker where each point is, its letter and name where there is room."""
    floor = min((_height(axes, top) for top in tops.values()), default=0.0)
    rank = sorted((w for w, _ in points if w != "stream"), key=lambda w: -tops[w])
    for i, (which, m) in enumerate(points):
        x, y = intensity(m), tflops(m)
        axes.plot(
            [x],
            [y],
            color=COLOUR[which],
            marker=MARKER[which],
            markersize=7,
            markeredgecolor=PAPER,
            zorder=6,
        )
        name = f"{chr(ord('A') + i)}  {m.op} {m.dtype if which == 'stream' else m.peak_key}"
        if which == "stream":  # right of it and below, where the slope never comes
            place = {"xytext": (11, -9), "textcoords": "offset points"}
            axes.annotate(name, (x, y), va="center", color=COLOUR[which], zorder=7, **place)
            continue
        # Under the flats: the upper point's name first, its line passing right of the lower point.
        row, back = rank.index(which), 0.016 * (len(rank) - 1 - rank.index(which))
        low, high = (math.log10(limit) for limit in axes.get_xlim())
        across = (math.log10(x) - low) / (high - low)
        side = 1 if across < 0.75 else -1
        at = (across + side * (0.004 + back), floor - 0.075 - 0.05 * row)
        axes.annotate(
            f"{name} {which}",
            (x, y),
            at,
            textcoords=axes.transAxes,
            color=COLOUR[which],
            ha="left" if side > 0 else "right",
            va="center",
            zorder=7,
            arrowprops={
                "arrowstyle": "-",
                "color": COLOUR[which],
                "linewidth": 0.9,
                "relpos": (0.0 if side > 0 else 1.0, 0.5),
            },
        )


def _entitle(write_text: Any, session: Session, key: str | None) -> None:
    device = session.device
    name = "".join(c if c.isprintable() else "\ufffd" for c in device.name or "unknown device")
    write_text(LEFT, 0.945, f"{name[:70]}  ·  {key}" if key else name[:70], size=17, weight="bold")
    told = [f"power limit {device.power_limit_w:.0f} W"] if device.power_limit_w else []
    told.append((session.started_at or "at an unknown time").replace("T", " ")[:16] + " UTC")
    told += [] if session.complete else ["not complete"]
    write_text(LEFT, 0.907, "  ·  ".join(told), color=DIM)


def _height(axes: Axes, value: float) -> float:
    """How high a rate stands in the plot, 0 to 1."""
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    return (math.log10(value) - low) / (high - low)


def _at_height(axes: Axes, share: float) -> float:
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    return low + share * (high - low)


def _figure(value: float) -> str:
    """Three digits, never an exponent where a rate may stand."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
