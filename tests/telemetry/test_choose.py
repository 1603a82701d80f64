"""Which card: CUDA's numbering, CUDA_VISIBLE_DEVICES in its forms, UUIDs and MIG slices."""

from types import SimpleNamespace

import pytest

from roofwatch.telemetry.choose import choose, visible
from roofwatch.telemetry.nvml import Absent, Gone, Nvml

UUIDS = [
    "GPU-aaaa0000-0000-0000-0000-000000000000",
    "GPU-aabb1111-1111-1111-1111-111111111111",
    "GPU-cccc2222-2222-2222-2222-222222222222",
]
MIG = "MIG-dddd3333-3333-3333-3333-333333333333"


@pytest.fixture
def three(pynvml):
    """Three equal cards; the last holds a slice."""
    fake = pynvml.Fake(cards=3)
    for card, uuid in zip(fake.cards, UUIDS, strict=True):
        card.uuid = uuid
        card.name = "NVIDIA H200"
        card.cores = 16896
    part = SimpleNamespace(index=99, uuid=MIG, name="NVIDIA H200 MIG 3g.71gb", whole=fake.cards[2])

    def by_uuid(uuid):
        if uuid != MIG:
            raise fake.NVMLError(6)
        return part

    fake.part = part
    fake.answers |= {
        "nvmlDeviceGetName": lambda card: card.name,
        "nvmlDeviceGetNumGpuCores": lambda card: card.cores,
        "nvmlDeviceGetHandleByUUID": by_uuid,
        "nvmlDeviceGetDeviceHandleFromMigDeviceHandle": lambda part: part.whole,
    }
    return fake


@pytest.mark.parametrize(
    ("value", "entries"),
    [
        (None, None),
        ("", []),
        ("0", [0]),
        ("1,0", [1, 0]),
        (" 2 , 1", [2, 1]),
        ("0,-1,1", [0]),
        ("-1", []),
        ("NoDevFiles", []),
        ("0,0", []),
        ("1gpu2,2", [1, 2]),
        ("GPU-aaaa,GPU-cc", ["GPU-aaaa", "GPU-cc"]),
        ("GPU-aaaa,x,GPU-cc", ["GPU-aaaa"]),
        ("GPU-aaaa,GPU-aaaa", []),
        (MIG, [MIG]),
    ],
)
def test_visible(value, entries):
    assert visible(value) == entries


@pytest.mark.parametrize(
    ("device", "cvd", "index"),
    [
        (None, None, 0),
        ("cuda", None, 0),
        ("cuda:2", None, 2),
        ("1", None, 1),
        (None, "2", 2),
        ("cuda:1", "2,0", 0),
        ("cuda:0", "GPU-aabb", 1),
        ("cuda:1", "GPU-cccc,GPU-aaaa0", 0),
        (UUIDS[1], "0", 1),
        ("GPU-cc", None, 2),
        (UUIDS[2].removeprefix("GPU-"), None, 2),
    ],
)
def test_the_card_that_is_meant(device, cvd, index, three):
    environ = {} if cvd is None else {"CUDA_VISIBLE_DEVICES": cvd}
    card = choose(Nvml(three), device, environ)
    assert card.whole is three.cards[index]
    assert card.slice is None


@pytest.mark.parametrize(
    ("device", "cvd"),
    [
        ("cuda:3", None),
        ("cuda:1", "0"),
        ("cuda:0", ""),
        (None, "-1"),
        (None, "7"),
        ("cuda:1", "7,1"),  # CUDA stops at the first that is not there
        ("cuda:0", "GPU-aa"),  # two begin so
        ("GPU-eeee", None),
        ("MIG-eeee", None),
        ("eeee3333-3333-3333-3333-333333333333", None),
        ("tpu:0", None),
    ],
)
def test_a_card_that_is_not_there(device, cvd, three):
    with pytest.raises(Absent):
        choose(Nvml(three), device, {} if cvd is None else {"CUDA_VISIBLE_DEVICES": cvd})


