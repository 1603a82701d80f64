"""The check form: what can be typed, what is answered, and its rows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events
from textual.pilot import Pilot

from roofwatch.notebook.entry import READ
from roofwatch.notebook.finding import Finding
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.verdict import Verdict
from roofwatch.session.cards import packaged_cards
from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.fold import fold
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.notebook.check_answer import Answer, answer_to
from roofwatch.tui.notebook.check_answer import rows as answer_rows
from roofwatch.tui.notebook.check_fields import FIELDS, Entry, option
from roofwatch.tui.notebook.check_form import CheckForm, build, entry_for, hint, keys, most_scroll
from roofwatch.tui.screen.app import RoofwatchApp

CARDS = Cards(packaged_cards())
T4 = {
    "gpu": "T4",
    "op": "add_scalar",
    "elements": "524288",
    "dtype": "fp16",
    "claimed": "900GB/s",
    "time": "4.7us",
}
Compare = Callable[[RoofwatchApp, str], None]


def filled(**texts: str) -> Entry:
    """An entry as if each field had been typed in turn."""
    entry = Entry("")
    for name, text in texts.items():
        while entry.open != name:
            entry.step(1)
        entry.clear()
        entry.type(text)
    return entry


def said(entry: Entry, cells: int = 76) -> str:
    return "\n".join(text_of(r) for r in answer_rows(answer_to(entry, CARDS), cells, UNICODE))


def test_900_gbs_from_1_mib_on_a_t4_is_the_cache() -> None:
    text = said(filled(**T4))
    assert text.startswith("✗ wrong   900 GB/s   281 % of nominal   0.250 FLOP/byte")
    assert "Tesla T4" in text
    assert "expected 240 – 288 GB/s" in text
    assert "E2 l2-hit" in text
    assert "Why  " in text


def test_empty_fields_are_asked_for_calmly() -> None:
    text = said(Entry("NVIDIA H200"))
    assert "Type a time or a claimed rate" in text
    assert "expected 3768 – 4512 GB/s" in text
    assert "▲" not in text
    assert "✗" not in text


def test_an_unfinished_unit_is_asked_back_and_the_rest_is_answered() -> None:
    entry = filled(**{**T4, "time": "4.7"})
    answer = answer_to(entry, CARDS)
    assert answer.unfinished.startswith("time '4.7' has no unit")
    assert answer.verdict.verdict == "wrong"
    entry.step(1)
    answer = answer_to(entry, CARDS)
    assert answer.unfinished == ""
    assert said(entry).startswith("▲ time '4.7' has no unit")


def test_a_card_with_several_forms_is_asked_back() -> None:
    text = said(filled(gpu="A100", op="matmul", dtype="bf16", claimed="200TFLOP/s"))
    assert text.startswith("? cannot say")
    assert "may be NVIDIA A100-SXM4-40GB" in text
    assert "To say more, add: gpu" in text


@pytest.mark.parametrize(
    ("figure", "name"),
    [("65TFLOP/s", "nominal_tflops"), ("320GB/s", "nominal_gbs"), ("65", "nominal_gbs")],
)
def test_what_it_is_compared_with_goes_by_its_unit(figure: str, name: str) -> None:
    entry = filled(op="matmul", nominal=figure)
    assert entry.given()[name] == figure


def test_a_wrong_peak_is_found() -> None:
    text = said(
        filled(gpu="T4", op="matmul", dtype="fp32", claimed="7TFLOP/s", nominal="65TFLOP/s")
    )
    assert "E3 wrong-peak" in text


def test_fields_fit_the_op() -> None:
    assert "elements" in Entry("").columns()[0]
    assert filled(op="matmul").columns()[0][-3:] == ("m", "n", "k")
    assert filled(op="gemm").columns()[0][-3:] == ("m", "n", "k")
    assert filled(op="sof").columns()[0][-2:] == ("m", "n")
    assert filled(op="decode").columns()[0][3:] == (
        "params",
        "batch",
        "kv_bytes_per_token",
        "kv_len",
    )
    assert filled(op="h2d").columns()[0][-1] == "read_bytes"
    assert filled(op="nonsense").columns()[0][-1] == "elements"


def test_what_was_typed_for_another_op_is_kept_but_not_sent() -> None:
    entry = filled(op="matmul", m="4096")
    while entry.open != "op":
        entry.step(1)
    entry.type("copy")
    assert "m" not in entry.given()
    entry.step(1)
    entry.step(-1)
    entry.type("matmul")
    assert entry.given()["m"] == "4096"


def test_typing_replaces_what_is_marked_and_completes_a_choice() -> None:
    entry = filled(op="add_scalar")
    entry.step(1)
    entry.step(-1)
    assert entry.taken
    entry.type("m")
    assert (entry.text("op"), entry.completion("op"), entry.meant("op")) == ("m", "atmul", "matmul")
    entry.step(1)
    assert entry.text("op") == "matmul"


def test_choices_go_round() -> None:
    entry = filled(synchronized="")
    seen = []
    for _ in range(4):
        entry.choose(1)
        seen.append(entry.text("synchronized"))
    assert seen == ["yes", "no", "", "yes"]
    entry = filled(op="other")
    entry.choose(1)
    assert entry.text("op") == "matmul"


@pytest.mark.parametrize("cells", [36, 60, 78, 100, 140, 200])
def test_choices_stand_there_whole_and_the_one_made_is_among_them(cells: int) -> None:
    entry = Entry("Tesla T4")
    entry.open = "op"
    choices = FIELDS["op"].choices
    for _ in choices:
        entry.choose(1)
        (line,) = (text_of(r).rstrip() for r in hint(entry, None, cells, UNICODE))
        words = line.partition("←→ ")[2].split()
        shown = [w for w in words if w != "…"]
        first = choices.index(shown[0])
        assert tuple(shown) == choices[first : first + len(shown)]
        assert entry.meant("op") in shown
        assert (words[0] == "…") == (first > 0)
        assert (words[-1] == "…") == (shown[-1] != choices[-1])


def test_editing_within_a_field() -> None:
    entry = filled(time="47us")
    entry.go(-3)
    entry.type(".")
    assert entry.text("time") == "4.7us"
    entry.erase()
    entry.erase(ahead=True)
    assert entry.text("time") == "4us"
    entry.clear()
    entry.erase()
    entry.erase(ahead=True)
    assert entry.text("time") == ""


KEYS = st.one_of(
    st.tuples(st.just("type"), st.text(max_size=6)),
    st.tuples(st.sampled_from(["step", "choose", "go"]), st.sampled_from([-1, 1])),
    st.tuples(st.sampled_from(["erase", "clear"]), st.none()),
)


@settings(deadline=None)
@given(st.lists(KEYS, max_size=25), st.sampled_from([(76, 22), (100, 30), (40, 12), (20, 5)]))
def test_whatever_is_typed_the_form_keeps_its_size(
    keys: list[tuple[str, object]], size: tuple[int, int]
) -> None:
    entry = Entry("T4")
    for name, value in keys:
        act = getattr(entry, name)
        if name == "choose" and not FIELDS[entry.open].choices:
            continue
        act() if value is None else act(value)
    answer = answer_to(entry, CARDS)
    for glyphs in (UNICODE, ASCII):
        for scroll in (0, most_scroll(entry, answer, *size, glyphs)):
            rows = build(entry, answer, *size, glyphs, scroll)
            assert [width(r) for r in rows] == [size[0]] * size[1]
            assert not any(ord(c) < 32 for r in rows for c in text_of(r))


@pytest.mark.parametrize(("cells", "height"), [(76, 22), (100, 32)])
def test_chinese_answers_keep_its_size(chinese: list[Finding], cells: int, height: int) -> None:
    verdict = Verdict(
        id=None,
        verdict="wrong",
        gbs=900.0,
        judged="gbs",
        gpu="特斯拉" * 20,
        gpu_note="这个名字可能是好几块卡，" * 12,
        missing=["dtype"],
        findings=chinese,
    )
    entry = filled(gpu="我的显卡" * 30, op="matmul", time="四点七微秒")
    answer = Answer(verdict, unfinished="时间没有单位，" * 20, asked=True)
    for _ in range(12):
        rows = build(entry, answer, cells, height, UNICODE)
        assert [width(r) for r in rows] == [cells] * height
        entry.step(1)
        entry.go(-3)


async def fill(pilot: Pilot[None], *texts: str) -> None:
    """Types texts into field after field; an empty one is passed over."""
    names = {"/": "slash", ".": "full_stop", " ": "space"}
    for text in texts:
        await pilot.press(*(names.get(c, c) for c in text), "tab")


async def opened(pilot: Pilot[None]) -> CheckForm:
    await pilot.pause(0.3)
    await pilot.press("c")
    await pilot.pause(0.3)
    form = pilot.app.screen
    assert isinstance(form, CheckForm)
    return form


async def test_the_form_answers_as_one_types(h200_file: Path, same_picture: Compare) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await opened(pilot)
        assert form.entry.text("gpu") == "NVIDIA H200"
        await pilot.press(*["shift+tab"] * 4)
        assert form.entry.open == "gpu"
        await fill(pilot, "T4", "", "fp16", "524288", "4.7us", "900GB/s")
        await pilot.pause(0.2)
        text = "\n".join(form.pane.lines)
        assert "✗ wrong   900 GB/s" in text
        assert "E2 l2-hit" in text
        same_picture(app, "check-80x24")
        assert "more rows" in str(form.pane.border_subtitle)
        await pilot.press("pagedown")
        assert "✗ wrong" not in "\n".join(form.pane.lines)
        await pilot.press("pageup", "escape")
        await pilot.pause(0.1)
        assert len(app.screen_stack) == 1


async def test_bad_input_is_one_calm_line(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await opened(pilot)
        await pilot.press("tab", *"900G")
        lines = form.pane.lines
        assert any("claimed '900G' has an unknown unit 'G': GB/s" in line for line in lines)
        assert any("Type a time or a claimed rate" in line for line in lines)
        await pilot.press("tab")
        assert any(line.startswith("▲ claimed '900G'") for line in form.pane.lines)


async def test_every_letter_is_text_there_and_ctrl_c_still_quits(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await opened(pilot)
        await pilot.press(*"qrs14jkpc", "question_mark", "left_square_bracket", "ctrl+u", "q")
        assert form.entry.text("time") == "q"
        app.post_message(events.Paste("[red]4\x1b[2J\nmore"))
        await pilot.pause(0.1)
        assert form.entry.text("time") == "q[red]4\x1b[2J"
        assert "q[red]4�[2J" in form.pane.lines[0]
        await pilot.press("ctrl+c")
        await pilot.pause(0.1)
    assert app.return_code == 0


async def test_a_broken_card_file_is_said_and_the_table_is_used(
    h200_file: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "config" / "roofwatch"
    mine.mkdir(parents=True)
    (mine / "nominal.toml").write_text("[red")
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await opened(pilot)
        assert "nominal.toml" in str(form.pane.border_title)
        assert any("expected 3768" in line for line in form.pane.lines)


async def test_it_follows_the_size_of_the_terminal(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(200, 60)) as pilot:
        form = await opened(pilot)
        for size, inner in (((200, 60), (100, 32)), ((50, 14), (46, 12)), ((80, 24), (76, 22))):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.3)
            assert (form.pane.size.width, form.pane.size.height) == inner
            assert len(form.pane.lines) == inner[1]


def test_a_cpu_is_no_card_to_judge_by() -> None:
    cpu = Device(kind="cpu", name="Intel(R) Xeon(R) Processor")
    entry = entry_for(cpu, None)
    assert (entry.text("gpu"), entry.open) == ("", "gpu")
    card = Device(kind="cuda", name="NVIDIA H200")
    entry = entry_for(card, None)
    assert (entry.text("gpu"), entry.open) == ("NVIDIA H200", "time")


def test_a_card_that_shows_up_later_does_not_replace_what_was_typed() -> None:
    card = Device(kind="cuda", name="NVIDIA H200")
    entry = entry_for(Device(), None)
    assert entry_for(card, entry) is entry
    assert entry.text("gpu") == "NVIDIA H200"
    for typed in ("T4", ""):
        entry = filled(gpu=typed, op="copy")
        entry._offered = "NVIDIA A100"
        assert entry_for(card, entry).text("gpu") == typed


async def test_on_a_cpu_the_form_answers_for_the_card_one_types(h200_file: Path) -> None:
    replay = Replay(h200_file)
    cpu = Device(kind="cpu", name="Intel(R) Xeon(R) Processor")
    replay.session = fold([SessionInfo(t=0.0, instrument="telemetry", device=cpu)])
    app = RoofwatchApp(replay, UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await opened(pilot)
        assert "Intel" in app.dashboard.pane("header").lines[0]
        assert "Intel" not in "\n".join(form.pane.lines)
        await fill(pilot, "T4", "", "fp16", "524288", "", "900GB/s")
        assert any("900 GB/s" in line and "Tesla T4" in line for line in form.pane.lines)


async def test_what_was_typed_stands_there_when_it_is_opened_again(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        form = await opened(pilot)
        await fill(pilot, "4.7us", "900GB/s")
        before = form.pane.lines
        await pilot.press("escape")
        await pilot.pause(0.1)
        assert len(app.screen_stack) == 1
        again = await opened(pilot)
        assert again is not form
        assert again.pane.lines == before
        assert any("4.7us" in line for line in before)


def test_the_frame_names_the_keys_in_one_line() -> None:
    whole = "12 more rows: PgDn   Tab next   Shift-Tab back   ←→ choices   Esc closes"
    assert keys(12, 0, 74, UNICODE) == whole  # in a frame at 80 columns
    assert keys(12, 0, 60, UNICODE) == "12 more rows: PgDn   Tab next   Shift-Tab back   Esc closes"
    assert keys(12, 0, 45, UNICODE) == "12 more rows: PgDn   Tab next   Esc closes"
    assert keys(12, 0, 33, UNICODE) == "12 more rows: PgDn   Esc closes"
    assert keys(12, 0, 20, UNICODE) == "Esc closes"
    assert keys(0, 5, 74, UNICODE).startswith("5 rows above: PgUp   ")
    assert keys(0, 0, 74, UNICODE).startswith("Tab next   Shift-Tab back")
    assert keys(0, 0, 74, ASCII).isascii()


def test_a_long_text_shows_its_head_and_that_it_goes_on() -> None:
    name = "NVIDIA RTX PRO 6000 Blackwell Workstation Edition"
    entry = filled(gpu=name)
    open_row = text_of(build(entry, None, 76, 22, UNICODE)[0])
    assert "…" in open_row  # where one types: the end, and that something is before it
    assert "Edition" in open_row
    entry.step(1)
    assert " NVIDIA RTX PRO 60… " in text_of(build(entry, None, 76, 22, UNICODE)[0])
    assert " NVIDIA RTX PRO... " in text_of(build(entry, None, 76, 22, ASCII)[0])
    entry.step(-1)
    assert entry.taken
    assert " NVIDIA RTX PRO 60… " in text_of(build(entry, None, 76, 22, UNICODE)[0])


def test_labels_and_hints_are_the_command_lines_words() -> None:
    for name, field in FIELDS.items():
        for one in option(name).split(" / "):
            assert one.removeprefix("--").replace("-", "_") in READ
        words = set(field.label.replace("/", " ").split())
        assert words <= set(option(name).replace("--", "").replace("-", " ").split()), name
        entry = Entry("T4")
        entry.open = name
        line = text_of(hint(entry, None, 76, UNICODE)[0])
        assert line.startswith(f"  {option(name)}  ")
        assert field.choices or "…" not in line  # of a long list words are left out, none is cut
    entry.open = "kv_bytes_per_token"
    (told,) = hint(entry, None, 76, UNICODE)
    assert text_of(told).startswith("  --kv-bytes-per-token  of the KV")
    for cells in range(30, 60):  # where it is narrow it goes on below
        rows = [text_of(r) for r in hint(entry, None, cells, UNICODE)]
        assert all(len(r) == cells for r in rows)
        assert "".join("".join(rows).split()) == "".join(text_of(told).split())


def test_guesses_beyond_two_are_named_in_the_form_too() -> None:
    text = said(filled(gpu="T4", op="matmul", dtype="fp16", claimed="20TFLOP/s"))
    assert text.count("Why  ") == 2
    assert "Also possible: " in text


def test_a_number_a_little_outside_is_not_praised() -> None:
    entry = filled(**{**T4, "elements": str(1 << 29), "time": "", "claimed": "290GB/s"})
    text = said(entry)
    assert text.startswith("✓ believable")
    assert "A little outside that range" in text
    assert "Nothing smells wrong" not in text


def test_the_first_paint_pays_for_neither_form_nor_cards() -> None:
    code = "import sys, roofwatch.tui.screen.app; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    late = {
        "roofwatch.tui.notebook.check_form",
        "roofwatch.tui.notebook.error_page",
        "roofwatch.notebook.verdict",
    }
    assert not late & set(found.stdout.split())
