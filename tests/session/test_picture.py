"""The roofline as a file: what stands in it, that it is reproducible, and what is refused."""

from __future__ import annotations

import itertools
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from roofwatch.cli import main
from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.picture import PictureRefused, draw, fill, write
from roofwatch.session.points import points
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.ridges import ridges
from roofwatch.session.roofs import WHICH, roofs
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.roofline.roofline_pane import build

KEYS = ("bf16", "fp32", "fp8_fast", "int8")
Words = Callable[..., str]


@pytest.fixture
def drawing() -> None:
    """For tests that draw."""
    pytest.importorskip("matplotlib", reason="needs matplotlib, the extra roofwatch[plot]")


@pytest.fixture
def words(tmp_path: Path, drawing: None) -> Words:
    """Every text of an SVG, one a line."""

    def drawn(session: Session, key: str | None = None) -> str:
        path = tmp_path / "roof.svg"
        draw(session, key, path)
        found = ET.parse(path).iter("{http://www.w3.org/2000/svg}text")
        return "\n".join("".join(element.itertext()) for element in found)

    return drawn


@pytest.mark.parametrize("key", KEYS)
def test_a_picture_says_every_figure(h200: Session, words: Words, key: str) -> None:
    text, own = words(h200, key), roofs(h200)
    flat = own.compute[key]
    unit = "TOPS" if key == "int8" else "TFLOP/s"
    for which in WHICH:
        peak = flat.flat(which)
        if peak is None:
            assert which not in text
            continue
        figure = f"{peak:.0f}" if peak >= 100 else f"{peak:.1f}"
        slope = own.nominal_gbs if which == "nominal" else own.bandwidth_gbs
        assert f"{which}\n{figure} {unit}, {slope:.0f} GB/s" in text
        assert f"\n{which} {figure}" in text
        ridge = ridges(own, key)[which]
        assert f"ridge {ridge:.0f} {which}" in text or f"ridge {ridge:.1f} {which}" in text
    for letter, point in zip("ABC", points(h200, own, key), strict=False):
        assert re.search(rf"{letter} +{point.name}\n", text)
    assert f"NVIDIA H200  ·  {key}" in text
    assert "power limit 700 W  ·  recorded 2026-11-29 17:30 UTC" in text
    assert "arithmetic intensity, FLOP/byte\n" in text
    assert f"\n{unit}\n" in text


def test_without_a_key_it_is_the_precision_that_was_held(h200: Session, words: Words) -> None:
    assert words(h200) == words(h200, "bf16")
    assert "sustained 679, 69 % of nominal" in words(h200)


def test_a_sweep_over_sizes_is_a_trace_without_letters(full: Session, words: Words) -> None:
    text = words(full, "bf16")
    assert "matmul bf16\nsquares of growing size" in text
    assert "bf16 square 512" not in text
    assert re.search(r"C +bf16 sustained\n", text)
    assert "squares" not in words(full, "fp16")


@pytest.mark.parametrize("suffix", [".svg", ".PNG"])
def test_drawn_twice_it_is_the_same_file(
    h200: Session, tmp_path: Path, drawing: None, suffix: str
) -> None:
    first, second = (tmp_path / f"{name}{suffix}" for name in "ab")
    draw(h200, "bf16", first)
    draw(h200, "bf16", second)
    assert first.read_bytes() == second.read_bytes()


def test_a_png_has_the_size_of_a_screen(h200: Session, tmp_path: Path, drawing: None) -> None:
    path = tmp_path / "roof.png"
    path.write_text("an older picture")
    draw(h200, "int8", path)
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (1200, 750)


def test_names_stand_apart_and_inside(h200: Session, tmp_path: Path, drawing: None) -> None:
    path = tmp_path / "roof.svg"
    for key in roofs(h200).compute:
        draw(h200, key, path)
        names = [
            (float(y), text)
            for y, text in re.findall(
                r'y="([\d.]+)"[^>]*>((?:nominal|burst|sustained) \d[^<]*)<', path.read_text()
            )
        ]
        assert len(names) >= 2
        ys = sorted(y for y, _ in names)
        assert all(b - a >= 14 for a, b in itertools.pairwise(ys)), (key, names)


def without(session: Session, *protocols: str) -> Session:
    """The session as if these had not been measured."""
    session.measurements = [m for m in session.measurements if m.protocol not in protocols]
    return session


def test_before_anything_is_measured_the_nominal_roof_stands(h200: Session, words: Words) -> None:
    text = words(without(h200, "stream", "burst", "sustained"))
    assert "nominal\n989 TFLOP/s, 4800 GB/s" in text
    assert "burst" not in text


