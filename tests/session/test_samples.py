"""Samples in columns: what comes out is what went in, and windows are found by time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.session.events import Sample
from roofwatch.session.file import events
from roofwatch.session.samples import BLOCK, FLOATS, Samples

SESSIONS = Path(__file__).parent.parent / "sessions"

figures = st.none() | st.floats(0, 1e12) | st.just(1980.0)
words = st.sampled_from(["not_supported", "no_permission", "error", "stale", "\x1b[2J", ""])
names = st.sampled_from(["power_cap", "sw_thermal", "hw_thermal", "", "名"])
fields = st.sampled_from([*FLOATS, "reasons"])
moments = st.floats(0, 1e9) | st.sampled_from([0.0, 0.1, 0.2, 0.3])

readings = st.builds(
    Sample,
    t=moments,
    gpu=st.none() | st.integers(),
    mem_used_bytes=st.none() | st.integers(0, 1 << 60),
    reasons=st.none() | st.integers(),
    processes=st.none() | st.integers(),
    counters=st.dictionaries(names, st.integers(0, (1 << 63) - 1)),
    status=st.dictionaries(fields, words),
    **dict.fromkeys(FLOATS, figures),
)


def kept(given_: list[Sample]) -> Samples:
    samples = Samples()
    for sample in given_:
        samples.append(sample)
    return samples


def in_order(given_: list[Sample]) -> list[Sample]:
    return sorted(given_, key=lambda sample: sample.t)


def reading(t: float, **more: object) -> Sample:
    told: dict[str, object] = dict.fromkeys((*FLOATS, "mem_used_bytes", "gpu", "reasons"))
    return Sample(t=t, **(told | more))  # type: ignore[arg-type]


@given(st.lists(readings))
def test_what_comes_out_went_in_by_time_and_then_as_it_came(given_: list[Sample]) -> None:
    samples = kept(given_)
    whole = in_order(given_)
    assert list(samples) == samples[:] == whole
    assert samples == whole
    assert len(samples) == len(whole)
    assert [samples[i] for i in range(-len(whole), len(whole))] == whole * 2
    assert samples[1:-1] == whole[1:-1]
    assert samples[::-2] == whole[::-2]
    assert list(samples.moments) == [sample.t for sample in whole]
    samples.clear()
    assert samples == []


@given(st.lists(readings, max_size=12), st.data())
def test_reading_between_two_appends_changes_nothing(
    given_: list[Sample], data: st.DataObject
) -> None:
    samples = Samples()
    for i, sample in enumerate(given_):
        samples.append(sample)
        if data.draw(st.booleans()):
            assert samples[-1] == in_order(given_[: i + 1])[-1]
            samples.extremes("power", (0.0, 1.0), 3)
    assert samples == in_order(given_)


@given(st.lists(readings), moments, moments)
def test_a_window_is_inclusive_at_both_ends(given_: list[Sample], a: float, b: float) -> None:
    samples = kept(given_)
    whole = in_order(given_)
    assert samples.between(a, b) == [sample for sample in whole if a <= sample.t <= b]
    assert samples.before(a) == next((s for s in reversed(whole) if s.t <= a), None)
    assert samples.after(a) == next((s for s in whole if s.t >= a), None)


@given(st.lists(readings))
def test_readings_without_nulls_and_why_there_are_none(given_: list[Sample]) -> None:
    samples, whole = kept(given_), in_order(given_)
    for field in (*FLOATS, "mem_used_bytes"):
        told = [v for s in whole if (v := getattr(s, field)) is not None]
        assert list(samples.readable(field)) == told
    powers = (s.power_w if s.power_instant_w is None else s.power_instant_w for s in whole)
    assert list(samples.readable("power")) == [p for p in powers if p is not None]
    whys = (s.status["reasons"] for s in whole if "reasons" in s.status)
    assert samples.why_null("reasons") == next(whys, None)


few_ticks = st.lists(
    st.tuples(st.integers(0, 700), figures, st.none() | st.integers(0, 1 << 9)), max_size=400
)


@given(few_ticks, st.integers(0, 60), st.integers(1, 90), st.integers(1, 6))
def test_extremes_of_a_column_are_those_of_its_samples(
    ticks: list[tuple[int, float | None, int | None]], first: int, columns: int, size: int
) -> None:
    """In ticks of a quarter of a second, so that many samples stand on an edge."""
    given_ = [reading(tick / 4, sm_mhz=mhz, reasons=mask) for tick, mhz, mask in ticks]
    samples = kept(given_)
    window = (first / 4, (first + columns * size) / 4)
    found = samples.extremes("sm_mhz", window, columns)
    masks = samples.masks(window, columns)
    assert len(found) == len(masks) == columns
    for k in range(columns):
        begin, end = first + k * size, first + (k + 1) * size
        inside = [
            (mhz, mask)
            for tick, mhz, mask in ticks
            if begin <= tick < end or (k == columns - 1 and tick == end)
        ]
        clocks = [mhz for mhz, _ in inside if mhz is not None]
        assert found[k] == ((min(clocks), max(clocks)) if clocks else None)
        told = [mask for _, mask in inside if mask is not None]
        expected = 0
        for mask in told:
            expected |= mask
        assert masks[k] == (expected if told else None)


@pytest.mark.parametrize("late", [False, True])
def test_extremes_of_many_blocks_with_nulls_and_a_late_sample(late: bool) -> None:
    """Columns of several blocks each; a late one changes those behind its place."""
    count = 20 * BLOCK + 7
    given_ = [
        reading(i / 10, sm_mhz=None if i % 5 == 0 or BLOCK <= i < 3 * BLOCK else i * 7 % 1001)
        for i in range(count)
    ]
    samples = kept(given_)
    samples.extremes("sm_mhz", (0.0, count / 10), 3)  # its blocks are summed up by now
    if late:
        given_.append(reading(count / 20 + 0.01, sm_mhz=5000.0))
        samples.append(given_[-1])
    for columns in (1, 2, 3, 7, 200):
        width = count / 10 / columns
        expected: list[tuple[float, float] | None] = []
        for k in range(columns):
            clocks = [
                s.sm_mhz
                for s in given_
                if round(k * width, 9) <= s.t < round((k + 1) * width, 9) and s.sm_mhz is not None
            ]
            expected.append((min(clocks), max(clocks)) if clocks else None)
        assert samples.extremes("sm_mhz", (0.0, count / 10), columns) == expected


@pytest.mark.parametrize("columns", [72, 60, 101, 128])
def test_columns_keep_their_samples_while_the_window_moves_by_whole_columns(columns: int) -> None:
    """Ticks of a tenth of a second lie on edges, which floats would put now here, now there."""
    samples = kept([reading(round(i / 10, 9), temp_c=float(i)) for i in range(6000)])
    width = 60.0 / columns
    last: list[tuple[float, float] | None] = []
    for step in range(200):
        begin = (step + columns) * width
        found = samples.extremes("temp_c", (begin, begin + 60.0), columns)
        if last:
            assert found[: columns - 2] == last[1:-1]
        last = found


def test_a_window_without_samples_or_without_columns() -> None:
    samples = kept([reading(1.0, sm_mhz=3.0)])
    assert samples.extremes("sm_mhz", (5.0, 9.0), 3) == [None] * 3
    assert samples.extremes("sm_mhz", (0.0, 1.0), 2) == [None, (3.0, 3.0)]
    assert samples.extremes("sm_mhz", (1.0, 1.0), 2) == [None, (3.0, 3.0)]
    assert samples.extremes("sm_mhz", (9.0, 1.0), 2) == [None] * 2
    assert samples.extremes("sm_mhz", (0.0, 9.0), 0) == []
    assert samples.masks((0.0, 9.0), 1) == [None]
    assert Samples().extremes("power", (0.0, 9.0), 2) == [None] * 2
    with pytest.raises(ValueError, match="not in tuple"):
        samples.extremes("t", (0.0, 9.0), 2)


def test_an_empty_one_is_false_and_has_no_item() -> None:
    samples = Samples()
    assert not samples
    assert samples[:3] == []
    assert samples.before(1.0) is samples.after(1.0) is None
    with pytest.raises(IndexError):
        samples[-1]


@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_recorded_samples_come_out_as_they_were(path: Path) -> None:
    recorded = [event for event in events(path) if isinstance(event, Sample)]
    samples = kept(recorded)
    assert samples == recorded
    assert kept(recorded[::-1]) == recorded
