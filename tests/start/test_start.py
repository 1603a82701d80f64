"""`./start` against stand-in Pythons: whole ones with a torch of a few lines, and no network."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import termios
import time
import zipfile
from collections.abc import Callable, Iterator
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What start itself may call; nothing else is on the PATH of these tests.
TOOLS = [
    "sh",
    "cat",
    "cksum",
    "dirname",
    "find",
    "grep",
    "id",
    "ln",
    "ls",
    "mkdir",
    "mv",
    "readlink",
    "rm",
    "sed",
    "sleep",
    "stat",
    "tail",
    "tr",
    "uname",
]
PATIENCE = 60

# The app in these tests: what was found, or one way to end.
APP = """
import json, os, signal, sys, termios, time, tty

what, *rest = sys.argv[1:] or [""]

def ready():
    print("READY", os.getpid(), flush=True)

if what == "look":
    import torch
    print(json.dumps({
        "torch": torch.__version__,
        "executable": sys.executable,
        "prefix": sys.prefix,
        "package": os.path.realpath(os.path.dirname(__file__)),
        "arguments": rest,
        "pycache": sys.pycache_prefix,
        "by_start": os.environ.get("ROOFWATCH_BY_START"),
    }))
elif what == "exit":
    sys.exit(int(rest[0]))
elif what == "screen":
    tty.setraw(0)
    os.write(1, b"\\x1b[?1049h\\x1b[?25l")
    ready()
    time.sleep(60)
elif what == "signals":
    heard = []
    signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    signal.signal(signal.SIGHUP, lambda number, _: heard.append(number))
    ready()
    while not heard:
        time.sleep(0.01)
    print("HEARD", *map(int, heard), flush=True)
    sys.exit(9)
elif what == "interrupt":
    heard = []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    ready()
    while not heard:
        time.sleep(0.01)
    time.sleep(0.3)  # a second one would come with the first
    print("INTERRUPTS", len(heard), flush=True)
    sys.exit(42)
