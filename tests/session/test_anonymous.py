"""Nothing that tells whose session it was is left in any output."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.session.anonymous import GONE, anonymous, clean
from roofwatch.session.events import AnyEvent, End, Fault, Measurement, Note, Sample, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.markdown import markdown, record_markdown
from roofwatch.session.people import people_in
from roofwatch.session.same_card import same_card
from roofwatch.session.stand_ins import StandIns, is_stand_in
from roofwatch.session.summary import record
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.report import report

SESSIONS = Path(__file__).parent.parent / "sessions"
HOST = "trainer-7"
UUID = "GPU-0123abcd-4f64-373b-2809-94bb45e03e0a"
SECRETS = (
    HOST,
    UUID,
    "0123abcd",
    "alice",
    "/home",
    "/mnt/secret",
    "0000:3b:00.0",
    "10.1.2.3",
    "my runs",
)


def planted(path: Path) -> list[AnyEvent]:
    """A kept session with its owner's strings wherever a run may have written them."""
    out: list[AnyEvent] = []
    for event in events(path):
        if isinstance(event, SessionInfo):
            changed = {"host": HOST + ".lab.example"} if event.host else {}
            if event.device is not None:
                changed["device"] = msgspec.structs.replace(event.device, uuid=UUID)
            event = msgspec.structs.replace(event, **changed)  # type: ignore[arg-type]
        out.append(event)
    end = out.pop()
    out += [
        Note(t=1.0, text=f"on {HOST}: telemetry was on another card; paired with torch's {UUID}"),
        Note(t=1.0, text="cannot read /home/alice/models/config.json", probe="matmul-bf16"),
        Fault(
            t=1.0,
            instrument="probes",
            what=f"died on {HOST.upper()} (0000:3b:00.0), log in ~alice/run.log",
            log=[
                'File "/mnt/secret/my runs/train.py", line 3',
                "file:///home/alice/x and C:\\Users\\alice\\y",
                "connected to 10.1.2.3:29500",
            ],
        ),
        end if isinstance(end, End) else End(t=2.0, complete=True),
    ]
    return out


@pytest.mark.parametrize("name", ["h200-quick-1", "h200-decode-1", "watch/h200-2", "cpu/full-1"])
def test_no_output_has_a_string_of_the_owners(name: str) -> None:
    session = fold(anonymous(planted(SESSIONS / f"{name}.jsonl")))
    outputs = {
        "json": msgspec.json.encode(record(session, None)).decode(),
        "md": markdown(session),
        "text": "\n".join(text_of(r) for r in report(session, None, 120, UNICODE)),
    }
    for form, text in outputs.items():
        for secret in SECRETS:
            assert secret.lower() not in text.lower(), (form, secret)


@pytest.mark.parametrize("name", ["h200-quick-1", "h200-full-1", "watch/h200-2"])
def test_markdown_of_a_session_that_is_whole_has_none_either(name: str) -> None:
    told = [e for e in planted(SESSIONS / f"{name}.jsonl") if not of_fp16(e)]
    probe = "matmul-fp16"
    told.insert(-1, Fault(t=1.0, instrument="probes", probe=probe, what=f"no {HOST}:/home/alice"))
    session = fold(told)
    assert session.host
    for text in (markdown(session), record_markdown([session])):
        for secret in SECRETS:
            assert secret.lower() not in text.lower(), secret


def of_fp16(event: AnyEvent) -> bool:
    return isinstance(event, Measurement) and event.probe == "matmul-fp16"


@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*-1.jsonl")), ids=lambda p: p.stem)
def test_what_was_measured_is_the_same(path: Path) -> None:
    plain, clear = fold(events(path)), fold(anonymous(events(path)))
    assert clear.measured() == plain.measured()
    assert clear.specs == plain.specs
    assert clear.nominal == plain.nominal
    assert len(clear.samples) == len(plain.samples)
    assert is_stand_in(clear.device.uuid) or clear.device.kind == "cpu"
    assert is_stand_in(clear.host)
    assert clear.device.name == plain.device.name


