"""What was watched, on two recordings of an H200 and on made-up samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.roofline.reasons import HW_THERMAL, POWER_CAP
from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.replay import Replay
from roofwatch.session.saved_session import Saved
from roofwatch.session.watch.summary import TOO_SHORT, clock_bands, watched
from roofwatch.session.watch.watch_findings import watch_findings

SESSIONS = Path(__file__).parents[2] / "sessions" / "watch"


@pytest.fixture(scope="module", params=[1, 2])
def recorded(request):
    return Replay(SESSIONS / f"h200-{request.param}.jsonl").session


def test_on_an_h200_energy_and_limits_agree_by_both_ways(recorded) -> None:
    (card,) = watched(recorded, {}).cards
    energy = card.energy
    assert energy is not None
    assert energy.counter_j is not None
    assert energy.integral_j == pytest.approx(energy.counter_j, rel=0.05)
    assert energy.joules == pytest.approx(card.power_w * card.read_s, rel=0.05)
    capped = next(r for r in card.reasons if r.key == "power_cap")
    assert capped.counter_share is not None
    assert abs(capped.counter_share - capped.sampled_share) < 0.03
    assert capped.counter_s is not None
    assert capped.counter_s > 8
    assert card.limited_mhz is not None
    assert 1440 < card.limited_mhz < 1600
    assert card.sm_max_mhz == 1980
    assert sum(band.share for band in card.clocks) == pytest.approx(1.0)
    assert card.status == {"cost": "not_known"}  # no roof of such a card is kept


def test_the_price_is_of_the_saved_roofline(recorded, h200_file: Path) -> None:
    saved = {"NVIDIA H200": Saved(h200_file, Replay(h200_file).session, own=False)}
    cost = watched(recorded, saved).cards[0].cost
    assert cost is not None
    assert (cost.peak_key, cost.own) == ("bf16", False)
    assert 90 < cost.tflops < 200
    found = watch_findings(watched(recorded, saved).cards[0])
    (power,) = [f for f in found if f.code == "throttled"]
    assert "bf16 TFLOP/s where it is bound by compute" in power.message
    assert power.severity == "note"


def test_a_loader_that_is_late_starves_the_card() -> None:
    one, two = (watched(Replay(SESSIONS / f"h200-{n}.jsonl").session, {}) for n in (1, 2))
    assert one.cards[0].starved_share == pytest.approx(0.0, abs=0.01)
    # Three rests of 0.6 s in 10 s; utilisation is renewed three to five times a second.
    assert two.cards[0].starved_share == pytest.approx(0.18, abs=0.04)
    assert [f.code for f in watch_findings(two.cards[0])] == ["host-bound", "throttled"]
    assert "host-bound" not in [f.code for f in watch_findings(one.cards[0])]


def test_marks_name_the_parts() -> None:
    seen = watched(Replay(SESSIONS / "h200-2.jsonl").session, {})
    assert seen.command == "python3 matmul_loop.py"
    assert seen.ended == "exit code 0"
    names = [m.name for m in seen.marks]
    assert names == ["warm up", *(x for k in range(1, 5) for x in (f"part {k}", "idle"))]
    idle = [m for m in seen.marks if m.name == "idle"]
    work = [m for m in seen.marks if m.name.startswith("part")]
    assert all(m.power_w < 200 for m in idle)
    assert all(m.power_w > 600 for m in work)
    assert all(m.seconds == pytest.approx(1.5, abs=0.05) for m in work)
    whole = seen.cards[0].energy
    assert whole is not None
    assert sum(m.energy_j for m in seen.marks) < whole.joules


def test_heat_is_the_hosts_to_mend(read, session_of) -> None:
    hot = [read(k / 10, reasons=HW_THERMAL, sm_mhz=1000.0, temp_c=91.0) for k in range(50)]
    (card,) = watched(session_of(hot, 5.0), {}).cards
    (found,) = watch_findings(card)
    assert (found.code, found.severity) == ("throttled", "suspect")
    assert "hardware thermal slowdown" in found.message
    assert "91 degrees" in found.message
    assert "only the host" in found.do.lower()


def test_company_before_the_work_is_said(read, session_of) -> None:
    (card,) = watched(session_of([read(k / 10) for k in range(20)], 2.0, processes=2), {}).cards
    assert card.processes_before == 2
    (found,) = watch_findings(card)
    assert found.code == "other-process"
    assert "2 other process" in found.message


def test_what_counters_miss_the_samples_say(read, session_of) -> None:
    samples = [read(k / 10, reasons=POWER_CAP if k < 10 else 0) for k in range(21)]
    (card,) = watched(session_of(samples, 2.0), {}).cards
    (capped,) = card.reasons
    assert (capped.key, capped.counter_s, capped.counter_share) == ("power_cap", None, None)
    assert capped.sampled_share == pytest.approx(0.5)


def test_too_short_a_command_is_told_so(read, session_of) -> None:
    (card,) = watched(session_of([read(0.01)], 0.05), {}).cards
    assert card.samples == 1
    assert {card.sm_mhz, card.power_w, card.energy, card.busy_share} == {None}
    assert card.status["sm_mhz"] == card.status["energy"] == TOO_SHORT


def test_a_card_that_says_little_has_words_for_it(read, session_of) -> None:
    silent = {
        "power_w": None,
        "power_instant_w": None,
        "reasons": None,
        "status": {"util": "not_supported", "reasons": "no_permission"},
    }
    (card,) = watched(session_of([read(k, util=None, **silent) for k in range(4)], 3.0), {}).cards
    assert card.status["busy_share"] == "not_supported"
    assert card.status["reasons"] == "no_permission"
    assert card.status["power_w"] == card.status["energy"] == "not_supported"
    assert card.sm_mhz == 1980.0


def test_bands_are_clocks_that_were_seen() -> None:
    seconds_at = {1980: 1.0, 1965: 1.0, 1455: 6.0, 345: 2.0}
    bands = clock_bands(seconds_at)
    assert [(b.low_mhz, b.high_mhz, b.seconds) for b in bands] == [
        (1965, 1980, 2.0),
        (1455, 1455, 6.0),
        (345, 345, 2.0),
    ]
    assert sum(b.share for b in bands) == pytest.approx(1.0)
    assert len(clock_bands(dict.fromkeys(range(200, 2000, 15), 1.0))) <= 6
    assert clock_bands({}) == []


def test_readings_that_stop_are_told(read, session_of) -> None:
    (card,) = watched(session_of([read(k / 10) for k in range(20)], 6.0), {}).cards
    assert card.unread_s == pytest.approx(4.1)


def test_a_counter_that_stands_still_is_not_believed(read, session_of) -> None:
    samples = [read(k / 10, energy_j=5.0 if k % 10 == 0 else None) for k in range(31)]
    energy = watched(session_of(samples, 3.0), {}).cards[0].energy
    assert energy is not None
    assert (energy.counter_j, energy.agree) == (0.0, False)
    assert energy.joules == pytest.approx(1200.0)


def test_of_other_cards_only_those_read_in_full(read, session_of) -> None:
    session = session_of([read(k / 10) for k in range(20)], 2.0, index=1)
    session.samples.clear()
    for k in range(20):
        session.add(read(k / 10, gpu=1))
        session.add(read(k / 10, gpu=0, power_instant_w=None))
    told = session.told_by("telemetry")
    more = Device(kind="cuda", name="NVIDIA H200", index=0)
    session.add(SessionInfo(t=0.0, instrument="telemetry", device=told, neighbours=[more]))
    assert [(c.gpu, c.measured) for c in watched(session, {}).cards] == [(1, True)]
    session.add(read(0.0, gpu=0, counters={"power_cap": 1}))
    whole = watched(session, {}).cards
    assert [(c.gpu, c.measured) for c in whole] == [(0, False), (1, True)]
    assert watch_findings(whole[0], alone=False) == []
