"""What the host lets us use of its CPU, on machines laid out in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.session import host_cpu
from roofwatch.session.host_cpu import UNLIMITED, quota, throttling, usable

Lay = Callable[[dict[str, str]], str]
V2 = "/sys/fs/cgroup"
V1 = "/sys/fs/cgroup/cpu,cpuacct"
OURS = "/proc/self/cgroup"


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """Write files of a machine; returns its root."""

    def write(files: dict[str, str]) -> str:
        for path, text in files.items():
            file = tmp_path / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return str(tmp_path)

    return write


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({OURS: "0::/\n", f"{V2}/cpu.max": "250000 100000\n"}, 2.5),
        ({OURS: "0::/\n", f"{V2}/cpu.max": "50000 100000\n"}, 0.5),
        (
            {  # the tightest of those above us
                OURS: "0::/a/b\n",
                f"{V2}/cpu.max": "max 100000",
                f"{V2}/a/cpu.max": "100000 100000",
                f"{V2}/a/b/cpu.max": "400000 100000",
            },
            1.0,
        ),
        (
            {  # told the host's path, sees its own group as the root
                OURS: "0::/kubepods/pod1/abc\n",
                f"{V2}/cpu.max": "150000 100000",
            },
            1.5,
        ),
        (
            {  # version 1 in a container: the host's path, the container's root
                OURS: "9:cpu,cpuacct:/docker/123\n3:cpuset:/\n",
                f"{V1}/cpu.cfs_quota_us": "300000\n",
                f"{V1}/cpu.cfs_period_us": "100000\n",
            },
            3.0,
        ),
        (
            {  # both versions at once: version 1 holds the CPU
                OURS: "1:cpu:/job\n0::/\n",
                "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "75000\n",
                "/sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "50000\n",
                "/sys/fs/cgroup/unified/cgroup.procs": "1\n",
            },
            1.5,
        ),
    ],
)
def test_a_quota_in_cores(lay: Lay, files: dict[str, str], cores: float) -> None:
    found = quota(lay(files))
    assert found.cores == cores
    assert found.group is not None
    assert found.status is None


@pytest.mark.parametrize(
    ("files", "status"),
    [
        ({}, "not_supported"),
        ({OURS: "0::/\n"}, "not_supported"),  # no cgroups to look at
        ({OURS: "0::/\n", f"{V2}/cpu.max": "max 100000\n"}, UNLIMITED),
        ({OURS: "0::/\n", f"{V2}/cgroup.procs": "1\n"}, UNLIMITED),  # the machine's own root
        (
            {
                OURS: "1:cpu:/\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            UNLIMITED,
        ),
        ({OURS: "0::/\n", f"{V2}/cpu.max": "fast\n"}, "error"),
        ({OURS: "0::/\n", f"{V2}/cpu.max": ""}, "error"),
        ({OURS: "0::/\n", f"{V2}/cpu.max": "100000 0\n"}, "error"),
        ({OURS: "0::/\n", f"{V2}/cpu.max": "nan 100000\n"}, "error"),
        ({OURS: "1:cpu:/\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n"}, "error"),
    ],
)
def test_no_quota_has_its_reason(lay: Lay, files: dict[str, str], status: str) -> None:
    found = quota(lay(files))
    assert (found.cores, found.group, found.status) == (None, None, status)


def test_a_quota_for_root_only(lay: Lay, monkeypatch: pytest.MonkeyPatch) -> None:
    root = lay({OURS: "0::/a\n", f"{V2}/cpu.max": "max 1", f"{V2}/a/cpu.max": "50000 100000"})
    real = open

    def guarded(path: str, *arguments: object) -> object:
        if path.endswith("a/cpu.max"):
            raise PermissionError(13, "denied", path)
        return real(path)

    monkeypatch.setattr("builtins.open", guarded)
    assert quota(root).status == "no_permission"


def test_throttling_is_counted_by_the_group_that_limits(lay: Lay) -> None:
    root = lay(
        {
            OURS: "0::/a/b\n",
            f"{V2}/a/cpu.max": "50000 100000",
            f"{V2}/a/cpu.stat": "usage_usec 9\nnr_periods 40\nnr_throttled 12\nthrottled_usec 7\n",
            f"{V2}/a/b/cpu.stat": "nr_periods 1\nnr_throttled 1\n",
        }
    )
    found = quota(root)
    assert found.group == f"{root}{V2}/a"
    assert throttling(found.group) == (40, 12)


@pytest.mark.parametrize("text", ["usage_usec 9\n", "nr_periods x\nnr_throttled 1\n", ""])
def test_a_group_that_does_not_count(lay: Lay, text: str) -> None:
    root = lay({f"{V2}/cpu.stat": text})
    assert throttling(f"{root}{V2}") is None
    assert throttling("/nowhere") is None
    assert throttling(None) is None


def test_usable_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert usable() == [0, 1, 2, 3]


def test_who_the_host_is(lay: Lay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_cpu, "usable", lambda: [0, 1, 2])
    root = lay(
        {
            OURS: "0::/\n",
            f"{V2}/cpu.max": "50000 100000\n",
            "/proc/cpuinfo": "model name\t: A CPU\n",
            "/sys/devices/system/node/online": "0-2\n",
            "/sys/devices/system/node/node0/cpulist": "0-1,8\n",
            "/sys/devices/system/node/node1/cpulist": "2-7\n",
            "/sys/devices/system/node/node2/cpulist": "\n",  # memory alone
        }
    )
    known = host_cpu.host_cpu(root)
    assert (known.name, known.cores, known.limit_cores, known.status) == ("A CPU", 3, 0.5, {})
    assert (known.numa_nodes, known.numa_count) == ([0, 1], 3)
    bare = host_cpu.host_cpu("/nowhere")
    assert (bare.name, bare.cores, bare.limit_cores) == (None, 3, None)
    assert bare.numa_nodes is bare.numa_count is None
    assert set(bare.status) == {
        "name",
        "limit_cores",
        "periods",
        "throttled",
        "numa_nodes",
        "numa_count",
    }


@pytest.mark.parametrize(
    ("said", "node"),
    [("1\n", 1), ("0\n", 0), ("-1\n", None), ("x\n", None), ("99999\n", None), (None, None)],
)
def test_the_node_that_a_card_hangs_on(lay: Lay, said: str | None, node: int | None) -> None:
    path = "/sys/bus/pci/devices/0000:18:00.0/numa_node"
    root = lay({path: said} if said is not None else {OURS: "0::/\n"})
    assert host_cpu.card_node("0000:18:00.0", root) == node


def test_this_machine() -> None:
    here = host_cpu.host_cpu()
    assert here.cores is not None
    assert here.cores >= 1
    assert (here.limit_cores is None) == ("limit_cores" in here.status)
