"""The package list is explicit: it must be the tree's, and data must travel."""

from __future__ import annotations

import re
import signal
import sys
from importlib import import_module
from importlib.resources import files
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
APART = {"tests", "benchmarks", "docs", "build", "dist"}


def test_every_folder_of_code_is_packaged() -> None:
    folders = [p.parent.relative_to(ROOT) for p in ROOT.glob("[a-z]*/**/__init__.py")]
    tree = {".".join(("roofwatch", *f.parts)) for f in folders if f.parts[0] not in APART}
    packages = set(PROJECT["tool"]["setuptools"]["packages"])
    assert packages == tree | {"roofwatch"}
    assert set(PROJECT["tool"]["setuptools"]["package-dir"]) == packages


def test_data_files_are_found_through_the_package() -> None:
    for package, names in PROJECT["tool"]["setuptools"]["package-data"].items():
        for name in names:
            if "*" not in name:
                assert (files(package) / name).is_file()
    assert (files("roofwatch.tui.screen") / "roofwatch.tcss").is_file()


def test_the_version_stands_in_one_place_and_has_its_changes() -> None:
    import roofwatch

    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["setuptools"]["dynamic"] == {
        "version": {"attr": "roofwatch.__version__"}
    }
    page = (ROOT / "CHANGELOG.md").read_text()
    released = re.findall(r"^## (?!Unreleased$)(.*)$", page, re.M)
    assert released[0].split()[0] == roofwatch.__version__
    for heading in released:
        assert re.fullmatch(r"\d+\.\d+\.\d+( - \d{4}-\d\d-\d\d)?", heading), heading
    numbers = [tuple(map(int, heading.split()[0].split("."))) for heading in released]
    assert numbers == sorted(numbers, reverse=True)
    assert page.count("## Unreleased") <= 1


def test_no_file_of_code_outgrows_its_room() -> None:
    for path in ROOT.glob("[a-z]*/**/*.py"):
        if path.relative_to(ROOT).parts[0] not in APART:
            assert len(path.read_text().splitlines()) <= 400, path


def test_every_pinned_dependency_satisfies_the_project() -> None:
    pins = dict(re.findall(r"^([\w.-]+)==([\w.+]+)", (ROOT / "constraints.txt").read_text(), re.M))
    wanted = [re.split(r"[<>=;\s]", d, maxsplit=1)[0] for d in PROJECT["project"]["dependencies"]]
    assert set(wanted) <= set(pins)


def test_the_command_is_the_module_and_importing_it_changes_no_signal() -> None:
    before = signal.getsignal(signal.SIGINT)
    module, _, name = PROJECT["project"]["scripts"]["roofwatch"].partition(":")
    assert module == "roofwatch.__main__"
    assert callable(getattr(import_module(module), name))
    import_module("roofwatch.cli")
    assert signal.getsignal(signal.SIGINT) is before
