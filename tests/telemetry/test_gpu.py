"""The card: a healthy one in full, then every function failing in every way, one at a time."""

from types import SimpleNamespace

import pytest

from roofwatch.session import events
from roofwatch.telemetry.gpu import PATIENCE
from roofwatch.telemetry.nvml import Gone

DEVICE = {
    "nvmlDeviceGetName": ["name"],
    "nvmlDeviceGetIndex": ["index"],
    "nvmlDeviceGetUUID": ["uuid"],
    "nvmlDeviceGetCudaComputeCapability": ["compute_capability", "sm_count"],
    "nvmlDeviceGetNumGpuCores": ["sm_count"],
    "nvmlDeviceGetMemoryBusWidth": ["bus_bits"],
    "nvmlDeviceGetEnforcedPowerLimit": ["power_limit_w"],
    "nvmlDeviceGetPowerManagementDefaultLimit": ["power_default_w"],
    "nvmlDeviceGetPowerManagementLimitConstraints": ["power_max_w"],
    "nvmlDeviceGetMaxClockInfo": ["sm_max_mhz", "mem_max_mhz"],
    "nvmlDeviceGetTemperatureThreshold": ["temp_slowdown_c"],
    "nvmlDeviceGetSupportedClocksEventReasons": ["reasons_supported"],
    "nvmlDeviceGetEccMode": ["ecc"],
    "nvmlDeviceGetMigMode": ["mig"],
    "nvmlDeviceGetPersistenceMode": ["persistence"],
    "nvmlDeviceGetVirtualizationMode": ["virtualization"],
    "nvmlDeviceGetCurrPcieLinkGeneration": ["pcie_gen"],
    "nvmlDeviceGetMaxPcieLinkGeneration": ["pcie_gen_max"],
    "nvmlDeviceGetCurrPcieLinkWidth": ["pcie_lanes"],
    "nvmlDeviceGetMaxPcieLinkWidth": ["pcie_lanes_max"],
    "nvmlDeviceGetMemoryInfo": ["memory_bytes"],
    "nvmlDeviceGetComputeRunningProcesses": ["processes", "processes_bytes"],
}
SAMPLE = {
    "nvmlDeviceGetIndex": ["gpu"],
    "nvmlDeviceGetClockInfo": ["sm_mhz", "mem_mhz"],
    "nvmlDeviceGetPowerUsage": ["power_w"],
    "nvmlDeviceGetCurrentClocksEventReasons": ["reasons"],
    "nvmlDeviceGetTemperature": ["temp_c"],
    "nvmlDeviceGetUtilizationRates": ["util"],
    "nvmlDeviceGetMemoryInfo": ["mem_used_bytes"],
    "nvmlDeviceGetTotalEnergyConsumption": ["energy_j"],
    "nvmlDeviceGetComputeRunningProcesses": ["processes"],
    "nvmlDeviceGetFieldValues": ["power_instant_w", "counters"],
}
FALLBACKS = {
    "nvmlDeviceGetSupportedClocksEventReasons": "nvmlDeviceGetSupportedClocksThrottleReasons",
    "nvmlDeviceGetCurrentClocksEventReasons": "nvmlDeviceGetCurrentClocksThrottleReasons",
    "nvmlDeviceGetComputeRunningProcesses": "nvmlDeviceGetComputeRunningProcesses_v2",
}
FUNCTIONS = sorted(DEVICE.keys() | SAMPLE.keys())
FAILURES = {
    "not supported": (3, "not_supported"),
    "no permission": (4, "no_permission"),
    "function not found": (13, "not_supported"),
    "argument version mismatch": (25, "not_supported"),
    "timeout": (10, "error"),
    "unknown error": (999, "error"),
}


def differences(before, after):
    """Fields of two events that differ, the statuses aside."""
    return {
        name
        for name in before.__struct_fields__
        if name != "status" and getattr(before, name) != getattr(after, name)
    }


def test_a_healthy_card(fake, open_gpu):
    gpu = open_gpu(fake)
    device = gpu.device
    assert (device.kind, device.name, device.index) == ("cuda", "NVIDIA H200", 0)
    assert (device.sm_count, device.compute_capability, device.bus_bits) == (132, "9.0", 6016)
    assert (device.power_limit_w, device.power_default_w, device.power_max_w) == (700, 700, 700)
    assert (device.ecc, device.mig, device.persistence) == (True, False, True)
    assert device.virtualization == "passthrough"
    assert (device.processes, device.processes_bytes) == (1, 1 << 30)
    assert device.status == {"nvlink_links": "not_supported"}
    assert gpu.software.driver == "580.159.04"
    assert gpu.notes == []

    sample = gpu.sample(1.5, slow=True)
    assert sample == events.Sample(
        t=1.5,
        gpu=0,
        sm_mhz=1455,
        mem_mhz=3201,
        power_w=693,
        power_instant_w=720,
        temp_c=61,
        mem_used_bytes=2 << 30,
        util=0.99,
        reasons=4,
        energy_j=2967.191,
        processes=1,
        counters={
            "power_cap": 26_240_000_000,
            "policy_thermal": 0,
            "sync_boost": 0,
            "below_app_clocks": 5,
            "below_base_clocks": 6,
            "sw_thermal": 0,
            "hw_thermal": 0,
            "power_brake": 0,
        },
    )
    assert events.decode(events.encode(sample)) == sample


