"""Over what two cards meet, by the driver's word; silence where it has none."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from roofwatch.fleet.pair_kind import pair_kind
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
