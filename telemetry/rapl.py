"""CPU package energy from RAPL, where the kernel lets a user read it (often root only)."""

from __future__ import annotations

import os
import re

from roofwatch.session.events import Status

_PACKAGE = re.compile(r"intel-rapl:\d+")  # AMD's too; "intel-rapl:0:0" would be a part of one


class Rapl:
    """Joules that all CPU packages have used since this was made."""

    def __init__(self, folder: str = "/sys/class/powercap") -> None:
        self.status: Status | None = "not_supported"
        self._ranges: dict[str, int] = {}  # counter's file: where it wraps, in µJ
        self._last: dict[str, int] = {}
        self._total_uj = 0
        try:
            zones = sorted(filter(_PACKAGE.fullmatch, os.listdir(folder)))
        except OSError:
            return
        for zone in zones:
            try:
                # "psys" is the whole platform and would count the packages twice.
                if not _text(f"{folder}/{zone}/name").startswith("package"):
                    continue
                counter = f"{folder}/{zone}/energy_uj"
                self._last[counter] = int(_text(counter))
                self._ranges[counter] = int(_text(f"{folder}/{zone}/max_energy_range_uj"))
            except (OSError, ValueError) as error:
                # A part of the packages is not the power: all or none.
                self._ranges.clear()
                self.status = "no_permission" if isinstance(error, PermissionError) else "error"
                return
        if self._ranges:
            self.status = None

    def joules(self) -> float | None:
        """Energy since the start, or None with ``status`` set."""
        if not self._ranges:
            return None
        try:
            for counter, wrap in self._ranges.items():
                now = int(_text(counter))
                step = now - self._last[counter]
                self._total_uj += step if step >= 0 else step + wrap
                self._last[counter] = now
        except (OSError, ValueError) as error:
            self.status = "no_permission" if isinstance(error, PermissionError) else "error"
            return None
        self.status = None
        return self._total_uj / 1e6


def _text(path: str) -> str:
    with open(path) as file:
        return file.read().strip()
