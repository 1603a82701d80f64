"""The host's other cards: which they are, one a tick, and how each of them ends."""

from types import SimpleNamespace

import pytest

from roofwatch.session import events
from roofwatch.telemetry.choose import choose, neighbours
from roofwatch.telemetry.neighbours import PATIENCE
from roofwatch.telemetry.nvml import Nvml


@pytest.fixture
def four(pynvml):
    """Four equal cards."""
    return pynvml.Fake(cards=4)


def beside(gpu, seconds, hz=10):
    """What is read beside the chosen card at each tick."""
    return [event for k in range(round(seconds * hz)) for event in gpu.beside(k / hz)]


def samples(read):
    return [event for event in read if isinstance(event, events.Sample)]


def indices(fake, device=None, environ=None):
    nvml = Nvml(fake)
    environ = environ or {}
    found = neighbours(nvml, choose(nvml, device, environ), environ)
    return [handle.index for handle in found]


@pytest.mark.parametrize(
    ("device", "cvd", "others"),
    [
        (None, None, [1, 2, 3]),
        ("cuda:2", None, [0, 1, 3]),
        (None, "2", []),
        (None, "2,0", [0]),
        ("cuda:1", "2,0,3", [2, 3]),
        (None, "1,9,0", []),  # CUDA stops at the first that is not there
        (None, "0,GPU-33aa", [3]),
        ("GPU-33aa", "0,1", [0, 1]),
    ],
)
def test_the_others_that_this_process_may_use(device, cvd, others, four):
    environ = {} if cvd is None else {"CUDA_VISIBLE_DEVICES": cvd}
    assert indices(four, device, environ) == others


def test_only_whole_cards(four):
    four.answers["nvmlDeviceGetMigMode"] = lambda card: [int(card.index == 2), 0]
    assert indices(four) == [1, 3]


def test_those_that_cannot_be_opened_are_left_out(four, open_gpu, pynvml):
    by_index = four.answers["nvmlDeviceGetHandleByIndex"]

    def opened(index):
        if index == 1:
            raise pynvml.NVMLError(15)
        return by_index(index)

    def name(card):
        if card.index == 2:
            raise pynvml.NVMLError(15)
        return "NVIDIA H200"

    four.answers |= {"nvmlDeviceGetHandleByIndex": opened, "nvmlDeviceGetName": name}
    gpu = open_gpu(four)
    assert [d.index for d in gpu.neighbours] == [3]
    assert {s.gpu for s in samples(beside(gpu, 3))} == {3}


def test_a_card_alone_costs_nothing(fake, open_gpu):
    gpu = open_gpu(fake)
    asked = list(fake.calls)
    assert gpu.neighbours == []
    assert beside(gpu, 3) == []
    assert fake.calls == asked


def test_each_about_once_a_second_and_one_a_tick(four, open_gpu):
    gpu = open_gpu(four)
    assert [d.index for d in gpu.neighbours] == [1, 2, 3]
    read = beside(gpu, 10)
    for index in (1, 2, 3):
        of_card = [s.t for s in samples(read) if s.gpu == index]
        assert 9 <= len(of_card) <= 11
    assert len([event for event in read if event is not None]) <= 31


def test_more_cards_than_ticks_take_turns(pynvml, open_gpu):
    gpu = open_gpu(pynvml.Fake(cards=17))
    read = samples(beside(gpu, 3.2))
    assert len(read) == 32
    assert [s.gpu for s in read] == [*range(1, 17)] * 2


def test_a_pause_is_not_made_up_for(four, open_gpu):
    gpu = open_gpu(four)
    gpu.beside(0.0)
    read = [event for k in range(10) for event in gpu.beside(60 + k / 10)]
    assert len(samples(read)) <= 4


def test_a_reading_has_the_fast_fields_only(four, open_gpu):
    gpu = open_gpu(four)
    four.calls.clear()
    (read,) = samples(gpu.beside(0.0))
    assert read == events.Sample(
        t=0.0,
        gpu=1,
        sm_mhz=1455,
        mem_mhz=3201,
        power_w=693,
        power_instant_w=None,
        temp_c=61,
        mem_used_bytes=2 << 30,
        util=0.99,
        reasons=4,
    )
    assert events.decode(events.encode(read)) == read
    assert "nvmlDeviceGetTotalEnergyConsumption" not in four.calls
    assert len(four.calls) == 7


