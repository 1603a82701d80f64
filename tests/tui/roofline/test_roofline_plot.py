"""No text of the roofline's picture stands on a point or on another text, whatever is measured."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from roofwatch.roofline.workload import Work, add_scalar, copy, matmul, triad
from roofwatch.session.events import Device, Expect, Measurement, SessionInfo, Tensor
from roofwatch.session.fold import Session, fold
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.log_frame import LEFT
from roofwatch.tui.drawing.plot_words import PlotWords
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.roofline import roofline_pane, roofline_plot


def measured(work: Work, seconds: float, probe: str, protocol: str, dtype: str) -> Measurement:
    return Measurement(
        t=2.0,
        probe=probe,
        op=work.op,
        shape={"n": 512, **work.shape},
        dtype=dtype,
        math="ieee",
        accumulate=None,
        peak_key=None if protocol == "stream" else "bf16",
        flop=work.flop,
        tensors=[
            Tensor(name=t.name, read_bytes=t.read_bytes, write_bytes=t.write_bytes)
            for t in work.tensors
        ],
        times_s=[seconds] * 3,
        stop="protocol",
        timing="event",
        protocol=protocol,
        begin_s=1.0,
        end_s=1.5,
    )


def awaiting(probe: str, unit: str, low: float, high: float) -> Session:
    """A card of which nothing but one range is known."""
    return fold(
        [
            SessionInfo(t=0.0, schema="roofwatch.session/1", suite="quick"),
            SessionInfo(
                t=0.1,
                instrument="telemetry",
                device=Device(kind="cuda", name="a card", compute_capability="9.0"),
            ),
            Expect(t=0.3, probe=probe, low=low, high=high, unit=unit, why="so"),
        ]
    )


LEAST = 5e-324  # of it any part is 0
STREAM = ("add_scalar-fp16", "GB/s")
BURST = ("matmul-bf16", "TFLOP/s")
SECONDS = st.floats(1e-9, 10.0)
SIDES = st.integers(1, 1 << 15)
NAMES = st.text(max_size=30)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """A card with any of its numbers measured, nominal or expected, however odd they are."""
    found: list[Measurement] = []
    if draw(st.booleans()):
        stream = draw(st.sampled_from([add_scalar, triad, copy]))
        work = stream(draw(st.integers(1, 1 << 30)), "fp16")
        found.append(measured(work, draw(SECONDS), "s", "stream", draw(NAMES)))
    for protocol in draw(st.sets(st.sampled_from(["burst", "sustained"]))):
        work = matmul(draw(SIDES), draw(SIDES), draw(SIDES), "bf16")
        found.append(measured(work, draw(SECONDS), protocol, protocol, "bf16"))
    for side in draw(st.sets(st.sampled_from([256, 512, 2048, 4096, 8192]))):
        work = matmul(side, side, side, "bf16")
        found.append(measured(work, draw(SECONDS), "matmul-bf16-sweep", "sweep", "bf16"))
    nominal = {
        "origin": "table",
        "bandwidth_gbs": draw(st.none() | st.floats(1.0, 1e5)),
        "peaks_tflops": draw(st.just({}) | st.fixed_dictionaries({"bf16": st.floats(0.1, 1e5)})),
    }
    low = draw(st.floats(0, 1e4) | st.floats(0, 1e-300))
    expects = [
        Expect(t=0.3, probe=probe, low=low, high=low * draw(st.floats(1, 4)), unit=unit, why="so")
        for probe, unit in (
            ("add_scalar-fp16", "GB/s"),
            ("matmul-bf16", "TFLOP/s"),
            ("matmul-bf16-sustained", "TFLOP/s"),
        )
        if draw(st.booleans())
    ]
    device = Device(kind="cuda", name="a card", compute_capability="9.0")
    return fold(
        [
            SessionInfo(t=0.0, schema="roofwatch.session/1", suite="quick"),
            SessionInfo(t=0.1, instrument="telemetry", device=device),
            SessionInfo(t=0.2, nominal=nominal),
            *expects,
            *found,
        ]
    )


class Watched(PlotWords):
    """Remembers what was written and where points were put."""

    last: Watched

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self.texts: list[tuple[int, int, str]] = []
        self.points: list[tuple[int, int]] = []
        Watched.last = self

    def hold(self, x: int, y: int) -> None:
        super().hold(x, y)
        self.points.append((x, y))

    def write(self, x: int, y: int, text: str, style: str, over: bool = False) -> bool:
        written = super().write(x, y, text, style, over)
        if written:
            self.texts.append((x, y, text))
        return written


@settings(max_examples=150)
@example(awaiting(*STREAM, LEAST, LEAST), 30, 6, UNICODE, None)
@example(awaiting(*STREAM, 1e-322, 1e-322), 30, 6, UNICODE, None)
@example(awaiting(*STREAM, LEAST, 1e12), 120, 40, UNICODE, None)
@example(awaiting(*BURST, LEAST, LEAST), 80, 24, ASCII, None)
@given(
    session=sessions(),
    cells=st.integers(30, 130),
    height=st.integers(6, 45),
    glyphs=st.sampled_from([UNICODE, ASCII]),
    cursor=st.none() | st.integers(0, 6),
)
def test_no_label_is_broken(
    session: Session, cells: int, height: int, glyphs: Glyphs, cursor: int | None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roofline_plot, "PlotWords", Watched)
        Watched.last = Watched(Canvas(1, 1))
        rows = roofline_pane.build(session, cells, height, "bf16", glyphs, cursor)
    assert [width(r) for r in rows] == [cells] * height
    shown = [text_of(r)[LEFT:] for r in rows]
    for x, y, text in Watched.last.texts:
        assert shown[y][x : x + len(text)] == text
    marks = {*string.ascii_uppercase, glyphs.sweep, glyphs.at, glyphs.here}
    assert all(shown[y][x] in marks for x, y in Watched.last.points)
    if cursor is not None and roofline_pane.stops(session, "bf16"):
        assert sum(text_of(r).startswith(glyphs.here) for r in rows) == 1
