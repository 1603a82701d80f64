"""What the probe instrument is doing, in words."""

from __future__ import annotations

from roofwatch.session.live import Live
from roofwatch.tui.drawing.numbers import percent


def why_no_run(live: Live) -> str:
    """Why the suite cannot be run again now."""
    if not live.options.probes:
        return "only watched here: roofwatch without a verb measures"
    return "the suite is still running" if live.probing else "nothing more can be added here"


def state(live: Live | None) -> str:
    """One line while it is alive, else nothing."""
    if live is not None and not live.options.probes:
        return "watching; nothing is measured here"
    if live is None or not live.probing:
        return ""
    running = live.session.running()
    beat = live.instruments.beat("probes")
    if running:
        share = f", {percent(beat.progress)}" if beat and beat.progress else ""
        return f"measuring {live.session.label(running)}{share}"
    no_gpu = live.options.device == "auto" and live.session.device.kind == "cpu"
    where = "no GPU here, the CPU is measured; " if no_gpu else ""
    return f"{where}probes: {beat.state if beat else 'starting'}"