def facts(session: Session) -> dict[str, Any]:
    """The record but for what tells whose it is."""
    told: dict[str, Any] = msgspec.to_builtins(record(session, None))
    cards = told["cards"].get("rows", [])
    for block in (told["session"], told["device"], *cards):
        assert not is_stand_in(block.pop("uuid", None))
        block["status"].pop("uuid", None)
    return told


@pytest.mark.parametrize(
    "path",
    [*SESSIONS.glob("two/[!f]*.jsonl"), SESSIONS / "h200-full-1.jsonl"],
    ids=lambda p: p.stem,
)
def test_what_is_said_of_cards_by_their_uuids_is_the_same(path: Path) -> None:
    plain, clear = fold(events(path)), fold(anonymous(events(path)))
    assert facts(clear) == facts(plain)
    assert markdown(clear) == markdown(plain)
    told = record(clear, None).device
    assert (told.uuid, told.status["uuid"]) == (None, "removed")


def test_uuids_that_are_equal_stay_so_over_sessions_that_share_their_stand_ins() -> None:
    shared, told = StandIns(), list(events(SESSIONS / "two/links.jsonl"))
    again = [
        msgspec.structs.replace(e, visible=[*reversed(e.visible)])
        if isinstance(e, SessionInfo)
        else e
        for e in told
    ]
    first, second = fold(anonymous(told, shared)), fold(anonymous(again, shared))
    assert first.visible == tuple(reversed(second.visible))
    assert same_card(first, second) is True
    assert same_card(first, fold(told)) is None  # what stands for it says nothing of the card
    assert StandIns().of("MIG-" + UUID[4:]).startswith("MIG-")  # still a slice


def test_a_host_with_the_name_of_one_of_our_words_breaks_nothing(h200_file: Path) -> None:
    said = list(events(h200_file))
    said[0] = msgspec.structs.replace(said[0], host="nvml")  # type: ignore[arg-type]
    session = fold(anonymous([*said, Note(t=1.0, text="seen on nvml, not nvmlish")]))
    assert session.telemetry_source == "nvml"
    assert session.notes[-1].text == f"seen on {GONE}, not nvmlish"


def test_a_status_of_a_sample_is_text_as_well(h200_file: Path) -> None:
    said = list(events(h200_file))
    at = next(i for i, e in enumerate(said) if isinstance(e, Sample))
    said[at] = msgspec.structs.replace(said[at], status={"power_w": "/home/alice"})
    (found,) = [e for e in anonymous(said) if isinstance(e, Sample) and e.status]
    assert found.status == {"power_w": GONE}


@pytest.mark.parametrize(
    "text",
    [
        "4389 GB/s of 4800, read/write turnaround, 206 FLOP/byte and 1/2",
        "driver 580.159.04, torch 2.11.0+cu130, batch 16 x 2048",
        "roofwatch.session/1 at 20:16 UTC, 12:34:56 and 12:00:01.5",
        "tokens/s and $/Mtok, add_scalar/copy/triad; it's 256 FLOP/s, and that's 'read/write'",
        "took 12:34.5, (a + b)/2, 100 %/h, 62001 /s, CUDA/torch.compile and $/Mtok or /Mtok",
        "cuDNN 9.10.2.21, cudnn==9.10.2.21, NCCL 2.27.3.1, TensorRT 10.3.0.26",
        "libcudnn.so.9.10.2.21, VBIOS 96.00.99.00.01, 1.2.3.300, driver 2.4.8.16",
        "8192x8192@fp8 and mm@4096, b@16, 512@4096; bf16@1830MHz, fp8@e4m3fn? torch@2.11.0",
        "std::array<at::Tensor> c10::Error, void at::native::add<4, c10::Half>(int)",
    ],
)
def test_units_and_versions_are_no_paths(text: str) -> None:
    assert clean(text) == text