elif what == "suspend":
    print("GOING", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    print("AGAIN", flush=True)
    sys.exit(7)
"""

# Notes each start of a Python that has it, so that the tests can count.
COUNTER = """
import os, sys
if "STARTS" in os.environ:
    with open(os.environ["STARTS"], "a") as file:
        file.write(" ".join(sys.orig_argv[1:3]).split(chr(10))[0] + chr(10))
"""


def needed() -> list[tuple[str, str]]:
    """What pyproject asks for beside torch, as (name, a release that satisfies it)."""
    pins = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / "constraints.txt").read_text(), re.M))
    block = re.search(
        r"^dependencies = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.M | re.S
    )
    assert block
    names = re.findall(r'"([\w-]+)', block.group(1))
    return [(name, pins[name]) for name in names if name != "torch"]


def metadata(name: str, version: str) -> str:
    return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"


def put(site: Path, name: str, version: str) -> None:
    """A distribution that is installed: metadata only."""
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(metadata(name, version))


def put_torch(site: Path, version: str, *, sees: bool = True, broken: bool = False) -> None:
    put(site, "torch", version)
    package = site / "torch"
    package.mkdir()
    (package / "version.py").write_text(f'__version__ = "{version}"\ncuda = "12.4"\nhip = None\n')
    (package / "cuda.py").write_text(f"def is_available():\n    return {sees}\n")
    start = 'raise ImportError("libcudart.so.12: no such file")\n' if broken else ""
    (package / "__init__.py").write_text(
        f"{start}from . import cuda, version\n__version__ = version.__version__\n"
    )


def wheels(folder: Path, *, rich: str | None = None) -> Path:
    """Every dependency as a wheel of metadata alone."""
    folder.mkdir()
    for name, version in needed():
        stem = f"{name.replace('-', '_')}-{rich if rich and name == 'rich' else version}"
        with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as file:
            info = f"{stem}.dist-info"
            file.writestr(f"{info}/METADATA", metadata(name, stem.rpartition("-")[2]))
            file.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            file.writestr(
                f"{info}/RECORD", "".join(f"{info}/{n},,\n" for n in ("METADATA", "WHEEL"))
            )
    return folder


class Python:
    """A stand-in Python: a program and the folder its packages lie in."""

    def __init__(self, program: Path) -> None:
        self.program = program
        asked: list[str | Path] = [
            program,
            "-I",
            "-c",
            "import site; print(site.getsitepackages()[0])",
        ]
        self.site = Path(
            subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
        )
        self.site.mkdir(parents=True, exist_ok=True)
        (self.site / "sitecustomize.py").write_text(COUNTER)

    def versions(self, name: str) -> list[str]:
        return sorted(p.name for p in self.site.glob(f"{name}-*.dist-info"))


def whole_python(at: Path) -> Python:
    """A Python of its own prefix, as a system's or conda's is: this one's program and library."""
    name = f"python3.{sys.version_info[1]}"
    base = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    (at / "bin").mkdir(parents=True)
    try:
        os.link(base, at / "bin" / name)
    except OSError:
        shutil.copy2(base, at / "bin" / name)
    (at / "bin" / "python3").symlink_to(name)
    library = at / "lib" / name
    library.mkdir(parents=True)
    for entry in Path(os.__file__).resolve().parent.iterdir():
        if entry.name not in {"site-packages", "dist-packages", "sitecustomize.py"}:
            (library / entry.name).symlink_to(entry)
    asked: list[str | Path] = [at / "bin" / "python3", "-I", "-c", "import sys; print(sys.prefix)"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False)
    if answer.stdout.strip() != str(at):
        pytest.skip("this Python does not run from another folder")
    python = Python(at / "bin" / "python3")
    # As most have it. Where this one has none, start goes by way of ensurepip.
    # Not importlib.util: setuptools listens there, and warns once anyone has imported distutils.
    spec = PathFinder.find_spec("pip")
    if spec is not None and spec.origin is not None:
        (python.site / "pip").symlink_to(Path(spec.origin).parent)
    return python


def venv_python(at: Path) -> Python:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", at], check=True)
    return Python(at / "bin" / "python")


class Box:
    """A machine: a home, a PATH, a clone of the project with a stub for the app."""

    def __init__(self, at: Path) -> None:
        self.at = at.resolve()
        self.project = self.at / "clone"
        self.project.mkdir()
        for name in ("start", "pyproject.toml", "constraints.txt"):
            shutil.copy2(ROOT / name, self.project / name)
        (self.project / "__init__.py").touch()
        (self.project / "__main__.py").write_text(APP)
        self.tools = self.at / "tools"
        self.tools.mkdir()
        for tool in TOOLS:
            where = shutil.which(tool)
            assert where, tool
            (self.tools / tool).symlink_to(where)
        self.env = {
            "HOME": str(self.at / "home"),
            "XDG_CACHE_HOME": str(self.at / "cache"),
            "PATH": str(self.tools),
            "PIP_NO_INDEX": "1",
            "PIP_CONFIG_FILE": os.devnull,
            "PYTHONDONTWRITEBYTECODE": "1",
            "STARTS": str(self.at / "starts"),
        }

    @property
    def cache(self) -> Path:
        return self.at / "cache" / "roofwatch"

    def on_path(self, python: Python, name: str = "python3") -> None:
        (self.tools / name).symlink_to(python.program)

    def activate(self, python: Python) -> None:
        self.env["PATH"] = f"{python.program.parent}:{self.tools}"

    def starts(self) -> list[str]:
        """The Pythons started since the last question."""
        file = self.at / "starts"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def run(
        self,
        *arguments: str,
        program: str | Path | None = None,
        cwd: Path | None = None,
        **env: str,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program or self.project / "start", *arguments],
            env={**self.env, **env},
            cwd=cwd or self.at,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def look(self, *arguments: str, **more: object) -> dict[str, object]:
        done = self.run("look", *arguments, **more)  # type: ignore[arg-type]
        assert done.returncode == 0, done.stderr
        # Nothing but the app's own words, the first time too.
        found: dict[str, object] = json.loads(done.stdout)
        return found


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def furnish(box: Box) -> Box:
    python = whole_python(box.at / "usr")
    put_torch(python.site, "2.5.1+box")
    for name, version in needed():
        put(python.site, name, version)
    box.on_path(python)
    return box


@pytest.fixture
def ready(box: Box) -> Box:
    """A box whose one Python has everything."""
    return furnish(box)


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Box:
    """The same after its first start, for tests that change nothing in it."""
    box = furnish(Box(tmp_path_factory.mktemp("settled")))
    box.look()
    box.starts()
    return box


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("roofwatch: ")
    return line


def test_a_torch_that_sees_the_gpu_comes_before_one_that_does_not(box: Box) -> None:
    first, second = whole_python(box.at / "usr"), whole_python(box.at / "conda")
    put_torch(first.site, "2.6.0+cpu", sees=False)
    put_torch(second.site, "2.5.1+box")
    for name, version in needed():
        put(second.site, name, version)
    box.on_path(first)
    box.on_path(second, "python")
    assert box.look()["torch"] == "2.5.1+box"


def test_any_torch_comes_before_none(box: Box) -> None:
    first, second = whole_python(box.at / "usr"), whole_python(box.at / "conda")
    for python in (first, second):
        for name, version in needed():
            put(python.site, name, version)
    put_torch(second.site, "2.6.0+cpu", sees=False)
    box.on_path(first)
    box.on_path(second, "python")
    assert box.look()["torch"] == "2.6.0+cpu"


def test_with_everything_there_nothing_is_installed(ready: Box) -> None:
    found = ready.look("a b", "*", "--help")
    assert found["prefix"] == str(ready.at / "usr")
    assert found["package"] == str(ready.project)
    assert found["arguments"] == ["a b", "*", "--help"]
    assert found["by_start"]  # so that the commands it names are ./start ones
    assert not list(ready.cache.glob("env-*"))


def test_what_is_missing_goes_beside_a_system_python_and_torch_stays(box: Box) -> None:
    python = whole_python(box.at / "usr")
    put_torch(python.site, "2.5.1+box")
    put(python.site, "numpy", "1.26.4")
    put(python.site, "rich", "13.7.1")
    (python.site.parent / "EXTERNALLY-MANAGED").write_text("[externally-managed]\nError=no\n")
    box.on_path(python)
    before = sorted(p.name for p in python.site.iterdir())
    found = box.look(PIP_FIND_LINKS=str(wheels(box.at / "wheels")), PIP_USER="1")
    assert found["torch"] == "2.5.1+box"
    (environment,) = box.cache.glob("env-*")
    assert found["prefix"] == str(environment)
    assert sorted(p.name for p in python.site.iterdir()) == before
    there = {p.name.partition("-")[0] for p in environment.glob("lib*/*/site-packages/*.dist-info")}
    assert {"textual", "rich"} <= there
    assert not {"torch", "numpy"} & there
    assert ("tomli" in there) == (sys.version_info < (3, 11))


def test_the_environment_of_a_virtual_torch_is_added_to_in_place(box: Box) -> None:
    python = venv_python(box.at / "venv")
    put_torch(python.site, "2.5.1+box")
    put(python.site, "psutil", "5.9.8")
    box.activate(python)
    found = box.look(PIP_FIND_LINKS=str(wheels(box.at / "wheels")))
    assert (found["prefix"], found["torch"]) == (str(box.at / "venv"), "2.5.1+box")
    assert not list(box.cache.glob("env-*"))
    assert python.versions("textual")
    # Neither replaced nor, for want of pip there, given one.
    assert python.versions("torch") == ["torch-2.5.1+box.dist-info"]
    assert python.versions("psutil") == ["psutil-5.9.8.dist-info"]
    assert not python.versions("pip")


def test_an_environment_that_would_have_to_change_is_left_alone(box: Box) -> None:
    python = venv_python(box.at / "venv")
    put_torch(python.site, "2.5.1+box")
    put(python.site, "rich", "13.7.1")
    box.activate(python)
    found = box.look(PIP_FIND_LINKS=str(wheels(box.at / "wheels")))
    assert found["torch"] == "2.5.1+box"
    (environment,) = box.cache.glob("env-*")
    assert found["prefix"] == str(environment)
    assert python.versions("rich") == ["rich-13.7.1.dist-info"]
    assert not python.versions("textual")


def test_the_second_start_asks_no_python(settled: Box) -> None:
    settled.starts()
    done = settled.run("look")
    assert (done.returncode, done.stderr) == (0, "")
    (only,) = settled.starts()
    assert only in {"-P -m", "-m roofwatch"}


def test_what_was_remembered_ends_with_its_reason(ready: Box) -> None:
    ready.look()
    (info,) = Python(ready.at / "usr/bin/python3").site.glob("torch-*.dist-info")
    shutil.rmtree(info.with_name("torch"))
    shutil.rmtree(info)
    put_torch(info.parent, "2.7.0+box")
    assert ready.look()["torch"] == "2.7.0+box"
    ready.starts()
    with (ready.project / "pyproject.toml").open("a") as file:
        file.write("# edited\n")
    ready.look()
    assert len(ready.starts()) > 1


def test_from_another_folder_and_through_links(ready: Box) -> None:
    elsewhere = ready.at / "else where"
    elsewhere.mkdir()
    # What lies in the folder one stands in is not to be imported.
    for name in ("torch", "pip", "venv", "json"):
        (elsewhere / f"{name}.py").write_text("raise SystemExit('the wrong one')\n")
    link, again = elsewhere / "link", ready.at / "again"
    link.symlink_to("../clone/start")
    again.symlink_to(link)
    if sys.version_info >= (3, 11):
        assert ready.look(program=again, cwd=elsewhere)["package"] == str(ready.project)
    assert ready.look(program=again, cwd=Path("/"))["package"] == str(ready.project)
    assert ready.look(program="./start", cwd=ready.project)["package"] == str(ready.project)


def test_two_clones_do_not_mix(ready: Box) -> None:
    other = ready.at / "other clone"
    shutil.copytree(ready.project, other)
    assert ready.look()["package"] == str(ready.project)
    assert ready.look(program=other / "start")["package"] == str(other)
    assert ready.look()["package"] == str(ready.project)


def test_two_starts_at_once(ready: Box) -> None:
    both = [
        subprocess.Popen(
            [ready.project / "start", "look"],
            env=ready.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for one in both:
        out, err = one.communicate(timeout=PATIENCE)
        assert one.returncode == 0, err
        assert json.loads(out)["torch"] == "2.5.1+box"


def test_a_lock_left_behind_does_not_hold(ready: Box) -> None:
    lock = ready.cache / "lock"
    lock.mkdir(parents=True)
    gone = subprocess.Popen(["true"])
    gone.wait()
    (lock / "owner").write_text(f"{gone.pid} {os.uname().nodename}\n")
    assert ready.look()["torch"] == "2.5.1+box"
    assert not lock.exists()


def test_a_tree_that_cannot_be_written(ready: Box) -> None:
    env = {key: value for key, value in ready.env.items() if key != "PYTHONDONTWRITEBYTECODE"}
    ready.env = env
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    ready.project.chmod(0o555)
    try:
        assert ready.look()["pycache"] == str(ready.cache / "pycache")
    finally:
        ready.project.chmod(0o755)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (None, "is no program"),
        ("#!/bin/sh\nexit 0\n", "does not answer as a Python"),
        ("#!/bin/sh\necho python 3.8\n", "is Python 3.8, too old"),
        ("#!/bin/sh\necho python 2.7\n", "is Python 2.7, too old"),
    ],
)
def test_a_bad_roofwatch_python_is_one_line(box: Box, made: str | None, says: str) -> None:
    program = box.at / "py"
    if made:
        program.write_text(made)
        program.chmod(0o755)
    done = box.run("look", ROOFWATCH_PYTHON=str(program))
    assert says in one_line(done)
    assert done.returncode == 2
    assert not (box.cache / "lock").exists()


@pytest.mark.parametrize(
    ("version", "broken", "says"),
    [
        ("2.5.1", True, "libcudart.so.12: no such file"),
        ("2.1.0", False, "roofwatch needs torch>=2.4"),
    ],
)
def test_a_roofwatch_python_whose_torch_will_not_do(
    box: Box, version: str, broken: bool, says: str
) -> None:
    python = whole_python(box.at / "usr")
    put_torch(python.site, version, broken=broken)
    done = box.run("look", ROOFWATCH_PYTHON=str(python.program))
    assert says in one_line(done)
    assert done.returncode == 2


def test_a_torch_that_does_not_import_is_passed_over(ready: Box) -> None:
    broken = whole_python(ready.at / "opt")
    put_torch(broken.site, "2.9.0", broken=True)
    done = ready.run("look", VIRTUAL_ENV=str(ready.at / "none"), CONDA_PREFIX=str(ready.at / "opt"))
    (ready.at / "opt/bin/python").symlink_to("python3")
    done = ready.run("look", CONDA_PREFIX=str(ready.at / "opt"))
    assert json.loads(done.stdout)["torch"] == "2.5.1+box"
    assert "passing over torch 2.9.0" in done.stderr
    assert "libcudart.so.12" in done.stderr


def test_offline_without_the_dependencies(box: Box) -> None:
    python = whole_python(box.at / "usr")
    put_torch(python.site, "2.5.1+box")
    done = box.run("look", ROOFWATCH_PYTHON=str(python.program))
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search(r"pip could not install textual.*PIP_FIND_LINKS", done.stderr.splitlines()[-1])


def test_offline_without_any_torch(box: Box) -> None:
    python = whole_python(box.at / "usr")
    done = box.run("look", ROOFWATCH_PYTHON=str(python.program))
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search(r"no torch here, and pip finds no torch==", done.stderr.splitlines()[-1])


def test_without_any_python(box: Box) -> None:
    if any(Path(p).exists() for p in ("/opt/conda/bin/python", "/venv/main/bin/python")):
        pytest.skip("this machine has one that cannot be hidden")
    done = box.run("look")
    assert "no Python 3.10 or newer found" in one_line(done)
    assert done.returncode == 1


def test_the_exit_code_is_the_apps(settled: Box) -> None:
    assert [settled.run("exit", str(code)).returncode for code in (0, 4, 5)] == [0, 4, 5]


class Terminal:
    """`./start` at a terminal of its own."""

    def __init__(self, box: Box, *command: str | Path) -> None:
        self.main, self.side = os.openpty()
        self.before = termios.tcgetattr(self.side)
        self.text = b""
        take = "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
        take += "signal.signal(signal.SIGINT, signal.SIG_DFL); "  # a job in the background has none
        take += "os.execv(sys.argv[1], sys.argv[1:])"
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", take, *command],
            env={**box.env, "TERM": "xterm-256color"},
            cwd=box.at,
            stdin=self.side,
            stdout=self.side,
            stderr=self.side,
            start_new_session=True,
        )

    def _read(self, seconds: float) -> None:
        if select.select([self.main], [], [], seconds)[0]:
            self.text += os.read(self.main, 65536)

    def until(self, pattern: str) -> re.Match[bytes]:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := re.search(pattern.encode(), self.text):
                return found
            self._read(0.1)
        pytest.fail(f"{pattern} never came: {self.text!r}")

    def type(self, keys: bytes) -> None:
        os.write(self.main, keys)

    def wait(self) -> int:
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self._read(0.05)
        self._read(0)
        return self.process.wait(timeout=1)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.main)
        os.close(self.side)


