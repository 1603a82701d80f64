"""From repetitions and what was said of them to a verdict: a claim of which we know the rest."""

from __future__ import annotations

import msgspec

from roofwatch.library.measured import Measured
from roofwatch.library.nominal_cards import named_cards, nominal_here
from roofwatch.library.said import Said
from roofwatch.notebook.claim_reading import reading_of
from roofwatch.notebook.finding import Finding
from roofwatch.notebook.low_without_cause import low_without_cause
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import judge, ranked
from roofwatch.notebook.verdict import CANNOT_SAY, compared_is, verdict_of
from roofwatch.probes.function import Taken
from roofwatch.roofline.statistics import drift, iqr, median, modes, spread
from roofwatch.session.conditions import Conditions
from roofwatch.session.events import Device
from roofwatch.session.fold import Session

DONE_RIGHT = ("cold-start", "E5", "mig-slice")
"""Causes that a rule may suspect in a person's number: we warmed up, waited, and know the card."""
AT_FULL_CLOCK = 0.9  # of the highest: a locked or idle clock lies lower
IDLE = "idle"  # no limit


def judged(said: Said, taken: Taken, session: Session, seen: Conditions) -> Measured:
    """The answer; ``session`` knows the device, ``seen`` is what it did meanwhile."""
    times = taken.timed.times_s
    device = session.device
    nominal = nominal_here(device)
    time_s = median(times)
    claim = msgspec.structs.replace(
        said.claim,
        time_s=time_s,
        synchronized=True,
        timing=taken.timed.timing.partition("-")[0],
    )
    others = compared_is(claim, nominal, named_cards())
    reading, expected = reading_of(claim, said.name, nominal, compared_is=others)
    reading = _with_repetitions(reading, times, device)
    found, verdict = _verdict(reading, seen, session)
    gbs, tflops, intensity = reading.gbs, reading.tflops, reading.intensity
    if intensity is None and gbs and tflops:  # of an unnamed operation, by its own counts
        intensity = tflops * 1e3 / gbs
    rate, full = reading.rate, reading.nominal
    return Measured(
        name=said.name,
        time_s=time_s,
        best_s=min(times),
        iqr_s=iqr(times),
        repetitions=len(times),
        stop=taken.timed.stop,
        timing=taken.timed.timing,
        gbs=gbs,
        tflops=tflops,
        intensity=intensity,
        judged=reading.judged,
        peak_key=reading.peak_key,
        of_nominal=rate / full if rate and full else None,
        expected=expected if rate is not None else None,
        within_expected=reading.within,
        verdict=verdict,
        findings=found,
        conditions=seen,
        card=device.name or (nominal.name if nominal else None),
    )


def _with_repetitions(reading: Reading, times: list[float], device: Device) -> Reading:
    two = modes(times)
    return msgspec.structs.replace(
        reading,
        spread=spread(times),
        repetitions=len(times),
        modes=(two.fast, two.slow, two.slow_share) if two else None,
        drift=drift(times),
        cache_bytes=reading.cache_bytes or device.l2_bytes,
    )


def _verdict(reading: Reading, seen: Conditions, session: Session) -> tuple[list[Finding], str]:
    """Findings without the guesses that we know better than, and what they amount to."""
    known_false = {*DONE_RIGHT, *_excluded(seen, session)}
    all_found = judge(reading)
    found = [f for f in all_found if f.code not in known_false]
    if len(found) < len(all_found):
        rest = low_without_cause(reading, found)  # what the guesses that fell had explained
        if rest is not None and rest not in found:
            found = ranked([*found, rest])
    if reading.rate is None:
        return found, CANNOT_SAY  # a time alone is neither right nor wrong
    return found, verdict_of(reading, found)


def _excluded(seen: Conditions, session: Session) -> list[str]:
    """Causes that the device's own readings speak against."""
    device = session.device
    if device.kind != "cuda":
        return ["host-bound", "launch-bound"]  # nobody waits for another's launch
    highest, mhz = device.sm_max_mhz, seen.sm_mhz_spin or seen.sm_mhz
    if not highest or not mhz or mhz < AT_FULL_CLOCK * highest:
        return []
    limited = seen.power_cap_share or any(reason != IDLE for reason in seen.reasons)
    return ["low-clock"] if limited or "reasons" in seen.status else ["low-clock", "throttled"]