def test_a_path_ends_where_it_is_quoted() -> None:
    assert clean("open '/a b/c' failed") == f"open '{GONE}' failed"
    assert not re.search("[ab]/", clean("see ../a/b.txt, then ./b/c"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("'/usr/bin/gcc', '-L/home/a/lib', '-I/home/a b/include'", f"'{GONE}', '{GONE}', '{GONE}'"),
        ("gcc -I/home/a/include -O2", f"gcc -I{GONE} -O2"),
        ("open /home/a smith/secret/x.json on b", f"open {GONE} on b"),
        ("open /home/a/it's mine/x.py", f"open {GONE}"),
        (r"C:\Users\A Smith\AppData\x.dll", GONE),
        ("'~a/my dir/x' and 'file:///home/a/my dir/x'", f"'{GONE}' and '{GONE}'"),
        ("models/acme-secret/config.json is none", f"{GONE} is none"),
        ("GET http://proxy.acme.internal:8080/a/token", f"GET {GONE}"),
        ("sftp://a:pw@box/home/a", GONE),
        ("a.b@box.acme.org", GONE),
        ("[fd00:ac1e::17]:29500, fe80::1ff:fe23:4567:890a", f"[{GONE}]:29500, {GONE}"),
        ("fe80:0000:0000:0000:0002:c903:0000:1491", GONE),
        ("00:1B:44:11:3A:B7 is up", f"{GONE} is up"),
        ("GPU-0123456789abcdef0123456789abcdef", GONE),
        ("ssh a@10.1.2.3, a@[fe80::1]", f"ssh {GONE}, {GONE}[{GONE}]"),
        ("at 9.10.2.21, by 1.2.3.4: no", f"at {GONE}, by {GONE}: no"),
        ("NCCL 10.1.2.3, driver 192.168.1.5", f"NCCL {GONE}, driver {GONE}"),
        ("NCCL 2.27.3.1:29500, NCCL: 2.27.3.1", f"NCCL {GONE}, NCCL: {GONE}"),
        ("host_10.1.2.3 of cuDNN", f"host_{GONE} of cuDNN"),
        ("alice@box7, a@fp8host", f"{GONE}, {GONE}"),
        ("ssh alice@17 or user=alice@16", f"ssh {GONE} or {GONE}"),
        ("1234@corp.org and 7@10.1.2.3", f"{GONE} and 7@{GONE}"),
        ("1a@corp.org and a@1corp.org", f"{GONE} and {GONE}"),
        ("models/a/weights.safetensors", GONE),
        ("$HOME/secret </home/a/in.txt", f"{GONE} <{GONE}"),
        ("Xid (PCI:0000:3b:00): 79, 3b:00.0", f"Xid (PCI:{GONE}): 79, {GONE}"),
        ("inet6:2001:db8::17", f"inet6:{GONE}"),
        ("eth0:00:1a:2b:3c:4d:5e", f"eth0:{GONE}"),
        ("x=/a/b --c=/b/c /home/a/b.py:13: no", f"x={GONE} --c={GONE} {GONE}:13: no"),
    ],
)
def test_paths_and_addresses_however_they_are_written(text: str, left: str) -> None:
    assert clean(text) == left


def test_the_list_of_nodes_that_a_host_stands_in(h200_file: Path) -> None:
    said = list(events(h200_file))
    said[0] = msgspec.structs.replace(said[0], host="gpu17")  # type: ignore[arg-type]
    session = fold(anonymous([*said, Note(t=1.0, text="gpu[16-18,20] of 4, seen on GPU17")]))
    assert session.notes[-1].text == f"{GONE} of 4, seen on {GONE}"


def test_whoever_is_at_the_sessions_host_goes_with_it(h200_file: Path) -> None:
    said = list(events(h200_file))
    said[0] = msgspec.structs.replace(said[0], host="4096")  # type: ignore[arg-type]
    session = fold(anonymous([*said, Note(t=1.0, text="by bob@4096, mm@2048")]))
    assert session.notes[-1].text == f"by {GONE}, mm@2048"


