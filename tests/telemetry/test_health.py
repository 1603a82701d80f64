"""A card's condition: what NVML answers in one reading, and why something of it is null."""

from types import SimpleNamespace

import pytest

from roofwatch.session.health import RemappedRows
from roofwatch.telemetry.nvml import Gone


def test_a_healthy_h200(fake, open_gpu):
    health = open_gpu(fake).health("idle")
    assert (health.asked, health.cuda, health.cards) == ("idle", "13.0", 1)
    assert (health.app_sm_mhz, health.app_sm_default_mhz, health.boost_sm_mhz) == (1980,) * 3
    assert (health.pcie_gen, health.pcie_gen_max, health.pcie_gen_card) == (5, 5, 5)
    assert health.rows == RemappedRows(correctable=0, uncorrectable=0, pending=False, failed=False)
    assert (health.compute_mode, health.nvlinks, health.xids) == ("default", [True, True], [])
    assert health.status == {}


def test_the_ecc_counters_are_asked_for_uncorrected_errors(fake, open_gpu):
    fake.answers["nvmlDeviceGetTotalEccErrors"] = lambda card, kind, counter: {
        (1, 0): 3,
        (1, 1): 9,
    }[kind, counter]
    health = open_gpu(fake).health("idle")
    assert (health.ecc_volatile, health.ecc_aggregate) == (3, 9)


def test_errors_of_the_driver_are_kept_from_look_to_look(fake, open_gpu, pynvml):
    waiting = [79, 31]

    def wait(events, milliseconds):
        if not waiting:
            raise pynvml.NVMLError(10)
        return SimpleNamespace(eventType=8, eventData=waiting.pop(0))

    fake.answers["nvmlEventSetWait"] = wait
    gpu = open_gpu(fake)
    assert gpu.health("idle").xids == [79, 31]
    waiting.append(94)
    assert gpu.health("after").xids == [79, 31, 94]
    assert fake.calls.count("nvmlDeviceRegisterEvents") == 1


def test_a_card_that_sends_errors_without_end_is_left_alone(fake, open_gpu):
    fake.answers["nvmlEventSetWait"] = SimpleNamespace(eventType=8, eventData=63)
    assert len(open_gpu(fake).health("idle").xids) == 32


@pytest.mark.parametrize(
    ("function", "code", "status"),
    [
        ("nvmlEventSetCreate", 4, "no_permission"),
        ("nvmlDeviceRegisterEvents", 3, "not_supported"),
        ("nvmlEventSetWait", 999, "error"),
        ("nvmlEventSetCreate", 10, "error"),  # a time-out of another call is no silence
    ],
)
def test_no_events_are_not_no_errors(function, code, status, fake, open_gpu):
    fake.fail(code, function)
    health = open_gpu(fake).health("idle")
    assert (health.xids, health.status["xids"]) == (None, status)


def test_links_end_at_the_first_number_that_is_none(fake, open_gpu):
    fake.links = 0
    health = open_gpu(fake).health("idle")
    assert (health.nvlinks, health.status["nvlinks"]) == (None, "error")
    fake.fail(3, "nvmlDeviceGetNvLinkState")
    assert open_gpu(fake).health("idle").status["nvlinks"] == "not_supported"


def test_a_lost_card_has_no_condition(fake, open_gpu):
    gpu = open_gpu(fake)
    fake.fail(15, "nvmlDeviceGetRemappedRows")
    with pytest.raises(Gone):
        gpu.health("idle")
