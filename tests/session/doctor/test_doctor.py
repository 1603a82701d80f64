"""The verb end to end over the driver's stand-in library and a torch that stands in for CUDA's."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nvml_stub
import pytest

from roofwatch import cli
from roofwatch.session.doctor import look
from roofwatch.session.doctor.checks import KEYS

STAND_IN = Path(__file__).parent / "stand_in"
IDLE = (
    "nvmlDeviceGetComputeRunningProcesses=value:0;nvmlDeviceGetUtilizationRates=value:0;"
    "nvmlDeviceGetMemoryInfo=value:0"
)
FIELDS = {"check", "status", "found", "expected", "do"}
OF_THIS_MACHINE = set(KEYS[KEYS.index("host-cpu") :])

pytestmark = [
    pytest.mark.skipif(nvml_stub.compiler() is None, reason="needs a C compiler"),
    pytest.mark.skipif(importlib.util.find_spec("pynvml") is None, reason="needs nvidia-ml-py"),
    pytest.mark.skipif(sys.platform != "linux", reason="pynvml loads a .so by its name"),
]
Doctor = Callable[..., "tuple[int, dict[str, dict[str, str]]]"]


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return nvml_stub.build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def environ(library: Path) -> Callable[[str, str], dict[str, str]]:
    def run(orders: str, torch: str) -> dict[str, str]:
        path = os.pathsep.join(filter(None, [str(STAND_IN), os.environ.get("PYTHONPATH")]))
        told = nvml_stub.environment(library, f"{orders};{IDLE}")
        return told | {"PYTHONPATH": path, "TORCH_STUB": torch}

    return run


@pytest.fixture
def doctor(
    environ: Callable[[str, str], dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Doctor:
    """Its exit code and its rows by their keys, in this process: the load is short."""
    monkeypatch.setattr(look, "LOAD_S", 0.4)

    def run(orders: str = "", *arguments: str, torch: str = "") -> tuple[int, Any]:
        for name, value in environ(orders, torch).items():
            monkeypatch.setenv(name, value)
        code = cli.main(["doctor", "--json", *arguments])
        rows = json.loads(capsys.readouterr().out)
        assert [row["check"] for row in rows] == list(KEYS)
        assert all(row.keys() == FIELDS for row in rows)
        return code, {row["check"]: row for row in rows}

    return run


def statuses(rows: dict[str, dict[str, str]]) -> dict[str, str]:
    """What is not ok, of the card and of torch."""
    return {
        key: row["status"]
        for key, row in rows.items()
        if key not in OF_THIS_MACHINE and row["status"] != "ok" and key != "xid-log"
    }


def test_a_healthy_card(doctor: Doctor) -> None:
    code, rows = doctor("", "--strict")
    assert (code, statuses(rows)) == (0, {})
    assert rows["nvlink"]["found"] == "one card: none needed"
    assert rows["locked-clocks"]["found"] == "1455 MHz under load, held by power limit"
    assert rows["pcie-generation"]["found"] == "generation 5"  # seen under load, not while idle
    assert "a launch" in rows["launch-rate"]["found"]


def test_a_card_with_many_faults(doctor: Doctor) -> None:
    code, rows = doctor(
        "nvmlDeviceGetEnforcedPowerLimit=value:500000;"
        "nvmlDeviceGetVirtualizationMode=value:2;"
        "nvmlDeviceGetTotalEccErrors=value:3,9;"
        "nvmlDeviceGetRemappedRows=value:0,2,1,0;"
        "nvmlDeviceGetCurrPcieLinkGeneration=value:1;"
        "nvmlDeviceGetCurrPcieLinkWidth=value:8;"
        "nvmlDeviceGetComputeMode=value:3;"
        "nvmlDeviceGetPersistenceMode=value:0;"
        "nvmlDeviceGetApplicationsClock=value:0,1200,3201;"
        "nvmlDeviceGetComputeRunningProcesses=value:2;"
        "nvmlDeviceGetMemoryInfo=value:9000000000;"
        "nvmlDeviceGetCurrentClocksEventReasons=value:0x60;"
        "nvmlEventSetWait=value:79;"
        "nvmlSystemGetCudaDriverVersion=value:12080;"
        "nvmlDeviceGetPcieReplayCounter=after:1:value:9",
        "--strict",
    )
    assert code == 5
    assert statuses(rows) == {
        "cuda-version": "fail",
        "virtualization": "warn",
        "processes": "warn",
        "memory-held": "warn",
        "compute-mode": "warn",
        "persistence": "warn",
        "power-limit": "warn",
        "application-clocks": "warn",
        "thermals": "fail",
        "ecc-errors": "fail",
        "row-remap": "warn",
        "xid-events": "fail",
        "pcie-generation": "warn",
        "pcie-width": "warn",
        "pcie-replays": "warn",
    }
    assert "the load was kept short" in rows["processes"]["found"]
    assert "Xid 79" in rows["xid-events"]["found"]


@pytest.mark.parametrize(
    ("orders", "status"),
    [
        (
            "nvmlDeviceGetMigMode=value:1,1;nvmlDeviceGetEccMode=value:0,0;"
            "nvmlDeviceGetRemappedRows=value:0,1,0,1;nvmlDeviceGetCurrentClocksEventReasons=value:0;"
            "nvmlDeviceGetNumGpuCores=value:14592;nvmlDeviceGetComputeMode=value:2;cards=2;"
            "nvmlDeviceGetNvLinkState=value:1,0;nvmlDeviceGetMaxPcieLinkGeneration=value:4;"
            "nvmlDeviceGetCurrPcieLinkGeneration=value:4",
            {
                "card-identity": "warn",
                "mig": "fail",
                "compute-mode": "fail",
                "locked-clocks": "warn",
                "ecc-mode": "warn",
                "row-remap": "fail",
                "pcie-generation": "warn",
                "nvlink": "warn",
            },
        ),
        (
            "nvmlDeviceGetTotalEccErrors=3;nvmlDeviceGetRemappedRows=4;nvmlEventSetCreate=4;"
            "nvmlDeviceGetComputeMode=999;nvmlDeviceGetPcieReplayCounter=13",
            dict.fromkeys(
                ("ecc-errors", "row-remap", "xid-events", "compute-mode", "pcie-replays"),
                "unknown",
            ),
        ),
        (
            "nvmlDeviceGetTotalEccErrors=hang",
            {"driver": "fail", "ecc-errors": "unknown"},
        ),
    ],
    ids=["other faults", "not told", "a call hangs"],
)
def test_a_card_in_a_situation(orders: str, status: dict[str, str], doctor: Doctor) -> None:
    code, rows = doctor(orders)
    assert (code, statuses(rows)) == (0, status)


@pytest.mark.parametrize(
    ("orders", "words"),
    [
        ("nvmlInit=18", "driver was upgraded"),
        ("nvmlDeviceGetPersistenceMode=15", "GPU is lost"),
        ("nvmlDeviceGetName=crash", "killed by signal 11"),
    ],
)
def test_a_driver_that_is_broken(orders: str, words: str, doctor: Doctor) -> None:
    code, rows = doctor(orders)
    assert code == 0
    assert rows["driver"]["status"] == "fail"
    assert words in rows["driver"]["found"]
    assert "only the host can" in rows["driver"]["do"]
    assert rows["ecc-errors"]["status"] == "unknown"


@pytest.mark.parametrize(
    ("torch", "check", "words"),
    [
        ("missing", "torch", "torch cannot be imported"),
        ("cannot-open", "cuda-device", "all CUDA-capable devices are busy or unavailable"),
        ("crash", "cuda-device", "killed by signal 11 (opening the device)"),
        ("sm_70,sm_80", "architecture", "none for sm_90"),
        ("cuda=14.1", "cuda-version", "torch's CUDA 14.1, the driver's up to 13.0"),
    ],
)
def test_a_torch_that_does_not_fit(torch: str, check: str, words: str, doctor: Doctor) -> None:
    code, rows = doctor("", torch=torch)
    assert code == 0
    assert rows[check]["status"] == "fail"
    assert words in rows[check]["found"]
    assert rows["driver"]["status"] == rows["power-limit"]["status"] == "ok"


def test_a_torch_that_hangs_is_not_waited_for(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "STEP_S", 1.0)
    began = time.monotonic()
    _, rows = doctor("", torch="hang")
    assert time.monotonic() - began < 8
    assert rows["cuda-device"]["found"] == "no step for 1 s (opening the device)"


def test_a_device_that_is_absent(doctor: Doctor) -> None:
    code, rows = doctor("", "--device", "cuda:5", torch="cannot-open")
    assert code == 3
    assert rows["driver"]["found"] == "there is no GPU cuda:5"


def test_the_cpu_alone_is_no_fault(doctor: Doctor) -> None:
    code, rows = doctor("", "--device", "cpu", torch="missing")
    assert code == 0
    assert rows["mig"]["found"] == "not looked at: --device cpu"


def test_a_signal_leaves_nothing_behind(
    environ: Callable[[str, str], dict[str, str]], tmp_path: Path
) -> None:
    env = environ("", "hang") | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "roofwatch", "doctor", "--json"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as one:
        until = time.monotonic() + 20
        while len(children_of(one.pid)) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        children = children_of(one.pid)
        time.sleep(0.3)
        one.send_signal(signal.SIGTERM)
        out, err = one.communicate(timeout=10)
    assert (one.returncode, out, err) == (128 + signal.SIGTERM, b"", b"")
    assert len(children) == 2
    assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []
    assert list(tmp_path.iterdir()) == []


def children_of(pid: int) -> list[int]:
    told = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(each) for each in told.read_text().split()] if told.exists() else []


@pytest.mark.parametrize("arguments", [["--device", "gpu"], ["--jason"], ["x"]])
def test_a_mistake_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["doctor", *arguments])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