@pytest.mark.parametrize(
    "told",
    [
        "cannot read /home/alice/x.json",
        r"cannot read C:\Users\alice\x.json",
        "in /Users/alice/x",
        "of alice@trainer-7",
        "ssh alice@17",
        "in ~alice/x",
        "in ~alice",
    ],
)
def test_a_persons_name_that_a_path_or_a_login_tells_goes_everywhere(
    h200_file: Path, told: str
) -> None:
    said = [
        *events(h200_file),
        Note(t=1.0, text="by alice: uid=1000(alice) USER=Alice, malice is none"),
        Fault(t=1.0, instrument="probes", what="alice's job", log=[told]),
    ]
    left = f"by {GONE}: uid=1000({GONE}) USER={GONE}, malice is none"
    session = fold(anonymous(said))
    assert session.notes[-1].text == left
    assert session.faults[-1].what == f"{GONE}'s job"
    text = markdown(fold(said))
    assert "Alice" not in text
    assert "by (removed): uid=1000((removed))" in text


def test_a_persons_name_that_is_a_word_of_ours_or_of_every_machine_stays() -> None:
    told = "/home/mark/x ~kernel/x root@box7 ubuntu@box7 /home/user/x ~half and mm@4096 ~GB/s"
    assert people_in([told]) == set()
    assert people_in([f"/home/a{i}x/y" for i in range(10_000)]) < {f"a{i}x" for i in range(300)}


def test_a_tilde_and_a_name_begin_a_path_and_a_unit_none() -> None:
    assert clean("in ~alice/x, ~ann.b/y") == f"in {GONE}, {GONE}"
    for text in ("~GB/s, ~TFLOP/s or ~tok/s", "~5/8 of it", "~4800 GB/s", "a ~b"):
        assert clean(text) == text


def test_a_host_with_the_name_of_its_card_leaves_the_card_its_name(h200_file: Path) -> None:
    said = list(events(h200_file))
    said[0] = msgspec.structs.replace(said[0], host="h200")  # type: ignore[arg-type]
    session = fold(anonymous(said))
    assert is_stand_in(session.host)
    assert session.device.name == "NVIDIA H200"


@pytest.mark.parametrize(
    "piece",
    [
        *"+~@%/\\:'.$",
        "%20",
        "a@",
        "a+",
        "a.",
        "a/",
        "' ",
        "a b/",
        "'/a",
        "://",
        "-I/",
        "ab:",
        "1.2.3.",
    ],
)
def test_a_hostile_text_is_cleaned_in_one_pass(piece: str) -> None:
    begin = time.process_time()
    clean(piece * (80_000 // len(piece)))
    assert time.process_time() - begin < 5.0  # each letter looked at from each other: a minute


def test_a_path_in_quotes_costs_no_more_where_none_of_them_ends() -> None:
    """Of eight times as many, eight times as long; each one's end looked for anew: 64 times."""
    for piece in ("'a:/x", "\"a:/x'", "'/it's ", "'-I/a\"b", "\"/a\n'/b'c"):
        short_s, long_s = (min(_cleaning_s(piece * n) for _ in range(4)) for n in (1500, 12000))
        assert long_s < 24 * short_s, piece


def _cleaning_s(text: str) -> float:
    begin = time.process_time()
    clean(text)
    return time.process_time() - begin


def test_a_quote_ends_ahead_of_the_next_double_one_and_of_the_line() -> None:
    gone = f"'{GONE}'"
    assert clean("in '/a/it's mine' and '/b c'") == f"in {gone} and {gone}"
    assert clean("'/aa b\n'/c d'") == f"'{GONE} b\n{gone}"
    assert clean("""'/aa "b' '/c d'""") == f"""'{GONE} "b' {gone}"""
    assert clean("""x='/aa b'c "/d e" '/f g'""") == f"""x='{GONE} b'c "{GONE}" {gone}"""
