"""E7: KV bytes, known or missing, beside the weights of a decode step."""

from __future__ import annotations

import msgspec
import pytest

from roofwatch.notebook.ai_equals_batch import Bend, ai_equals_batch, bend
from roofwatch.notebook.finding import NOTE, SUSPECT
from roofwatch.notebook.reading import Reading

BASE: dict[str, object] = {
    "subject": "x",
    "op": "decode",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 1400.0,
    "time_s": 20e-3,
    "batch": 16,
    "weights_bytes": 14e9,
    "kv_bytes": 14e9,
    "flop": 2 * 7e9 * 16,
    "intensity": 8.0,
    "low": 1200.0,
    "high": 1700.0,
    "usual_gbs": (1200.0 * 1700.0) ** 0.5,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_kv_bytes_bend_the_curve() -> None:
    found = ai_equals_batch(reading())
    assert found is not None
    assert (found.code, found.name) == ("E7", "ai-equals-batch")
    assert (found.severity, found.root, found.fit) == (NOTE, "bytes", None)
    assert found.evidence == {
        "batch": 16,
        "intensity": 8.0,
        "weights_gb": 14.0,
        "kv_gb": 14.0,
        "kv_share": pytest.approx(0.5),
        "ai_max": pytest.approx(16.0),  # FLOP over KV bytes alone
    }


@pytest.mark.parametrize(("kv", "fires"), [(1.39e9, False), (1.41e9, True)])
def test_under_a_tenth_of_the_weights_they_explain_nothing(kv: float, fires: bool) -> None:
    assert (ai_equals_batch(reading(kv_bytes=kv)) is not None) is fires


def test_missing_kv_bytes_would_explain_a_low_rate() -> None:
    found = ai_equals_batch(reading(kv_bytes=None, gbs=700.0))
    assert found is not None
    assert (found.severity, found.fit) == (SUSPECT, 0.9)
    usual = (1200 * 1700) ** 0.5
    assert found.evidence == {
        "batch": 16,
        "gbs": 700.0,
        "usual_gbs": pytest.approx(usual),
        "weights_gb": 14.0,
        "unseen_gb": pytest.approx(usual * 20e-3 - 14),
        "unseen_mb_per_sequence": pytest.approx((usual * 20e-3 - 14) / 16 * 1e3),
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "other"},
        {"batch": None},
        {"batch": 1},
        {"weights_bytes": None},
        {"intensity": None},
        {"kv_bytes": None},  # in range
        {"kv_bytes": None, "gbs": 700.0, "time_s": None},
        {"kv_bytes": None, "gbs": 700.0, "low": None},
        {"kv_bytes": None, "gbs": 700.0, "time_s": 9e-3},  # the weights alone take longer
    ],
)
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert ai_equals_batch(reading(**fields)) is None


BENT = Bend(
    subject="decode-TinyLlama-1.1B",
    context=2048,
    first_bend=16,
    batch=128,
    intensity=41.0,
    ai_max=47.7,
    first_ms=16.0,
    last_ms=37.5,
    kv_ms=21.9,
    kernels_ms=0.2,
    flop_ms=5.6,
    bytes_ms=30.1,
)


def test_a_curve_of_ours_that_its_kv_bytes_bend() -> None:
    """Seed, error 7: compute is hidden under the bytes, the KV cache bends it."""
    found = bend(BENT)
    assert (found.code, found.severity, found.root) == ("E7", NOTE, "bytes")
    assert found.evidence["grew_ms"] == 21.5
    assert "about 21.9 of the 21.5 ms more are KV bytes" in found.message
    assert "the intensity is 41, not 128" in found.why


def test_a_curve_of_ours_that_kernels_bend_and_one_that_compute_bends() -> None:
    kernels = bend(msgspec.structs.replace(BENT, kv_ms=0.2, kernels_ms=0.9))
    assert "about 0.9 are kernels and 0.2 KV bytes" in kernels.message
    assert "Another kernel helps" in kernels.do
    compute = bend(msgspec.structs.replace(BENT, flop_ms=40.0))
    assert "the FLOP take 40 ms, the bytes 30.1" in compute.message
    assert "Stop raising the batch" in compute.do
