"""Fleets whose slow part is known, on one machine: who names it?

    python benchmarks/fleet_netns.py [--out benchmarks/results/cpu/fleet.json] [--only NAME]

Hosts are network namespaces behind a bridge, each with a host name of its own, their links limited
by tc's token bucket; a slow rank has a CPU quota (cgroup v1); a killed one is killed. Each fleet is
started by torchrun (the killed one by its variables, as srun would). Needs root, iproute2.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

ME = os.getpid()
HUB = f"rwhub{ME}"
PORT = 29533
CGROUP = Path(f"/sys/fs/cgroup/cpu/roofwatch-{ME}")
TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]
FLEET = ["-m", "roofwatch.fleet", "--device", "cpu", "--json", "--most-mib", "4"]
LIMIT_S = 400


def sh(*words: str) -> None:
    subprocess.run(words, check=True)


@contextlib.contextmanager
def hosts(rates: list[str]) -> Iterator[list[str]]:
    """A namespace a host, its link at a rate as tc writes it; ``10.77.0.N`` from 1."""
    names = [f"rw{ME}h{i}" for i in range(len(rates))]
    try:
        sh("ip", "netns", "add", HUB)
        sh("ip", "-n", HUB, "link", "add", "br0", "type", "bridge")
        sh("ip", "-n", HUB, "link", "set", "br0", "up")
        for i, (name, rate) in enumerate(zip(names, rates, strict=True)):
            sh("ip", "netns", "add", name)
            sh(
                "ip",
                "-n",
                HUB,
                "link",
                "add",
                f"p{i}",
                "type",
                "veth",
                "peer",
                "eth0",
                "netns",
                name,
            )
            sh("ip", "-n", HUB, "link", "set", f"p{i}", "master", "br0", "up")
            sh("ip", "-n", name, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "eth0")
            for dev in ("eth0", "lo"):
                sh("ip", "-n", name, "link", "set", dev, "up")
            for ns, dev in ((name, "eth0"), (HUB, f"p{i}")):
                bucket = ("tbf", "rate", rate, "burst", "128kb", "latency", "200ms")
                sh("tc", "-n", ns, "qdisc", "add", "dev", dev, "root", *bucket)
        yield names
    finally:
        for name in (*names, HUB):
            subprocess.run(["ip", "netns", "del", name], check=False)


def on_hosts(rates: list[str], ranks_a_host: int) -> dict[str, Any]:
    """One torchrun a host; the JSON of rank 0."""
    with hosts(rates) as names:
        started = []
        for i, name in enumerate(names):
            inside = f'hostname host{i}; exec "$@"'
            run = [
                *("ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", inside, "sh"),
                *TORCHRUN,
                *("--nnodes", str(len(names)), "--node-rank", str(i)),
                *("--nproc-per-node", str(ranks_a_host), "--local-addr", f"10.77.0.{i + 1}"),
                *("--master-addr", "10.77.0.1", "--master-port", str(PORT)),
                *FLEET,
            ]
            env = os.environ | {"GLOO_SOCKET_IFNAME": "eth0", "TP_SOCKET_IFNAME": "eth0"}
            out = subprocess.PIPE if i == 0 else subprocess.DEVNULL
            started.append(subprocess.Popen(run, env=env, stdout=out, stderr=subprocess.PIPE))
        return answer(started)


def answer(started: list[subprocess.Popen[bytes]]) -> dict[str, Any]:
    """What the first one printed."""
    try:
        out, err = started[0].communicate(timeout=LIMIT_S)
    finally:
        for each in started[1:]:
            with contextlib.suppress(subprocess.TimeoutExpired):
                each.communicate(timeout=20)
            each.kill()
    lines = [line for line in out.splitlines() if line.startswith(b'{"schema"')]
    if not lines:
        raise SystemExit(err.decode()[-3000:])
    told: dict[str, Any] = json.loads(lines[-1])
    return told


def by_hand(
    ranks: int, env: dict[int, list[str]], more: list[str]
) -> list[subprocess.Popen[bytes]]:
    """Ranks by their variables; ``env`` has what a rank is started through."""
    started = []
    for rank in range(ranks):
        told = {
            "RANK": str(rank),
            "WORLD_SIZE": str(ranks),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(PORT),
            "OMP_NUM_THREADS": "1",
        }
        run = [*env.get(rank, []), sys.executable, *FLEET, *more]
        out = subprocess.PIPE if rank == 0 else subprocess.DEVNULL
        started.append(
            subprocess.Popen(run, env=os.environ | told, stdout=out, stderr=subprocess.PIPE)
        )
    return started


def slow_link() -> dict[str, Any]:
    """Two hosts of two ranks behind 100 Mbit/s."""
    told = on_hosts(["100mbit", "100mbit"], 2)
    return {
        "planted": "the link between host0 and host1, 100 Mbit/s",
        "named": any(s["what"] == "between nodes" for s in told["slow_links"]),
        **links_of(told),
    }


def slow_host() -> dict[str, Any]:
    """Four hosts, one of them behind a fiftieth of what the others have."""
    told = on_hosts(["1gbit", "1gbit", "20mbit", "1gbit"], 1)
    return {
        "planted": "host2, behind 20 Mbit/s where the others have 1 Gbit/s",
        "named": [s["what"] for s in told["slow_links"]] == ["host2"],
        **links_of(told),
    }


def links_of(told: dict[str, Any]) -> dict[str, Any]:
    """What was said of the links."""
    return {
        "said": [s["text"] for s in told["slow_links"]],
        "pairs_gbs": {
            f"{x['a']}-{x['b']} {x['group']}": round(x["gbs"], 5) for x in told["links"] if x["gbs"]
        },
        "all_reduce_bus_gbs": {
            f"{c['group']} {c['node']}".strip(): c["best_bus_gbs"] and round(c["best_bus_gbs"], 5)
            for c in told["collectives"]
            if c["op"] == "all_reduce"
        },
        "latency_fit": [
            {"op": c["op"], "group": c["group"], **(c["fit"] or {})} for c in told["collectives"]
        ],
        "overlap": told["overlap"],
        "link_roofs": told["link_roofs"],
        **outcome(told),
    }


def slow_rank() -> dict[str, Any]:
    """Four ranks on one machine; the third may use a tenth of a core."""
    CGROUP.mkdir()
    try:
        (CGROUP / "cpu.cfs_quota_us").write_text("10000")
        into = f'echo $$ >{CGROUP}/cgroup.procs; exec "$@"'
        told = answer(by_hand(4, {2: ["sh", "-c", into, "sh"]}, ["--no-collectives"]))
    finally:
        time.sleep(1.0)
        CGROUP.rmdir()
    ranks = {o["rank"] for o in told["outliers"]}
    return {
        "planted": "rank 2, a tenth of a core",
        "named": ranks == {2},
        "said": [
            f"{o['place']}: {o['metric']} {o['value']:.4g} {o['unit']}, {o['under']:.0%} under "
            f"{o['median']:.4g}; {o['deviations']} deviations {o['doubt']}".rstrip()
            for o in told["outliers"]
        ],
        **outcome(told),
    }


def killed_rank() -> dict[str, Any]:
    """Four ranks; the second is killed while it measures, and its links are left out."""
    started = by_hand(4, {}, [])
    while not psutil.Process(started[1].pid).children():  # until it has begun its suite
        time.sleep(0.2)
    time.sleep(3.0)
    started[1].send_signal(signal.SIGKILL)
    told = answer(started)
    states = {r["rank"]: r["state"] for r in told["ranks"]}
    return {
        "planted": "rank 1, killed in its suite",
        "named": states == {0: "done", 1: "silent", 2: "done", 3: "done"},
        "said": [f"rank {r['rank']}: {r['state']}: {r['why']}" for r in told["ranks"] if r["why"]],
        "collectives_among": sorted({c["ranks"] for c in told["collectives"]}),
        "exit_code": started[0].returncode,
        **outcome(told),
    }


def outcome(told: dict[str, Any]) -> dict[str, Any]:
    """How many came."""
    return {
        "world": told["fleet"]["world"],
        "measured": sum(r["state"] == "done" for r in told["ranks"]),
        "notes": told["notes"],
    }


CASES = {
    "slow_link": slow_link,
    "slow_host": slow_host,
    "slow_rank": slow_rank,
    "killed_rank": killed_rank,
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", choices=CASES)
    options = parser.parse_args()
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    kept = options.out if options.only and options.out and options.out.exists() else None
    found: dict[str, Any] = json.loads(kept.read_text()) if kept else {}
    for name, case in CASES.items():
        if options.only in (None, name):
            began = time.monotonic()
            found[name] = case() | {"seconds": round(time.monotonic() - began, 1)}
            print(json.dumps({name: found[name]}, indent=1), flush=True)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(found, indent=1) + "\n")
    return 0 if all(case["named"] for case in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
