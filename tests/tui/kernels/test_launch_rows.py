"""Launch costs and shapes as rows of text, at both widths."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.roofline.attribution import wave_share
from roofwatch.roofline.workload import Work, add_scalar, matmul
from roofwatch.session.events import (
    AnyEvent,
    Device,
    HostCpu,
    Measurement,
)
from roofwatch.session.fold import Session
from roofwatch.session.roofs import roofs
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.palette import STYLES
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.kernels import launch_rows
from roofwatch.tui.printed.report import report

Point, Folded = Callable[..., Measurement], Callable[..., Session]
NAME = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT"
COSTS = {"enqueue": 7.2e-6, "rate": 7.4e-6, "floor": 15e-6, "queued": 4e-6, "graph": 0.84e-6}
SIDES = {"aligned": (8192, 816.0), "k-1": (8191, 141.0), "k-8": (8184, 806.0)}
SIZES = ((768, 2816), (2816, 1536), (1024, 4352))
CARD = Device(kind="cuda", name="NVIDIA H200", compute_capability="9.0", sm_count=132)
CPU = HostCpu(name="A CPU", cores=16, limit_cores=2.5, periods=20, throttled=3)


@pytest.fixture
def point(point: Point) -> Point:
    """One that took about ``time_s``."""

    def made(probe: str, work: Work, time_s: float, **more: object) -> Measurement:
        times_s = [0.999 * time_s, time_s, 1.001 * time_s]
        return point(work, times_s, probe, clock_mhz=[], **more)

    return made


@pytest.fixture
def measured(of_suite: Folded) -> Folded:
    def made(device: Device = CARD, cpu: HostCpu = CPU, *points: AnyEvent) -> Session:
        session = of_suite(device, *points, cpu=cpu)
        session.closed = True
        return session

    return made


@pytest.fixture
def session(point: Point, measured: Folded) -> Session:
    """All three groups, as an H200 would give them."""
    out = [point("launch", add_scalar(1, "fp32"), s, variant=v) for v, s in COSTS.items()]
    for variant, (k, rate) in SIDES.items():
        work = matmul(8192, 8192, k, "bf16")
        out.append(
            point("alignment", work, work.flop / rate / 1e12, variant=variant, kernel="cutlass_x")
        )
    for m, n in SIZES:
        work = matmul(m, n, 8192, "bf16")
        rate = 700 * wave_share(m, n, (256, 128), 132)
        out.append(point("waves", work, work.flop / rate / 1e12, kernel=NAME))
    return measured(CARD, CPU, *out)


def lines(session: Session, cells: int, glyphs: Glyphs = UNICODE) -> list[str]:
    rows = launch_rows.build(session, roofs(session), cells, glyphs)
    assert all(width(r) == cells for r in rows)
    assert all(style in STYLES["dark"] for r in rows for _, style in r)
    return [text_of(r).rstrip() for r in rows]


@pytest.mark.parametrize("cells", [78, 118])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_figure_stands_in_its_column(session: Session, cells: int, glyphs: Glyphs) -> None:
    text = lines(session, cells, glyphs)
    costs = [line for line in text if " us  " in line]
    assert [line.split()[0] for line in costs] == ["enqueue", "alone", "queued", "graph"]
    assert len({line.index(" us  ") for line in costs}) == 1
    assert any(re.search(r"one core +135135 /s", line) for line in text)
    host = " ".join(" ".join(text[5:8]).split())
    assert "16 cores, a quota of 2.5 cores, used up in 15 % of its periods" in host
    sides = [line for line in text if re.match(r" +(aligned|k-\d) ", line)]
    assert [line.split()[4] for line in sides] == ["816", "141", "806"]
    assert [re.search(r"(\d+) %", line)[1] for line in sides] == ["100", "17", "99"]  # type: ignore[index]
    steps = [line for line in text if "256x128 " in line and "of" not in line.split()]
    assert [line.split()[3] for line in steps] == ["66", "132", "136"]
    assert [line.split()[8] for line in steps] == ["350", "700", "361"]
    assert (NAME[:30] in "".join(text)) == (cells == 118)
    cut = [line for line in text if NAME[:30] in line and NAME not in line]
    assert all(line.endswith(glyphs.ellipsis) for line in cut)
    if glyphs is ASCII:
        assert all(line.isascii() for line in text)


def test_each_experiment_has_its_sentence(session: Session) -> None:
    text = " ".join(" ".join(lines(session, 78)).split())
    assert "k=8191 runs at 141 TFLOP/s, a factor of 5.8" in text
    assert "Take sides that are multiples of 8, better of 64." in text
    assert "132 tiles of 256 x 128 fill 132 SMs once" in text


def test_a_cpu_says_what_it_has_no_word_for(point: Point, measured: Folded) -> None:
    cpu = HostCpu(cores=1, status={"limit_cores": "unlimited"})
    enqueue = point("launch", add_scalar(1, "fp32"), 6e-6, variant="enqueue")
    text = lines(measured(Device(kind="cpu", name="A CPU"), cpu, enqueue), 78)
    assert any("enqueue" in line and "the whole call" in line for line in text)
    assert any(line.endswith("1 core, no CPU quota") for line in text)
    assert not any("graph node" in line or "alone" in line for line in text)


def test_an_unreadable_quota_is_said_and_no_name_moves_the_cursor(
    point: Point, measured: Folded
) -> None:
    cpu = HostCpu(name="A \x1b[2J CPU", cores=4, status={"limit_cores": "no_permission"})
    enqueue = point("launch", add_scalar(1, "fp32"), 6e-6, variant="enqueue")
    text = lines(measured(CARD, cpu, enqueue), 78)
    assert any(line.endswith("4 cores, CPU quota n/a: no_permission") for line in text)
    assert "\x1b" not in "".join(text)


def test_nothing_measured_or_no_room_is_no_row(
    session: Session, h200_file: Path, measured: Folded
) -> None:
    assert lines(measured(), 78) == []
    assert launch_rows.build(session, roofs(session), 30, UNICODE) == []


@pytest.mark.parametrize("cells", [40, 60, 80, 120])
def test_the_report_has_the_section(session: Session, cells: int) -> None:
    rows = report(session, None, cells, UNICODE)
    text = "\n".join(text_of(r) for r in rows)
    for title in ("Launches of the smallest kernel", "Alignment: bf16", "Waves over 132 SMs"):
        assert title[: cells - 2] in text
