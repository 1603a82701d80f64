"""Several tokens a pass: the tokens' rate is not the rate of passes over the weights."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.speculative_decode import speculative_decode

BASE: dict[str, object] = {
    "subject": "x",
    "op": "decode",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 4000.0,
    "nominal_gbs": 2000.0,
    "ceiling_gbs": 2000.0,
    "weights_bytes": 14e9,
    "low": 1200.0,
    "high": 1600.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_a_rate_that_needs_more_tokens_a_pass() -> None:
    found = speculative_decode(reading())
    assert found is not None
    assert found.code == found.name == "speculative-decode"
    assert (found.severity, found.root, found.fit) == (SUSPECT, "bytes", None)
    assert found.evidence == {"gbs": 4000.0, "nominal_gbs": 2000.0, "tokens_per_step": 2.5}


def test_tokens_a_step_as_stated() -> None:
    found = speculative_decode(reading(gbs=1500.0, tokens_per_step=2.5))
    assert found is not None
    assert (found.severity, found.fit) == (NOTE, None)
    assert found.evidence == {"tokens_per_step": 2.5, "as_if_gbs": 3750.0, "gbs": 1500.0}


@pytest.mark.parametrize(
    "fields",
    [
        {"gbs": 1500.0},
        {"gbs": 1500.0, "tokens_per_step": 1.0},
        {"gbs": 2039.0},
        {"op": "other"},
        {"judged": "tflops"},
        {"gbs": None},
        {"weights_bytes": None},
        {"high": None},
    ],
)
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert speculative_decode(reading(**fields)) is None
