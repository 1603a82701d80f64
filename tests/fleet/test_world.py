"""Who a rank is, by torchrun's variables, by Slurm's, or alone."""

from __future__ import annotations

import pytest

from roofwatch.fleet.world import World, WorldError, first_host, world

TORCHRUN = {
    "RANK": "9",
    "WORLD_SIZE": "16",
    "LOCAL_RANK": "1",
    "LOCAL_WORLD_SIZE": "8",
    "GROUP_RANK": "1",
    "MASTER_ADDR": "node0",
    "MASTER_PORT": "29400",
    "TORCHELASTIC_RUN_ID": "none",
    "TORCHELASTIC_USE_AGENT_STORE": "True",
}
SLURM = {
    "SLURM_PROCID": "5",
    "SLURM_NTASKS": "8",
    "SLURM_LOCALID": "1",
    "SLURM_NODEID": "1",
    "SLURM_NNODES": "2",
    "SLURM_JOB_ID": "123456",
    "SLURM_JOB_NODELIST": "gpu[007-008]",
}


def test_torchrun() -> None:
    here = world(TORCHRUN, "me")
    assert here == World(
        rank=9,
        size=16,
        local_rank=1,
        local_size=8,
        host="me",
        node=1,
        address="node0",
        port=29400,
        launcher="torchrun",
        agent_store=True,
        launch="none",
    )


def test_slurm_meets_at_the_first_node_and_at_a_port_of_the_job() -> None:
    here = world(SLURM, "me")
    assert (here.rank, here.size, here.local_rank, here.node) == (5, 8, 1, 1)
    assert (here.address, here.local_size, here.launcher) == ("gpu007", 4, "Slurm")
    assert 10000 <= here.port < 30000
    assert world(SLURM | {"SLURM_PROCID": "0"}, "x").port == here.port
    assert world(SLURM | {"SLURM_JOB_ID": "123457"}, "x").port != here.port
    assert world(SLURM | {"MASTER_PORT": "1234"}, "x").port == 1234


@pytest.mark.parametrize(
    ("nodes", "first"),
    [
        ("gpu[003-006,9],login1", "gpu003"),
        ("gpu[3,5-7]", "gpu3"),
        ("a,b", "a"),
        ("rack1-n[01-02]-ib", "rack1-n01-ib"),
        ("rack[0-1]_blade[0-3]", "rack0_blade0"),
        ("r[1-2]n[03-04]m", "r1n03m"),
        ("r[2,5]n[7],r[1]n[1]", "r2n7"),
        ("one", "one"),
        ("", ""),
    ],
)
def test_node_lists(nodes: str, first: str) -> None:
    assert first_host(nodes) == first


def test_alone() -> None:
    here = world({}, "me")
    assert (here.rank, here.size, here.launcher) == (0, 1, "alone")
    assert world({"SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, "me").launcher == "alone"


def test_by_hand_all_are_on_one_machine_unless_told() -> None:
    here = world({"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}, "me")
    assert (here.local_rank, here.node, here.agent_store) == (1, 0, False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"RANK": "16"}, "RANK='16' is no number from 0 to 15"),
        ({"RANK": "-1"}, "RANK='-1'"),
        ({"WORLD_SIZE": "many"}, "WORLD_SIZE='many'"),
        ({"MASTER_PORT": "70000"}, "MASTER_PORT='70000'"),
        ({"MASTER_ADDR": None}, "MASTER_ADDR is not"),
        ({"MASTER_ADDR": ""}, "MASTER_ADDR is not"),
        ({"MASTER_ADDR": "a\udcff"}, "MASTER_ADDR=.* is no host's name"),
        ({"MASTER_ADDR": "a" * 300}, r"MASTER_ADDR='a{40}...' is no host's name"),
        ({"MASTER_PORT": "0"}, "MASTER_PORT='0' is no number from 1 to 65535"),
        ({"RANK": "1" * 5000}, r"RANK='1{40}...' is no number"),
        ({"WORLD_SIZE": "9" * 5000}, "WORLD_SIZE='9"),
        ({"LOCAL_RANK": "²"}, "LOCAL_RANK='²' is no number"),
        ({"RANK": None}, "RANK is not set"),
    ],
)
def test_nonsense_is_one_line(change: dict[str, str | None], said: str) -> None:
    environ = {k: v for k, v in (TORCHRUN | change).items() if v is not None}
    with pytest.raises(WorldError, match=said):
        world(environ, "me")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"SLURM_JOB_ID": "²"}, "SLURM_JOB_ID='²'"),
        ({"SLURM_JOB_ID": "1" * 5000}, r"SLURM_JOB_ID='1{40}...'"),
        ({"SLURM_JOB_NODELIST": "n\udcff"}, "SLURM_JOB_NODELIST=.* is no host's name"),
        ({"MASTER_ADDR": "n m"}, "MASTER_ADDR='n m' is no host's name"),
    ],
)
def test_nonsense_of_slurm_is_one_line(change: dict[str, str], said: str) -> None:
    with pytest.raises(WorldError, match=said):
        world(SLURM | change, "me")


@pytest.mark.parametrize("step", ["²", "1" * 5000, "batch"])
def test_a_step_that_is_no_number_counts_as_none(step: str) -> None:
    assert world(SLURM | {"SLURM_STEP_ID": step}, "me").port == world(SLURM, "me").port


def test_a_name_that_is_no_text_is_made_one() -> None:
    here = world(SLURM | {"SLURMD_NODENAME": "n\udcff"}, "me")
    assert here.host == "n?"
    assert world(SLURM | {"SLURMD_NODENAME": ""}, "me").host == "me"


def test_what_the_launcher_calls_a_run() -> None:
    assert world(SLURM | {"SLURM_STEP_ID": "3"}, "me").launch == "job 123456, step 3"
    again = world(TORCHRUN | {"TORCHELASTIC_RUN_ID": "x", "TORCHELASTIC_RESTART_COUNT": "2"}, "me")
    assert (again.launch, again.restart) == ("x", 2)
    by_hand = world({"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}, "me")
    assert (by_hand.launch, by_hand.restart) == ("", 0)
