"""What each part loads, seen in sys.modules of a fresh process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "textual", "plotext", "pynvml", "psutil", "numpy", "matplotlib")


def loaded_by(code: str) -> set[str]:
    probe = f"import sys\n{code}\nprint(*(m for m in {HEAVY!r} if m in sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


TRACE = Path(__file__).parent / "traces" / "h200" / "layer.json.gz"


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import roofwatch.cli", set()),
        ("import roofwatch.session.events", set()),
        ("import roofwatch.session.instrument", set()),
        ("import roofwatch.session.live, roofwatch.session.summary", set()),
        ("import roofwatch.session.picture", set()),
        ("import roofwatch.roofline.lookup, roofwatch.notebook.rules", set()),
        ("import roofwatch.probes.__main__", set()),
        ("import roofwatch.telemetry.__main__", set()),
        ("import roofwatch.tui.screen.app", {"textual"}),
        ("import roofwatch.tui.printed.doctor_plain, roofwatch.verbs.doctor", set()),
        ("import roofwatch.verbs.compare, roofwatch.verbs.quiz", set()),
        ("import roofwatch.fleet.__main__, roofwatch.fleet.lead, roofwatch.fleet.links", set()),
        ("import roofwatch.tui.printed.fleet_plain, roofwatch.verbs.show", set()),
        ("import roofwatch.tui.printed.report, roofwatch.tui.printed.plain", set()),
    ],
)
def test_nothing_heavy_comes_along(code: str, allowed: set[str]) -> None:
    assert loaded_by(code) <= allowed


def test_events_imports_only_msgspec_and_what_its_fields_are() -> None:
    code = "import sys, msgspec; import roofwatch.session.events; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    ours = {m for m in result.stdout.split() if m.startswith("roofwatch")}
    own = {
        f"roofwatch.session.{name}"
        for name in ("events", "bounds", "health", "identity", "shape_sides")
    }
    assert ours <= {"roofwatch", "roofwatch.session"} | own | {m for m in ours if "editable" in m}


@pytest.mark.parametrize(
    "arguments",
    [
        ["cards"],
        ["cards", "H200", "--json"],
        ["plan"],
        ["plan", "--gpu", "T4", "--model", "TinyLlama", "--price", "1/h"],
        ["plan", "--gpu", "T4", "--json"],
        ["trace", str(TRACE)],
        ["trace", str(TRACE), "--json"],
    ],
)
def test_cards_plan_and_trace_answer_without_torch_or_textual(arguments: list[str]) -> None:
    code = (
        "import io, contextlib\nfrom roofwatch.cli import main\n"
        "with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):\n"
        f"    assert main({arguments!r}) == 0"
    )
    assert loaded_by(code) == set()


def test_compare_and_quiz_answer_without_torch_or_textual(h200_file) -> None:  # type: ignore[no-untyped-def]
    code = (
        "import io, contextlib\nfrom roofwatch.cli import main\n"
        "with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):\n"
        f"    assert main(['compare', *[{str(h200_file)!r}] * 3]) == 0\n"
        f"    assert main(['compare', *[{str(h200_file)!r}] * 2, '--json']) == 0\n"
        "    assert main(['quiz', '--gpu', 'T4', '--answers']) == 0"
    )
    assert loaded_by(code) == set()


def test_show_answers_without_torch_or_textual(h200_file) -> None:  # type: ignore[no-untyped-def]
    code = (
        "import io, contextlib\nfrom roofwatch.cli import main\n"
        f"with contextlib.redirect_stdout(io.StringIO()): main(['show', {str(h200_file)!r}])"
    )
    assert loaded_by(code) <= {"plotext"}
