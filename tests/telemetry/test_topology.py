"""How cards meet: NVLink or not, and what of PCIe they share, by NVML's answers and failures."""

import pytest

from roofwatch.telemetry.nvml import Nvml
from roofwatch.telemetry.topology import Watched, pairs


@pytest.fixture
def three(pynvml):
    fake = pynvml.Fake(cards=3)
    fake.answers["nvmlDeviceGetP2PStatus"] = lambda a, b, what: {2: 0}[what]
    fake.answers["nvmlDeviceGetTopologyCommonAncestor"] = lambda a, b: {
        (0, 1): 30,
        (0, 2): 50,
        (1, 2): 50,
    }[a.index, b.index]
    return fake


def of(fake):
    cards = [Watched(card.index, card) for card in fake.cards]
    return pairs(Nvml(fake), cards)


def test_each_two_cards_once(three):
    found = of(three)
    assert [(p.a, p.b, p.nvlink, p.ancestor) for p in found] == [
        (0, 1, True, "hostbridge"),
        (0, 2, True, "system"),
        (1, 2, True, "system"),
    ]
    assert all(p.status == {} for p in found)


def test_no_nvlink_is_an_answer_and_no_answer_is_none(three):
    three.answers["nvmlDeviceGetP2PStatus"] = lambda a, b, what: 5 if a.index == 0 else 77
    first, second, last = of(three)
    assert (first.nvlink, second.nvlink, last.nvlink) == (False, False, None)
    assert last.status == {"nvlink": "error"}


@pytest.mark.parametrize(
    ("code", "status"), [(3, "not_supported"), (13, "not_supported"), (999, "error")]
)
def test_a_driver_that_does_not_tell_says_why(three, code, status):
    three.fail(code, "nvmlDeviceGetP2PStatus", "nvmlDeviceGetTopologyCommonAncestor")
    assert {(p.nvlink, p.ancestor) for p in of(three)} == {(None, None)}
    assert of(three)[0].status == {"nvlink": status, "ancestor": status}


def test_an_ancestor_that_nobody_knows_is_none(three):
    three.answers["nvmlDeviceGetTopologyCommonAncestor"] = 35
    assert of(three)[0].status == {"ancestor": "error"}


def test_a_look_at_the_card_brings_its_pairs_and_asks_once(three, open_gpu):
    gpu = open_gpu(three)
    assert [(p.a, p.b) for p in gpu.health("h2d-pinned").pairs] == [(0, 1), (0, 2), (1, 2)]
    asked = three.calls.count("nvmlDeviceGetP2PStatus")
    assert len(gpu.health("d2h-pinned").pairs) == 3
    assert three.calls.count("nvmlDeviceGetP2PStatus") == asked == 3


def test_one_card_has_no_pairs(fake, open_gpu):
    assert open_gpu(fake).health("idle").pairs == []
    assert "nvmlDeviceGetP2PStatus" not in fake.calls


def test_all_cards_with_the_one_of_a_uuid_as_the_measured(three, open_gpu):
    gpu = open_gpu(three, "all:GPU-22aa-uuid")
    assert gpu.device.index == 2
    assert [d.index for d in gpu.neighbours] == [0, 1]
    read = {s.gpu: s.power_instant_w for s in gpu.beside(0.0)}
    assert read == {0: 720.0, 1: 720.0}  # in full, each at every tick