@pytest.fixture
def terminal(settled: Box) -> Iterator[Callable[..., Terminal]]:
    opened = []

    def at_terminal(*command: str | Path) -> Terminal:
        opened.append(Terminal(settled, *command))
        return opened[-1]

    yield at_terminal
    for one in opened:
        one.close()


@pytest.mark.pty
def test_the_terminal_is_put_in_order_after_a_kill(
    settled: Box, terminal: Callable[..., Terminal]
) -> None:
    screen = terminal(settled.project / "start", "screen")
    app = int(screen.until(r"READY (\d+)").group(1))
    assert termios.tcgetattr(screen.side) != screen.before
    os.kill(app, signal.SIGKILL)
    assert screen.wait() == 137
    assert termios.tcgetattr(screen.side) == screen.before
    after = screen.text.partition(b"READY")[2]
    for off in (b"?1049l", b"?25h", b"?1000l", b"?1003l", b"?1006l", b"?2004l", b"<u", b"0m"):
        assert b"\x1b[" + off in after


@pytest.mark.pty
def test_a_usual_end_writes_nothing_of_that(
    settled: Box, terminal: Callable[..., Terminal]
) -> None:
    screen = terminal(settled.project / "start", "exit", "5")
    assert screen.wait() == 5
    assert b"\x1b[" not in screen.text