def test_slow_readings_only_when_asked(fake, open_gpu):
    gpu = open_gpu(fake)
    sample = gpu.sample(0, slow=False)
    assert sample.energy_j is None
    assert sample.processes is None
    assert sample.status == {}
    assert "nvmlDeviceGetTotalEnergyConsumption" not in fake.calls
    gpu.sample(0, slow=True)
    assert fake.calls[-2:] == [
        "nvmlDeviceGetTotalEnergyConsumption",
        "nvmlDeviceGetComputeRunningProcesses",
    ]


def test_every_function_that_is_called_stands_in_the_matrix(fake, open_gpu):
    open_gpu(fake).sample(0, slow=True)
    assert all("Pcie" not in name or "Link" in name for name in fake.calls), "no throughput polls"
    assert set(fake.calls) == set(FUNCTIONS) | {
        "nvmlDeviceGetCount",
        "nvmlDeviceGetHandleByIndex",
        "nvmlSystemGetDriverVersion",
    }


def check(gpu, healthy, function, status):
    device_fields, sample_fields = DEVICE.get(function, []), SAMPLE.get(function, [])
    assert differences(healthy.device, gpu.device) == set(device_fields)
    for name in device_fields:
        assert getattr(gpu.device, name) is None
        assert gpu.device.status[name] == status, name
    for slow in (True, False, True):
        sample = gpu.sample(0, slow=slow)
        changed = {name for name in sample_fields if slow or name not in ("energy_j", "processes")}
        assert differences(healthy.sample(0, slow=slow), sample) == changed
        for name in changed - {"gpu", "counters"}:
            assert getattr(sample, name) is None
            assert sample.status[name] == status, name
        if "counters" in changed:
            assert sample.counters == {}
            assert sample.status["counters.power_cap"] == status
        assert events.decode(events.encode(sample)) == sample


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_that_fails_takes_only_its_own_fields(function, failure, fake, pynvml, open_gpu):
    code, status = FAILURES[failure]
    fake.fail(code, function)
    if function in FALLBACKS:
        fake.fail(code, FALLBACKS[function])
    check(open_gpu(fake), open_gpu(pynvml.Fake()), function, status)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_that_the_package_lacks(function, fake, pynvml, open_gpu):
    del fake.answers[function]
    if function in FALLBACKS:
        del fake.answers[FALLBACKS[function]]
    check(open_gpu(fake), open_gpu(pynvml.Fake()), function, "not_supported")


HUGE = 2**64 - 1
ABSURD = {
    "nvmlDeviceGetName": [" "],
    "nvmlDeviceGetUUID": [""],
    "nvmlDeviceGetIndex": [HUGE, -1],
    "nvmlDeviceGetCudaComputeCapability": [(HUGE, HUGE), (0, 0), ()],
    "nvmlDeviceGetNumGpuCores": [HUGE, 0, 16897, -128],
    "nvmlDeviceGetMemoryBusWidth": [HUGE, 0],
    "nvmlDeviceGetEnforcedPowerLimit": [HUGE, 0, -5, 10_000_001],
    "nvmlDeviceGetPowerManagementDefaultLimit": [2**32 - 1, 0],
    "nvmlDeviceGetPowerManagementLimitConstraints": [[0, 0], [1]],
    "nvmlDeviceGetMaxClockInfo": [10_001, 0, -1],
    "nvmlDeviceGetTemperatureThreshold": [2**32 - 2, 0],
    "nvmlDeviceGetSupportedClocksEventReasons": [HUGE],
    "nvmlDeviceGetEccMode": [[7, 7]],
    "nvmlDeviceGetMigMode": [[2, 0]],
    "nvmlDeviceGetPersistenceMode": [9],
    "nvmlDeviceGetVirtualizationMode": [HUGE, -1],
    "nvmlDeviceGetCurrPcieLinkGeneration": [0, HUGE],
    "nvmlDeviceGetMaxPcieLinkGeneration": [0],
    "nvmlDeviceGetCurrPcieLinkWidth": [0],
    "nvmlDeviceGetMaxPcieLinkWidth": [0],
    "nvmlDeviceGetMemoryInfo": [
        SimpleNamespace(total=HUGE, used=HUGE),
        SimpleNamespace(total=0, used=0),
    ],
    "nvmlDeviceGetComputeRunningProcesses": [None],
    "nvmlDeviceGetClockInfo": [10_001, 0, -1, HUGE],
    "nvmlDeviceGetPowerUsage": [10_000_001, 0, -1, HUGE],
    "nvmlDeviceGetCurrentClocksEventReasons": [HUGE, -1],
    "nvmlDeviceGetTemperature": [2**31 - 1, 2**32 - 1, 0, -1, float("nan")],
    "nvmlDeviceGetUtilizationRates": [
        SimpleNamespace(gpu=101),
        SimpleNamespace(gpu=-1),
        SimpleNamespace(),
    ],
    "nvmlDeviceGetTotalEnergyConsumption": [HUGE, -1],
    "nvmlDeviceGetFieldValues": [[]],
}


