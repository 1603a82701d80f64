"""Who is let into a fleet: real stores, in this process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from roofwatch.fleet import joining, life, reaching
from roofwatch.fleet.joining import Identity, Refused
from roofwatch.fleet.meeting import Meeting, Unreadable
from roofwatch.fleet.not_met import FAILED, USAGE, Ended, NotMet
from roofwatch.fleet.world import BY_HAND, SLURM, TORCHRUN, World

pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def place(rank: int, port: int, size: int = 2, **more: object) -> World:
    return World(
        rank=rank,
        size=size,
        local_rank=rank,
        local_size=size,
        host=str(more.pop("host", "here")),
        node=0,
        address=str(more.pop("address", "127.0.0.1")),
        port=port,
        launcher=str(more.pop("launcher", BY_HAND)),
        **more,  # type: ignore[arg-type]
    )


@pytest.fixture
def first(free_port: Callable[[], int]) -> Meeting:
    return Meeting(place(0, free_port(), launch="job 1"), "f1")


def test_a_number_is_taken_once_and_rank_0_hears_of_the_other(first: Meeting) -> None:
    one = Meeting(place(1, first.port))
    assert one.fleet == first.fleet == "f1"
    with pytest.raises(Refused, match=r"rank 1 of fleet f1 is taken, by here \(process \d+\)"):
        Meeting(place(1, first.port, host="stranger"))
    (said,) = first.refused(8)
    assert said.startswith("rank 1 of 2 on stranger was refused: rank 1 of fleet f1 is taken")
    claim = first.claim(1)
    assert claim is not None
    assert claim.host == "here"
    assert first.claim(0) is not None
    assert first.claim(7) is None


@pytest.mark.parametrize(
    ("change", "said", "code"),
    [
        ({"size": 3}, "its WORLD_SIZE is 2, this rank's 3", USAGE),
        ({"size": 3, "launcher": SLURM}, "its WORLD_SIZE is 2, this rank's 3", FAILED),
        ({"launch": "job 2", "launcher": SLURM}, "its launch is job 1, this rank's job 2", FAILED),
    ],
)
def test_a_rank_of_another_fleet_is_refused(
    first: Meeting, change: dict[str, object], said: str, code: int
) -> None:
    with pytest.raises(Refused, match=said) as refused:
        Meeting(place(1, first.port, **change))  # type: ignore[arg-type]
    assert refused.value.code == code
    assert said in first.refused(8)[0]
    assert Meeting(place(1, first.port)).fleet == "f1"  # its own number is still free


def test_a_fleet_of_another_schema_is_none_of_ours(first: Meeting) -> None:
    other = Identity(id="f1", world=2, schema="roofwatch.fleet/9")
    _room(first).set(joining.NOW, msgspec.json.encode(other).decode())
    with pytest.raises(Refused, match="another version"):
        Meeting(place(1, first.port))
    _room(first).set(joining.NOW, "[[[")
    with pytest.raises(Refused, match="another version"):
        Meeting(place(1, first.port))


AGENT: dict[str, object] = {"agent_store": True, "launcher": TORCHRUN, "launch": "job 1"}


@pytest.fixture
def beating() -> Iterator[Callable[[Meeting], threading.Event]]:
    """Lets a rank beat from a thread, until the event that it gives or the test's end."""
    ends: list[threading.Event] = []
    threads: list[threading.Thread] = []

    def begin(meeting: Meeting) -> threading.Event:
        end = threading.Event()

        def run() -> None:
            while not end.wait(0.05):
                meeting.beat("measuring")

        ends.append(end)
        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return end

    yield begin
    for end in ends:
        end.set()
    for thread in threads:
        thread.join(10)


Beating = Callable[[Meeting], threading.Event]


def late_rank(port: int, **more: object) -> tuple[threading.Thread, list[Meeting]]:
    found: list[Meeting] = []
    thread = threading.Thread(
        target=lambda: found.append(Meeting(place(1, port, **AGENT, **more)))  # type: ignore[arg-type]
    )
    thread.start()
    return thread, found


def test_torchruns_next_start_is_another_fleet_in_the_same_store(
    first: Meeting, beating: Beating
) -> None:
    beating(first)
    with pytest.raises(Refused, match="rank 0 of fleet f1 of here is here already"):
        Meeting(place(0, first.port, **AGENT), "f2")  # type: ignore[arg-type]
    late, found = late_rank(first.port, restart=1)  # it waits for the fleet that is as new as it is
    time.sleep(0.2)
    again = Meeting(place(0, first.port, restart=1, **AGENT), "f2")  # type: ignore[arg-type]
    beating(again)
    late.join(10)
    assert (again.fleet, found[0].fleet) == ("f2", "f2")
    first.say("plan", "old")
    assert again.said("plan") is None  # nothing of the earlier start is in its way


