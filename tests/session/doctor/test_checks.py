"""Facts in, rows out: a sound card is all right, and each thing that is wrong is its own row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from roofwatch.session.doctor.checks import KEYS, counted, rows
from roofwatch.session.doctor.facts import Facts
from roofwatch.session.doctor.kernel_log import KernelLog, Xid
from roofwatch.session.doctor.machine import Disk
from roofwatch.session.doctor.said import Row
from roofwatch.session.events import Device, HostCpu
from roofwatch.session.health import Checkup, RemappedRows

Judged = Callable[..., dict[str, Row]]
MIG = "MIG-dddd3333-3333-3333-3333-333333333333"
LINKS = {"health__cards": 2, "health__nvlinks": [True, True, False]}


def remapped(*, pending: bool = False, failed: bool = False) -> RemappedRows:
    return RemappedRows(correctable=1, uncorrectable=2, pending=pending, failed=failed)


def test_an_h200_as_it_was_seen_is_all_right(judged: Judged) -> None:
    found = judged()
    assert tuple(found) == KEYS
    assert {key: row for key, row in found.items() if row.status != "ok"} == {}
    assert found["nvlink"].found == "one card: none needed"
    assert found["card-identity"].found == "H200 reports 132 SMs, 6016 bit, 140 GiB"
    assert found["locked-clocks"].found == "1755 MHz under load, held by power limit"
    assert found["launch-rate"].found == "4.4 us a launch"
    assert found["pcie-rate"].found == "55.4 GB/s to the card"
    assert found["cpu-limit"].found == "none seen: no cgroup here sets one"


def test_the_worst_is_counted_first(judged: Judged) -> None:
    found = judged(device__persistence=False, health__ecc_volatile=1)
    assert counted(found.values()) == [
        ("fail", 1),
        ("warn", 1),
        ("ok", len(KEYS) - 2),
    ]


@pytest.mark.parametrize(
    ("changes", "check", "status", "words"),
    [
        # driver and torch
        ({"hung": ("nvmlDeviceGetName",)}, "driver", "fail", "nvmlDeviceGetName"),
        ({"problem": "GPU is lost", "exit_code": 4}, "driver", "fail", "GPU is lost"),
        ({"checkup__torch": None}, "torch", "fail", "did not tell in time"),
        ({"checkup__cuda": None}, "torch", "fail", "built without CUDA, beside a card"),
        ({"checkup__cuda": "13.2"}, "cuda-version", "ok", "within 13.x they work together"),
        ({"checkup__cuda": "14.0"}, "cuda-version", "fail", "the driver's up to 13.0"),
        ({"health__cuda": None}, "cuda-version", "unknown", "does not tell which CUDA"),
        ({"checkup__architectures": ["sm_80"]}, "architecture", "fail", "none for sm_90"),
        ({"checkup__architectures": ["sm_80", "compute_80"]}, "architecture", "warn", "compute_80"),
        ({"checkup__architectures": ["compute_120"]}, "architecture", "fail", "none for sm_90"),
        ({"checkup__architectures": []}, "architecture", "unknown", "names no CUDA"),
        ({"checkup__problem": "CUDA error: busy"}, "cuda-device", "fail", "CUDA error: busy"),
        ({"torch_device": None}, "cuda-device", "fail", "torch opened no card"),
        ({"torch_device__uuid": "GPU-other"}, "cuda-device", "warn", "torch opened GPU-other"),
        # the card
        ({"device__sm_count": 114}, "card-identity", "warn", "reports 114 SMs"),
        ({"device__memory_bytes": 80 << 30}, "card-identity", "warn", "80 GiB"),
        ({"device__name": "NVIDIA Z9"}, "card-identity", "unknown", "Z9 reports"),
        ({"device__mig": True}, "mig", "fail", "no slice is seen"),
        ({"device__mig": True, "device__uuid": MIG}, "mig", "warn", "a slice of the card"),
        ({"device__virtualization": "vgpu"}, "virtualization", "warn", "a virtual GPU"),
        ({"device__processes": 2}, "processes", "warn", "2 other processes"),
        ({"before__util": 0.5}, "processes", "warn", "busy 50 % of the time"),
        ({"before__mem_used_bytes": 9 << 30}, "memory-held", "warn", "9 GiB of 140 GiB"),
        ({"health__compute_mode": "exclusive_process"}, "compute-mode", "warn", "second process"),
        ({"health__compute_mode": "prohibited"}, "compute-mode", "fail", "no process may"),
        ({"device__persistence": False}, "persistence", "warn", "off"),
        # power and clocks
        ({"device__power_limit_w": 500.0}, "power-limit", "warn", "500 W, 29 % below"),
        ({"health__app_sm_mhz": 1200.0}, "application-clocks", "warn", "SM 1200 MHz, default"),
        ({"health__app_mem_mhz": 2619.0}, "application-clocks", "warn", "memory 2619 MHz"),
        ({"under__reasons": 0}, "locked-clocks", "warn", "flat at 1755 MHz under load"),
        ({"under__reasons": 0, "under__sm_mhz": 1980.0}, "locked-clocks", "ok", "1980 MHz"),
        ({"under__reasons": None}, "locked-clocks", "unknown", "driver"),
        ({"under": ()}, "locked-clocks", "unknown", "not under load"),
        ({"under__reasons": 0x88}, "slowdown", "fail", "power brake"),
        ({"under__reasons": 0x08}, "slowdown", "warn", "hardware slowdown"),
        ({"under__reasons": 0x10}, "slowdown", "warn", "another card"),
        ({"under__reasons": 0x20}, "thermals", "warn", "lowers the clock for heat"),
        ({"under__reasons": 0x48}, "thermals", "fail", "hardware cuts the clock"),
        ({"under__temp_c": 84.0}, "thermals", "warn", "5 C below its slowdown"),
        ({"health__margin_c": 3.0}, "thermals", "warn", "3 C below its slowdown"),
        # memory and errors
        ({"device__ecc": False, "health__ecc_pending": False}, "ecc-mode", "warn", "off"),
        ({"health__ecc_pending": False}, "ecc-mode", "warn", "on until the next reset"),
        ({"health__ecc_volatile": 3, "health__ecc_aggregate": 9}, "ecc-errors", "fail", "3 uncorr"),
        ({"health__ecc_aggregate": 9}, "ecc-errors", "warn", "9 in its life"),
        ({"health__rows": remapped(pending=True)}, "row-remap", "warn", "waits for a reset"),
        ({"health__rows": remapped(failed=True)}, "row-remap", "fail", "one could not be"),
        ({"health__rows": remapped()}, "row-remap", "ok", "3 rows remapped"),
        ({"health__xids": [79]}, "xid-events", "fail", "Xid 79"),
        ({"health__xids": [31, 31]}, "xid-events", "warn", "Xid 31 (2 times)"),
        ({"health__xids": None}, "xid-events", "unknown", "driver"),
        ({"machine__log": KernelLog(problem="/dev/kmsg: no")}, "xid-log", "unknown", "/dev/kmsg"),
        ({"machine__log": KernelLog(xids=(Xid("0000:18:00", 48),))}, "xid-log", "fail", "Xid 48"),
        ({"machine__log": KernelLog(xids=(Xid("0000:18:00", 13),))}, "xid-log", "ok", "programs"),
        ({"machine__log": KernelLog(xids=(Xid("0000:19:00", 79),))}, "xid-log", "ok", "1 of other"),
        # links
        ({"loaded__pcie_gen": 1}, "pcie-generation", "warn", "generation 1 of 5 under load"),
        ({"idle__pcie_gen": 1}, "pcie-generation", "ok", "generation 5"),
        ({"health__pcie_gen": 1, "loaded": None}, "pcie-generation", "unknown", "while idle"),
        ({"health__pcie_gen_max": 4, "health__pcie_gen": 4}, "pcie-generation", "warn", "the slot"),
        ({"loaded__pcie_lanes": 8}, "pcie-width", "warn", "x8 of x16 under load"),
        (
            {"health__pcie_lanes": 8, "health__pcie_lanes_max": 8},
            "pcie-width",
            "warn",
            "such a card",
        ),
        ({"checkup__copy_s": 4.0}, "pcie-rate", "warn", "5.4 GB/s"),
        ({"checkup__pinned": False}, "pcie-rate", "unknown", "could not be pinned"),
        ({"after__pcie_replays": 9}, "pcie-replays", "warn", "8 of them while we looked"),
        ({"health__pcie_replays": 5000}, "pcie-replays", "warn", "5000 since"),
        (LINKS, "nvlink", "warn", "2 of 3 links up"),
        (LINKS | {"health__nvlinks": [True] * 18}, "nvlink", "ok", "18 links, all up"),
        ({"health__cards": 2}, "nvlink", "unknown", "they meet over PCIe"),
        # host
        ({"machine__cpu": HostCpu(cores=2)}, "host-cpu", "warn", "2 cores of 16"),
        ({"machine__cpu": HostCpu(cores=16, limit_cores=1.5)}, "cpu-limit", "warn", "1.5 cores"),
        ({"others_cores": 6.0}, "host-load", "ok", "keeps 6.0 of 16 cores"),
        ({"others_cores": 15.2}, "host-load", "warn", "keeps 15.2 of 16 cores"),
        ({"others_cores": 6.0, "device": None}, "host-load", "warn", "keeps 6.0 of 16 cores"),
        ({"others_cores": None}, "host-load", "unknown", "does not tell"),
        ({"checkup__enqueue_s": 40e-6}, "launch-rate", "warn", "40 us a launch"),
        ({"machine__memory_bytes": 16 << 30}, "host-memory", "warn", "16 GiB"),
        ({"machine__memory_limit_bytes": 8 << 30}, "memory-limit", "warn", "8 GiB"),
        ({"machine__shm_bytes": 64 << 20}, "shared-memory", "warn", "what a container gets"),
        ({"machine__shm_bytes": None}, "shared-memory", "unknown", "no /dev/shm"),
        ({"machine__disks": {"here": Disk(path=".", free_bytes=0)}}, "disk-here", "fail", "0 B"),
        (
            {"machine__disks": {"home": Disk(path="/x", problem="gone")}},
            "disk-home",
            "unknown",
            "/x",
        ),
    ],
)
def test_what_differs(
    changes: dict[str, Any], check: str, status: str, words: str, judged: Judged
) -> None:
    found = judged(**changes)[check]
    assert found.status == status, found
    assert words in found.found
    assert bool(found.do) >= (status in ("warn", "fail"))
    assert bool(found.expected) >= (status in ("warn", "fail"))


@pytest.mark.parametrize(
    ("name", "value", "check", "status"),
    [
        ("NVIDIA_TF32_OVERRIDE", "0", "env-tf32", "warn"),
        ("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "1", "env-tf32", "warn"),
        ("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "0", "env-tf32", "ok"),
        ("CUDA_LAUNCH_BLOCKING", "1", "env-launch-blocking", "warn"),
        ("CUDA_LAUNCH_BLOCKING", "0", "env-launch-blocking", "ok"),
        ("CUDA_VISIBLE_DEVICES", "0", "env-visible-devices", "ok"),
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID", "env-visible-devices", "ok"),
        ("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", "env-allocator", "warn"),
        ("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", "env-allocator", "ok"),
        ("OMP_NUM_THREADS", "1", "env-threads", "warn"),
        ("OMP_NUM_THREADS", "64", "env-threads", "warn"),
        ("OMP_NUM_THREADS", "8", "env-threads", "ok"),
        ("OMP_NUM_THREADS", "٣", "env-threads", "ok"),  # no number that OpenMP reads
        ("CUBLAS_WORKSPACE_CONFIG", ":16:8", "env-cublas", "warn"),
        ("CUBLAS_WORKSPACE_CONFIG", ":4096:8", "env-cublas", "ok"),
        ("TORCH_CUDNN_V8_API_DISABLED", "1", "env-cudnn", "warn"),
        ("NCCL_P2P_DISABLE", "1", "env-nccl", "warn"),
        ("NCCL_DEBUG", "INFO", "env-nccl", "ok"),
        ("CUDA_MODULE_LOADING", "EAGER", "env-module-loading", "warn"),
    ],
)
def test_a_variable(name: str, value: str, check: str, status: str, judged: Judged) -> None:
    found = judged(environ={name: value})
    assert found[check].status == status
    assert f"{name}={value}" in found[check].found
    others = {key for key, row in found.items() if key.startswith("env-") and row.status != "ok"}
    assert others <= {check}


def test_a_card_that_is_hidden_is_not_missing(judged: Judged) -> None:
    hides = "CUDA_VISIBLE_DEVICES hides every GPU"
    found = judged(
        device=None,
        problem=hides,
        exit_code=3,
        environ={"CUDA_VISIBLE_DEVICES": ""},
        torch_device=None,
    )
    assert found["env-visible-devices"].status == "fail"
    assert found["driver"].status == found["mig"].status == "unknown"


def without_card(**more: Any) -> dict[str, Row]:
    facts = Facts(
        problem="no NVIDIA driver library (libnvidia-ml.so.1) on this machine",
        exit_code=3,
        checkup=Checkup(torch="2.13.0+cpu", problem="this torch was built without CUDA"),
        torch_device=Device(kind="cpu"),
    )
    return {row.check: row for row in rows(replace(facts, **more))}


def test_where_there_is_no_card_nothing_of_it_fails(healthy: Facts) -> None:
    found = without_card(machine=healthy.machine.__class__())
    of_card = set(KEYS[: KEYS.index("host-cpu")]) - {"torch"}
    assert {found[key].found for key in of_card} == {"no NVIDIA GPU here"}
    assert {found[key].status for key in of_card} == {"unknown"}
    assert found["torch"].status == "ok"


def test_a_card_on_the_bus_without_its_driver_fails(healthy: Facts) -> None:
    found = without_card(machine=healthy.machine)
    assert found["driver"].status == "fail"
    assert "1 on the PCI bus" in found["driver"].found
    assert "only the host can" in found["driver"].do
    assert found["torch"].status == "fail"  # of a torch without CUDA beside it


@pytest.mark.parametrize("asked", ["auto", "cuda:0"])
def test_only_a_card_that_was_named_is_missing(asked: str, healthy: Facts) -> None:
    facts = replace(healthy, device=None, torch_device=None, exit_code=3, asked=asked)
    assert facts.missing == (asked != "auto")


@pytest.mark.parametrize("status", ["not_supported", "no_permission", "error"])
def test_a_driver_that_tells_nothing_leaves_no_row_ok_or_failed(
    status: str, judged: Judged, healthy: Facts
) -> None:
    """Every field of the card's null with a status: nothing is invented."""
    assert healthy.device is not None
    assert healthy.idle is not None
    device_fields = set(Device.__struct_fields__) - {"kind", "status"}
    health_fields = set(type(healthy.idle).__struct_fields__) - {"asked", "status"}
    nothing = {"gpu", "sm_mhz", "mem_used_bytes", "util", "reasons", "temp_c"} - {"gpu"}
    changes: dict[str, Any] = {
        "device": Device(kind="cuda", status=dict.fromkeys(device_fields, status)),
        **{f"health__{field}": None for field in health_fields},
        "health__status": dict.fromkeys(health_fields, status),
        **{f"{part}__{f}": None for part in ("before", "under") for f in nothing},
        "before__status": dict.fromkeys(nothing, status),
        "under__status": dict.fromkeys(nothing, status),
    }
    found = judged(**changes)
    of_card = KEYS[KEYS.index("card-identity") : KEYS.index("host-cpu")]
    known = {"xid-log"} | ({"mig"} if status == "not_supported" else set())
    assert {k: found[k].status for k in of_card if found[k].status != "unknown"} == dict.fromkeys(
        known, "ok"
    )
