"""The host and its kernel's log, laid out as files."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from roofwatch.session.doctor.kernel_log import Xid, kernel_log, same_bus, xids_in
from roofwatch.session.doctor.machine import (
    Disk,
    cards_on_bus,
    disk,
    in_time,
    machine,
    memory_bytes,
    memory_limit_bytes,
)

LOG = """\
4,1,1,-;NVRM: loading NVIDIA UNIX x86_64 Kernel Module
6,2,2,-;NVRM: Xid (PCI:0000:18:00): 79, pid='<unknown>', GPU has fallen off the bus.
6,3,3,-;NVRM: Xid (0000:01:00): 13, Graphics Exception
6,4,4,-;usb 1-1: Xid (PCI:0000:18:00): 31
6,5,5,-;NVRM: Xid (PCI:0000:18:00): 99999999
"""


def lay(root: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(root)


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "max"}, None),
        ({"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "8589934592"}, 8 << 30),
        (
            {
                "proc/self/cgroup": "0::/a/b",
                "sys/fs/cgroup/a/memory.max": "100",
                "sys/fs/cgroup/a/b/memory.max": "200",
            },
            100,
        ),
        (
            {
                "proc/self/cgroup": "4:memory:/docker/x",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "4294967296",
            },
            4 << 30,
        ),
        (
            {
                "proc/self/cgroup": "4:memory:/",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
            },
            None,
        ),
        ({"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "what?"}, None),
        ({}, None),
    ],
)
def test_the_tightest_limit_of_memory(
    files: dict[str, str], limit: int | None, tmp_path: Path
) -> None:
    assert memory_limit_bytes(lay(tmp_path, files)) == limit


def test_a_laid_out_machine(tmp_path: Path) -> None:
    bus = "sys/bus/pci/devices/0000:"
    root = lay(
        tmp_path,
        {
            "proc/meminfo": "MemTotal:       134217728 kB\nMemFree: 1 kB\n",
            f"{bus}18:00.0/vendor": "0x10de\n",
            f"{bus}18:00.0/class": "0x030200\n",
            f"{bus}19:00.0/vendor": "0x10de\n",
            f"{bus}19:00.0/class": "0x068000\n",  # a bridge of NVIDIA's
            f"{bus}20:00.0/vendor": "0x8086\n",
            f"{bus}20:00.0/class": "0x030000\n",
        },
    )
    assert memory_bytes(root) == 128 << 30
    assert cards_on_bus(root) == 1
    assert cards_on_bus(f"{root}/nowhere") is None
    seen = machine({"HOME": str(tmp_path), "TMPDIR": f"{tmp_path}/gone"}, root)
    assert seen.memory_bytes == 128 << 30
    assert seen.shm_bytes is None
    assert seen.disks["home"].free_bytes
    assert seen.disks["temporary"].problem == "No such file or directory"


def test_this_machine_takes_no_time() -> None:
    began = time.monotonic()
    seen = machine(os.environ)
    assert time.monotonic() - began < 3
    assert (seen.cpu.cores or 0) >= 1
    assert (seen.log.problem is None) or seen.log.problem.startswith("/dev/kmsg")


def test_a_disk_that_never_answers_is_left_alone() -> None:
    never = threading.Event()
    assert in_time(never.wait, "left", patience_s=0.05) == "left"
    never.set()
    assert disk("a\0b") == Disk(path="a\0b", problem="cannot be looked at")


def test_the_drivers_errors_in_a_log(tmp_path: Path) -> None:
    assert xids_in(LOG) == (Xid("0000:18:00", 79), Xid("0000:01:00", 13))
    log = tmp_path / "kmsg"
    log.write_text(LOG)
    assert kernel_log(str(log)).xids == xids_in(LOG)


def test_a_log_that_may_not_be_read_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from roofwatch.session.doctor import kernel_log as module

    monkeypatch.setattr(module, "_by_call", lambda: None)
    assert kernel_log("/nowhere").problem == "/nowhere: No such file or directory"
    monkeypatch.setattr(module, "_by_call", lambda: LOG)
    assert len(kernel_log("/nowhere").xids) == 2


@pytest.mark.parametrize(
    ("bus", "card", "same"),
    [
        ("0000:18:00", "00000000:18:00.0", True),
        ("0000:18:00.0", "00000000:18:00.0", True),
        ("0000:AF:00", "00000000:af:00.0", True),
        ("0000:19:00", "00000000:18:00.0", False),
        ("0001:18:00", "00000000:18:00.0", False),
    ],
)
def test_the_card_of_a_line(bus: str, card: str, same: bool) -> None:
    assert same_bus(bus, card) == same
