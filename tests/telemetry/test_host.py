"""The host: machines laid out in a folder, then this one for real."""

import sys

import pytest

from roofwatch.session import host_cpu
from roofwatch.telemetry import cpu, host
from roofwatch.telemetry.rapl import Rapl


@pytest.fixture
def lay(tmp_path):
    """Write files of a machine; returns its root."""

    def write(files):
        for path, text in files.items():
            file = tmp_path / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return str(tmp_path)

    return write


@pytest.mark.parametrize(("share", "cores"), [("20000 100000", 1), ("250000 100000", 2)])
def test_core_count_is_whole_and_at_least_one(share, cores, lay, monkeypatch):
    monkeypatch.setattr(cpu, "usable", lambda: list(range(8)))
    root = lay({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": share})
    assert cpu.core_count(root) == cores


def test_core_count_by_affinity_alone(lay, monkeypatch):
    monkeypatch.setattr(cpu, "usable", lambda: [3, 5])
    assert cpu.core_count(lay({})) == 2


CPUINFO = """processor	: 0
model name	: AMD EPYC 9654 96-Core Processor
cpu MHz		: 2000.000
flags		: fpu avx avx2 fma avx512f

processor	: 1
model name	: AMD EPYC 9654 96-Core Processor
cpu MHz		: 3000.000
flags		: fpu avx avx2 fma avx512f
"""


def test_cpuinfo(lay):
    name, flags = cpu.cpuinfo(lay({"/proc/cpuinfo": CPUINFO}))
    assert name == "AMD EPYC 9654 96-Core Processor"
    assert "avx512f" in flags
    assert cpu.cpuinfo("/nowhere") == (None, frozenset())


@pytest.mark.parametrize(
    ("flags", "bits", "units"),
    [("avx512f avx2 fma", 512, 2), ("avx2 fma", 256, 2), ("avx2", 256, 1), ("asimd", 128, 1)],
)
def test_vectors(flags, bits, units):
    assert cpu.vector_bits(frozenset(flags.split())) == bits
    assert cpu.fma_units(frozenset(flags.split())) == units


def test_last_level_cache(lay):
    folder = f"{cpu.CPUS}/cpu0/cache"
    root = lay(
        {
            f"{folder}/index0/level": "1",
            f"{folder}/index0/size": "48K",
            f"{folder}/index2/level": "2",
            f"{folder}/index2/size": "2048K",
            f"{folder}/index3/level": "3",
            f"{folder}/index3/size": "32M",
        }
    )
    assert cpu.last_level_cache(root) == 32 << 20
    assert cpu.last_level_cache("/nowhere") is None


def test_max_clock(lay, monkeypatch):
    root = lay({f"{cpu.CPUS}/cpu0/cpufreq/cpuinfo_max_freq": "3700000\n"})
    assert cpu.max_mhz(root) == 3700
    monkeypatch.setattr(cpu.psutil, "cpu_freq", lambda: None)
    assert cpu.max_mhz("/nowhere") is None


def test_clock_from_sysfs(lay):
    paths = {f"{cpu.CPUS}/cpu{n}/cpufreq/scaling_cur_freq": f"{n + 1}000000\n" for n in range(4)}
    root = lay(paths)
    assert host.clock_from_sysfs([0, 1, 2], root) == 2000
    assert host.clock_from_sysfs([7], root) is None


def test_clock_from_cpuinfo(lay):
    root = lay({"/proc/cpuinfo": CPUINFO})
    assert host.clock_from_cpuinfo([0, 1], root) == 2500
    assert host.clock_from_cpuinfo([1], root) == 3000
    assert host.clock_from_cpuinfo([0], "/nowhere") is None


@pytest.fixture
def rapl(lay):
    def write(*micro_joules):
        files = {}
        for number, energy in enumerate(micro_joules):
            zone = f"/intel-rapl:{number}"
            files[f"{zone}/name"] = f"package-{number}\n"
            files[f"{zone}/energy_uj"] = f"{energy}\n"
            files[f"{zone}/max_energy_range_uj"] = "1000000000\n"
        files["/intel-rapl:9/name"] = "psys\n"
        files["/intel-rapl:0:0/name"] = "core\n"
        return lay(files)

    return write


def test_rapl_adds_packages_and_wraps(rapl):
    meter = Rapl(rapl(5_000_000, 999_000_000))
    assert meter.status is None
    assert meter.joules() == 0
    rapl(8_000_000, 1_000_000)
    assert meter.joules() == 5
    rapl(8_000_000, 2_000_000)
    assert meter.joules() == 6


def test_no_rapl(tmp_path):
    for folder in (tmp_path / "none", tmp_path):
        meter = Rapl(str(folder))
        assert meter.joules() is None
        assert meter.status == "not_supported"


def test_rapl_for_root_only(rapl, monkeypatch):
    folder = rapl(1, 2)
    real = open

    def guarded(path, *arguments, **options):
        if str(path).endswith("energy_uj"):
            raise PermissionError(13, "denied", path)
        return real(path, *arguments, **options)

    monkeypatch.setattr("builtins.open", guarded)
    meter = Rapl(folder)
    assert meter.joules() is None
    assert meter.status == "no_permission"


class Meter:
    def __init__(self, joules):
        self.readings = iter(joules)
        self.status = "no_permission"

    def joules(self):
        return next(self.readings)


def test_power_is_energy_over_time(monkeypatch):
    meter = Meter([0.0, 1.0, 21.0, 21.0, None])
    monkeypatch.setattr(host, "Rapl", lambda: meter)
    source = host.Host([])
    samples = [source.sample(t / 10, slow=True) for t in range(4)]
    assert [sample.power_w for sample in samples] == [None, pytest.approx(200), None, None]
    assert [sample.status.get("power_w") for sample in samples] == [
        "stale",
        None,
        "error",
        "no_permission",
    ]
    assert [sample.energy_j for sample in samples] == [1, 21, 21, None]


def test_a_host_where_psutil_knows_nothing(monkeypatch):
    def nothing(*arguments, **options):
        raise NotImplementedError

    for name in ("cpu_freq", "cpu_percent", "virtual_memory", "sensors_temperatures"):
        monkeypatch.setattr(host.psutil, name, nothing, raising=False)
    monkeypatch.setattr(host, "clock_from_sysfs", lambda cpus: None)
    monkeypatch.setattr(host, "clock_from_cpuinfo", lambda cpus: None)
    for module in (cpu, host_cpu):
        monkeypatch.setattr(module, "read", lambda path: None)
    source = host.Host([])
    assert source.device.kind == "cpu"
    assert source.device.fma_units == 1
    source.sample(0, slow=False)
    sample = source.sample(0.1, slow=True)
    for name in ("sm_mhz", "util", "mem_used_bytes", "temp_c", "power_w"):
        assert getattr(sample, name) is None
        assert name in sample.status


def test_the_hottest_reading_of_the_cpus_own_sensor(monkeypatch):
    class Entry:
        def __init__(self, current):
            self.current = current

    chips = {"nvme": [Entry(70)], "k10temp": [Entry(51.5), Entry(48)], "acpitz": [Entry(99)]}
    monkeypatch.setattr(host.psutil, "sensors_temperatures", lambda: chips, raising=False)
    assert host.Host([]).sample(0, slow=False).temp_c == 51.5
    chips["k10temp"] = [Entry(65261)]
    assert host.Host([]).sample(0, slow=False).temp_c is None


def test_this_machine():
    source = host.Host(["because"])
    device = source.device
    assert device.kind == "cpu"
    assert device.name
    assert device.core_count >= 1
    assert device.memory_bytes > 1 << 28
    first = source.sample(0, slow=False)
    assert (first.util, first.status["util"]) == (None, "stale")
    second = source.sample(0.1, slow=True)
    assert second.gpu is None
    assert second.mem_used_bytes > 0
    if sys.platform == "linux":
        assert 0 <= second.util <= 1


def test_other_work_is_told_once_a_second(monkeypatch):
    asked = iter([None, 1.25, 0.5])
    monkeypatch.setattr(host.OtherWork, "cores", lambda self: next(asked))
    source = host.Host([])
    told = [
        source.sample(t, slow=slow).others_cores
        for t, slow in [(0.1, False), (0.2, False), (0.3, False), (1.1, True), (1.2, False)]
    ]
    assert told == [None, 1.25, None, 0.5, None]
