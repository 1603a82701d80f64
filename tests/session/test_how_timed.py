"""The sentences about timing, held to the protocols themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.probes import launch, sustained, sweep, timing, waves, worker
from roofwatch.probes import matmul as matmul_probe
from roofwatch.roofline.onset import SETTLE_S
from roofwatch.roofline.probe_spec import GROUPS
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.how_timed import (
    OF_GROUP,
    READ_ON_DEVICE,
    how_timed,
    protocol_said,
    stop_said,
)

SESSIONS = sorted((Path(__file__).parent.parent / "sessions").glob("*.jsonl"))


def said(protocol: str, kind: str = "cuda") -> str:
    return protocol_said(protocol, kind)


def test_a_bursts_figures_are_the_protocols() -> None:
    assert f"rests for {timing.REST_S:g} s" in said("burst")
    assert f"at most {timing.BURST_S * 1e3:g} ms" in said("burst")
    assert timing.LOAD_LAUNCHES == 3
    assert "three launches load" in said("burst")
    assert f"at most {matmul_probe.CPU_BURST_S:g} s" in said("burst", "cpu")


def test_a_streams_figures_are_the_protocols() -> None:
    for kind in ("cuda", "cpu"):
        assert f"two blocks of {timing.BLOCK_S * 1e3:g} ms" in said("stream", kind)
        assert f"within {timing.STABLE * 100:g} %" in said("stream", kind)
    cap_s = timing.steady.__kwdefaults__["cap_s"]
    assert f"for {cap_s:g} s at most" in said("stream")
    assert f"within {timing.SPREAD * 100:.0f} % of the median" in stop_said("iqr")
    assert f"under {timing.ERROR * 100:g} %" in stop_said("standard-error")


def test_a_held_probes_figures_are_the_protocols() -> None:
    assert f"{sustained.AHEAD_S * 1e3:g} ms of launches queued" in said("sustained")
    assert f"begins {SETTLE_S:g} s after the rate fell" in said("sustained")
    assert f"launch of {sustained.BLOCK_S * 1e3:g} ms" in said("sustained")


def test_a_sweeps_figures_are_the_protocols() -> None:
    for kind in ("cuda", "cpu"):
        assert f"repeated {sweep.REPEATS[kind]} times" in said("sweep", kind)
        assert f"warmed up by {sweep.WARM} launches" in said("sweep", kind)
    assert f"more than {sweep.REST_ABOVE_S * 1e6:g} us" in said("sweep")


def test_every_group_has_its_sentence() -> None:
    assert set(OF_GROUP) == set(GROUPS)
    assert set(worker.POINTS) == set(GROUPS)
    assert f"graph of {launch.NODES}" in OF_GROUP["launch"]
    assert f"over {launch.STRETCHES * launch.STRETCH_S:g} s" in OF_GROUP["launch"]
    assert f"repeated {waves.REPEATS} times" in OF_GROUP["waves"]
    assert f"rest of {waves.REST_S:g} s" in OF_GROUP["waves"]


def test_the_clock_on_the_device_is_said_where_it_was_read(full: Session, h200: Session) -> None:
    def of(session: Session, probe: str) -> str:
        m = next(m for m in session.measurements if m.probe == probe)
        spec = next(s for s in session.specs if s.key == probe)
        return how_timed(m, session.device.kind, spec)

    assert f"Every {timing.CLOCK_EVERY_S * 1e3:g} ms" in READ_ON_DEVICE
    assert READ_ON_DEVICE in of(full, "matmul-bf16")
    assert READ_ON_DEVICE not in of(h200, "matmul-bf16")
    assert "It is a control" in of(full, "add_scalar-fp32")
    assert f"over {worker.CONTROL * 100:g} % from" in of(full, "add_scalar-fp32")
    assert "of 24 in a search" in of(full, "matmul-bf16")
    assert "An event behind each launch" in of(full, "matmul-bf16-sustained")


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: p.stem)
def test_every_recorded_measurement_has_sentences(path: Path) -> None:
    session = fold(events(path))
    for m in session.measurements:
        for kind in ("cuda", "cpu", None):
            text = how_timed(m, kind, None)
            assert text.endswith(".")
            assert "  " not in text


def test_words_that_only_a_newer_version_knows_stay_text() -> None:
    assert stop_said("\x1bnew") == "�new"
    assert protocol_said("new", "cuda") == ""
