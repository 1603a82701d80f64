"""Over what two cards meet, by the driver's word; silence where it has none."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from roofwatch.fleet import pair_kind as pair_kinds
from roofwatch.fleet.pair_kind import driver, pair_kind
from roofwatch.telemetry.nvml import Nvml

SHIM = Path(__file__).parents[1] / "telemetry" / "shim" / "pynvml.py"
OWN, OTHER = (f"GPU-{c * 8}-0000-0000-0000-000000000000" for c in "ab")


@pytest.fixture
def fake() -> Any:
    spec = importlib.util.spec_from_file_location("fake_pynvml_of_pairs", SHIM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.Fake(cards=2)
    for card, uuid in zip(made.cards, (OWN, OTHER), strict=True):
        card.uuid = uuid
    made.answers["nvmlDeviceGetTopologyCommonAncestor"] = lambda a, b: 30
    return made


@pytest.mark.parametrize(("answer", "said"), [(0, "nvlink"), (5, "pcie"), (77, "")])
def test_nvmls_answer_in_a_word(fake: Any, answer: int, said: str) -> None:
    fake.answers["nvmlDeviceGetP2PStatus"] = lambda a, b, what: answer
    assert pair_kind(OWN, OTHER, Nvml(fake)) == said


def test_a_card_that_nvml_does_not_list_or_that_is_the_same_has_none(fake: Any) -> None:
    fake.answers["nvmlDeviceGetP2PStatus"] = lambda a, b, what: 0
    assert pair_kind(OWN, f"GPU-{'c' * 8}-0000-0000-0000-000000000000", Nvml(fake)) == ""
    assert pair_kind(OWN, OWN, Nvml(fake)) == ""
    assert pair_kind(OWN, "", Nvml(fake)) == ""


@pytest.mark.parametrize("broken", [False, True])
def test_nvml_is_started_once_and_let_go_whatever_becomes_of_it(
    fake: Any, broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    for name in ("nvmlInit", "nvmlShutdown"):
        fake.answers[name] = lambda name=name: asked.append(name)
    fake.answers["nvmlDeviceGetP2PStatus"] = lambda a, b, what: 0
    monkeypatch.setattr(pair_kinds, "load", lambda: Nvml(fake))
    if broken:
        fake.fail(999, "nvmlShutdown")
    with driver() as nvml:
        assert nvml is not None
        assert [pair_kind(OWN, OTHER, nvml) for _ in range(3)] == ["nvlink"] * 3
        assert asked == ["nvmlInit"]
    assert asked == (["nvmlInit"] if broken else ["nvmlInit", "nvmlShutdown"])


def test_where_there_is_no_driver_there_is_nobody_to_ask(
    fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.fail(9, "nvmlInit")
    monkeypatch.setattr(pair_kinds, "load", lambda: Nvml(fake))
    with driver() as nvml:
        assert nvml is None
