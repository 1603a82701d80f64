"""A card's own best becomes its range; what is wrong, cut short, or another's does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from roofwatch.roofline.own_best import own_range
from roofwatch.session.differences import CARD_TO_CARD
from roofwatch.session.events import Device, Expect, Measurement, SessionInfo, encode
from roofwatch.session.expectation import expectations, nominal_of
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.history import History
from roofwatch.session.look_back import LookBack

SESSIONS = Path(__file__).parent.parent / "sessions"
PROBE = "matmul-bf16"


def saved(
    folder: Path,
    name: str,
    slower: float = 1.0,
    source: str = "h200-quick-1",
    changed: Callable[[Measurement], Measurement] = lambda m: m,
    **device: object,
) -> Path:
    """A kept session in a folder, its matmul so many times slower, its device changed.

    ``changed`` is what becomes of each of its measurements.
    """
    folder.mkdir(exist_ok=True)
    out = []
    for i, event in enumerate(events(SESSIONS / f"{source}.jsonl")):
        if isinstance(event, Measurement) and event.probe == PROBE:
            event = msgspec.structs.replace(event, times_s=[t * slower for t in event.times_s])
        if isinstance(event, Measurement):
            event = changed(event)
        if isinstance(event, SessionInfo):
            changes: dict[str, object] = {"id": name} if i == 0 else {}
            if event.device is not None:
                changes["device"] = msgspec.structs.replace(event.device, **device)
            event = msgspec.structs.replace(event, **changes)
        out.append(encode(event))
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"".join(out))
    return path


def live(**device: object) -> Session:
    """A session of the same card that is about to measure."""
    kept = fold(events(SESSIONS / "h200-quick-1.jsonl"))
    told = msgspec.structs.replace(kept.device, **device)
    session = fold(
        [
            SessionInfo(t=0.0, schema="roofwatch.session/1", id="now", host="vm", suite="quick"),
            SessionInfo(t=0.1, instrument="telemetry", device=told),
        ]
    )
    session.nominal = kept.nominal
    return session


def known(session: Session, folder: Path) -> History:
    history = History(session, [folder])
    while not history.advance(1.0):
        pass
    return history


def test_the_best_of_the_very_card_is_taken_and_not_the_last(tmp_path: Path) -> None:
    saved(tmp_path, "first")
    saved(tmp_path, "later", slower=1.2)
    best = known(live(), tmp_path).best
    assert best[PROBE].rate == pytest.approx(818.5, abs=0.1)
    assert best[PROBE].own
    assert best[PROBE].why.startswith("this card's own best of 2026-11-29")
    assert "matmul-bf16-sustained" in best
    assert not any(probe.endswith("-sweep") for probe in best)


def test_a_card_that_became_slower_never_lowers_its_range(tmp_path: Path) -> None:
    for i in range(4):
        saved(tmp_path, f"s{i}", slower=1 + 0.05 * i)
    session = live()
    assert session.nominal is not None
    best = known(session, tmp_path).best
    told = {
        e.probe: e
        for e in expectations(session.specs, session.device, session.nominal, 0.0, 1, best)
    }
    # 818.5 by 2.7 %: what fresh runs of one card lie apart whose searches found other shapes.
    assert (told[PROBE].low, told[PROBE].high) == pytest.approx((796.7, 840.2), abs=0.3)
    assert not told[PROBE].holds(818.5 / 1.05)
    assert "own best" in told[PROBE].why


def test_without_history_the_published_fractions_stand(tmp_path: Path) -> None:
    session = live()
    assert session.nominal is not None
    plain = list(expectations(session.specs, session.device, session.nominal, 0.0, 1))
    empty = known(session, tmp_path).best
    assert empty == {}
    again = list(expectations(session.specs, session.device, session.nominal, 0.0, 1, empty))
    assert plain == again
    assert "published" in plain[0].why


def test_what_is_wrong_cut_short_or_limited_sets_no_range(tmp_path: Path) -> None:
    saved(tmp_path, "impossible", slower=0.5)  # beyond any ceiling: a finding says so
    saved(tmp_path, "mistakes", source="h200-mistakes-1")
    saved(tmp_path, "limited", slower=0.97, power_limit_w=500.0)
    whole = saved(tmp_path, "cut", slower=0.98).read_bytes().splitlines(True)
    (tmp_path / "cut.jsonl").write_bytes(b"".join(whole[:-1]))
    (tmp_path / "torn.jsonl").write_bytes(b"{")
    assert known(live(), tmp_path).best == {}
    saved(tmp_path, "sound")
    assert known(live(), tmp_path).best[PROBE].rate == pytest.approx(818.5, abs=0.1)


def of(probe: str, **changes: object) -> Callable[[Measurement], Measurement]:
    """One probe's measurement with other fields."""
    return lambda m: msgspec.structs.replace(m, **changes) if m.probe == probe else m


