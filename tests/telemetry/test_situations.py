"""Kinds of host and of card: each is said in one line, and an ordinary one says nothing."""

import os
from types import SimpleNamespace

import pytest

from roofwatch.telemetry.gpu import PATIENCE
from roofwatch.telemetry.nvml import Absent, Gone, Nvml

SHARED = "integrated GPU: its memory is the host's, and NVML does not tell its size"
LOST = "GPU is lost: it no longer answers on the bus; the host must reset or reboot it"


@pytest.mark.parametrize(
    ("orders", "environ", "line"),
    [
        ({"nvmlInit": 12}, {}, "no NVIDIA driver library (libnvidia-ml.so.1) on this machine"),
        ({"nvmlInit": 9}, {}, "the NVIDIA driver is not loaded"),
        (
            {"nvmlInit": 18},
            {},
            "the NVIDIA driver was upgraded, host must reboot (or reload it)",
        ),
        ({"nvmlInit": 4}, {}, "no permission to talk to the NVIDIA driver"),
        (
            {"nvmlInit": 999},
            {},
            "NVML answers Unknown Error: this container lost its GPU; restart the container",
        ),
        (
            {"nvmlDeviceGetHandleByIndex": 999},
            {},
            "NVML answers Unknown Error: this container lost its GPU; restart the container",
        ),
        (
            {"nvmlDeviceGetCount": 10},
            {},
            "NVML does not answer: nvmlDeviceGetCount timed out; only the host can mend it",
        ),
        ({"cards": 0}, {}, "NVML lists no NVIDIA GPU"),
        ({}, {"CUDA_VISIBLE_DEVICES": ""}, "CUDA_VISIBLE_DEVICES hides every GPU"),
        ({"cards": 2}, {"CUDA_VISIBLE_DEVICES": "-1"}, "CUDA_VISIBLE_DEVICES hides every GPU"),
        ({"nvmlDeviceGetHandleByIndex": 15}, {}, LOST),
        ({"nvmlDeviceGetName": 15}, {}, LOST),
    ],
)
def test_there_is_nothing_to_read(orders, environ, line, pynvml, open_gpu):
    fake = pynvml.ordered(orders)

    def open_all():
        Nvml(fake).start()
        open_gpu(fake, None, environ)

    with pytest.raises((Absent, Gone)) as raised:
        open_all()
    assert str(raised.value) == line


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (15, LOST),
        (16, "GPU needs a reset before it works again; only the host can do that"),
        (
            999,
            "every NVML call fails after it worked (Unknown Error): this container lost its GPU, "
            "as after a daemon-reload on the host; restart the container",
        ),
        (10, "the NVIDIA driver answers nothing any more, after it worked"),
    ],
)
def test_it_goes_while_it_is_read(code, line, fake, open_gpu):
    gpu = open_gpu(fake)
    gpu.sample(0, slow=True)
    fake.fail(code, *fake.answers)
    with pytest.raises(Gone) as raised:
        [gpu.sample(i, slow=False) for i in range(PATIENCE)]
    assert str(raised.value) == line


@pytest.mark.parametrize(
    ("orders", "answers", "said"),
    [
        ({}, {}, []),
        (
            {"slice": 0},
            {},
            ["slice NVIDIA H200 MIG 3g.71gb: clocks and power belong to the whole card"],
        ),
        (
            {"slice": 0, "nvmlDeviceGetMigDeviceHandleByIndex": 6},
            {},
            ["MIG is on and NVML shows no slice here: without one CUDA finds no device"],
        ),
        (
            {},
            {"nvmlDeviceGetVirtualizationMode": 2},
            ["vGPU: the card is shared, its clocks and power may be the host's"],
        ),
        (
            {"nvmlDeviceGetMemoryInfo": 3},
            {
                "nvmlDeviceGetName": "NVIDIA GB10",
                "nvmlDeviceGetCudaComputeCapability": (12, 1),
            },
            [SHARED],
        ),
        (
            {},
            {
                "nvmlDeviceGetName": "Orin (nvgpu)",
                "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=0, used=0),
            },
            [SHARED],
        ),
        ({"nvmlDeviceGetMemoryInfo": 3}, {}, []),  # no integrated part: nothing is known of it
    ],
)
def test_a_kind_of_card(orders, answers, said, pynvml, open_gpu):
    fake = pynvml.ordered(orders)
    fake.answers |= answers
    gpu = open_gpu(fake)
    assert gpu.notes == said
    assert (gpu.device.memory_bytes is None) == ("memory_bytes" in gpu.device.status)
    assert (gpu.device.memory_bytes is None) >= (SHARED in said)


def test_wsl(fake, open_gpu, monkeypatch):
    release = "5.15.167.4-microsoft-standard-WSL2"
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(release=release))
    assert open_gpu(fake).notes == [
        "WSL: utilization and processes are often missing, the driver is Windows' own"
    ]


@pytest.mark.parametrize(
    ("device", "listed", "said"),
    [
        (None, None, []),
        ("cuda:1", None, []),
        (None, "0,1", []),
        (None, "1,0", ["CUDA_VISIBLE_DEVICES=1,0: cuda:0 is NVML's card 1"]),
        ("cuda:1", "1,0", ["CUDA_VISIBLE_DEVICES=1,0: cuda:1 is NVML's card 0"]),
        ("cuda:1", "0,1", []),
        (None, "2", ["CUDA_VISIBLE_DEVICES=2: cuda:0 is NVML's card 2"]),
        (None, "GPU-11aa\t", ["CUDA_VISIBLE_DEVICES=GPU-11aa: cuda:0 is NVML's card 1"]),
        ("GPU-11aa-uuid", "1,0", []),  # named by UUID, no ordinal is meant
        (
            None,
            "2," + "1" * 60,
            ["CUDA_VISIBLE_DEVICES=2," + "1" * 37 + "…: cuda:0 is NVML's card 2"],
        ),
    ],
)
def test_cuda_counts_otherwise(device, listed, said, pynvml, open_gpu):
    environ = {} if listed is None else {"CUDA_VISIBLE_DEVICES": listed}
    assert open_gpu(pynvml.Fake(cards=3), device, environ).notes == said


def test_cuda_counts_the_fastest_first(pynvml, open_gpu):
    fake = pynvml.ordered({"cards": 2, "names": ["NVIDIA T400", "NVIDIA H200"]})
    assert open_gpu(fake).notes == [
        "cuda:0 is NVML's card 1: CUDA counts the fastest first, and no card that is lost"
    ]
