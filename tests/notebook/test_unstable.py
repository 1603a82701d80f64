"""Repetitions that disagree: spread, two groups, a drift and the profiler."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import judge

STREAM: dict[str, object] = {
    "subject": "add_scalar-fp16",
    "op": "add_scalar",
    "dtype": "fp16",
    "protocol": "stream",
    "gbs": 4400.0,
    "judged": "gbs",
    "repetitions": 40,
}
TWO_GROUPS = (1.0e-3, 1.1e-3, 0.4)


def found(**fields: object) -> list[Finding]:
    return judge(Reading(**{**STREAM, **fields}))  # type: ignore[arg-type]


def only(**fields: object) -> Finding:
    (one,) = found(**fields)
    assert one.code == one.name == "unstable"
    assert one.subject == "add_scalar-fp16"
    return one


def test_a_good_reading_is_silent() -> None:
    assert found(spread=0.005, drift=0.0, control_ratio=1.01, profiler_ratio=0.99) == []


def test_a_spread_over_ten_per_cent() -> None:
    one = only(spread=0.101)
    assert one.evidence == {"spread": 0.101}
    assert "40 repetitions" in one.message
    assert "10 %" in one.message
    assert (one.severity, one.root) == (SUSPECT, "conditions")
    assert found(spread=0.10) == []


def test_two_groups_are_said_instead_of_the_spread_and_the_drift_they_make() -> None:
    one = only(modes=TWO_GROUPS, spread=0.2, drift=0.1)
    assert one.evidence == {"fast_s": 1.0e-3, "slow_s": 1.1e-3, "slow_share": 0.4}
    assert "40 %" in one.message
    assert "10 % longer" in one.message


@pytest.mark.parametrize(
    ("protocol", "severity"),
    [("stream", SUSPECT), ("burst", NOTE), ("sustained", NOTE), ("sweep", NOTE), (None, NOTE)],
)
def test_only_a_settled_stream_has_no_excuse_for_two_groups(
    protocol: str | None, severity: str
) -> None:
    assert only(modes=TWO_GROUPS, protocol=protocol).severity == severity


def test_a_held_clock_wanders_by_up_to_five_per_cent() -> None:
    near, apart = (1.00e-3, 1.05e-3, 0.5), (1.00e-3, 1.06e-3, 0.5)
    assert found(modes=near, protocol="sustained") == []
    assert only(modes=apart, protocol="sustained").severity == NOTE
    assert only(modes=near, protocol="burst").severity == NOTE
    assert found(drift=0.05, protocol="sustained") == []
    assert only(drift=0.051, protocol="sustained").severity == NOTE


@pytest.mark.parametrize("drift", [0.031, -0.031])
def test_a_drift_over_three_per_cent_either_way(drift: float) -> None:
    one = only(drift=drift)
    assert one.evidence == {"drift": drift}
    assert one.severity == SUSPECT
    assert ("3 % slower" if drift > 0 else "3 % faster") in one.message


@pytest.mark.parametrize("drift", [0.03, -0.03, 0.0])
def test_three_per_cent_is_no_drift(drift: float) -> None:
    assert found(drift=drift) == []


def test_a_burst_that_slows_spent_its_power_budget() -> None:
    slower, faster = only(drift=0.1, protocol="burst"), only(drift=-0.1, protocol="burst")
    assert slower.severity == faster.severity == NOTE
    assert "power budget" in slower.why
    assert "power budget" not in faster.why
    assert "power budget" not in only(drift=0.1).why


@pytest.mark.parametrize("ratio", [0.94, 1.06])
def test_a_profiler_that_times_another_thing(ratio: float) -> None:
    one = only(profiler_ratio=ratio)
    assert one.evidence == {"ratio": ratio}
    assert one.severity == SUSPECT
    assert f"{ratio * 100:.0f} %" in one.message


@pytest.mark.parametrize("ratio", [0.951, 1.0, 1.049])
def test_a_profiler_within_five_per_cent_agrees(ratio: float) -> None:
    assert found(profiler_ratio=ratio) == []


@pytest.mark.parametrize("protocol", ["burst", "sustained", "sweep", None])
def test_the_profiler_is_held_against_streams_alone(protocol: str | None) -> None:
    # A profiled matmul runs on an unrested card: its clock is another.
    assert found(profiler_ratio=1.3, protocol=protocol) == []


def test_several_disagreements_are_several_findings() -> None:
    several = found(spread=0.2, drift=0.1, profiler_ratio=1.1)
    assert [sorted(f.evidence) for f in several] == [["ratio"], ["spread"], ["drift"]]


def test_held_work_is_never_faster_than_from_rest() -> None:
    one = only(held_ratio=3.5, spread=0.05, held_spread=0.08)
    assert one.evidence == {"ratio": 3.5, "noise": pytest.approx(0.13)}
    assert (one.severity, one.root) == (SUSPECT, "conditions")
    assert "350 %" in one.message
    assert "13 %" in one.message
    assert "disturbed" in one.why


@pytest.mark.parametrize(
    ("ratio", "spread", "held_spread"),
    [(0.83, 0.002, 0.03), (1.0, 0.0, 0.0), (1.029, 0.001, 0.001), (1.12, 0.077, 0.072)],
)
def test_what_both_spreads_explain_is_no_disturbance(
    ratio: float, spread: float, held_spread: float
) -> None:
    assert found(held_ratio=ratio, spread=spread, held_spread=held_spread) == []
