"""The GPU waited for the host: Python, dispatch and launches between short kernels."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

SHORT_S = 1e-4
LAUNCH_S = 2e-5
# Of one eager launch from Python: measured 7.2 us on an H200's host, 3 to 10 us are usual.
HEALTHY_S = (3e-6, 1e-5)
SLOW_S = 2 * HEALTHY_S[1]  # far above: no dispatch of a healthy host takes that long
LEAST_CORES = 1.0  # of a quota: less, and even one launching thread is stopped
THROTTLED = 0.05  # of the scheduling periods: more are no accident


def host_bound(reading: Reading) -> Finding | None:
    """A decode step, or another train of short kernels, slower than its bytes explain."""
    if reading.ours or not reading.below or not reading.rate or not reading.low:
        return None
    short = reading.expected_s is not None and reading.expected_s < SHORT_S
    if reading.op not in ("decode", "other", "attention") and not short:
        return None
    if reading.timing == "graph" or (reading.timing == "profiler" and reading.op != "decode"):
        return None  # no launch in a graph waits for the host
    return finding(
        "host-bound",
        "decode" if reading.op == "decode" else "short_kernels",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.85 if reading.op == "decode" else 0.45,
        rate=reading.rate,
        unit=reading.unit,
        low=reading.low,
        of_nominal=reading.rate / reading.nominal if reading.nominal else None,
        time_ms=reading.time_s * 1e3 if reading.time_s else None,
        expected_ms=reading.expected_s * 1e3 if reading.expected_s else None,
        unexplained_ms=(reading.time_s - reading.expected_s) * 1e3
        if reading.time_s and reading.expected_s and _bytes_known(reading)
        else None,
    )


def _bytes_known(reading: Reading) -> bool:
    """Whether all bytes of the step are: a batch reads KV that the row may not tell."""
    return reading.op != "decode" or bool(reading.kv_bytes) or (reading.batch or 1) == 1


def weak_host(
    subject: str,
    enqueue_s: float | None,
    launches_per_s: float | None,
    cpu_model: str | None,
    cpu_cores: int | None,
    cpu_limit: float | None,
    throttled_share: float | None,
) -> Finding | None:
    """A host that cannot launch as fast as a card wants: a small quota, or slow launches.

    ``enqueue_s`` is the host's time of one launch, ``cpu_limit`` the cgroup's quota in cores,
    ``throttled_share`` how many of its periods it was used up in while launches were measured.
    """
    stopped = throttled_share is not None and throttled_share > THROTTLED
    starved = cpu_limit is not None and (cpu_limit < LEAST_CORES or stopped)
    if not starved and (enqueue_s is None or enqueue_s < SLOW_S):
        return None
    return finding(
        "host-bound",
        "starved" if starved else "slow_launches",
        severity=SUSPECT,
        subject=subject,
        enqueue_us=enqueue_s * 1e6 if enqueue_s else None,
        healthy_low_us=HEALTHY_S[0] * 1e6,
        healthy_high_us=HEALTHY_S[1] * 1e6,
        launches_per_s=launches_per_s,
        cpu_model=cpu_model,
        cpu_cores=cpu_cores,
        cpu_limit=cpu_limit,
        throttled_share=throttled_share,
    )


def launch_bound(reading: Reading) -> Finding | None:
    """A stream or a matmul whose work is shorter than the launch that starts it."""
    shortest, time = reading.expected_s, reading.time_s
    if reading.ours or not reading.below or shortest is None or time is None:
        return None
    if shortest > LAUNCH_S or time > 20 * LAUNCH_S or reading.op in ("h2d", "d2h", "decode"):
        return None
    return finding(
        "launch-bound",
        "short",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.7,
        time_us=time * 1e6,
        shortest_us=shortest * 1e6,
        rate=reading.rate,
        unit=reading.unit,
    )