def test_half_a_roof_is_drawn_too(h200: Session, words: Words) -> None:
    text = words(without(h200, "burst", "sustained"), "fp16")
    assert "measured\n4285 GB/s" in text
    h200.nominal = None
    text = words(h200)  # no flat of any precision: the slope alone
    assert "measured\n4285 GB/s" in text
    assert "A  add_scalar fp16" in text


def test_a_flat_without_a_slope(h200: Session, words: Words) -> None:
    h200.nominal = None
    text = words(without(h200, "stream", "sustained"))
    assert "burst\n818 TFLOP/s\n" in text
    assert "ridge" not in text


CPU = Path(__file__).parent.parent / "sessions" / "cpu" / "full-1.jsonl"


def by(session: Session, **factors: float) -> Session:
    """The session with the times of these protocols so many times as long."""
    session.measurements = [
        structs.replace(m, times_s=[t * factors.get(m.protocol, 1.0) for t in m.times_s])
        for m in session.measurements
    ]
    return session


def line(session: Session, which: str) -> tuple[list[float], list[float]]:
    """Where one roof is drawn, in FLOP per byte and TFLOP/s."""
    from matplotlib.figure import Figure

    axes = Figure().add_axes((0.0, 0.0, 1.0, 1.0))
    fill(axes, session, roofs(session), "bf16")
    (drawn,) = (one for one in axes.lines if str(one.get_label()).startswith(f"{which}\n"))
    return [*map(float, drawn.get_xdata())], [*map(float, drawn.get_ydata())]


def test_a_sustained_roof_under_the_burst_leaves_the_slope_they_share(
    full: Session, drawing: None
) -> None:
    (x, _), (y, _) = line(full, "sustained")
    own = roofs(full)
    assert own.held_gbs is not None
    assert x == pytest.approx(ridges(own, "bf16")["sustained"])
    assert y == pytest.approx(own.compute["bf16"].sustained_tflops)


@pytest.mark.parametrize("slower", [1.22, 2.0])  # as held within 3 %, and disturbed
def test_a_sustained_roof_is_never_drawn_over_the_burst(
    full: Session, words: Words, slower: float
) -> None:
    session = by(full, burst=slower)
    flat = roofs(session).compute["bf16"]
    assert flat.one
    for which in ("burst", "sustained"):
        assert line(session, which)[1][-1] == flat.burst_tflops
    text = words(session, "bf16")
    burst, held = f"{flat.burst_tflops:.0f}", f"{flat.sustained_tflops:.0f}"
    named = f"burst, sustained {held}" if flat.lifted else f"burst {burst}, sustained {held}"
    assert text.count(f"{named}, ") == 1  # then its share of nominal
    assert "\nsustained 7" not in text.replace("sustained\n", "")
    at = ridges(roofs(session), "bf16")
    assert len(re.findall(r"ridge \d+ (?:burst|sustained)", text)) == len(
        {at["burst"], at["sustained"]}
    )


def test_what_was_held_with_another_slope_has_a_line_of_its_own(
    full: Session, drawing: None
) -> None:
    session = by(full, sustained=1.5)
    xs, ys = line(session, "sustained")
    burst = line(session, "burst")
    assert xs[0] == burst[0][0]  # from the left, as the burst roof
    assert ys[0] < burst[1][0] / 1.4


def test_a_slow_devices_picture_has_the_units_of_its_screen(words: Words) -> None:
    session = fold(events(CPU))
    scale = rate_scale(session)
    text, flat = words(session, "fp32"), roofs(session).compute["fp32"]
    assert scale.of("fp32") == "GFLOP/s"
    assert flat.burst_tflops is not None
    assert f"burst\n{flat.burst_tflops * 1e3:.3g} GFLOP/s, 4.66 GB/s" in text  # as held
    assert f"\nburst {flat.burst_tflops * 1e3:.3g}\n" in text
    assert "\nGFLOP/s\n" in text
    assert "\n10\n" in text  # on the axis
    assert "TFLOP/s" not in text


def test_where_nothing_is_known_nothing_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "roof.svg"
    with pytest.raises(PictureRefused, match="nothing to draw"):
        draw(Session(), None, path)
    assert not path.exists()


def test_a_name_is_text_whatever_it_holds(h200: Session, words: Words) -> None:
    name = "A $card$ <&> \x1b[31m \u4e2d"
    h200.add(SessionInfo(t=1.0, instrument="telemetry", device=Device(kind="cuda", name=name)))
    assert "A $card$ <&> \ufffd[31m \u4e2d" in words(h200)