def test_fastest_first_unless_told_otherwise(three):
    three.cards[0].name, three.cards[0].cores = "NVIDIA T400", 384
    assert choose(Nvml(three), None, {}).whole is three.cards[1]
    assert choose(Nvml(three), "cuda:2", {}).whole is three.cards[0]
    by_bus = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    assert choose(Nvml(three), None, by_bus).whole is three.cards[0]


@pytest.mark.parametrize("device", [MIG, MIG.removeprefix("MIG-"), None])
def test_a_slice_by_name(device, three, open_gpu):
    three.answers["nvmlDeviceGetAttributes"] = SimpleNamespace(multiprocessorCount=60)
    three.answers["nvmlDeviceGetMemoryInfo"] = lambda card, version=None: SimpleNamespace(
        total=71 << 30 if card is three.part else 141 << 30, used=1 << 30
    )
    gpu = open_gpu(three, device, {"CUDA_VISIBLE_DEVICES": MIG})
    assert (gpu.device.uuid, gpu.device.index, gpu.device.sm_count) == (MIG, 2, 60)
    assert gpu.device.memory_bytes == 71 << 30
    assert gpu.notes == ["slice NVIDIA H200 MIG 3g.71gb: clocks and power belong to the whole card"]
    assert gpu.sample(0, slow=True).sm_mhz == 1455


def test_the_first_slice_of_a_card_under_mig(three):
    def slice_of(card, index):
        if index == 0:
            raise three.NVMLError(6)
        return three.part

    three.answers |= {
        "nvmlDeviceGetMigMode": [1, 1],
        "nvmlDeviceGetMaxMigDeviceCount": 7,
        "nvmlDeviceGetMigDeviceHandleByIndex": slice_of,
    }
    card = choose(Nvml(three), "cuda:2", {})
    assert card == (three.cards[2], three.part)


def test_mig_without_a_slice_is_said(fake, open_gpu):
    fake.answers["nvmlDeviceGetMigMode"] = [1, 1]
    fake.answers["nvmlDeviceGetMaxMigDeviceCount"] = 7
    fake.fail(6, "nvmlDeviceGetMigDeviceHandleByIndex")
    assert "no slice" in open_gpu(fake).notes[0]


def test_no_card(pynvml):
    with pytest.raises(Absent, match="no NVIDIA GPU"):
        choose(Nvml(pynvml.Fake(cards=0)), None, {})


@pytest.mark.parametrize(
    ("code", "error", "words"),
    [
        (999, Absent, "restart the container"),
        (4, Absent, "permission"),
        (15, Gone, "GPU is lost"),
    ],
)
def test_a_card_without_a_handle(code, error, words, fake):
    fake.fail(code, "nvmlDeviceGetHandleByIndex")
    with pytest.raises(error, match=words):
        choose(Nvml(fake), None, {})


def test_a_null_handle_is_no_card(fake):
    fake.answers["nvmlDeviceGetHandleByIndex"] = lambda index: None
    with pytest.raises(Absent, match="no such GPU"):
        choose(Nvml(fake), None, {})


def test_a_lost_neighbour_does_not_hide_the_others(three):
    def by_index(index):
        if index == 1:
            raise three.NVMLError(15)
        return three.cards[index]

    three.answers["nvmlDeviceGetHandleByIndex"] = by_index
    assert choose(Nvml(three), "cuda:1", {}).whole is three.cards[2]


def test_a_number_of_any_length_is_a_number(three):
    assert visible("9" * 5000) == [1 << 64]
    environ = {"CUDA_VISIBLE_DEVICES": f"0,{'9' * 5000},1"}
    nvml = Nvml(three)
    assert choose(nvml, "cuda:0", environ).whole is three.cards[0]
    with pytest.raises(Absent):
        choose(nvml, "cuda:1", environ)
    with pytest.raises(Absent, match="neither cuda:N nor a UUID"):
        choose(nvml, f"cuda:{'9' * 5000}", {})
