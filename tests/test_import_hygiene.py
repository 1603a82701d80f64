"""What each part loads, seen in sys.modules of a fresh process."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("torch", "textual", "plotext", "pynvml", "psutil", "numpy", "matplotlib")


def loaded_by(code: str) -> set[str]:
    probe = f"import sys\n{code}\nprint(*(m for m in {HEAVY!r} if m in sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


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
        ["plan"],
        ["plan", "--gpu", "T4", "--model", "TinyLlama", "--price", "1/h"],
        ["plan", "--gpu", "T4", "--json"],
    ],
)
def test_plan_answers_without_torch_or_textual(arguments: list[str]) -> None:
    code = (
        "import io, contextlib\nfrom roofwatch.cli import main\n"
        "with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):\n"
        f"    assert main({arguments!r}) == 0"
    )
    assert loaded_by(code) == set()


def test_show_answers_without_torch_or_textual(h200_file) -> None:  # type: ignore[no-untyped-def]
    code = (
        "import io, contextlib\nfrom roofwatch.cli import main\n"
        f"with contextlib.redirect_stdout(io.StringIO()): main(['show', {str(h200_file)!r}])"
    )
    assert loaded_by(code) <= {"plotext"}
