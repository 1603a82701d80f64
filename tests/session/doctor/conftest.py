"""Facts of a healthy H200, as they were seen, and how to change one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from roofwatch.session.cards import packaged_cards
from roofwatch.session.doctor.checks import rows
from roofwatch.session.doctor.facts import Facts
from roofwatch.session.doctor.kernel_log import KernelLog
from roofwatch.session.doctor.machine import Disk, Machine
from roofwatch.session.doctor.said import Row
from roofwatch.session.events import Device, HostCpu, Sample
from roofwatch.session.expectation import nominal_of
from roofwatch.session.health import CardHealth, Checkup, RemappedRows

UUID = "GPU-00000000-0000-0000-0000-000000000000"
DEVICE = Device(
    kind="cuda",
    name="NVIDIA H200",
    uuid=UUID,
    index=0,
    compute_capability="9.0",
    sm_count=132,
    memory_bytes=150_754_820_096,
    bus_bits=6016,
    power_limit_w=700.0,
    power_default_w=700.0,
    power_max_w=700.0,
    sm_max_mhz=1980.0,
    mem_max_mhz=3201.0,
    temp_slowdown_c=89.0,
    reasons_supported=511,
    ecc=True,
    mig=False,
    persistence=True,
    virtualization="passthrough",
    processes=0,
    processes_bytes=0,
)
HEALTH = CardHealth(
    asked="idle",
    cuda="13.0",
    cards=1,
    pci_bus_id="00000000:18:00.0",
    app_sm_mhz=1980.0,
    app_sm_default_mhz=1980.0,
    app_mem_mhz=3201.0,
    app_mem_default_mhz=3201.0,
    boost_sm_mhz=1980.0,
    compute_mode="default",
    ecc_pending=True,
    ecc_volatile=0,
    ecc_aggregate=0,
    rows=RemappedRows(correctable=0, uncorrectable=0, pending=False, failed=False),
    pcie_gen=5,
    pcie_gen_max=5,
    pcie_gen_card=5,
    pcie_lanes=16,
    pcie_lanes_max=16,
    pcie_replays=1,
    margin_c=52.0,
    xids=[],
    status={"nvlinks": "not_supported"},
)
CHECKUP = Checkup(
    torch="2.11.0+cu130",
    cuda="13.0",
    cudnn="9.10.2",
    architectures=["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"],
    threads=16,
    enqueue_s=4.4e-6,
    load_begin_s=3.0,
    load_end_s=4.5,
    copied_bytes=20 << 30,
    copy_s=(20 << 30) / 55.4e9,
)
MACHINE = Machine(
    cards_on_bus=1,
    cpu=HostCpu(name="Xeon", cores=16, status={"limit_cores": "not_supported"}),
    cores=16,
    memory_bytes=128 << 30,
    shm_bytes=128 << 30,
    disks={name: Disk(path=".", free_bytes=60 << 30) for name in ("here", "home", "temporary")},
    log=KernelLog(),
)


def sample(t: float, **more: Any) -> Sample:
    told: dict[str, Any] = {
        "gpu": 0,
        "sm_mhz": 345.0,
        "mem_mhz": 3201.0,
        "power_w": 77.0,
        "power_instant_w": 77.0,
        "temp_c": 30.0,
        "mem_used_bytes": 0,
        "util": 0.0,
        "reasons": 1,
    }
    return Sample(t=t, **(told | more))


def under(**more: Any) -> tuple[Sample, ...]:
    told = {"sm_mhz": 1755.0, "power_w": 690.0, "temp_c": 47.0, "util": 1.0, "reasons": 4} | more
    return tuple(sample(3.5 + i / 10, **told) for i in range(6))


HEALTHY = Facts(
    machine=MACHINE,
    others_cores=1.4,
    device=DEVICE,
    driver="580.159.04",
    idle=HEALTH,
    loaded=replace(HEALTH, asked="loaded"),
    after=replace(HEALTH, asked="after"),
    before=tuple(sample(i / 10) for i in range(8)),
    under=under(),
    nominal=nominal_of(DEVICE, packaged_cards(), frozenset()),
    checkup=CHECKUP,
    torch_device=Device(kind="cuda", name="NVIDIA H200", uuid=UUID),
    torch_at="done",
)


@pytest.fixture
def healthy() -> Facts:
    return HEALTHY


@pytest.fixture
def judged() -> Callable[..., dict[str, Row]]:
    """Rows by their keys of an H200 that differs: facts by their names, parts as ``device__mig``.

    ``health__x`` changes all three readings, ``under__x`` every sample under load.
    """

    def run(**changes: Any) -> dict[str, Row]:
        facts = HEALTHY
        for name, value in changes.items():
            part, _, field = name.partition("__")
            if part == "health":
                same = {
                    each: replace(getattr(facts, each), **{field: value})
                    for each in ("idle", "loaded", "after")
                }
                facts = replace(facts, **same)
            elif part in ("under", "before") and field:
                samples = getattr(facts, part)
                facts = replace(
                    facts, **{part: tuple(replace(s, **{field: value}) for s in samples)}
                )
            elif field:
                whole = replace(getattr(facts, part), **{field: value})
                facts = replace(facts, **{part: whole})
            else:
                facts = replace(facts, **{name: value})
        if facts.device is not None and facts.nominal is not None:
            facts = replace(facts, nominal=nominal_of(facts.device, packaged_cards(), frozenset()))
        return {row.check: row for row in rows(facts)}

    return run
