"""``roofwatch.check``: one number by its fields, rows, and what is said of slips."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import roofwatch


def test_a_number_by_its_fields() -> None:
    verdict = roofwatch.check(
        gpu="T4", op="add_scalar", elements=524288, dtype="fp16", claimed="900GB/s", time="4.7us"
    )
    assert isinstance(verdict, roofwatch.Verdict)
    assert verdict.verdict == "wrong"
    assert all(isinstance(f, roofwatch.Finding) for f in verdict.findings)


def test_rows_are_answered_in_their_order_and_a_bad_one_alone_has_an_error() -> None:
    answers = roofwatch.check(
        [
            {"gpu": "T4", "op": "copy", "claimed_gbs": 250.0},
            {"op": "coppy"},
            "no row",  # type: ignore[list-item]
            {"gpu": "T4", "op": "copy", "claimed_gbs": 900.0},
        ]
    )
    assert [a.verdict for a in answers] == ["believable", None, None, "wrong"]
    assert "row 2, field op" in (answers[1].error or "")
    assert "row 3" in (answers[2].error or "")


def test_numbers_of_numpy_and_the_gaps_of_a_table() -> None:
    numpy = pytest.importorskip("numpy")
    (answer,) = roofwatch.check(
        [{"gpu": "T4", "op": "copy", "claimed_gbs": numpy.float64(250), "time_s": float("nan")}]
    )
    assert answer.verdict == "believable"
    (same,) = roofwatch.check([{"gpu": "T4", "op": "copy", "claimed_gbs": numpy.float32(250)}])
    assert same.gbs == answer.gbs


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"op": "coppy"}, "did you mean copy?"),
        ({"op": "copy", "dtpye": "fp16"}, "field dtpye: is unknown; did you mean dtype?"),
        ({"op": "copy", "colour": "red"}, "field colour: is unknown"),
        ({"op": "copy", "time": 4.7}, "has no unit"),
        ({"gpu": "T4"}, "field op: missing"),
    ],
)
def test_a_slip_is_said_in_one_line(fields: dict[str, object], words: str) -> None:
    with pytest.raises(roofwatch.Unreadable) as caught:
        roofwatch.check(**fields)  # type: ignore[call-overload]
    assert isinstance(caught.value, ValueError)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "fields"), [((), {}), (({"op": "copy"},), {}), (([],), {"op": "copy"}), (("x",), {})]
)
def test_neither_rows_nor_fields(rows: tuple[object, ...], fields: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="check"):
        roofwatch.check(*rows, **fields)  # type: ignore[call-overload]


def test_no_rows() -> None:
    assert roofwatch.check([]) == []


def fresh(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_importing_roofwatch_loads_nothing() -> None:
    ours = fresh(
        "import sys, roofwatch; print(*(m for m in sys.modules if m.split('.')[0] in "
        "('roofwatch', 'msgspec', 'torch', 'numpy', 'psutil')))"
    )
    assert ours == "roofwatch"


def test_asking_for_the_functions_loads_nothing_heavy() -> None:
    heavy = ("torch", "textual", "plotext", "pynvml", "psutil", "numpy", "matplotlib")
    code = f"import sys\nfrom roofwatch import *\nprint(*(m for m in {heavy} if m in sys.modules))"
    assert fresh(code) == ""


def test_names_are_functions_whatever_was_imported_before() -> None:
    code = (
        "import roofwatch.library.measure, roofwatch.library.check, roofwatch\n"
        "print(callable(roofwatch.measure), callable(roofwatch.check), 'check' in dir(roofwatch))"
    )
    assert fresh(code) == "True True True"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_such"):
        roofwatch.nothing_such  # type: ignore[attr-defined] # noqa: B018


def test_types_are_shipped() -> None:
    assert (Path(roofwatch.__file__).parent / "py.typed").is_file()