def test_a_suspect_figure_sets_no_range_and_the_others_of_its_session_do(tmp_path: Path) -> None:
    stream = "add_scalar-fp16"
    whole = set(known(live(), saved(tmp_path / "sound", "sound").parent).best)
    assert {stream, PROBE} < whole
    kept = {m.probe: m.times_s for m in fold(events(SESSIONS / "h200-quick-1.jsonl")).measured()}
    apart = [t * (1 + 0.5 * (i % 4) / 3) for i, t in enumerate(kept[stream])]
    saved(tmp_path / "unstable", "one", changed=of(stream, times_s=apart))
    # Its control is flagged too: the same bytes take another time in either type.
    best = known(live(), tmp_path / "unstable").best
    assert set(best) == whole - {stream, "add_scalar-fp32"}


def test_what_is_below_its_range_sets_none(tmp_path: Path) -> None:
    saved(tmp_path, "slow", slower=1 / 0.85)  # 696 of 735 at least
    best = known(live(), tmp_path).best
    assert PROBE not in best
    assert "matmul-fp16" in best


def test_what_never_settled_sets_no_range(tmp_path: Path) -> None:
    whole = set(known(live(), saved(tmp_path / "sound", "sound").parent).best)
    saved(tmp_path / "late", "one", changed=of("add_scalar-fp16", stop="time-cap"))
    assert set(known(live(), tmp_path / "late").best) == whole - {"add_scalar-fp16"}


@pytest.mark.parametrize(("slower", "sets"), [(1 / 0.92, True), (1.5, False)])
def test_what_was_held_faster_than_its_burst_sets_no_range_nor_does_the_burst(
    slower: float, sets: bool, tmp_path: Path
) -> None:
    # The kept run held 679 of 818 TFLOP/s: a burst of 753 lies above that, one of 546 does not.
    saved(tmp_path, "disturbed", slower=slower)
    best = known(live(), tmp_path).best
    assert (PROBE in best, "matmul-bf16-sustained" in best) == (sets, sets)
    assert "add_scalar-fp16" in best


@pytest.mark.parametrize("name", [*(f"h200-quick-{n}" for n in (1, 2, 3)), "h200-full-1"])
def test_each_kept_session_of_a_card_sets_ranges_of_all_that_it_measured(
    name: str, tmp_path: Path
) -> None:
    saved(tmp_path, "one", source=name)
    session = live(uuid=fold(events(SESSIONS / f"{name}.jsonl")).device.uuid)
    session.add(SessionInfo(t=0.2, suite="full" if "full" in name else "quick"))
    measured = fold(events(SESSIONS / f"{name}.jsonl")).measured()
    rated = {m.probe for m in measured if m.protocol in ("stream", "burst", "sustained")}
    assert set(known(session, tmp_path).best) == rated


