"""Two sessions side by side: like with like, noise and differences told apart."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from roofwatch.roofline.estimate import Estimate, estimate
from roofwatch.roofline.workload import add_scalar, matmul
from roofwatch.session.compare import FASTER, SLOWER, TOO_FEW, Pair, compare
from roofwatch.session.comparison_words import DOUBTED, HOST, UNSURE, WITHIN, noise_said
from roofwatch.session.differences import CARD_TO_CARD, STREAMS_APART, UUID
from roofwatch.session.events import (
    AnyEvent,
    Device,
    End,
    Fault,
    Measurement,
    Sample,
    SessionInfo,
    Software,
)
from roofwatch.session.figures import HELD, figures
from roofwatch.session.file import UnreadableSession, events
from roofwatch.session.fold import Session, fold
from roofwatch.session.noise import RUN_TO_RUN
from roofwatch.session.replay import Replay
from roofwatch.session.sm_clock import sm_clock

Point = Callable[..., Measurement]
SESSIONS = Path(__file__).parents[1] / "sessions"
VALUES = [None, 0, -1, 1e308, 1 << 70, "", "x\x1b[2J", [], {}, [0], True, 1e-320]


def recorded(name: str) -> Session:
    return fold(events(SESSIONS / f"h200-{name}.jsonl"))


def pair(a: Session, b: Session, what: str) -> Pair:
    return next(p for p in compare(a, b).pairs if p.what == what)


@pytest.fixture
def card(point: Point) -> Callable[..., Session]:
    """A session of one stream and one matmul, each ``times`` as fast as usual."""

    def made(times: float = 1.0, noise: float = 0.0, n: int = 11, **told: object) -> Session:
        chance = random.Random(3)

        def seconds(middle: float) -> list[float]:
            return [middle / times * (1 + noise * chance.uniform(-1, 1)) for _ in range(n)]

        stream = point(add_scalar(1 << 30, "fp16"), 1.0, "add_scalar-fp16", dtype="fp16")
        stream = msgspec.structs.replace(
            stream, times_s=seconds(1e-3), protocol="stream", peak_key=None
        )
        burst = point(matmul(4096, 4096, 8192, "bf16"), 1.0, "matmul-bf16", protocol="burst")
        burst = msgspec.structs.replace(burst, times_s=seconds(0.34e-3))
        fields: dict[str, object] = {"kind": "cuda", "name": "NVIDIA H200", "uuid": "GPU-1"}
        software = Software(torch=str(told.pop("torch", "2.11")), driver="580")
        stream_of: list[AnyEvent] = [
            SessionInfo(t=0.0, schema="roofwatch.session/1", id="aa", suite="quick"),
            SessionInfo(
                t=0.1,
                instrument="telemetry",
                device=Device(**{**fields, **told}),  # type: ignore[arg-type]
                software=software,
            ),
            stream,
            burst,
            End(t=9.0, complete=True),
        ]
        return fold(stream_of)

    return made


# -- recorded sessions -----------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [("1", "2"), ("1", "3"), ("2", "3"), ("3", "1")])
def test_three_runs_of_one_card_do_not_differ(a: str, b: str) -> None:
    told = compare(recorded(f"quick-{a}"), recorded(f"quick-{b}"))
    assert len(told.pairs) == 15
    assert not any(p.outside_noise for p in told.pairs)
    assert told.conditions == []
    assert {UUID, "torch", "driver", "temperature", "suite"} <= set(told.same)
    assert told.missing == []


def test_what_their_ratio_moves_by_is_within_what_docs_state() -> None:
    runs = [{f.what: f for f in figures(recorded(f"quick-{i}"))} for i in (1, 2, 3)]
    for what in runs[0]:
        values = [run[what].estimate.value for run in runs]
        assert max(values) / min(values) - 1 <= runs[0][what].run_to_run, what


def test_another_card_and_suite_differ_in_bursts_and_conditions_say_so() -> None:
    told = compare(recorded("full-1"), recorded("quick-1"))
    bf16 = next(p for p in told.pairs if p.what == "bf16 burst")
    assert bf16.ratio == pytest.approx(0.9855, abs=1e-4)
    assert bf16.interval is not None
    assert bf16.interval[1] < 1
    assert bf16.outside_noise  # of one card's runs
    assert bf16.cards_apart == CARD_TO_CARD
    assert (bf16.beyond, bf16.verdict) == (False, "")
    streams = [p for p in told.pairs if p.unit == "GB/s"]
    assert {p.cards_apart for p in streams} == {STREAMS_APART}
    assert {p.cards_apart for p in compare(recorded("quick-1"), recorded("quick-2")).pairs} == {0.0}
    names = {c.what: c for c in told.conditions}
    assert set(names) == {UUID, "suite", "sustained for", "temperature"}
    assert "4 %" in names[UUID].note
    assert (names["suite"].a, names["suite"].b) == ("full", "quick")
    assert (names["sustained for"].a, names["sustained for"].b) == (10.0, 3.0)


def test_a_roof_by_another_kernel_is_not_called_slower() -> None:
    bandwidth = pair(recorded("full-1"), recorded("quick-1"), "DRAM bandwidth")
    assert bandwidth.outside_noise
    assert not bandwidth.alike
    assert bandwidth.verdict == ""
    assert bandwidth.notes == ["kernel triad fp16 in A, add_scalar fp16 in B"]
    assert pair(recorded("full-1"), recorded("quick-1"), "add_scalar fp16").ratio == pytest.approx(
        1, abs=1e-3
    )


def test_another_shape_is_noted_and_still_compared() -> None:
    tf32 = pair(recorded("full-1"), recorded("quick-1"), "tf32 burst")
    assert tf32.notes == ["shape 6144x5632x8192 in A, 3072x2816x8192 in B"]
    assert tf32.alike


def test_what_was_held_has_clock_power_and_efficiency() -> None:
    told = [p for p in compare(recorded("quick-1"), recorded("quick-3")).pairs if p.group == HELD]
    assert [(p.name, p.unit) for p in told] == [
        ("bf16: SM clock", "MHz"),
        ("bf16: power", "W"),
        ("bf16: per watt", "TFLOP/s/W"),
    ]
    assert (told[0].a, told[0].b) == (1425.0, 1440.0)
    assert told[2].a == pytest.approx(0.9811, abs=1e-4)


@pytest.fixture
def held_at(point: Point) -> Callable[[list[float], float], Estimate]:
    """The power of a matmul that was held for so many seconds, read at even times."""

    def made(watts: list[float], held_s: float) -> Estimate:
        rest = dict.fromkeys(
            ("sm_mhz", "mem_mhz", "power_instant_w", "temp_c", "mem_used_bytes", "util", "reasons")
        )
        step_s = held_s / len(watts)
        read = [
            Sample(
                t=1.0 + (i + 0.5) * step_s,
                gpu=0,
                power_w=w,
                status=dict.fromkeys(rest, "x"),
                **rest,
            )
            for i, w in enumerate(watts)
        ]
        held = point(
            matmul(64, 64, 64, "bf16"), 1e-3, "matmul-bf16-sustained", protocol="sustained"
        )
        held = msgspec.structs.replace(held, begin_s=1.0, end_s=1.0 + held_s, t=1.0 + held_s)
        head = SessionInfo(t=0.0, schema="roofwatch.session/1", suite="quick")
        told = fold([head, *read, held, End(t=held_s + 2, complete=True)])
        return next(f.estimate for f in figures(told) if f.name == "bf16: power")

    return made


def test_readings_of_one_second_of_power_are_one_value_of_its_interval(
    held_at: Callable[[list[float], float], Estimate],
) -> None:
    seconds = [600.0, 610.0, 605.0, 608.0, 602.0, 606.0, 604.0, 609.0]
    once, often = held_at(seconds, 8.0), held_at([w for w in seconds for _ in range(10)], 8.0)
    assert once == often  # nine more of a second's average tell nothing more
    assert once == estimate(seconds)
    short = held_at([float(600 + i) for i in range(10)], 1.0)
    assert short.value == 604.5
    assert short.interval == (600.5, 608.5)  # of fifths of the time
    assert held_at([600.0] * 4, 1.0).interval is None


def test_decode_and_kernels_share_roofs_and_launches_and_say_what_else_there_is() -> None:
    told = compare(recorded("kernels-1"), recorded("decode-1"))
    assert {p.group for p in told.pairs} == {"roofs", "streams", "launch"}
    alone = {(m.what, m.only): m for m in told.missing}
    assert alone["waves", "a"].count == 12
    assert alone["decode Llama-3-8B", "b"].count == 32
    assert alone["decode Llama-3-8B", "b"].why == "not in suite kernels"


@pytest.mark.parametrize("name", ["decode-1", "kernels-1", "full-1", "mistakes-1"])
def test_a_session_does_not_differ_from_itself(name: str) -> None:
    told = compare(recorded(name), recorded(name))
    assert told.missing == []
    assert {p.ratio for p in told.pairs} == {1.0}
    assert not any(p.outside_noise or not p.alike for p in told.pairs)
    assert len({(p.what, p.unit) for p in told.pairs}) == len(told.pairs)


def test_the_decode_steps_are_compared_and_their_parts_are_not() -> None:
    told = compare(recorded("decode-1"), recorded("decode-1"))
    steps = [p for p in told.pairs if p.group == "decode Llama-3-8B"]
    assert len(steps) == 32
    assert steps[0].what == "decode Llama-3-8B: b=1 at 256, eager"
    assert {p.unit for p in steps} == {"s"}


def test_three_repetitions_are_too_few_to_tell() -> None:
    told = pair(recorded("kernels-1"), recorded("kernels-1"), "alignment: k-1")
    assert told.interval is None
    assert told.status == {"interval": TOO_FEW}
    assert not told.outside_noise


# -- built sessions --------------------------------------------------------------------------


def test_faster_is_a_larger_rate(card: Callable[..., Session]) -> None:
    told = compare(card(), card(1.05, noise=0.001))
    rates = {p.what: p.verdict for p in told.pairs if p.better}
    assert rates == {"DRAM bandwidth": FASTER, "bf16 burst": FASTER}
    assert (told.count(FASTER), told.count(SLOWER)) == (2, 0)
    assert told.pairs[0].by == "add_scalar fp16"  # its own row


def test_a_difference_below_the_spread_of_runs_is_noise_however_sure(
    card: Callable[..., Session],
) -> None:
    told = pair(card(), card(1 + 0.9 * RUN_TO_RUN["burst"]), "bf16 burst")
    assert told.interval is not None
    assert told.interval[0] > 1
    assert not told.outside_noise


def test_a_difference_within_the_repetitions_is_noise_however_large(
    card: Callable[..., Session],
) -> None:
    told = pair(card(noise=0.3), card(1.05, noise=0.3), "bf16 burst")
    assert abs(told.ratio - 1) > RUN_TO_RUN["burst"]
    assert not told.outside_noise


def test_a_ridge_is_neither_better_nor_worse(card: Callable[..., Session]) -> None:
    told = pair(card(), card(), "bf16 ridge burst")
    assert told.better == ""
    assert told.a == pytest.approx(809 / 4.295, rel=0.01)


def test_conditions_that_one_does_not_know_are_said(card: Callable[..., Session]) -> None:
    told = compare(card(power_limit_w=700.0, mig=False), card(torch="2.12", mig=True))
    found = {c.what: (c.a, c.b) for c in told.conditions}
    assert found == {"power limit": (700.0, None), "MIG": (False, True), "torch": ("2.11", "2.12")}


def test_between_two_cards_of_one_kind_the_larger_spread_decides(
    card: Callable[..., Session],
) -> None:
    for rate, verdict in ((1.02, ""), (1.06, FASTER), (0.94, SLOWER)):
        told = pair(card(uuid="GPU-1"), card(rate, noise=0.001, uuid="GPU-2"), "bf16 burst")
        assert (told.outside_noise, told.verdict) == (True, verdict)


def test_another_card_of_another_kind_is_no_spread_between_like_cards(
    card: Callable[..., Session],
) -> None:
    told = compare(card(), card(name="NVIDIA L4", uuid="GPU-2"))
    assert [(c.what, c.note) for c in told.conditions] == [("card", ""), (UUID, "")]


def test_why_the_other_has_none_is_its_own_word(card: Callable[..., Session]) -> None:
    a, b = card(), card()
    b.measurements = [m for m in b.measurements if m.probe != "matmul-bf16"]
    b.faults = [Fault(t=3.0, instrument="probes", what="out of memory", probe="matmul-bf16")]
    missing = {m.what: m.why for m in compare(a, b).missing}
    assert missing == {"bf16 burst": "out of memory", "bf16 ridge burst": "out of memory"}
    b.faults = []
    assert compare(a, b).missing[0].why == "not measured"


def test_on_a_cpu_ten_per_cent_are_noise(card: Callable[..., Session]) -> None:
    cpu = {"kind": "cpu", "name": "Xeon", "uuid": None}
    told = compare(card(**cpu), card(1.08, **cpu))
    assert told.pairs
    assert not any(p.outside_noise for p in told.pairs)
    told = compare(card(**cpu), card(1.2, **cpu))
    assert any(p.verdict == FASTER for p in told.pairs)


def test_sessions_that_measured_nothing_have_no_pair() -> None:
    told = compare(Session(), recorded("quick-1"))
    assert told.pairs == []
    assert {m.only for m in told.missing} == {"b"}
    assert compare(Session(), Session()).missing == []


def test_it_is_json_in_the_shape_that_scripts_rely_on() -> None:
    told = msgspec.json.decode(
        msgspec.json.encode(compare(recorded("full-1"), recorded("quick-1")))
    )
    assert {"pairs", "conditions"} <= told.keys()
    assert list(told["pairs"][0])[:6] == ["what", "a", "b", "ratio", "interval", "outside_noise"]
    assert {"what", "a", "b"} <= told["conditions"][0].keys()
    assert all(isinstance(p["outside_noise"], bool) for p in told["pairs"])


def damaged(line: str, chance: random.Random) -> str:
    """The line with one value, at any depth, turned into another."""
    told = json.loads(line)
    place = told
    while True:
        key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if isinstance(place[key], (dict, list)) and place[key] and chance.random() < 0.8:
            place = place[key]
            continue
        place[key] = chance.choice(VALUES)
        return json.dumps(told) + "\n"


@pytest.mark.parametrize("seed", range(3))
def test_damaged_sessions_are_compared_or_refused(tmp_path: Path, seed: int) -> None:
    chance, whole = random.Random(seed), recorded("quick-2")
    lines = (SESSIONS / "h200-quick-1.jsonl").read_text().splitlines(keepends=True)
    kept = [i for i, line in enumerate(lines) if '"kind":"sample"' not in line]
    path, compared = tmp_path / "m.jsonl", 0
    for _ in range(40):
        at = chance.choice(kept)
        path.write_text("".join([*lines[:at], damaged(lines[at], chance), *lines[at + 1 :]]))
        try:
            session = Replay(path).session
        except UnreadableSession:
            continue
        msgspec.json.encode(compare(session, whole))
        msgspec.json.encode(compare(whole, session))
        compared += 1
    assert compared


# -- what a session does not believe, what hosts make, what is left open -----------------------


def test_a_doubted_figure_is_neither_better_nor_worse(card: Callable[..., Session]) -> None:
    a, b = card(), card(0.8, noise=0.001)
    assert pair(a, b, "bf16 burst").verdict == SLOWER
    burst = next(m for m in b.measurements if m.probe == "matmul-bf16")
    at = b.measurements.index(burst)
    scattered = [t * (1 + 0.5 * (i % 4)) for i, t in enumerate(burst.times_s)]
    b.measurements[at] = msgspec.structs.replace(burst, times_s=scattered)
    for told, side in ((pair(a, b, "bf16 burst"), "b"), (pair(b, a, "bf16 burst"), "a")):
        assert told.doubts == {side: "flagged unstable"}
        assert (told.verdict, told.untold, noise_said(told)) == ("", True, DOUBTED)
    ridge = pair(a, b, "bf16 ridge burst")
    assert ridge.doubts == {"b": "flagged unstable"}  # it rests on the matmul too
    assert not ridge.untold  # neither end of it is better
    stream = pair(a, b, "DRAM bandwidth")
    assert (stream.doubts, stream.verdict) == ({}, SLOWER)


def test_what_sensors_read_is_not_doubted_with_the_rate() -> None:
    of = {f.what: f for f in figures(recorded("quick-1"))}
    assert of["bf16: SM clock"].rests_on == of["bf16: power"].rests_on == ()
    assert of["bf16: per watt"].rests_on == ("matmul-bf16-sustained",)
    planted = [f for f in figures(recorded("mistakes-1")) if f.probe.startswith("mistake")]
    assert {f.rests_on for f in planted} == {()}


@pytest.mark.parametrize("name", ["runs/run-1", "two/cards", "record/h200-full"])
def test_a_held_clock_is_the_one_of_the_record(name: str) -> None:
    session = fold(events(SESSIONS / f"{name}.jsonl"))
    held = next(m for m in session.measured() if m.probe == "matmul-bf16-sustained")
    clock = sm_clock(session, held)
    assert clock is not None
    seen = next(f.estimate for f in figures(session) if f.what == "bf16: SM clock")
    assert seen.value == pytest.approx(clock.mhz, abs=0.1)
    assert seen.interval is not None
    assert seen.interval[0] <= seen.value <= seen.interval[1]


def test_one_measurement_is_one_row(card: Callable[..., Session]) -> None:
    told = compare(recorded("quick-1"), recorded("quick-2"))
    assert [p.what for p in told.pairs if p.group == "streams"] == ["add_scalar fp32"]
    assert {p.what: p.by for p in told.pairs if p.by} == {"DRAM bandwidth": "add_scalar fp16"}
    assert told.missing == []
    one, other = (_two_streams(card(), fp32) for fp32 in (0.9, 1.1))
    told = compare(one, other)
    roof = next(p for p in told.pairs if p.what == "DRAM bandwidth")
    # The kernel's name has its type: that is not told twice.
    assert roof.notes == ["kernel add_scalar fp16 in A, add_scalar fp32 in B"]
    assert (roof.better, roof.by) == ("", "")  # of two rows below
    assert {p.what for p in told.pairs if p.group == "streams"} == {
        "add_scalar fp16",
        "add_scalar fp32",
    }


def test_a_cpu_has_no_sm_clock(card: Callable[..., Session]) -> None:
    one = compare(card(sm_max_mhz=1980.0), card(sm_max_mhz=1980.0))
    assert "highest SM clock" in one.same
    cpu = card(kind="cpu", sm_max_mhz=2596.0)
    assert "highest clock" in compare(cpu, card(kind="cpu", sm_max_mhz=2596.0)).same
    other = compare(cpu, card(kind="cpu", sm_max_mhz=3000.0))
    assert "highest clock" in {c.what for c in other.conditions}
    assert "SM" not in " ".join([*other.same, *(c.what for c in other.conditions)])


def _two_streams(session: Session, fp32: float) -> Session:
    """With a second stream, so many times as fast as the first."""
    first = next(m for m in session.measurements if m.probe == "add_scalar-fp16")
    times_s = [t / fp32 for t in first.times_s]
    more = msgspec.structs.replace(first, probe="add_scalar-fp32", dtype="fp32", times_s=times_s)
    session.measurements.append(more)
    return session


def test_what_a_host_makes_is_of_one_card_alone() -> None:
    a, b = recorded("decode-1"), fold(events(SESSIONS / "record" / "h200-decode.jsonl"))
    told = {p.what: p for p in compare(a, b).pairs}
    enqueue = told["launch: enqueue"]
    assert enqueue.outside_noise
    assert (enqueue.alike, enqueue.hosts_apart, enqueue.verdict) == (False, True, "")
    assert noise_said(enqueue) == HOST
    by_host = {p.name.rpartition(", ")[2] for p in told.values() if p.hosts_apart}
    assert by_host == {"enqueue", "rate", "floor", "eager"}
    assert not told["launch: graph"].hosts_apart

    def of_a(event: AnyEvent) -> AnyEvent:
        if not isinstance(event, SessionInfo) or event.device is None:
            return event
        device = msgspec.structs.replace(event.device, uuid=a.device.uuid)
        return msgspec.structs.replace(event, device=device)

    later = fold(map(of_a, events(SESSIONS / "record" / "h200-decode.jsonl")))
    assert pair(a, later, "launch: enqueue").verdict == SLOWER  # one card over time


def test_repetitions_that_scatter_too_far_leave_it_open(card: Callable[..., Session]) -> None:
    a, b = card(noise=0.05, n=7), card(0.97, noise=0.05, n=7)
    told = pair(a, b, "DRAM bandwidth")
    assert told.interval is not None
    assert not told.outside_noise
    assert (told.unsure, told.verdict, told.untold, noise_said(told)) == (True, "", True, UNSURE)
    assert not pair(b, a, "DRAM bandwidth").untold  # the other way it is faster
    less = card(0.99, noise=0.01, n=7)  # whatever of a burst that leaves open is less than 4 %
    told = pair(card(noise=0.01, n=7), less, "bf16 burst")
    assert told.interval is not None
    assert told.interval[0] < told.ratio < 1 - told.run_to_run
    assert (told.unsure, told.untold, noise_said(told)) == (False, False, WITHIN)


def test_what_failed_in_the_other_is_lost_and_what_its_suite_has_not_is_not() -> None:
    a, b = recorded("quick-1"), recorded("quick-2")
    b.measurements = [m for m in b.measurements if m.probe != "matmul-fp32"]
    assert [m.what for m in compare(a, b).lost] == ["fp32 burst"]
    assert compare(b, a).lost == []
    assert compare(recorded("full-1"), recorded("quick-1")).lost == []
    kernels = fold(events(SESSIONS / "record" / "h200-kernels.jsonl"))
    assert compare(recorded("kernels-1"), kernels).lost == []


def test_what_was_measured_after_a_fault_is_not_lost() -> None:
    a, b = recorded("full-1"), recorded("full-1")
    sizes = [m for m in b.measurements if m.probe == "read-fp16-sweep"]
    b.measurements.remove(sizes[0])  # another size than A's, as a search may take
    assert [m.only for m in compare(a, b).missing] == ["a"]
    assert compare(a, b).lost == []
    fault = Fault(t=sizes[0].t, instrument="probes", what="died", probe="read-fp16-sweep")
    b.faults = [fault]
    assert compare(a, b).lost == []  # it came back and measured the others
    b.faults = [msgspec.structs.replace(fault, t=sizes[-1].t + 1)]
    (lost,) = compare(a, b).lost
    assert (lost.why, lost.count) == ("died", 1)