@pytest.mark.pty
def test_a_failure_on_the_usual_screen_leaves_the_cursor(
    settled: Box, terminal: Callable[..., Terminal]
) -> None:
    screen = terminal(settled.project / "start", "exit", "1")
    assert screen.wait() == 1
    # Outside the other screen, 1049l would go back to a cursor saved who knows when.
    assert b"\x1b[?1049l" not in screen.text
    assert b"\x1b[?25h" in screen.text


@pytest.mark.pty
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_start_reaches_the_app(
    settled: Box, terminal: Callable[..., Terminal], number: signal.Signals
) -> None:
    screen = terminal(settled.project / "start", "signals")
    screen.until("READY")
    screen.process.send_signal(number)
    assert screen.wait() == 9
    screen.until(f"HEARD {int(number)}")


@pytest.mark.pty
def test_ctrl_c_is_the_apps_and_comes_once(settled: Box, terminal: Callable[..., Terminal]) -> None:
    screen = terminal(settled.project / "start", "interrupt")
    screen.until("READY")
    screen.type(b"\x03")
    assert screen.wait() == 42
    screen.until("INTERRUPTS 1")


@pytest.mark.pty
def test_an_interrupt_from_outside_reaches_the_app(
    settled: Box, terminal: Callable[..., Terminal]
) -> None:
    screen = terminal(settled.project / "start", "interrupt")
    screen.until("READY")
    screen.process.send_signal(signal.SIGINT)
    assert screen.wait() == 42
    screen.until("INTERRUPTS 1")


@pytest.mark.pty
def test_an_app_that_suspends_itself_gives_the_shell_back(
    settled: Box, terminal: Callable[..., Terminal]
) -> None:
    script = 'set -m; "$0" suspend; echo "STOPPED $?"; fg; echo "ENDED $?"'
    sh = settled.tools / "sh"
    screen = terminal(sh, "-c", script, settled.project / "start")
    screen.wait()
    assert re.search(rb"GOING.*STOPPED 1(45|47|48|49).*AGAIN.*ENDED 7", screen.text, re.S), (
        screen.text
    )