def test_what_a_neighbour_cannot_say_has_its_word(four, open_gpu):
    four.fail(4, "nvmlDeviceGetPowerUsage")
    read = samples(beside(open_gpu(four), 1))
    assert all(s.power_w is None and s.status["power_w"] == "no_permission" for s in read)


def test_a_lost_neighbour_is_said_once_and_the_others_go_on(four, open_gpu, pynvml):
    gpu = open_gpu(four)
    beside(gpu, 2)
    clock = four.answers["nvmlDeviceGetClockInfo"]

    def read(card, kind):
        if card.index == 2:
            raise pynvml.NVMLError(15)
        return clock(card, kind)

    four.answers["nvmlDeviceGetClockInfo"] = read
    later = [event for k in range(50) for event in gpu.beside(10 + k / 10)]
    notes = [event for event in later if isinstance(event, events.Note)]
    assert len(notes) == 1
    assert notes[0].text.startswith("card 2 beside this one is left alone: GPU is lost")
    assert {s.gpu for s in samples(later)} == {1, 3}
    assert gpu.sample(15.0, slow=True).sm_mhz == 1455


def test_one_that_answers_nothing_is_left_alone(pynvml, open_gpu):
    fake = pynvml.Fake(cards=2)
    gpu = open_gpu(fake)
    fake.fail(4, *fake.answers)
    read = [event for event in beside(gpu, 20) if event is not None]
    assert len(samples(read)) == PATIENCE - 1
    assert [event.text for event in read if isinstance(event, events.Note)] == [
        "card 1 beside this one is left alone: it answers nothing"
    ]


def test_a_neighbour_without_an_index_is_none(four, open_gpu, pynvml):
    def index(card):
        if card.index == 1:
            raise pynvml.NVMLError(999)
        return card.index

    four.answers["nvmlDeviceGetIndex"] = index
    assert [d.index for d in open_gpu(four).neighbours] == [2, 3]


def test_absurd_values_of_a_neighbour_are_never_shown(four, open_gpu):
    four.answers["nvmlDeviceGetUtilizationRates"] = SimpleNamespace(gpu=101)
    read = samples(beside(open_gpu(four), 1))
    assert all(s.util is None and s.status == {"util": "error"} for s in read)


def test_the_instrument_tells_them_once(start, finish):
    code, stream = finish(start("--seconds", "1.5", fake={"cards": 3}))
    assert code == 0
    infos = [event for event in stream if isinstance(event, events.SessionInfo)]
    assert [[d.index for d in info.neighbours] for info in infos] == [[1, 2]]
    seen = [event.gpu for event in samples(stream)]
    assert seen.count(0) > 5 * seen.count(1) > 0
    assert {0, 1, 2} == set(seen)


def test_all_cards_are_read_in_full_at_every_tick(four, open_gpu):
    gpu = open_gpu(four, "all")
    assert [gpu.device.index, *(d.index for d in gpu.neighbours)] == [0, 1, 2, 3]
    read = samples(beside(gpu, 2))
    assert [s.gpu for s in read] == [1, 2, 3] * 20
    assert all(s.power_instant_w is not None and s.counters for s in read)
    for card in (1, 2, 3):
        slow = [s for s in read if s.gpu == card and s.energy_j is not None]
        assert len(slow) == 2  # once a second
        assert all(s.processes is not None for s in slow)
    dear = [k for k in range(20) if sum(s.energy_j is not None for s in read[3 * k : 3 * k + 3])]
    assert len(dear) == 6  # never two in one tick


def test_of_all_cards_a_lost_one_is_left_alone(four, open_gpu, pynvml):
    gpu = open_gpu(four, "all")
    clock = four.answers["nvmlDeviceGetClockInfo"]

    def read(card, kind):
        if card.index == 1:
            raise pynvml.NVMLError(15)
        return clock(card, kind)

    four.answers["nvmlDeviceGetClockInfo"] = read
    later = beside(gpu, 1)
    assert sum(isinstance(event, events.Note) for event in later) == 1
    assert {s.gpu for s in samples(later)} == {2, 3}
    assert len(samples(later)) == 20


def test_all_cards_are_those_that_the_process_may_use(four, open_gpu):
    gpu = open_gpu(four, "all", {"CUDA_VISIBLE_DEVICES": "3,1"})
    assert gpu.device.index == 3
    assert [d.index for d in gpu.neighbours] == [1]