@pytest.mark.parametrize("over", [True, False])
@pytest.mark.parametrize("restarts", [(0, 1), (0, 0), (1, 0)])
def test_a_dead_fleet_gives_way_whatever_the_agents_count(
    over: bool,
    restarts: tuple[int, int],
    first: Meeting,
    beating: Beating,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(life, "STILL_S", 1.5)
    monkeypatch.setattr(joining, "NEWER_S", 0.2)
    first.beat("measuring")
    if over:
        first.say("over", "")
    late, found = late_rank(first.port, restart=restarts[1])
    time.sleep(0.5)
    assert not found  # it does not go to the dead
    again = Meeting(place(0, first.port, restart=restarts[0], **AGENT), "f2")  # type: ignore[arg-type]
    beating(again)
    late.join(20)
    assert (again.fleet, found[0].fleet) == ("f2", "f2")


def test_a_stranger_is_refused_by_a_dead_fleet_too(first: Meeting) -> None:
    first.say("over", "")
    with pytest.raises(Refused, match="is here already"):
        Meeting(place(0, first.port, **AGENT | {"launch": "job 2"}), "f2")  # type: ignore[arg-type]


def test_where_only_a_dead_fleet_is_met_it_is_said(first: Meeting) -> None:
    first.say("over", "")
    with pytest.raises(NotMet, match="only fleet f1 of here, which has ended or will, has come to"):
        Meeting(place(1, first.port, **AGENT), join_s=1.0)  # type: ignore[arg-type]


def test_agents_that_count_their_starts_apart_meet_all_the_same(
    first: Meeting, beating: Beating, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "NEWER_S", 0.2)
    beating(first)
    assert Meeting(place(1, first.port, restart=1, **AGENT)).fleet == "f1"  # type: ignore[arg-type]


def test_a_rank_that_was_started_again_does_not_join_the_fleet_that_it_died_in(
    first: Meeting, beating: Beating, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "NEWER_S", 0.2)
    Meeting(place(1, first.port, launch="job 1"))  # dies; rank 0 does not know it yet
    beating(first)
    late, found = late_rank(first.port, restart=1)
    time.sleep(0.8)
    assert late.is_alive()
    again = Meeting(place(0, first.port, restart=1, **AGENT), "f2")  # type: ignore[arg-type]
    beating(again)
    late.join(10)
    assert found[0].fleet == "f2"


def test_a_line_that_does_not_unpack_is_said(first: Meeting) -> None:
    first.hand_in(b"whole")
    assert first.take(0) == b"whole"
    assert first.take(0) is None
    one = Meeting(place(1, first.port))
    one._store.set("line/1", "junk")
    one._store.add("in/1", 1)
    with pytest.raises(Unreadable, match=r"does not unpack"):
        first.take(1)


def test_a_port_that_is_taken_is_said_so(first: Meeting) -> None:
    with pytest.raises(NotMet, match=f"port {first.port} of this host is taken") as refused:
        Meeting(place(0, first.port), "f2")
    assert refused.value.code == USAGE
    with pytest.raises(NotMet) as refused:
        Meeting(place(0, first.port, launcher=SLURM), "f2")
    assert refused.value.code == FAILED


def test_a_rank_0_that_does_not_find_itself_says_so(
    free_port: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> socket.socket:
        raise TimeoutError("timed out")

    monkeypatch.setattr(socket, "create_connection", unreachable)
    with pytest.raises(
        NotMet, match=r"does not find itself at 127\.0\.0\.1:.*another host's address"
    ):
        Meeting(place(0, free_port()), "f1")


def test_nobody_is_waited_for_longer_than_was_said(free_port: Callable[[], int]) -> None:
    began = time.monotonic()
    with pytest.raises(NotMet, match=r"rank 0 is not met at 127\.0\.0\.1:.*refused"):
        Meeting(place(1, free_port()), join_s=1.0)
    assert time.monotonic() - began < 4


def test_a_store_without_a_fleet_is_not_waited_for_longer_either() -> None:
    import torch.distributed as dist

    held = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # type: ignore[attr-defined]
    with pytest.raises(NotMet, match="no fleet's rank 0 has come"):
        Meeting(place(1, held.port), join_s=0.6)


def test_one_signal_ends_the_waiting(free_port: Callable[[], int]) -> None:
    began = time.monotonic()
    with pytest.raises(Ended):
        Meeting(place(1, free_port()), stopped=lambda: time.monotonic() - began > 0.3)
    assert time.monotonic() - began < 3


def test_a_name_that_is_not_known_is_asked_for_again_and_said_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unknown(*_: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setattr(reaching, "RESOLVE_S", 0.8)
    monkeypatch.setattr(reaching, "AGAIN_S", 0.1)
    told: list[str] = []
    for rank in range(2):
        with pytest.raises(NotMet, match="MASTER_ADDR nowhere is no host") as refused:
            Meeting(place(rank, 1234, address="nowhere"), "f1", tell=told.append)
        assert refused.value.code == USAGE
    assert told == ["MASTER_ADDR nowhere is no host that is known here: asked again for 1 s"] * 2


def _room(meeting: Meeting) -> Any:
    import torch.distributed as dist

    return dist.PrefixStore(joining.ROOM, meeting._held)  # type: ignore[attr-defined]
