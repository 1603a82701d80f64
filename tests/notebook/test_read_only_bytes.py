"""E1: the bytes that were counted miss the writes, or a whole stream."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT, WRONG
from roofwatch.notebook.read_only_bytes import partial_shares, read_only_bytes
from roofwatch.notebook.reading import Reading

GB = 1e9
BASE: dict[str, object] = {
    "subject": "x",
    "op": "add_scalar",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 136.0,
    "time_s": 7.9e-3,
    "bytes": 2 * 1.0737e9,
    "streams_bytes": (1.0737e9, 1.0737e9),
    "claimed_bytes": 1.0737e9,
    "nominal_gbs": 320.0,
    "low": 240.0,
    "high": 288.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_half_of_a_streams_bytes_is_the_reads_alone() -> None:
    found = read_only_bytes(reading())
    assert found is not None
    assert (found.code, found.name) == ("E1", "read-only-bytes")
    assert (found.severity, found.root, found.fit) == (WRONG, "bytes", None)
    assert found.evidence == {
        "gbs": 136.0,
        "share": pytest.approx(0.5),
        "counted_mb": pytest.approx(1073.7),
        "moved_mb": pytest.approx(2147.4),
        "corrected_gbs": pytest.approx(272.0),
        "corrected_of_nominal": pytest.approx(0.85),
        "op": "add_scalar",
    }
    assert "85 % of nominal" in found.message


@pytest.mark.parametrize(
    ("ratio", "rounding", "fires"),
    [
        (0.5 * 1.034, 0.0, True),
        (0.5 * 1.036, 0.0, False),
        (0.5 * 0.966, 0.0, True),
        (0.5 * 0.964, 0.0, False),
        (0.5 * 1.05, 0.02, True),
        (1.0, 0.0, False),
        (2.0, 0.0, False),
        (1.0, 0.125, False),
    ],
)
def test_three_and_a_half_per_cent_and_the_digits_are_allowed(
    ratio: float, rounding: float, fires: bool
) -> None:
    found = read_only_bytes(reading(claimed_bytes=ratio * 2 * 1.0737e9, rounding=rounding))
    assert (found is not None) is fires


@pytest.mark.parametrize(("share", "corrected"), [(1 / 3, 3.0), (2 / 3, 1.5)])
def test_a_third_or_two_thirds_of_three_streams(share: float, corrected: float) -> None:
    found = read_only_bytes(
        reading(op="add", bytes=3 * GB, streams_bytes=(GB,) * 3, claimed_bytes=share * 3 * GB)
    )
    assert found is not None
    assert found.evidence["corrected_gbs"] == pytest.approx(136 * corrected, rel=1e-3)


@pytest.mark.parametrize("op", ["reduce", "read", "fill", "h2d", "d2h", "matmul"])
def test_what_only_reads_or_only_writes_leaves_nothing_out(op: str) -> None:
    assert read_only_bytes(reading(op=op)) is None
    assert read_only_bytes(reading(op=op, bytes=None, time_s=None, claimed_bytes=None)) is None


HIDDEN: dict[str, object] = {"time_s": None, "bytes": None, "claimed_bytes": None}


def test_without_time_or_size_it_is_one_suspect() -> None:
    found = read_only_bytes(reading(gbs=131.5, **HIDDEN))
    assert found is not None
    assert (found.severity, found.code) == (SUSPECT, "E1")
    assert found.fit == pytest.approx(1.0, abs=0.01)  # 263 is the middle of 240 to 288
    assert found.evidence["corrected_gbs"] == 263
    assert found.evidence["share"] == 0.5


@pytest.mark.parametrize(
    ("gbs", "fires"), [(116.0, False), (117.0, True), (148.0, True), (149.0, False), (264.0, False)]
)
def test_only_where_the_missing_stream_would_make_it_usual(gbs: float, fires: bool) -> None:
    assert (read_only_bytes(reading(gbs=gbs, **HIDDEN)) is not None) is fires


def test_of_several_shares_the_best_fit_is_named() -> None:
    found = read_only_bytes(reading(op="add", gbs=176.0, **HIDDEN))
    assert found is not None
    assert found.evidence["share"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "fields",
    [
        {**HIDDEN, "judged": "tflops"},
        {**HIDDEN, "gbs": None},
        {**HIDDEN, "low": None},
        {"claimed_bytes": None},  # the rate was computed from all streams
    ],
)
def test_silent_where_nothing_can_be_missing(fields: dict[str, object]) -> None:
    assert read_only_bytes(reading(**fields)) is None


def test_shares_of_some_of_the_streams() -> None:
    assert partial_shares((1.0, 1.0)) == [0.5]
    assert partial_shares((1.0, 1.0, 1.0)) == [0.3333, 0.6667]
    assert partial_shares((3.0, 1.0)) == [0.25, 0.75]
    assert partial_shares((5.0,)) == partial_shares(()) == []
