"""Who counts as someone else on the card, and what the shell hears at the end."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import Finding
from roofwatch.session.busy import busy, finding_flag
from roofwatch.session.events import Device, Fault, Sample, SessionInfo
from roofwatch.session.exit_code import exit_code
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session


def session_with(utils: list[float | None], **device: object) -> Session:
    session = Session()
    fields = {"kind": "cuda", "name": "X", **device}
    session.add(SessionInfo(t=0.0, instrument="telemetry", device=Device(**fields)))  # type: ignore[arg-type]
    for i, util in enumerate(utils):
        session.add(
            Sample(
                t=i / 10,
                gpu=0,
                sm_mhz=1.0,
                mem_mhz=1.0,
                power_w=1.0,
                power_instant_w=1.0,
                temp_c=1.0,
                mem_used_bytes=1,
                util=util,
                reasons=0,
            )
        )
    return session


def test_an_idle_card_is_free() -> None:
    assert busy(session_with([0.0, 0.1, 0.1], processes=0)) is None
    assert busy(session_with([0.9, 0.0, 0.9], processes=0)) is None
    assert busy(session_with([None, None, None])) is None


def test_three_busy_samples_or_one_process() -> None:
    by_util = busy(session_with([0.5, 0.3, 0.11], processes=0))
    assert by_util is not None
    assert "some kernel was running 11 % of the time" in by_util.sentence
    one = busy(session_with([0.0, 0.0, 0.0], processes=1, processes_bytes=3 << 30))
    assert one is not None
    assert one.sentence == "1 other process holds the GPU with 3.0 GiB"
    two = busy(session_with([0.0], processes=2))
    assert two is not None
    assert two.sentence == "2 other processes hold the GPU"


def test_a_cpu_never_asks() -> None:
    assert busy(session_with([1.0, 1.0, 1.0], kind="cpu")) is None


def test_measuring_all_the_same_is_a_finding() -> None:
    session = session_with([0.9, 0.9, 0.9], processes=1)
    seen = busy(session)
    assert seen is not None
    session.add(finding_flag(seen, session, 0.5, 1))
    assert [(f.code, f.severity) for f in findings(session)] == [("other-process", "suspect")]


def fault(**fields: object) -> Session:
    session = Session()
    session.add(Fault(t=1.0, what="w", **fields))  # type: ignore[arg-type]
    return session


WRONG = Finding(
    code="E2",
    name="l2-hit",
    root="bytes",
    severity="wrong",
    subject="x",
    message="m",
    why="w",
    do="d",
    evidence={},
)


@pytest.mark.parametrize(
    ("session", "found", "strict", "code"),
    [
        (Session(), [], False, 0),
        (Session(), [WRONG], False, 0),
        (Session(), [WRONG], True, 5),
        (fault(instrument="probes", exit_code=3), [], False, 3),
        (fault(instrument="probes", exit_code=-9), [WRONG], True, 4),
        (fault(instrument="telemetry"), [], False, 4),
        (fault(instrument="file"), [], False, 0),
    ],
)
def test_exit_codes(session: Session, found: list[Finding], strict: bool, code: int) -> None:
    assert exit_code(session, found, strict) == code