def test_absurd_values_are_thought_of_for_every_function():
    assert set(ABSURD) == set(FUNCTIONS)


@pytest.mark.parametrize(
    ("function", "answer"),
    [(function, answer) for function in FUNCTIONS for answer in ABSURD[function]],
)
def test_an_absurd_value_is_never_shown(function, answer, fake, pynvml, open_gpu):
    fake.answers[function] = answer
    check(open_gpu(fake), open_gpu(pynvml.Fake()), function, "error")


def test_processes_that_hide_or_invent_their_memory(fake, open_gpu):
    name = "nvmlDeviceGetComputeRunningProcesses"
    fake.answers[name] = [SimpleNamespace(usedGpuMemory=None), SimpleNamespace(usedGpuMemory=5)]
    device = open_gpu(fake).device
    assert (device.processes, device.processes_bytes) == (2, None)
    assert device.status["processes_bytes"] == "not_supported"
    fake.answers[name] = [SimpleNamespace(usedGpuMemory=HUGE)]
    device = open_gpu(fake).device
    assert (device.processes, device.processes_bytes) == (1, None)
    assert device.status["processes_bytes"] == "error"
    fake.answers[name] = []
    device = open_gpu(fake).device
    assert (device.processes, device.processes_bytes) == (0, 0)


def test_what_is_not_supported_is_never_asked_again(fake, open_gpu):
    fake.fail(3, "nvmlDeviceGetUtilizationRates")
    fake.fail(999, "nvmlDeviceGetTemperature")
    gpu = open_gpu(fake)
    samples = [gpu.sample(i, slow=False) for i in range(4)]
    assert fake.calls.count("nvmlDeviceGetUtilizationRates") == 1
    assert fake.calls.count("nvmlDeviceGetTemperature") == 4
    assert all(sample.status["util"] == "not_supported" for sample in samples)
    fake.answers["nvmlDeviceGetTemperature"] = 50
    sample = gpu.sample(5, slow=False)
    assert sample.temp_c == 50
    assert sample.status == {"util": "not_supported"}


def test_a_slow_metric_that_will_never_come_says_so_in_every_sample(fake, open_gpu):
    fake.fail(3, "nvmlDeviceGetTotalEnergyConsumption")
    gpu = open_gpu(fake)
    assert gpu.sample(0, slow=False).status == {}
    assert gpu.sample(0, slow=True).status == {"energy_j": "not_supported"}
    assert gpu.sample(0, slow=False).status == {"energy_j": "not_supported"}


def test_an_old_driver_answers_by_its_old_names(fake, open_gpu):
    fake.fail(13, *FALLBACKS)
    fake.answers["nvmlDeviceGetCurrentClocksThrottleReasons"] = 0x20

    def memory(card, version=None):
        if version:
            raise fake.NVMLError(13)
        return SimpleNamespace(total=16 << 30, used=3 << 30)

    fake.answers["nvmlDeviceGetMemoryInfo"] = memory
    gpu = open_gpu(fake)
    assert gpu.device.reasons_supported == 511
    assert gpu.device.memory_bytes == 16 << 30
    for _ in range(2):
        sample = gpu.sample(0, slow=True)
        assert (sample.reasons, sample.mem_used_bytes, sample.processes) == (0x20, 3 << 30, 1)
        assert sample.status == {}
    assert fake.calls.count("nvmlDeviceGetCurrentClocksEventReasons") == 1


def test_a_versioned_symbol_that_an_old_driver_lacks(fake, open_gpu):
    error = fake.NVMLLibraryMismatchError("use a versioned function")
    fake.answers["nvmlDeviceGetComputeRunningProcesses"] = error
    gpu = open_gpu(fake)
    assert gpu.device.processes == 1
    assert gpu.sample(0, slow=True).status == {}


def test_a_binding_that_stumbles(fake, open_gpu):
    fake.answers["nvmlDeviceGetPowerUsage"] = OSError("access violation")
    gpu = open_gpu(fake)
    for _ in range(2):
        assert gpu.sample(0, slow=False).status == {"power_w": "error"}


