"""The door to NVML: which call is under way, which are never made, and what the package may be."""

import sys
import threading
import types

import pytest

from roofwatch.telemetry import nvml
from roofwatch.telemetry.nvml import TIMEOUT, Absent, Nvml, NvmlError


@pytest.fixture
def clock(monkeypatch):
    """A monotonic clock that stands still until it is moved."""
    now = [100.0]
    monkeypatch.setattr(nvml.time, "monotonic", lambda: now[0])
    return now


def test_a_call_is_waited_for_after_a_second_and_no_more_when_it_returns(fake, clock):
    library = Nvml(fake)
    seen = []

    def slow(card, sensor):
        seen.append(library.waits_for())
        clock[0] += 0.9
        seen.append(library.waits_for())
        clock[0] += 0.2
        seen.append(library.waits_for())
        return 61

    fake.answers["nvmlDeviceGetTemperature"] = slow
    assert library.waits_for() is None
    assert library.call("nvmlDeviceGetTemperature", fake.cards[0], 0) == 61
    assert seen == [None, None, "nvmlDeviceGetTemperature"]
    clock[0] += 10
    assert library.waits_for() is None


def test_a_call_that_fails_is_waited_for_no_more(fake, clock):
    library = Nvml(fake)
    fake.fail(999, "nvmlDeviceGetIndex")
    with pytest.raises(NvmlError):
        library.call("nvmlDeviceGetIndex", fake.cards[0])
    clock[0] += 10
    assert library.waits_for() is None


def test_another_thread_sees_which_call_hangs(fake, clock):
    library = Nvml(fake)
    entered, leave = threading.Event(), threading.Event()

    def stuck():
        entered.set()
        leave.wait(10)

    fake.answers["nvmlInit"] = stuck
    caller = threading.Thread(target=library.start)
    caller.start()
    assert entered.wait(10)
    clock[0] += 1
    assert library.waits_for() == "nvmlInit"
    leave.set()
    caller.join(10)
    assert library.waits_for() is None


def test_what_it_does_without_is_never_called_and_counts_as_timed_out(fake):
    library = Nvml(fake, {"nvmlDeviceGetTemperature"})
    with pytest.raises(NvmlError) as raised:
        library.call("nvmlDeviceGetTemperature", fake.cards[0], 0)
    assert (raised.value.code, raised.value.function) == (TIMEOUT, "nvmlDeviceGetTemperature")
    assert fake.calls == []


def test_an_error_without_a_code_is_an_unknown_one(fake):
    fake.fail(None, "nvmlDeviceGetIndex")
    with pytest.raises(NvmlError) as raised:
        Nvml(fake).call("nvmlDeviceGetIndex", fake.cards[0])
    assert raised.value.code == nvml.UNKNOWN


@pytest.mark.parametrize("module", [None, types.ModuleType("pynvml")])
def test_no_package_or_another_of_its_name(module, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", module)
    with pytest.raises(Absent, match="nvidia-ml-py is not installed"):
        nvml.load()


def test_a_package_that_fails_to_load(tmp_path, monkeypatch):
    (tmp_path / "pynvml.py").write_text("raise RuntimeError('no')\n")
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Absent, match="nvidia-ml-py"):
        nvml.load()


def test_without_on_the_command_line(start, finish):
    names = "nvmlDeviceGetTemperature, nvmlDeviceGetName,"
    orders = {"nvmlDeviceGetTemperature": "hang", "nvmlDeviceGetName": "hang"}
    code, stream = finish(start("--seconds", "0.2", "--without", names, fake=orders))
    assert code == 0
    info, *samples = stream
    assert (info.source, info.device.name) == ("nvml", None)
    assert info.device.status["name"] == "error"
    assert samples
    assert all((s.temp_c, s.status["temp_c"], s.sm_mhz) == (None, "error", 1455) for s in samples)


@pytest.mark.parametrize("named", [["--source", "nvml"], ["--device", "GPU-00aa-uuid"]])
def test_without_its_beginning_there_is_one_line_and_no_other_device(named, start, finish):
    more = [] if "--device" not in named else ["--source", "nvml"]
    code, stream = finish(start(*named, *more, "--without", "nvmlInit", fake={}))
    assert code == 3
    assert [event.what for event in stream] == [
        "NVML does not answer: nvmlInit timed out; only the host can mend it"
    ]


def test_a_card_is_found_by_its_uuid_where_it_does_not_say_it(start, finish):
    arguments = ["--source", "nvml", "--device", "GPU-00aa-uuid", "--seconds", "0.2"]
    code, stream = finish(start(*arguments, "--without", "nvmlDeviceGetUUID", fake={"cards": 2}))
    assert code == 0
    assert (stream[0].device.index, stream[0].device.uuid) == (0, None)
