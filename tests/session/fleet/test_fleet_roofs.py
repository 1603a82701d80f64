"""A fleet's ranks as the roofs of one card, by the probes that their flats came from."""

from __future__ import annotations

import msgspec
import pytest

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_roofs import fleet_roofs, ranks_of_a_host, slowest_roofs
from roofwatch.session.fleet.lines import RankLine


def holding(peak_key: str, probe: str, rates: list[tuple[float, float]]) -> Fleet:
    """A rank for each pair of rates: that of a burst, and that held."""
    fleet = Fleet()
    for rank, (burst, held) in enumerate(rates):
        one = {"gbs": 1.0, "peak_key": peak_key}
        made = {
            "device": {"kind": "cuda", "name": "card"},
            "measurements": [
                one | {"id": "a", "probe": probe, "tflops": burst, "protocol": "burst"},
                one
                | {
                    "id": "b",
                    "probe": f"{probe}-sustained",
                    "tflops": held,
                    "protocol": "sustained",
                },
            ],
            "roofs": {"compute": {peak_key: {"burst_tflops": burst}}},
        }
        record = msgspec.Raw(msgspec.json.encode(made))
        fleet.add(RankLine(rank=rank, host="n0", node="n0", card=rank, record=record))
    return fleet


@pytest.mark.parametrize(
    ("peak_key", "probe"), [("bf16", "matmul-bf16"), ("fp64_tensor", "matmul-fp64")]
)
def test_a_flat_has_what_its_probe_held(peak_key: str, probe: str) -> None:
    fleet = holding(peak_key, probe, [(60.0, 55.0), (58.0, 51.0), (62.0, 56.0)])
    middle = fleet_roofs(fleet, "card").compute[peak_key]
    assert (middle.burst_tflops, middle.sustained_tflops) == (60.0, 55.0)
    two = fleet_roofs(holding(peak_key, probe, [(60.0, 55.0), (30.0, 51.0)]), "card")
    of_two = two.compute[peak_key]  # 45 is no card's
    assert (of_two.burst_tflops, of_two.sustained_tflops) == (30.0, 51.0)
    least = slowest_roofs(fleet, "card").compute[peak_key]
    assert (least.burst_tflops, least.sustained_tflops, least.slowest_of) == (58.0, 51.0, 3)


def test_ranks_on_cpus_are_counted_by_host_and_cards_are_not() -> None:
    fleet = holding("bf16", "matmul-bf16", [(60.0, 55.0)] * 3)
    assert ranks_of_a_host(fleet, "card") == 0
    for rank, r in fleet.ranks.items():
        node = "b" if rank == 2 else "a"
        fleet.ranks[rank] = msgspec.structs.replace(r, kind="cpu", node=node)
    assert ranks_of_a_host(fleet, "card") == 2
    del fleet.ranks[0]
    assert ranks_of_a_host(fleet, "card") == 0  # each has its host alone