def test_an_old_package_without_the_version_parameter(fake, open_gpu):
    fake.answers["nvmlDeviceGetMemoryInfo"] = lambda card: SimpleNamespace(total=100, used=7)
    assert open_gpu(fake).sample(0, slow=False).mem_used_bytes == 7


def test_no_permission_is_said_rather_than_the_old_routes_missing_symbol(fake, open_gpu):
    fake.fail(4, "nvmlDeviceGetCurrentClocksEventReasons")
    fake.fail(13, "nvmlDeviceGetCurrentClocksThrottleReasons")
    assert open_gpu(fake).sample(0, slow=False).status == {"reasons": "no_permission"}


def test_a_card_that_supports_no_reason_cannot_say(fake, open_gpu):
    fake.answers["nvmlDeviceGetSupportedClocksEventReasons"] = 0
    sample = open_gpu(fake).sample(0, slow=False)
    assert sample.reasons is None
    assert sample.status == {"reasons": "not_supported"}


@pytest.mark.parametrize(
    ("capability", "cores", "sms"),
    [
        ((6, 0), 3584, 56),
        ((6, 1), 3840, 30),
        ((7, 0), 5120, 80),
        ((7, 5), 2560, 40),
        ((8, 0), 6912, 108),
        ((8, 6), 10752, 84),
        ((8, 9), 16384, 128),
        ((9, 0), 16896, 132),
        ((10, 0), 18944, 148),
        ((12, 0), 21760, 170),
    ],
)
def test_multiprocessors_from_cores(capability, cores, sms, fake, open_gpu):
    fake.answers["nvmlDeviceGetCudaComputeCapability"] = capability
    fake.answers["nvmlDeviceGetNumGpuCores"] = cores
    assert open_gpu(fake).device.sm_count == sms


def test_names_as_bytes(fake, open_gpu):
    fake.answers["nvmlDeviceGetName"] = b"Tesla T4"
    assert open_gpu(fake).device.name == "Tesla T4"
    fake.answers["nvmlDeviceGetName"] = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "garbage")
    assert open_gpu(fake).device.status["name"] == "error"


def test_vgpu_and_instant_power_of_a_module_are_said(fake, pynvml, open_gpu):
    fake.answers["nvmlDeviceGetVirtualizationMode"] = 2

    def fields(card, wanted):
        return [
            pynvml.field(800_000) if scope == 1 else pynvml.field(0, code=3) for _, scope in wanted
        ]

    fake.answers["nvmlDeviceGetFieldValues"] = fields
    gpu = open_gpu(fake)
    assert gpu.device.virtualization == "vgpu"
    assert [note.split(":")[0] for note in gpu.notes] == ["vGPU", "instant power is the module's"]
    assert gpu.sample(0, slow=False).power_instant_w == 800


@pytest.mark.parametrize("code", [15, 16])
@pytest.mark.parametrize("function", ["nvmlDeviceGetClockInfo", "nvmlDeviceGetFieldValues"])
def test_a_lost_card_ends_it(function, code, fake, open_gpu):
    gpu = open_gpu(fake)
    gpu.sample(0, slow=False)
    fake.fail(code, function)
    with pytest.raises(Gone, match=r"GPU is lost|GPU needs a reset"):
        gpu.sample(0, slow=False)


def test_a_card_lost_while_it_is_introduced(fake, open_gpu):
    fake.fail(15, "nvmlDeviceGetName")
    with pytest.raises(Gone, match="GPU is lost"):
        open_gpu(fake)


@pytest.mark.parametrize(
    ("code", "words"), [(999, "restart the container"), (4, "container"), (10, "driver answers")]
)
def test_worked_then_failed_on_everything(code, words, fake, open_gpu):
    gpu = open_gpu(fake)
    gpu.sample(0, slow=False)
    fake.fail(code, *fake.answers)
    for _ in range(PATIENCE - 1):
        assert gpu.sample(0, slow=True).sm_mhz is None
    with pytest.raises(Gone, match=words):
        gpu.sample(0, slow=False)


def test_a_moment_without_answers_is_survived(fake, open_gpu):
    gpu = open_gpu(fake)
    healthy = dict(fake.answers)
    for _ in range(3):
        gpu.sample(0, slow=False)
        fake.fail(999, *fake.answers)
        for _ in range(PATIENCE - 1):
            gpu.sample(0, slow=False)
        fake.answers = dict(healthy)
    assert gpu.sample(0, slow=False).status == {}


def test_a_card_that_never_answered_is_not_lost(fake, open_gpu):
    fake.fail(999, *SAMPLE)
    gpu = open_gpu(fake)
    for _ in range(3 * PATIENCE):
        sample = gpu.sample(0, slow=True)
    assert sample.status["sm_mhz"] == "error"
