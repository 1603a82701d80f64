"""Clocks event reasons: what holds a GPU's clock down, in words for people.

The bits are those of nvml.h (``nvmlClocksEventReason…``, before driver 535
``nvmlClocksThrottleReason…``). The table is our own, because the header's two families disagree:
0x200 and 0x400 exist under the old names only. A bit that is not listed is shown as hex.
"""

from __future__ import annotations

IDLE = 0x001  # GpuIdle; inside a probe it means that the GPU was starved
APP_CLOCKS = 0x002  # ApplicationsClocksSetting
POWER_CAP = 0x004  # SwPowerCap; normal during a big matmul
HW_SLOWDOWN = 0x008  # HwSlowdown; may show for a moment when the clock changes
SYNC_BOOST = 0x010  # SyncBoost; another card of the group is the cause
SW_THERMAL = 0x020  # SwThermalSlowdown; the GPU or its memory is warm
HW_THERMAL = 0x040  # HwThermalSlowdown; the clock is cut to a half or less
POWER_BRAKE = 0x080  # HwPowerBrakeSlowdown; the power supply asked for it
DISPLAY_CLOCKS = 0x100  # DisplayClockSetting
BOARD_LIMIT = 0x200  # nvmlClocksThrottleReasonBoardLimit
RELIABILITY = 0x400  # nvmlClocksThrottleReasonReliability

NAMES: dict[int, tuple[str, str]] = {
    POWER_BRAKE: ("power_brake", "power brake"),
    HW_THERMAL: ("hw_thermal", "hardware thermal slowdown"),
    HW_SLOWDOWN: ("hw_slowdown", "hardware slowdown"),
    SW_THERMAL: ("sw_thermal", "thermal slowdown"),
    POWER_CAP: ("power_cap", "power limit"),
    BOARD_LIMIT: ("board_limit", "board limit"),
    RELIABILITY: ("reliability", "reliability"),
    SYNC_BOOST: ("sync_boost", "sync boost"),
    APP_CLOCKS: ("app_clocks", "application clocks"),
    DISPLAY_CLOCKS: ("display_clocks", "display clocks"),
    IDLE: ("idle", "idle"),
}
"""Bit to (key, word for people), the most telling first."""

UNREADABLE = "n/a"


def bits(mask: int) -> list[int]:
    """The bits that are set, the most telling first; unknown ones before idle."""
    unknown = [1 << place for place in range(mask.bit_length())]
    unknown = [bit for bit in unknown if bit & mask and bit not in NAMES]
    limiting = [bit for bit in NAMES if bit & mask and bit != IDLE]
    return limiting + unknown + [IDLE] * (mask & IDLE)


def decode(mask: int) -> list[str]:
    """The words for a mask, the most telling first; an unknown bit as hex, such as "0x800"."""
    return [NAMES[bit][1] if bit in NAMES else hex(bit) for bit in bits(mask)]


def keys(mask: int) -> list[str]:
    """The name keys for a mask, in the order of ``decode``; an unknown bit as hex."""
    return [NAMES[bit][0] if bit in NAMES else hex(bit) for bit in bits(mask)]


def word(mask: int | None) -> str:
    """The one word for a header: "" when nothing limits, "n/a" when the card cannot say."""
    if mask is None:
        return UNREADABLE
    return next(iter(decode(mask)), "")
