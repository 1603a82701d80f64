"""What cards and hosts meet over: a link's key in every file and JSON, and its name in words."""

from __future__ import annotations

NVLINK, PCIE, C2C, THROUGH_HOST, UNKNOWN = "nvlink", "pcie", "c2c", "through the host", "unknown"

LINK_NAMES = {
    NVLINK: "NVLink",
    PCIE: "PCIe",
    C2C: "NVLink-C2C",
    THROUGH_HOST: "through the host",
    UNKNOWN: "unknown link",
}