def test_a_users_own_style_is_left_alone(h200: Session, tmp_path: Path, drawing: None) -> None:
    import matplotlib

    before, path = tmp_path / "before.svg", tmp_path / "after.svg"
    draw(h200, "bf16", before)
    with matplotlib.rc_context({"font.size": 20, "axes.grid.axis": "y", "svg.fonttype": "path"}):
        draw(h200, "bf16", path)
        assert matplotlib.rcParams["font.size"] == 20
    assert path.read_bytes() == before.read_bytes()


# ---- the verb ------------------------------------------------------------------------------


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """The one line that ``roofwatch show`` says when it makes no picture."""
    try:
        code = main(["show", *map(str, arguments)])
    except SystemExit as exit_:
        code = exit_.code
    said = capsys.readouterr()
    assert code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err
    return said.err


def test_show_plot_writes_a_picture_and_says_where(
    h200_file: Path, tmp_path: Path, drawing: None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "roof.svg"
    assert main(["show", str(h200_file), "--plot", str(path), "--precision", "fp8"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"the roofline is in {path}\n"
    assert "NVIDIA H200  ·  fp8<" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("key", [None, "int8"])
def test_the_text_is_the_pane(
    h200_file: Path, h200: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # it needs none
    path = tmp_path / "roof.txt"
    asked = ["--precision", key] if key else []
    assert main(["show", str(h200_file), "--plot", str(path), *asked]) == 0
    rows = [text_of(r).rstrip() for r in build(h200, 100, 30, key or "bf16", UNICODE)]
    card, under, space, *picture = path.read_text(encoding="utf-8").splitlines()
    assert card == f" NVIDIA H200  ·  {key or 'bf16'}"
    assert under == " power limit 700 W  ·  recorded 2026-11-29 17:30 UTC"
    assert (space, picture) == ("", rows)


@pytest.mark.parametrize("name", ["roof.pdf", "roof", "svg"])
def test_another_kind_of_file_is_refused(
    h200_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    said = refused(capsys, h200_file, "--plot", tmp_path / name)
    assert "ends in .svg, .png or .txt" in said
    assert not (tmp_path / name).exists()


def test_without_matplotlib_it_says_what_to_install(
    h200_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = refused(capsys, h200_file, "--plot", tmp_path / "roof.svg")
    assert "pip install matplotlib" in said
    assert ".txt needs nothing" in said


@pytest.mark.parametrize("backend", ["nonsense", "module://matplotlib_inline.backend_inline"])
def test_a_backend_for_screens_is_none_of_ours(
    h200_file: Path, tmp_path: Path, drawing: None, backend: str
) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "roofwatch", "show", h200_file, "--plot", tmp_path / "roof.svg"],
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": backend},
        check=False,
    )
    assert result.returncode == 0
    assert result.stdout == ""
    assert result.stderr == f"the roofline is in {tmp_path / 'roof.svg'}\n"


@pytest.mark.parametrize("name", ["roof.svg", "roof.png", "roof.txt"])
def test_a_file_that_cannot_be_written_is_named(
    h200_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    if not name.endswith(".txt"):
        pytest.importorskip("matplotlib", reason="needs matplotlib, the extra roofwatch[plot]")
    missing = tmp_path / "nowhere" / name
    assert f"{missing}: No such file or directory" in refused(capsys, h200_file, "--plot", missing)
    (tmp_path / name).mkdir()
    assert "is no file" in refused(capsys, h200_file, "--plot", tmp_path / name)


@pytest.mark.parametrize("name", ["roof.svg", "roof.txt"])
def test_a_precision_without_a_roof_is_refused(
    h200_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    plot = ("--plot", tmp_path / name)
    said = refused(capsys, h200_file, *plot, "--precision", "fp4")
    assert "no roof for fp4; it has bf16, fp16, tf32, fp32, fp8_fast, fp8, int8" in said
    assert "invalid choice: 'bf17'" in refused(capsys, h200_file, *plot, "--precision", "bf17")
    assert "--plot" in refused(capsys, h200_file, "--json", "--precision", "bf16")
    assert "not allowed with" in refused(capsys, h200_file, *plot, "--json")


@pytest.mark.parametrize("link", [False, True])
def test_the_session_itself_is_never_written_over(
    h200_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], link: bool
) -> None:
    path = tmp_path / "session.txt"
    path.write_bytes(h200_file.read_bytes())
    picture = tmp_path / "roof.svg" if link else path
    if link:
        picture.symlink_to(path)
    assert "is the session" in refused(capsys, path, "--plot", picture)
    assert path.read_bytes() == h200_file.read_bytes()


def test_a_picture_is_written_over_an_older_one_and_is_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "roof.txt"
    write(path, b"a longer text")
    write(path, b"short")
    assert path.read_bytes() == b"short"
    assert path.stat().st_mode & 0o777 == 0o600
