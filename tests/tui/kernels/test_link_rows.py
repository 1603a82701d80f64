"""Links as rows: what is held against what, a matrix of cards, sizes; at every width, in ASCII."""

from __future__ import annotations

import pytest

from roofwatch.session.links import BOTH, ONE_WAY, Link, LinkSize
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.kernels import link_rows

SIZES = [
    LinkSize(1 << 16, 6.1, 1.1e-5),
    LinkSize(1 << 22, 45.0, 9e-5),
    LinkSize(1 << 30, 55.4, 2e-2),
]


def host(kind: str = "pinned", gbs: float = 55.4, gen: int | None = 5) -> Link:
    return Link(
        source="host",
        sink="card 0",
        kind=kind,
        direction=ONE_WAY,
        link="pcie",
        bytes=1 << 28,
        gbs=gbs,
        nominal_gbs=63.0,
        of_nominal=gbs / 63.0,
        latency_s=9e-6,
        gen=gen,
        lanes=16 if gen else None,
        carries_gbs=63.0 if gen else None,
        within_expected=True,
        sizes=SIZES,
    )


def peers(count: int, link: str = "nvlink") -> list[Link]:
    return [
        Link(
            source=f"card {a}",
            sink=f"card {b}",
            kind="peer",
            direction=direction,
            link=link,
            bytes=1 << 28,
            gbs=390.0 if direction == ONE_WAY else 760.0,
            nominal_gbs=450.0,
            of_nominal=390 / 450,
            latency_s=1e-5,
            sizes=SIZES,
        )
        for a in range(count)
        for b in range(count)
        for direction in (ONE_WAY, BOTH)
        if a != b and (direction == ONE_WAY or a < b)
    ]


def text(found: list[Link], cells: int = 80) -> str:
    return "\n".join(text_of(r) for r in link_rows.build(found, cells, UNICODE))


def test_the_host_link_is_said_with_what_it_was_under_load() -> None:
    said = text([host(), host("pageable", 19.4)])
    assert "Host and card over PCIe 5 x16 as read under load, 63 GB/s a direction" in said
    assert "host > card 0 pinned 55.4 88 % 9 us 63 256 MiB" in " ".join(said.split())
    assert "not read" in text([host(gen=None)])


def test_four_cards_are_a_matrix_with_the_links_letter() -> None:
    said = text(peers(4))
    assert "390 N" in said
    assert "N NVLink" in said
    assert "nominal 450 GB/s a direction" in said
    rows = [line for line in said.splitlines() if line.strip().startswith("card ")]
    assert sum("390 N" in line for line in rows) == 4
    assert "card 0 <> card 1" in said


def test_what_goes_through_the_host_is_told_from_a_peer() -> None:
    assert "h through the host" in text(peers(2, "through the host"))
    assert "? unknown link" in text(peers(2, "unknown"))


def test_pairs_of_more_cards_than_a_matrix_has_name_their_link_in_words() -> None:
    lines = [line for line in text(peers(9)).splitlines() if "card 0 > card 1 " in line]
    assert [line.split()[-1] for line in lines] == ["NVLink"]


@pytest.mark.parametrize("cells", [40, 80, 120, 200])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_rows_keep_their_width(cells: int, glyphs: object) -> None:
    found = [host(), host("pageable"), *peers(12)]
    rows = link_rows.build(found, cells, glyphs)  # type: ignore[arg-type]
    assert max(map(width, rows)) <= cells
    if glyphs is ASCII:
        assert "\n".join(map(text_of, rows)).isascii()


def test_sizes_stand_under_each_other() -> None:
    said = text([host(), host("pageable", 19.4)])
    lines = [line for line in said.splitlines() if "KiB" in line or "GiB" in line]
    assert lines[0].split()[:4] == ["64", "KiB", "6.1", "6.1"]


def test_nothing_measured_is_nothing() -> None:
    assert link_rows.build([], 80, UNICODE) == []