def test_another_card_of_the_name_speaks_with_more_room_until_the_own_one_does(
    tmp_path: Path,
) -> None:
    saved(tmp_path, "other", slower=0.99, uuid="GPU-other")
    best = known(live(), tmp_path).best[PROBE]
    assert (best.own, best.apart) == (False, CARD_TO_CARD)
    assert best.why.startswith("the best of a card of this name")
    saved(tmp_path, "own")
    assert known(live(), tmp_path).best[PROBE].own
    assert known(live(name="Tesla T4"), tmp_path).best == {}


def test_a_cpu_is_known_by_its_host_and_cores(tmp_path: Path) -> None:
    path = tmp_path / "cpu.jsonl"
    told = events(SESSIONS / "cpu/kernels-1.jsonl")  # with ranges that a busy machine reaches
    wide = (replace(e, low=1e-3) if isinstance(e, Expect) else e for e in told)
    path.write_bytes(b"".join(map(encode, wide)))
    kept = fold(events(path))
    for host, cores, found in (("vm", 2, True), ("other", 2, False), ("vm", 4, False)):
        device = msgspec.structs.replace(kept.device, core_count=cores)
        session = fold(
            [SessionInfo(t=0.0, instrument="probes", id="now", host=host, device=device)]
        )
        assert bool(known(session, tmp_path).best) is found


def test_on_a_cpu_a_stream_has_the_best_of_its_kernel_in_any_type(tmp_path: Path) -> None:
    """One range for the same bytes, which a faster run than all before does not leave."""
    path = tmp_path / "cpu.jsonl"
    told = []
    fp32 = {"add_scalar-fp32": 1.0, "add_scalar-fp64": 0.95}
    for e in events(SESSIONS / "cpu/full-1.jsonl"):
        if isinstance(e, Expect):
            e = replace(e, low=1e-3)
        if isinstance(e, Measurement) and e.probe in fp32:
            bytes_moved = sum(x.read_bytes + x.write_bytes for x in e.tensors)
            e = replace(e, times_s=[fp32[e.probe] * bytes_moved / 30e9] * 12, stop="iqr")
        told.append(e)
    path.write_bytes(b"".join(map(encode, told)))
    kept = fold(told)
    session = fold(
        [SessionInfo(t=0.0, instrument="probes", id="now", host=kept.host, device=kept.device)]
    )
    best = known(session, tmp_path).best
    rates = {p: best[p].rate for p in fp32}
    assert rates["add_scalar-fp32"] == rates["add_scalar-fp64"] == pytest.approx(30 / 0.95)
    nominal = nominal_of(kept.device, (), frozenset())
    paper = {e.probe: e for e in expectations(kept.specs, kept.device, nominal, 0.0, 1)}
    for e in expectations(kept.specs, kept.device, nominal, 0.0, 1, best):
        if e.probe in fp32:
            assert e.low == pytest.approx(0.8 * 30 / 0.95, rel=1e-3)
            assert e.high == paper[e.probe].high > 1.2 * 30 / 0.95
            assert "own best" in e.why
            assert e.why.endswith(f"up to the most that is {paper[e.probe].why}")


def test_a_session_is_no_history_of_its_own(tmp_path: Path) -> None:
    saved(tmp_path, "now")
    assert known(live(), tmp_path).best == {}


def test_a_range_stays_under_a_physical_ceiling() -> None:
    found = own_range(100.0, 0.05, "GB/s", "", ceiling=104.0)
    assert (found.low, found.high) == (90.0, 104.0)
    assert own_range(105.0, 0.05, "GB/s", "", ceiling=104.0).high == 105.0


def test_looking_back_is_switched_off_and_waits_for_a_device(tmp_path: Path) -> None:
    off = LookBack(False)
    assert off.done
    assert not off.read(live())
    on = LookBack(True)
    assert not on.done
    assert not on.read(Session())
    session = live()
    while not on.done:
        on.read(session)
    assert on.best == {}  # the tests' own folder is empty
    session_of_another = fold(
        [SessionInfo(t=0.0, instrument="probes", device=Device(kind="cpu", name="C"))]
    )
    on.read(session_of_another)
    assert on.best == {}
