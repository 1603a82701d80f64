"""A stand-in for pynvml: answers as an H200 did, or as a test says.

As a class (``Fake``) for tests in this process; as a module on PYTHONPATH for the instrument in a
process of its own, set up by the JSON in ROOFWATCH_FAKE: ``{function: code}`` to fail a function,
``{function: "hang"}`` for one that never returns, ``{"after": [n, code]}`` to fail everything from
the n-th clock reading on, ``{"cards": n}`` for several of them, ``{"names": [...]}`` for unlike
ones, ``{"slice": n}`` for MIG with one slice on the n-th.
"""

import json
import os
import threading
from types import SimpleNamespace


class NVMLError(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


class NVMLLibraryMismatchError(Exception):
    """What pynvml raises, in place of an NVMLError, where the driver lacks a newer version."""


def field(value, code=0, kind=3):
    """One answer of nvmlDeviceGetFieldValues; kind 3 is an unsigned long long."""
    names = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
    members = dict.fromkeys(names) | {names[kind]: value}
    return SimpleNamespace(valueType=kind, nvmlReturn=code, value=SimpleNamespace(**members))


GIB = 1 << 30
H200 = {
    "nvmlInit": None,
    "nvmlSystemGetDriverVersion": "580.159.04",
    "nvmlDeviceGetCount": 1,
    "nvmlDeviceGetName": "NVIDIA H200",
    "nvmlDeviceGetIndex": lambda card: card.index,
    "nvmlDeviceGetUUID": lambda card: card.uuid,
    "nvmlDeviceGetCudaComputeCapability": (9, 0),
    "nvmlDeviceGetNumGpuCores": 16896,
    "nvmlDeviceGetMemoryBusWidth": 6016,
    "nvmlDeviceGetEnforcedPowerLimit": 700_000,
    "nvmlDeviceGetPowerManagementDefaultLimit": 700_000,
    "nvmlDeviceGetPowerManagementLimitConstraints": [200_000, 700_000],
    "nvmlDeviceGetMaxClockInfo": lambda card, kind: {1: 1980, 2: 3201}[kind],
    "nvmlDeviceGetTemperatureThreshold": 89,
    "nvmlDeviceGetSupportedClocksEventReasons": 511,
    "nvmlDeviceGetSupportedClocksThrottleReasons": 511,
    "nvmlDeviceGetEccMode": [1, 1],
    "nvmlDeviceGetMigMode": [0, 0],
    "nvmlDeviceGetPersistenceMode": 1,
    "nvmlDeviceGetVirtualizationMode": 1,
    "nvmlDeviceGetCurrPcieLinkGeneration": 5,
    "nvmlDeviceGetMaxPcieLinkGeneration": 5,
    "nvmlDeviceGetCurrPcieLinkWidth": 16,
    "nvmlDeviceGetMaxPcieLinkWidth": 16,
    "nvmlDeviceGetClockInfo": lambda card, kind: {1: 1455, 2: 3201}[kind],
    "nvmlDeviceGetPowerUsage": 693_000,
    "nvmlDeviceGetCurrentClocksEventReasons": 4,
    "nvmlDeviceGetCurrentClocksThrottleReasons": 4,
    "nvmlDeviceGetTemperature": 61,
    "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=99, memory=16),
    "nvmlDeviceGetMemoryInfo": lambda card, version=None: SimpleNamespace(
        total=150_754_820_096, used=2 * GIB if version else 3 * GIB
    ),
    "nvmlDeviceGetTotalEnergyConsumption": 2_967_191,
    "nvmlDeviceGetComputeRunningProcesses": [SimpleNamespace(pid=7, usedGpuMemory=GIB)],
    "nvmlDeviceGetComputeRunningProcesses_v2": [SimpleNamespace(pid=7, usedGpuMemory=GIB)],
    "nvmlSystemGetCudaDriverVersion": 13000,
    "nvmlDeviceGetPciInfo": SimpleNamespace(busId="00000000:18:00.0"),
    "nvmlDeviceGetApplicationsClock": lambda card, kind: {1: 1980, 2: 3201}[kind],
    "nvmlDeviceGetDefaultApplicationsClock": lambda card, kind: {1: 1980, 2: 3201}[kind],
    "nvmlDeviceGetMaxCustomerBoostClock": 1980,
    "nvmlDeviceGetComputeMode": 0,
    "nvmlDeviceGetTotalEccErrors": 0,
    "nvmlDeviceGetRemappedRows": (0, 0, 0, 0),
    "nvmlDeviceGetGpuMaxPcieLinkGeneration": 5,
    "nvmlDeviceGetPcieReplayCounter": 1,
    "nvmlDeviceGetMarginTemperature": 28,
    "nvmlDeviceGetP2PStatus": 0,
    "nvmlDeviceGetTopologyCommonAncestor": 40,
    "nvmlEventSetCreate": SimpleNamespace(uuid="a set of events"),
    "nvmlDeviceRegisterEvents": None,
    "nvmlEventSetWait": NVMLError(10),
}
FIELDS = {74: 26_240_000_000, 75: 0, 76: 0, 80: 5, 81: 6, 269: 0, 270: 0, 271: 0, 186: 720_000}

MIG = "MIG-dddd3333-3333-3333-3333-333333333333"


class Handle:
    """A card or a slice. Real ones are opaque, and NVML refuses what is none."""

    def __init__(self, **known):
        vars(self).update(known)


class Fake:
    """Answers by function name; an exception among the answers is raised."""

    NVMLError = NVMLError
    NVMLLibraryMismatchError = NVMLLibraryMismatchError

    def __init__(self, cards=1):
        self.answers = dict(H200)
        self.answers["nvmlDeviceGetCount"] = cards
        self.answers["nvmlDeviceGetHandleByIndex"] = self._by_index
        self.answers["nvmlDeviceGetHandleByUUID"] = self._by_uuid
        self.answers["nvmlDeviceGetFieldValues"] = self._field_values
        self.answers["nvmlDeviceGetNvLinkState"] = self._link
        self.links = 2
        self.fields = {number: field(value) for number, value in FIELDS.items()}
        self.cards = [Handle(index=i, uuid=f"GPU-{i}{i}aa-uuid") for i in range(cards)]
        self.calls = []
        self.after = None

    def fail(self, code, *functions):
        for function in functions:
            self.answers[function] = NVMLError(code)

    def hang(self, function):
        self.answers[function] = lambda *_: threading.Event().wait()

    def name(self, names):
        """Unlike cards: each its name, the earlier the slower."""
        of = {card.uuid: name for card, name in zip(self.cards, names, strict=True)}
        self.answers["nvmlDeviceGetName"] = lambda card: of[card.uuid]
        self.answers["nvmlDeviceGetNumGpuCores"] = lambda card: 2048 * (card.index + 1)

    def cut(self, index):
        """MIG on a card: its third place holds a slice of 60 multiprocessors."""
        whole = self.cards[index]
        part = Handle(uuid=MIG)

        def place(card, number):
            if (card, number) != (whole, 2):
                raise NVMLError(6)
            return part

        def by_uuid(uuid):
            if uuid != MIG:
                raise NVMLError(6)
            return part

        self.answers |= {
            "nvmlDeviceGetMigMode": lambda card: [int(card is whole)] * 2,
            "nvmlDeviceGetMaxMigDeviceCount": 7,
            "nvmlDeviceGetMigDeviceHandleByIndex": place,
            "nvmlDeviceGetHandleByUUID": by_uuid,
            "nvmlDeviceGetDeviceHandleFromMigDeviceHandle": lambda one: {MIG: whole}[one.uuid],
            "nvmlDeviceGetAttributes": lambda one: {MIG: SimpleNamespace(multiprocessorCount=60)}[
                one.uuid
            ],
            "nvmlDeviceGetName": lambda one: "NVIDIA H200" + " MIG 3g.71gb" * (one is part),
            "nvmlDeviceGetMemoryInfo": lambda one, version=None: SimpleNamespace(
                total=71 * GIB if one is part else 141 * GIB, used=GIB
            ),
        }

    def _by_uuid(self, uuid):
        found = [card for card in self.cards if card.uuid == uuid]
        if not found:
            raise NVMLError(6)
        return found[0]

    def _by_index(self, index):
        return self.cards[index]

    def _field_values(self, card, wanted):
        return [self.fields.get(number, field(0, code=3)) for number, _ in wanted]

    def _link(self, card, number):
        if number >= self.links:
            raise NVMLError(2)
        return 1

    def __getattr__(self, name):
        if not name.startswith("nvml") or name not in self.answers:
            raise AttributeError(name)

        def call(*arguments):
            self.calls.append(name)
            assert None not in arguments, f"{name} called with a null handle"
            if arguments and "HandleBy" not in name:
                _known(arguments[0])
            clocks = self.calls.count("nvmlDeviceGetClockInfo")
            if self.after and clocks >= self.after[0]:
                raise NVMLError(self.after[1])
            answer = self.answers[name]
            if isinstance(answer, Exception):
                raise answer
            return answer(*arguments) if callable(answer) else answer

        return call


def _known(handle):
    if not hasattr(handle, "uuid"):
        raise NVMLError(2)


def ordered(orders):
    """A fake by the orders of the module's docstring."""
    orders = dict(orders)
    fake = Fake(orders.pop("cards", 1))
    fake.after = orders.pop("after", None)
    if "names" in orders:
        fake.name(orders.pop("names"))
    if "slice" in orders:
        fake.cut(orders.pop("slice"))
    for function, order in orders.items():
        if order == "hang":
            fake.hang(function)
        else:
            fake.fail(order, function)
    return fake


if "ROOFWATCH_FAKE" in os.environ:
    _fake = ordered(json.loads(os.environ["ROOFWATCH_FAKE"]))

    def __getattr__(name):
        return getattr(_fake, name)
