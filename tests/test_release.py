"""What is released: a source archive and a wheel, installed where nothing of this tree is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import roofwatch

ROOT = Path(__file__).parent.parent
VERSION = roofwatch.__version__
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
OWN = "{}.{}".format(*sys.version_info)
LEFT_OUT = (".*", "build", "dist", "*.egg-info", "__pycache__")
DATA = {
    "py.typed": "roofwatch/py.typed",
    "cards": "roofwatch/nominal.toml",
    "models": "roofwatch/models.toml",
    "English": "roofwatch/notebook/languages/en.toml",
    "Chinese": "roofwatch/notebook/languages/zh-CN.toml",
    "style sheet": "roofwatch/tui/screen/roofwatch.tcss",
}


class Release(NamedTuple):
    """What was built, once for all tests."""

    sdist: Path
    wheel: Path  # from the source archive, as installers without a wheel build it
    of_tree: Path


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Built as ``python -m build --no-isolation`` builds: by this environment's setuptools."""
    pytest.importorskip("setuptools", reason="setuptools is not installed")
    folder = tmp_path_factory.mktemp("release")
    tree = folder / "tree"  # a build leaves folders beside what it builds
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
    sdist = built(tree, "sdist", folder / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(
            folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {})
        )
    unpacked = folder / f"roofwatch-{VERSION}"
    return Release(
        sdist, built(unpacked, "wheel", folder / "wheel"), built(tree, "wheel", folder / "of-tree")
    )


def built(tree: Path, what: str, into: Path) -> Path:
    into.mkdir()
    code = f"from setuptools import build_meta; build_meta.build_{what}({str(into)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    (found,) = into.iterdir()
    return found


def names(wheel: Path) -> dict[str, int]:
    """Every file of a wheel with its checksum."""
    with zipfile.ZipFile(wheel) as archive:
        return {each.filename: each.CRC for each in archive.infolist()}


def test_both_are_named_by_the_version(release: Release) -> None:
    assert release.sdist.name == f"roofwatch-{VERSION}.tar.gz"
    assert release.wheel.name == f"roofwatch-{VERSION}-py3-none-any.whl"


def test_the_source_archive_builds_the_same_wheel(release: Release) -> None:
    assert names(release.wheel) == names(release.of_tree)


def test_the_wheel_holds_the_package_and_its_data_alone(release: Release) -> None:
    inside = set(names(release.wheel))
    for what, name in DATA.items():
        assert name in inside, what
    tops = {name.split("/")[0] for name in inside}
    assert tops == {"roofwatch", f"roofwatch-{VERSION}.dist-info"}
    rooms = {name.split("/")[1] for name in inside if name.count("/") > 1}
    assert not rooms & {"tests", "benchmarks", "docs", "examples", "build"}
    assert f"roofwatch-{VERSION}.dist-info/licenses/LICENSE" in inside


def test_the_source_archive_holds_what_a_clone_does(release: Release) -> None:
    with tarfile.open(release.sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
        assert archive.getmember(f"roofwatch-{VERSION}/start").mode & 0o100
    for name in ("LICENSE", "README.md", "CHANGELOG.md", "start", "test", "constraints.txt"):
        assert name in inside
    for folder in ("tests", "benchmarks", "docs", "examples"):
        for path in (ROOT / folder).glob("**/*.[jmpt]*"):
            assert path.suffix == ".pyc" or str(path.relative_to(ROOT)) in inside, path


@cache
def python_of(version: str) -> str | None:
    """A Python of that version that starts: on the path, or pyenv's where its shim does not."""
    if version == OWN:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
    for each in filter(None, found):
        done = subprocess.run([each, "-c", "import venv"], capture_output=True, timeout=60)
        if done.returncode == 0:
            return str(each)
    return None


def compiled_for(version: str) -> list[Path]:
    """Wheels of msgspec, which ./test has fetched: it is compiled for each Python apart."""
    tag = version.replace(".", "")
    return sorted((Path(sys.prefix) / "wheels").glob(f"msgspec-*-cp{tag}-*.whl"))[-1:]


@pytest.fixture(scope="module", params=PYTHONS)
def installed(
    request: pytest.FixtureRequest, release: Release, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The ``bin`` of an environment with the wheel alone in it.

    pip installs it for this Python, with the command. For the others it is unpacked, which is all
    that pip does besides: pip under each takes longer than everything else here. What the wheel
    needs is looked up in this environment, at the end of the path, and msgspec alone is of that
    Python: nothing is downloaded. So it shows that the wheel is whole, and that its code runs.
    """
    version: str = request.param
    python = python_of(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    wheels = [] if version == OWN else compiled_for(version)
    if version != OWN and not wheels:
        pytest.skip(f"no msgspec for Python {version} at hand; ./test fetches it")
    env = tmp_path_factory.mktemp("installed") / "env"
    subprocess.run([python, "-m", "venv", "--without-pip", env], check=True, timeout=120)
    (packages,) = env.glob("lib/python*/site-packages")
    own = Path(sysconfig.get_path("purelib"))
    if version == OWN:
        pip = [env / "bin" / "python", own / "pip", "install", "--no-index", "--no-deps"]
        quiet = ["--quiet", "--no-compile", "--disable-pip-version-check"]
        subprocess.run([*pip, *quiet, release.wheel], check=True, timeout=120)
    else:
        for wheel in (release.wheel, *wheels):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(packages)
    paths = dict.fromkeys([str(own), *(p for p in sys.path if p.endswith("site-packages"))])
    (packages / "needs.pth").write_text("".join(f"{path}\n" for path in paths))
    return env / "bin"


def run(bin_: Path, *arguments: str | Path) -> str:
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ROOFWATCH"))}
    done = subprocess.run(
        [bin_ / arguments[0], *arguments[1:]],
        cwd=bin_.parent,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_it_works_where_nothing_of_this_tree_is(installed: Path, h200_file: Path) -> None:
    where = "import roofwatch, roofwatch.cli; print(roofwatch.__file__, roofwatch.cli.__file__)"
    for path in run(installed, "python", "-c", where).split():
        assert Path(path).is_relative_to(installed.parent)
    me = ["roofwatch"] if (installed / "roofwatch").exists() else ["python", "-m", "roofwatch"]
    assert run(installed, *me, "--version") == f"roofwatch {VERSION}\n"
    rows = json.loads(run(installed, *me, "plan", "--gpu", "T4", "--json"))
    assert rows
    said = "--gpu T4 --op add_scalar --elements 524288 --dtype fp16 --claimed 900GB/s --json"
    assert json.loads(run(installed, *me, "check", *said.split()))["verdict"] == "wrong"
    told = run(installed, *me, "show", h200_file)
    assert "NVIDIA H200" in told
    assert "burst" in told


@pytest.mark.parametrize("installed", [OWN], indirect=True)
def test_pip_makes_the_command_and_the_module_runs_as_well(installed: Path) -> None:
    assert (installed / "roofwatch").is_file()
    assert run(installed, "python", "-m", "roofwatch", "--version") == f"roofwatch {VERSION}\n"
