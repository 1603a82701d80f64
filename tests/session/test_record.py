"""The record keeps contract roofwatch.record/1: names, blocks, statuses of every null."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.summary import record

SESSIONS = Path(__file__).parents[1] / "sessions"
BLOCKS = {
    "session": "id started_at duration_s complete file",
    "software": "roofwatch python torch cuda driver",
    "device": "kind name uuid sm_count memory_bytes l2_bytes power_limit_w power_default_w "
    "sm_max_mhz compute_capability",
    "nominal": "key origin bandwidth_gbs peaks_tflops ridge",
    "roofs": "bandwidth_gbs bandwidth_kernel of_nominal compute ridge l2_bytes_seen",
    "telemetry": "hz samples gaps sm_mhz power_w temp_c",
}
COMPUTE = (
    "burst_tflops sustained_tflops nominal_tflops of_nominal shape kernel layout tensor_core "
    "library_limited sm_mhz_burst sm_mhz_sustained clock_source attribution"
)
MEASUREMENT = (
    "id probe op shape dtype math accumulate peak_key flop bytes intensity time_s gbs tflops "
    "expected within_expected conditions timing"
)
FINDING = "code name root severity subject message why do evidence"
SUSTAINED = "measurement onset_s window_s tflops gbs sm_mhz power_w energy_j tflops_per_w"


@pytest.fixture
def seen(h200: Session, h200_file: Path) -> dict[str, Any]:
    decoded = msgspec.json.decode(msgspec.json.encode(record(h200, h200_file)))
    assert isinstance(decoded, dict)
    return decoded


def test_every_block_has_its_names(seen: dict[str, Any]) -> None:
    assert seen["schema"] == "roofwatch.record/1"
    for block, names in BLOCKS.items():
        assert set(names.split()) <= set(seen[block]), block
    for flat in seen["roofs"]["compute"].values():
        assert set(COMPUTE.split()) <= set(flat)
    for m in seen["measurements"]:
        assert set(MEASUREMENT.split()) <= set(m)
        assert set(m["time_s"]) == {"median", "best", "iqr", "n", "stop"}
        assert m["time_s"]["n"] >= 3
        assert set(m["conditions"]) >= {"sm_mhz", "mem_mhz", "power_w", "temp_c", "reasons"}
    for f in seen["findings"]:
        assert set(FINDING.split()) == set(f)
    for s in seen["sustained"]:
        assert set(SUSTAINED.split()) <= set(s)
    for empty in ("sweeps", "decode", "kernels", "faults"):
        assert seen[empty] == []
    assert seen["launch"] == {}


def nulls(value: Any, path: str = "") -> list[str]:
    if isinstance(value, dict):
        status = value.get("status", {})
        return [
            p
            for k, v in value.items()
            if k not in ("status", "evidence") and not (v is None and k in status)
            for p in nulls(v, f"{path}.{k}")
        ]
    if isinstance(value, list):
        return [p for i, v in enumerate(value) for p in nulls(v, f"{path}[{i}]")]
    return [path] if value is None else []


def test_every_null_has_a_status_beside_it(seen: dict[str, Any]) -> None:
    status = seen["roofs"]["status"]
    left = [p for p in nulls(seen) if p.removeprefix(".roofs.") not in status]
    assert left == []


@pytest.mark.parametrize(
    "name", ["two/links", "watch/h200-1", "h200-decode-1", "cpu/full-1", "two/cards", "h200-full-1"]
)
def test_so_it_is_whatever_was_measured(name: str) -> None:
    told = record(fold(events(SESSIONS / f"{name}.jsonl")), None)
    seen = msgspec.json.decode(msgspec.json.encode(told))
    status = seen["roofs"]["status"]
    assert [p for p in nulls(seen) if p.removeprefix(".roofs.") not in status] == []


def test_all_five_questions_are_there(seen: dict[str, Any]) -> None:
    assert [q["number"] for q in seen["questions"]] == [1, 2, 3, 4, 5]
    assert "decode probe" in seen["questions"][3]["answer"]
    control = seen["questions"][0]["checks"][0]
    assert control["ok"] is True


def test_an_empty_session_has_a_whole_record_too() -> None:
    seen = msgspec.json.decode(msgspec.json.encode(record(Session(), None)))
    assert [q["number"] for q in seen["questions"]] == [1, 2, 3, 4, 5]
    assert seen["measurements"] == []
    assert seen["session"]["complete"] is False


def test_the_figures_agree_with_each_other(seen: dict[str, Any]) -> None:
    bf16 = seen["roofs"]["compute"]["bf16"]
    burst = next(m for m in seen["measurements"] if m["id"] == "matmul-bf16")
    assert bf16["burst_tflops"] == burst["tflops"]
    assert burst["tflops"] == pytest.approx(burst["flop"] / burst["time_s"]["median"] / 1e12)
    assert burst["bytes"] == sum(t["read_bytes"] + t["write_bytes"] for t in burst["tensors"])
    assert seen["sustained"][0]["tflops"] == bf16["sustained_tflops"]
    held = seen["sustained"][0]
    assert held["tflops_per_w"] == pytest.approx(held["tflops"] / held["power_w"])
    # Energy over the window is the power shown, within the 15 % that the sensors differ by.
    length = held["window_s"][1] - held["window_s"][0]
    assert held["energy_j"] / length == pytest.approx(held["power_w"], rel=0.15)
    again = next(m for m in seen["measurements"] if m["id"] == held["measurement"])
    assert again["conditions"]["sm_mhz"] == held["sm_mhz"]
    assert burst["conditions"]["power_w"] is None
    assert burst["conditions"]["status"]["power_w"] == "stale"
