"""What the rules say together: the gravest first, guesses few, a proof without guesses."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import FEW_GUESSES, MOST_GUESSES, judge, ranked

LOW: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "bf16",
    "peak_key": "bf16",
    "judged": "tflops",
    "tflops": 100.0,
    "stated": True,
    "nominal_tflops": 312.0,
    "ceiling_tflops": 312.0,
    "nominal_gbs": 2039.0,
    "peaks_tflops": {"fp32": 19.5, "tf32": 156.0, "bf16": 312.0},
    "compute_capability": "8.0",
    "sm_count": 108,
    "low": 240.0,
    "high": 287.0,
}


def said(**fields: object) -> list[Finding]:
    return judge(Reading(**{**LOW, **fields}))  # type: ignore[arg-type]


def made(severity: str, fit: float | None, root: str = "bytes") -> Finding:
    return Finding(
        code="x",
        name="x",
        root=root,
        severity=severity,
        subject="",
        message="",
        why="",
        do="",
        evidence={},
        fit=fit,
    )


def test_a_low_number_alone_has_a_few_suspects_the_likeliest_first() -> None:
    found = said()
    assert 2 <= len(found) <= MOST_GUESSES
    assert {f.severity for f in found} == {SUSPECT}
    places = [-(f.fit or 0) - (0.3 if f.root != "conditions" else 0) for f in found]
    assert places == sorted(places)


def test_beside_a_proof_nobody_guesses() -> None:
    found = said(compared_tflops=624.0)
    assert [(f.code, f.severity) for f in found if f.severity != NOTE] == [("E3", WRONG)]


def test_beside_direct_evidence_two_guesses_are_kept() -> None:
    found = said(compared_tflops=500.0)  # nobody's figure
    direct = [f for f in found if f.fit is None and f.severity == SUSPECT]
    assert [f.code for f in direct] == ["wrong-peak-value"]
    assert found[0] is direct[0]
    assert len([f for f in found if f.fit is not None]) == FEW_GUESSES


def test_a_number_in_its_range_is_not_spoken_of() -> None:
    assert said(tflops=260.0) == []


def test_the_order() -> None:
    order = [
        made(WRONG, None),
        made(WRONG, 0.9),
        made(SUSPECT, None),
        made(SUSPECT, 0.9),
        made(SUSPECT, 0.7),  # the method is doubted before the conditions
        made(SUSPECT, 0.95, "conditions"),
        made(SUSPECT, 0.3),
        made(SUSPECT, 0.5, "conditions"),
        made(NOTE, None),
    ]
    assert ranked(reversed(order)) == order


def test_equals_keep_the_order_of_the_questions() -> None:
    first, second = made(WRONG, None), made(WRONG, None, "peak")
    assert ranked([first, second]) == [first, second]
    assert ranked([second, first]) == [second, first]


@pytest.mark.parametrize("fields", [{"tflops": None}, {"judged": None}, {"low": None}])
def test_without_number_or_range_nothing_is_guessed(fields: dict[str, object]) -> None:
    assert [f for f in said(**fields) if f.fit is not None] == []
