"""Ranks made from the record of a real H200, some of them slowed down on purpose."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import msgspec

from roofwatch.session.file import events
from roofwatch.session.fleet.lines import RankLine
from roofwatch.session.fold import fold
from roofwatch.session.summary import record

ROOT = Path(__file__).parent.parent
RECORDED = ROOT / "tests" / "sessions" / "h200-quick-1.jsonl"
CARDS = 8
NOISE = {"GB/s": 0.001, "TFLOP/s": 0.012}  # as cards of one kind lie apart
PLANTED = (0.09, "power"), (0.12, "clock"), (0.07, "none"), (0.20, "process"), (0.06, "heat")


def planted(ranks: int) -> dict[int, tuple[float, str]]:
    """Which ranks are slow, by how much, and why."""
    return {(i + 1) * ranks // 7 + i: how for i, how in enumerate(PLANTED)}


def template() -> dict[str, Any]:
    """A real record."""
    made: dict[str, Any] = msgspec.to_builtins(record(fold(events(RECORDED)), None))
    return made


def one(base: dict[str, Any], rank: int, ranks: int) -> RankLine:
    """A rank's line: the record with noise, slowed where it is planted."""
    dice = random.Random(rank)
    made = copy.deepcopy(base)
    slower, how = planted(ranks).get(rank, (0.0, ""))
    made["device"]["uuid"] = f"GPU-{rank:08x}"
    for m in made["measurements"]:
        noise = NOISE["TFLOP/s" if m["peak_key"] else "GB/s"]
        scale = (1 + dice.gauss(0, noise)) * (1 - slower)
        m["gbs"] *= scale
        m["tflops"] *= scale
        if how == "clock":
            m["conditions"]["sm_mhz"] *= 1 - slower
        elif how == "heat":
            m["conditions"] |= {"thermal_share": 0.8, "temp_c": 91.0}
    if how == "power":
        made["device"]["power_limit_w"] = 500.0
    elif how == "process":
        said = "another process was on the card"
        made["findings"].append(
            {"code": "other-process", "subject": "", "severity": "wrong", "message": said}
        )
    return RankLine(
        rank=rank,
        host=f"node{rank // CARDS:03d}",
        node=str(rank // CARDS),
        card=rank % CARDS,
        record=msgspec.Raw(msgspec.json.encode(made)),
    )
