"""Whether what telemetry and the probes see is one device."""

from __future__ import annotations

from roofwatch.session.events import Device


def other_card(telemetry: Device, probes: Device) -> bool:
    """Both see a card, and not the same. A slice (MIG) has a UUID of its own and is not told."""
    return (
        probes.kind == telemetry.kind == "cuda"
        and bool(probes.uuid and telemetry.uuid)
        and str(probes.uuid).lower() != str(telemetry.uuid).lower()
        and not str(telemetry.uuid).startswith("MIG")
    )


def paired(telemetry: Device, probes: Device) -> bool:
    """One device. Where NVML is missing and torch works, the probes go without telemetry."""
    if telemetry.kind != probes.kind:
        return probes.kind == "cuda"
    return not other_card(telemetry, probes)


def _not_the_same(before: Device, now: Device) -> bool:
    """A session of the one device cannot go on with the other."""
    if before.kind is None or now.kind is None:
        return False
    if before.kind != now.kind:
        return True
    for field in ("uuid", "name"):
        a, b = getattr(before, field), getattr(now, field)
        if a and b:
            return str(a).lower() != str(b).lower()
    return False


def another(before: Device, probes: Device | None, telemetry: Device | None) -> Device | None:
    """What is measured now, where a session that is gone on with is of something else.

    Telemetry of another kind than the probes is no part of it.
    """
    told = [d for d in (probes, telemetry) if d is not None and probes and d.kind == probes.kind]
    return next((d for d in told if _not_the_same(before, d)), None)
