"""What the examples share: a session's record, as figures, words and a table of findings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FINDING = ("code", "severity", "subject", "message", "do")


def record_of(session: Path) -> dict[str, Any]:
    """The record, as ``roofwatch show FILE --json`` prints it; docs/schema.md names its fields."""
    command = [sys.executable, "-m", "roofwatch", "show", str(session), "--json"]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if told.returncode:  # it has said why
        raise SystemExit(told.returncode)
    record: dict[str, Any] = json.loads(told.stdout)
    return record


def figures(record: dict[str, Any]) -> dict[str, float]:
    """Every figure that a tracker can plot or compare; what was not read has none."""
    found = {"bandwidth_gbs": record["roofs"]["bandwidth_gbs"]}
    for key, roof in record["roofs"]["compute"].items():
        for name in ("burst_tflops", "sustained_tflops", "nominal_tflops"):
            found[f"{key}/{name}"] = roof[name]
    for m in record["measurements"]:
        found[f"{m['id']}/gbs"] = m["gbs"]
        if m["peak_key"]:
            found[f"{m['id']}/tflops"] = m["tflops"]
    for card in record["watch"].get("cards", ()):
        at = f"card{card['gpu'] or 0}"
        for name in ("busy_share", "sm_mhz", "power_w", "power_max_w", "starved_share"):
            found[f"{at}/{name}"] = card[name]
        found[f"{at}/energy_j"] = (card["energy"] or {}).get("joules")
        for reason in card["reasons"]:
            found[f"{at}/limit/{reason['key']}_s"] = reason["counter_s"] or reason["sampled_s"]
    for severity in ("wrong", "suspect", "note"):
        found[f"findings/{severity}"] = sum(f["severity"] == severity for f in record["findings"])
    return {name: float(value) for name, value in found.items() if value is not None}


def words(record: dict[str, Any]) -> dict[str, str]:
    """What was measured, where and with what: for tags and a run's configuration."""
    told = {"card": record["device"]["name"], "session": record["session"]["id"]}
    told |= {f"version/{name}": value for name, value in record["software"].items()}
    return {name: value for name, value in told.items() if isinstance(value, str)}


def findings(record: dict[str, Any]) -> list[list[str]]:
    """A row a finding, under ``FINDING``."""
    return [[str(f[name]) for name in FINDING] for f in record["findings"]]


def samples(session: Path) -> Iterator[dict[str, Any]]:
    """Telemetry as it was read, one object a reading; ``t`` is in seconds of the session."""
    with session.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith('{"kind":"sample"'):
                yield json.loads(line)
