"""When an instrument that lives counts as hung, by the age of its last words."""

from __future__ import annotations

from roofwatch.session.events import Beat

TELEMETRY_S = 5.0  # without a sample
OPENING_S = 20.0  # without its first: NVML takes seconds with persistence mode off
SILENT_S = 30.0  # without a beat of the probes: something may hold the interpreter for a while
STALLED_S = 240.0  # without a step of theirs: compilers and profilers take a minute or two
IMPORTING_S = 300.0  # without a beat while torch is imported, from a slow disk perhaps
LOST_S = 20.0  # the same once telemetry has lost the card
STAYING = "waiting for the other cards"
PATIENT = ("importing torch", "waiting", STAYING)  # for a disk, for a person, for others


def why_stuck(
    instrument: str, beat: Beat | None, silent_s: float, still_s: float, lost: bool = False
) -> str | None:
    """What it does not do any more, or None while there is hope.

    ``silent_s``: of telemetry since its last sample, of the probes since their last beat.
    ``still_s``: since anything but a repeated beat was heard. ``lost``: the card is.
    """
    state = beat.state if beat is not None else "starting"
    if instrument == "telemetry":
        patience_s = TELEMETRY_S if state == "sampling" else OPENING_S
        if silent_s < patience_s:
            return None
        call = f" ({beat.waits_for} does not return)" if beat and beat.waits_for else ""
        return f"no sample for {silent_s:.0f} s{call}"
    if silent_s >= (IMPORTING_S if state == PATIENT[0] else SILENT_S):
        return f"no sign of life for {silent_s:.0f} s"
    if state not in PATIENT and still_s >= (LOST_S if lost else STALLED_S):
        return f"no step for {still_s:.0f} s"
    return None
