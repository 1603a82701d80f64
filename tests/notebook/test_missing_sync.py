"""E5: the clock stopped when the work was queued."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import WRONG, Finding
from roofwatch.notebook.missing_sync import maybe_queued, missing_sync
from roofwatch.notebook.reading import Reading

GIB = 1 << 30
BASE: dict[str, object] = {
    "subject": "x",
    "op": "copy",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 25600.0,
    "time_s": 1e-2,
    "bytes": 256e9,
    "working_set_bytes": 256e9,
    "cache_bytes": 4 << 20,
    "nominal_gbs": 320.0,
    "ceiling_gbs": 321.0,
    "low": 240.0,
    "high": 288.0,
}


def reading(**fields: object) -> Reading:
    given = {**BASE, **fields}
    gbs, time_s = given["gbs"], given["time_s"]
    if isinstance(gbs, float) and isinstance(time_s, float) and "bytes" not in fields:
        given["bytes"] = gbs * 1e9 * time_s  # what the rate is of
    return Reading(**given)  # type: ignore[arg-type]


def said(one: Reading) -> Finding | None:
    """By the time alone, else where no other rule says why."""
    return missing_sync(one) or maybe_queued(one, [])


def test_a_rate_far_beyond_the_ceiling() -> None:
    found = said(reading())
    assert found is not None
    assert (found.code, found.name) == ("E5", "missing-sync")
    assert (found.severity, found.root, found.fit) == (WRONG, "bytes", 0.5)
    assert found.evidence == {
        "rate": 25600.0,
        "unit": "GB/s",
        "time_us": pytest.approx(1e4),
        "nominal": 320.0,
        "ceiling": 321.0,
        "times": pytest.approx(25600 / 321),
        "least_us": pytest.approx(256 / 288 * 1e6),
    }


def test_a_row_that_says_so_is_believed_whatever_its_rate() -> None:
    found = said(reading(gbs=264.0, synchronized=False))
    assert found is not None
    assert found.severity == WRONG
    assert said(reading(gbs=None, judged=None, synchronized=False)) is not None


@pytest.mark.parametrize(
    "fields",
    [
        {"synchronized": True},
        {"timing": "event"},
        {"timing": "graph"},
        {"timing": "profiler"},
        {"timing": "event", "synchronized": False},
        {"protocol": "stream"},
        {"gbs": None},
        {"op": "decode"},
        {"gbs": 300.0},
        {"gbs": 321 * 1.019},
        {"gbs": 321 * 1.49},
        {"nominal_gbs": None, "ceiling_gbs": None},
    ],
)
def test_silent_where_it_was_waited_for_or_nothing_is_impossible(
    fields: dict[str, object],
) -> None:
    assert said(reading(**fields)) is None


@pytest.mark.parametrize(
    ("gbs", "time_s", "fires"),
    [
        (321 * 1.51, 1e-2, True),
        (321 * 1.2, 1e-2, False),
        (321 * 1.2, 1.9e-4, True),  # as long as a call that only queues
        (321 * 1.2, 2.1e-4, False),
        (321 * 1.4, None, False),
        (321 * 7.9, None, True),  # the arrays are far larger than the cache
    ],
)
def test_how_far_beyond_depends_on_the_time(gbs: float, time_s: float | None, fires: bool) -> None:
    assert (said(reading(gbs=gbs, time_s=time_s)) is not None) is fires


@pytest.mark.parametrize(("time_s", "fit"), [(1.9e-4, None), (2.1e-4, 0.5), (None, 0.5)])
def test_a_queued_call_takes_microseconds_a_longer_time_is_a_guess(
    time_s: float | None, fit: float | None
) -> None:
    found = said(reading(time_s=time_s))
    assert found is not None
    assert found.fit == fit


@pytest.mark.parametrize("op", ["h2d", "d2h"])
def test_no_cache_stands_behind_a_link(op: str) -> None:
    link: dict[str, object] = {"op": op, "nominal_gbs": 31.5, "ceiling_gbs": 31.5}
    assert said(reading(**link, gbs=33.0, time_s=None)) is not None
    assert said(reading(**link, gbs=32.0, time_s=None)) is None


@pytest.mark.parametrize(("time_s", "fires"), [(1.4e-6, True), (1.6e-6, False)])
def test_no_kernel_is_shorter_than_a_microsecond_and_a_half(time_s: float, fires: bool) -> None:
    assert (said(reading(gbs=200.0, time_s=time_s)) is not None) is fires
    assert said(reading(gbs=200.0, time_s=time_s, op="decode")) is None


@pytest.mark.parametrize(
    ("size", "times", "fires"), [(7 << 20, 31, False), (7 << 20, 33, True), (9 << 20, 31, True)]
)
def test_what_the_cache_explains_is_left_to_it(size: int, times: int, fires: bool) -> None:
    found = said(reading(gbs=321.0 * times, working_set_bytes=float(size)))
    assert (found is not None) is fires


@pytest.mark.parametrize(
    ("tflops", "time_s", "fires"), [(130.0, 1e-2, True), (130.0, None, False), (200.0, None, True)]
)
def test_a_compute_rate_in_the_same_way(tflops: float, time_s: float | None, fires: bool) -> None:
    found = said(
        reading(
            op="matmul",
            judged="tflops",
            gbs=None,
            tflops=tflops,
            time_s=time_s,
            nominal_tflops=65.0,
            ceiling_tflops=65.0,
        )
    )
    assert (found is not None) is fires
    if found:
        assert found.evidence["unit"] == "TFLOP/s"
