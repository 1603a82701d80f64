"""The record as Markdown: complete, tables that hold, nothing in it that is markup of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.anonymous import anonymous
from roofwatch.session.events import AnyEvent, Device, Fault, Note, Price, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.markdown import markdown, text
from roofwatch.session.table import probe_rows
from roofwatch.session.three_digits import three_digits

SESSIONS = Path(__file__).parent.parent / "sessions"


@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda p: p.stem)
def test_every_table_holds_its_columns_and_fits_a_comment(path: Path) -> None:
    text = markdown(fold(events(path)))
    assert text.endswith("\n")
    assert len(text.encode()) < 65_536  # of a comment on GitHub
    for block in text.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1


def test_it_says_what_the_record_says(full: Session) -> None:
    text = markdown(full)
    assert "**NVIDIA H200**" in text
    assert "driver 580.159.04" in text
    assert "| bf16 | 989 | 831 | 696 | TFLOP/s | 84 % | 189 |" in text
    assert "DRAM 4389 GB/s, 91 % of 4800 nominal" in text
    assert "SM clock 1432 of 1980 MHz: power limit 700 W reached, costs 135 bf16 TFLOP/s" in text
    for spec in full.specs:
        assert f"| {spec.label} |" in text
    assert full.host is not None
    assert full.host not in text.split()


def test_a_burst_that_is_as_held_says_so(full: Session) -> None:
    full.measurements = [
        msgspec.structs.replace(m, times_s=[2 * t for t in m.times_s])
        if m.probe == "matmul-bf16"
        else m
        for m in full.measurements
    ]
    assert "| bf16 | 989 | 696, as held | 696 | TFLOP/s | 70 % |" in markdown(full)


def test_it_has_what_the_text_has(full: Session) -> None:
    text = markdown(full)
    head = text.partition("\n")[0]
    assert f"session {full.id} · full, {full.duration_s:.0f} s" in head
    assert "| copy fp16 | 3984 – 4512 | 4271 | GB/s | ✓ | 89 % |  |" in text
    assert re.search(
        r"^- expected, add_scalar fp16, .*: 83 % to 94 % of nominal 4800 GB/s, as p", text, re.M
    )
    assert "- expected, matmul bf16: around 790, the best published for this card" in text
    assert "- skipped, matmul fp4: no fp4 unit on compute capability 9.0 (from 10.0)" in text
    assert text.count("no fp4 unit") == 1
    assert "- · **E2** note, add_scalar fp16 sizes: Up to 5451 GB/s" in text
    assert "- nothing smells wrong" in text
    assert text.count("SM clock 1432") == 2  # the finding, and the second answer
    assert "- ✓ ok: the ridge lies in its expected range" in text


def test_a_code_in_a_table_is_explained_below_it() -> None:
    for name in ("cpu/full-1", "cpu/decode-1", "h200-full-1", "h200-mistakes-1", "two/links"):
        session = fold(events(SESSIONS / f"{name}.jsonl"))
        session.closed = True
        text = markdown(session)
        codes = {code for r in probe_rows(session) for code in r.codes}
        assert codes
        for code in codes:
            assert f"**{code}** " in text, (name, code)


def test_marks_notes_and_repeated_blocks_of_a_cpu() -> None:
    session = fold(events(SESSIONS / "cpu" / "full-1.jsonl"))
    session.closed = True
    text = markdown(session)
    assert "| add_scalar fp32 | 6 – 60 | 4.51 | GB/s | ▲ |" in text
    assert "both blocks are repeated" in text
    assert (
        "- · add_scalar fp32 was measured again: 4.51 GB/s stands, the better of 4.51, 4.03" in text
    )
    assert "TFLOP/s" not in text
    assert "| matmul fp32 | 31.9 – 147 | 10.7 | GFLOP/s | ▲ |" in text
    assert "matmul fp32 is not to be believed as a roof: below its expected range" in text


def test_notes_and_faults_name_no_host_and_no_path_and_stay_short() -> None:
    session = fold(events(SESSIONS / "h200-quick-1.jsonl"))
    session.host = "gpu-box-17"
    what = "/root/kept/x.jsonl on gpu-box-17: | *no* space left"
    session.notes += [Note(t=1.0, text=f"{i}: {what} {'x' * 5000}") for i in range(500)]
    session.faults.append(Fault(t=1.0, instrument="parent", what=what))
    session.price = Price(per_hour=1.99, currency="EUR")
    text = markdown(session)
    assert len(text) < 65_536
    assert "gpu-box-17" not in text
    assert "/root" not in text
    assert "- ✗ (removed) on (removed): \\| \\*no\\* space left" in text
    assert "more" in text
    session.notes.clear()
    spent = session.duration_s * 1.99 / 3600
    assert f"cost {three_digits(spent)} EUR" in markdown(session)


def test_a_card_with_a_hostile_name_is_text() -> None:
    name = "|<b>*x*</b>`@all`[a](b)\x1b[2J"
    found = fold(
        [
            SessionInfo(t=0.0, schema="roofwatch.session/1", suite="quick"),
            SessionInfo(t=0.1, instrument="telemetry", device=Device(kind="cuda", name=name)),
        ]
    )
    text = markdown(found)
    assert "\x1b" not in text
    assert "<b>" not in text
    assert "@all" not in text
    assert "this session is not complete" in text


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("_x_ and a_b", r"\_x\_ and a_b"),
        ("~~gone~~ but ~5", r"\~\~gone\~\~ but ~5"),
        ("see #12, C# is none", "see &#35;12, C# is none"),
        ("WWW.example.org", "WWW&#46;example.org"),
        ("&#35; @all <b>", "&amp;&#35;35; &#64;all &lt;b>"),
    ],
)
def test_nothing_of_others_acts_where_it_is_pasted(said: str, written: str) -> None:
    assert text(said) == written


def test_a_session_that_measured_nothing_has_its_probes_all_the_same(
    on_card: Callable[..., Session],
) -> None:
    empty = on_card(without="-")
    assert "| kernel" in markdown(empty)
    assert msgspec.json.encode(markdown(empty))


OURS = ("bandwidth", "decode", "roofwatch", "bf16", "torch", "matmul", "nominal", "card", "ms")


@pytest.mark.parametrize("name", ["h200-full-1", "h200-decode-1", "two/links"])
@pytest.mark.parametrize("made", [list, anonymous], ids=["named", "anonymous"])
def test_a_host_with_an_ordinary_name_costs_no_word_of_ours(
    name: str, made: Callable[[list[AnyEvent]], Iterable[AnyEvent]]
) -> None:
    path = SESSIONS / f"{name}.jsonl"
    whole = markdown(fold(events(path)))
    for host in OURS:
        told = [
            msgspec.structs.replace(e, host=host) if isinstance(e, SessionInfo) and e.host else e
            for e in events(path)
        ]
        assert markdown(fold(made(told))) == whole
        told.append(Note(t=1.0, text=f"on {host.upper()}: no space"))
        assert "- · on (removed): no space" in markdown(fold(made(told)))


def test_versions_in_the_title_name_no_host() -> None:
    session = fold(events(SESSIONS / "h200-quick-1.jsonl"))
    session.host = "annsbox"
    session.software = msgspec.structs.replace(session.software, driver="595.1 annsbox")
    title = markdown(session).splitlines()[0]
    assert "595.1" in title
    assert "annsbox" not in title
