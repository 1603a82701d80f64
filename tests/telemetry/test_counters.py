"""Field values: each has a return code and a type of its own."""

import pytest

from roofwatch.telemetry.counters import COUNTERS, Field, Fields
from roofwatch.telemetry.nvml import Gone, Nvml

WANTED = {"one": Field(1), "two": Field(2), "three": Field(3)}


@pytest.fixture
def fields(fake, pynvml):
    fake.fields = {1: pynvml.field(10), 2: pynvml.field(20), 3: pynvml.field(30)}
    return lambda: Fields(Nvml(fake), fake.cards[0], WANTED)


def test_all_in_one_call(fields, fake):
    reader = fields()
    before = len(fake.calls)
    assert reader.read() == {"one": 10, "two": 20, "three": 30}
    assert len(fake.calls) == before + 1
    assert reader.status == {}


@pytest.mark.parametrize(
    ("code", "status", "asked"),
    [(3, "not_supported", 2), (4, "no_permission", 2), (2, "error", 2), (999, "error", 3)],
)
def test_one_field_refused(code, status, asked, fields, fake, pynvml):
    fake.fields[2] = pynvml.field(0, code=code)
    reader = fields()
    widths = []
    answer = fake.answers["nvmlDeviceGetFieldValues"]

    def count(card, wanted):
        widths.append(len(wanted))
        return answer(card, wanted)

    fake.answers["nvmlDeviceGetFieldValues"] = count
    for _ in range(2):
        assert reader.read() == {"one": 10, "three": 30}
        assert reader.status == {"two": status}
    assert widths == [asked, asked]


def test_a_driver_that_rejects_a_whole_call_for_one_field(fields, fake):
    answer = fake.answers["nvmlDeviceGetFieldValues"]

    def picky(card, wanted):
        if (2, 0) in wanted:
            raise fake.NVMLError(2)
        return answer(card, wanted)

    fake.answers["nvmlDeviceGetFieldValues"] = picky
    assert fields().read() == {"one": 10, "three": 30}


@pytest.mark.parametrize(
    ("kind", "value"), [(0, 1.5), (1, 7), (2, 7), (3, 7), (4, 7), (5, 7), (6, 7)]
)
def test_the_value_is_read_from_the_member_of_its_type(kind, value, fields, fake, pynvml):
    fake.fields[1] = pynvml.field(value, kind=kind)
    assert fields().read()["one"] == value


@pytest.mark.parametrize(("kind", "value"), [(3, 2**64 - 1), (4, -1), (0, float("nan"))])
def test_an_absurd_counter(kind, value, fields, fake, pynvml):
    fake.fields[1] = pynvml.field(value, kind=kind)
    reader = fields()
    assert reader.read() == {"two": 20, "three": 30}
    assert reader.status == {"one": "error"}


def test_a_type_from_a_newer_header(fields, fake, pynvml):
    fake.fields[1] = pynvml.field(5)
    fake.fields[1].valueType = 7
    reader = fields()
    assert "one" not in reader.read()
    assert reader.status == {"one": "error"}


def test_a_field_that_says_the_card_is_lost(fields, fake, pynvml):
    reader = fields()
    fake.fields[3] = pynvml.field(0, code=15)
    with pytest.raises(Gone):
        reader.read()


def test_a_missing_function_is_asked_for_no_more(fields, fake):
    fake.fail(13, "nvmlDeviceGetFieldValues")
    reader = fields()
    before = len(fake.calls)
    assert reader.read() == {}
    assert reader.status == dict.fromkeys(WANTED, "not_supported")
    assert len(fake.calls) == before


def test_ids_of_the_header():
    names = ("power_cap", "policy_thermal", "sync_boost", "sw_thermal", "hw_thermal", "power_brake")
    assert [COUNTERS[name].id for name in names] == [74, 75, 76, 269, 270, 271]
