"""The strips of a host with several cards, and whose charts stand under them."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from roofwatch.session.events import Device, Sample, SessionInfo, Span
from roofwatch.session.fold import Session, fold
from roofwatch.tui.clocks import clocks_pane
from roofwatch.tui.clocks.clocks_view import ClocksView
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import text_of, width

REASONS = (1, 4, 0, 0x40)


def device(index: int, **more: Any) -> Device:
    told = {"kind": "cuda", "name": "NVIDIA H200", "uuid": f"GPU-{index}", "sm_max_mhz": 1980.0}
    return Device(index=index, power_limit_w=700.0, memory_bytes=140 << 30, **(told | more))


def sample(gpu: int, t: float, **more: Any) -> Sample:
    told: dict[str, Any] = {
        "sm_mhz": 1900.0 - 100 * gpu,
        "mem_mhz": 3201.0,
        "power_w": 300.0 + gpu,
        "power_instant_w": None,
        "temp_c": 40.0 + gpu,
        "mem_used_bytes": (gpu + 1) << 30,
        "util": gpu / 10,
        "reasons": REASONS[gpu % 4],
    }
    return Sample(gpu=gpu, t=t, **(told | more))


def host(count: int, measured: int = 0, seconds: int = 30, **more: Any) -> Session:
    cards = [device(i, **more) for i in range(count)]
    others = [card for card in cards if card.index != measured]
    info = SessionInfo(t=0.0, instrument="telemetry", device=cards[measured], neighbours=others)
    session = fold([info])
    for k in range(10 * seconds):
        session.add(sample(measured, k / 10))
        for i in range(count):
            if i != measured and k % 10 == i:
                session.add(sample(i, k / 10))
    return session


def drawn(session: Session, cells: int = 80, height: int = 18, **more: Any) -> list[str]:
    glyphs: Glyphs = more.pop("glyphs", UNICODE)
    rows = clocks_pane.build(session, cells, height, glyphs, ClocksView(**more))
    assert [width(r) for r in rows] == [cells] * height
    return [text_of(r) for r in rows]


def test_eight_cards_fit_80x24_above_a_chart() -> None:
    rows = drawn(host(8))
    assert rows[0].split() == ["card", "SM", "clock", "MHz", "W", "°C", "GiB", "busy", "%", "limit"]
    assert re.match(r" ▸  0 ◉ .* 1900  300  40   1\.0      0  idle", rows[1])
    assert re.match(r"    1   .* 1800  301  41   2\.0     10  power", rows[2])
    assert rows[4].rstrip().endswith("hw thermal")
    assert rows[9].startswith("── card 0 NVIDIA H200, measured ──")
    assert any(r.startswith("MHz     │") for r in rows)
    assert any(r.startswith("limit   │") for r in rows)


def test_figures_stand_under_each_other() -> None:
    rows = drawn(host(8))[1:9]
    for word in (r"\d{4}(?=  3)", r"3\d\d(?=  4)", r"\d\.\d(?= )"):
        assert len({m.end() for r in rows if (m := re.search(word, r[40:]))}) == 1


def test_one_card_has_no_strips() -> None:
    assert "card" not in "".join(drawn(host(1)))


def test_the_cursor_and_the_measured_card_are_marked() -> None:
    rows = drawn(host(4, measured=2), card=3)
    assert [r[1:7] for r in rows[1:5]] == ["   0  ", "   1  ", "   2 ◉", "▸  3  "]
    rows = drawn(host(4, measured=2), card=3, glyphs=ASCII)
    assert rows[3][6] == "@"
    assert rows[4][1] == ">"
    assert all(ord(c) < 128 for r in rows for c in r)


def test_an_opened_card_has_its_own_charts_and_no_probes() -> None:
    session = host(4)
    session.add(Span(t=5.0, probe="matmul-bf16", edge="begin"))
    session.add(Span(t=25.0, probe="matmul-bf16", edge="end"))
    own = drawn(session, 80, 24)
    assert any(r.startswith("probe") and "bf16" in r for r in own)
    other = drawn(session, 80, 24, focused=3)
    assert any(r.startswith("── card 3 NVIDIA H200 ──") for r in other)
    assert not any(r.startswith(("probe", "TFLOP/s")) for r in other)
    assert any(re.search(r" 1600 *$", r) for r in other)
    assert any(re.search(r" 43 °C  a kernel ran 30 % of the time", r) for r in other)


def test_readings_once_a_second_are_one_line() -> None:
    chart = [r for r in drawn(host(3), focused=2, length_s=15.0) if r[8] in "│┤"]
    assert any(re.search(r"[⠉⠒⠤⣀]{50}", r) for r in chart)


def test_a_card_that_is_gone_is_silent_not_zero() -> None:
    session = host(3)
    for k in range(200):
        session.add(sample(0, 30 + k / 10))
    rows = drawn(session)
    assert "no reading for 2" in rows[2]
    assert not re.search(r"\b0  +0\b", rows[2])
    assert "no reading for 2" in "".join(drawn(session, focused=1)[5:])


def test_a_card_that_was_never_read() -> None:
    session = fold(
        [SessionInfo(t=0.0, instrument="telemetry", device=device(0), neighbours=[device(1)])]
    )
    rows = drawn(session)
    assert rows[1].count("no reading") == rows[2].count("no reading") == 1


def test_what_a_card_does_not_tell_is_said() -> None:
    session = host(2)
    session.add(sample(1, 31.0, power_w=None, status={"power_w": "not_supported"}))
    assert re.search(r"1800  n/a  41", drawn(session)[2])


def test_names_stand_where_they_tell_cards_apart() -> None:
    info = SessionInfo(
        t=0.0,
        instrument="telemetry",
        device=device(0),
        neighbours=[device(1, name="NVIDIA\x1b[2J T400 with a long name")],
    )
    text = "\n".join(drawn(fold([info]), 120))
    assert "NVIDIA H200" in text
    assert "T400" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("count", [2, 8, 16])
@pytest.mark.parametrize(
    "size", [(80, 18), (60, 10), (48, 17), (30, 6), (20, 3), (104, 40), (9, 1)]
)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_any_size_shows_the_cursors_card(count: int, size: tuple[int, int], glyphs: Glyphs) -> None:
    session = host(count)
    for card in range(count):
        rows = drawn(session, *size, card=card, glyphs=glyphs)
        if size[1] > 2:
            here = next(r for r in rows if r[1:2] == glyphs.here)
            assert str(card) in here[2:5]
            assert not re.search(r"(?<=[ \d])\d+\.$", here.rstrip())


def test_a_damaged_list_of_neighbours_is_drawn() -> None:
    wild = [device(1), device(1), Device(), device(1023, sm_max_mhz=0.0), device(0)]
    session = fold([SessionInfo(t=0.0, instrument="telemetry", device=device(0), neighbours=wild)])
    session.add(sample(1023, 1.0, sm_mhz=1e12, util=1e12, mem_used_bytes=1 << 60))
    rows = drawn(session, card=99, focused=77)
    assert re.match(r" ▸1023 ", rows[3])
    assert "n/a" in rows[3]
    without = fold([msgspec.structs.replace(SessionInfo(t=0.0), neighbours=wild)])
    drawn(without)
