"""The compiled stub under the real nvidia-ml-py: the instrument as a process, end to end."""

import ctypes
import importlib.util
import subprocess
import sys

import nvml_stub
import pytest
from nvml_hang import came_of, waited_for
from nvml_scenes import functions

from roofwatch.session import events

pytestmark = [
    pytest.mark.skipif(nvml_stub.compiler() is None, reason="needs a C compiler"),
    pytest.mark.skipif(importlib.util.find_spec("pynvml") is None, reason="needs nvidia-ml-py"),
    pytest.mark.skipif(sys.platform != "linux", reason="pynvml loads a .so by its name"),
]
NVML = ["--source", "nvml"]


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The stub, built once."""
    return nvml_stub.build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def told(library):
    """What the instrument says under orders: its exit code and its events."""

    def run(orders, *arguments):
        done = subprocess.run(
            [sys.executable, "-m", "roofwatch.telemetry", *NVML, "--seconds", "0.5", *arguments],
            env=nvml_stub.environment(library, orders),
            capture_output=True,
            timeout=30,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        return done.returncode, [events.decode(line) for line in done.stdout.splitlines()]

    return run


def test_it_has_every_function_that_telemetry_uses(library):
    loaded = ctypes.CDLL(str(library))
    endings = ("", "_v2", "_v3", "WithFlags")
    assert [f for f in functions() if not any(hasattr(loaded, f + e) for e in endings)] == []


def test_an_h200(told):
    code, (info, *samples) = told("")
    assert code == 0
    device = info.device
    assert (device.name, device.sm_count, device.memory_bytes) == (
        "NVIDIA H200",
        132,
        150_754_820_096,
    )
    assert (info.software.driver, device.power_max_w, device.ecc) == ("580.159.04", 700, True)
    assert device.status == {"nvlink_links": "not_supported"}
    assert len(samples) >= 4
    for sample in samples:
        assert (sample.sm_mhz, sample.mem_mhz, sample.power_w) == (1455, 3201, 693)
        assert (sample.power_instant_w, sample.temp_c, sample.util) == (720, 61, 0.99)
        assert (sample.mem_used_bytes, sample.reasons) == (2 << 30, 4)
        assert sample.status == {}
    counted = [sample.counters["power_cap"] for sample in samples]
    assert counted == sorted(set(counted))


@pytest.mark.parametrize(
    ("order", "status"),
    [("3", "not_supported"), ("4", "no_permission"), ("13", "not_supported"), ("999", "error")],
)
def test_one_function_fails(order, status, told):
    code, (_, *samples) = told(f"nvmlDeviceGetTemperature={order}")
    assert code == 0
    assert samples
    for sample in samples:
        assert (sample.temp_c, sample.status, sample.sm_mhz) == (None, {"temp_c": status}, 1455)


def test_ones_in_every_reading(told):
    handles = ("nvmlDeviceGetCount", "nvmlDeviceGetHandleByIndex")
    code, (info, *samples) = told("".join(f"{name}=0;" for name in handles) + "*=absurd")
    assert code == 0
    known = {"kind", "mig", "status"}
    named = {n for n in info.device.__struct_fields__ if getattr(info.device, n) is not None}
    assert named <= known | {"processes"}
    for sample in samples:
        assert (sample.sm_mhz, sample.power_w, sample.power_instant_w) == (None, None, None)
        assert (sample.temp_c, sample.util, sample.mem_used_bytes) == (None, None, None)
        assert (sample.reasons, sample.energy_j, sample.counters) == (None, None, {})
        assert set(sample.status.values()) == {"error"}


def test_an_older_driver(told):
    code, (info, *samples) = told(
        "nvmlDeviceGetComputeRunningProcesses_v3=13;nvmlDeviceGetMemoryInfo_v2=13;"
        "nvmlDeviceGetCurrentClocksEventReasons=13"
    )
    assert code == 0
    assert (info.device.processes, info.device.processes_bytes) == (1, 1 << 30)
    assert all(sample.reasons == 4 and sample.status == {} for sample in samples)
    reserved = 600 << 20  # counted by the older function
    assert {sample.mem_used_bytes for sample in samples} == {(2 << 30) + reserved}


def test_several_cards_and_one_by_its_uuid(told):
    uuid = "GPU-00000002-0000-0000-0000-000000000000"
    code, (info, *samples) = told("cards=3", "--device", uuid)
    assert code == 0
    assert (info.device.uuid, info.device.index) == (uuid, 2)
    assert [device.index for device in info.neighbours] == [0, 1]
    assert {sample.gpu for sample in samples} >= {2}


@pytest.mark.parametrize(
    ("orders", "code", "words"),
    [
        ("nvmlInit=9", 3, "the NVIDIA driver is not loaded"),
        ("nvmlInit=18", 3, "the NVIDIA driver was upgraded"),
        ("nvmlInit=999", 3, "this container lost its GPU"),
        ("cards=0", 3, "NVML lists no NVIDIA GPU"),
        ("nvmlDeviceGetHandleByIndex=absurd", 3, "NVML found no such GPU"),
        ("nvmlDeviceGetPowerUsage=after:2:15", 4, "GPU is lost"),
        ("nvmlDeviceGetName=15", 4, "GPU is lost"),
    ],
)
def test_there_is_nothing_to_read(orders, code, words, told):
    ended, stream = told(orders)
    assert (ended, type(stream[-1])) == (code, events.Fault)
    assert words in stream[-1].what


def test_a_container_loses_its_gpu(told):
    code, stream = told("*=after:20:999", "--hz", "100")
    assert code == 4
    assert "every NVML call fails after it worked" in stream[-1].what


def test_a_crash_ends_the_process_and_what_was_said_stands(told):
    code, stream = told("nvmlDeviceGetPowerUsage=after:2:crash")
    assert code == -11
    assert [type(event).__name__ for event in stream] == ["SessionInfo", "Sample", "Sample"]


@pytest.mark.parametrize(
    ("orders", "function", "word"),
    [
        ("nvmlInit=hang", "nvmlInit", "line"),
        ("nvmlDeviceGetPowerUsage=after:2:hang", "nvmlDeviceGetPowerUsage", "works"),
    ],
)
def test_a_hang_in_the_library_is_named_and_done_without(orders, function, word, library):
    environ = nvml_stub.environment(library, orders)
    assert waited_for(NVML, environ) == function
    assert came_of([*NVML, "--without", function], environ) == word
