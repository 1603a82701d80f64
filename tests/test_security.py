"""What the package never does: the network, code from data, files through links or for others."""

from __future__ import annotations

import ast
import os
import stat
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from roofwatch.cli import main
from roofwatch.session import file as session_file
from roofwatch.session.events import SessionInfo
from roofwatch.session.file import SaveRefused, sessions_folder
from roofwatch.session.kept_file import create
from roofwatch.session.picture import PictureRefused, write

ROOT = Path(__file__).parent.parent
APART = {"tests", "benchmarks", "docs", "examples", "build", "dist"}
FORBIDDEN = {
    *("pickle", "cPickle", "dill", "shelve", "marshal", "yaml", "code", "runpy", "pty"),
    *("socketserver", "ssl", "http", "urllib", "xmlrpc", "ftplib", "smtplib"),
    *("telnetlib", "requests", "httpx", "aiohttp", "webbrowser", "multiprocessing"),
}
ONLY_IN = {
    "ctypes": {
        "session/instrument.py",  # prctl
        "probes/graph_nodes.py",  # a field of a struct
        "session/doctor/kernel_log.py",  # klogctl, to read
    },
    "subprocess": {
        "session/child.py",  # the two instruments
        "session/watch/command.py",  # what is watched, as it was typed
        "tui/printed/watch_plain.py",  # its type
        "fleet/links_process.py",  # a rank's part of the collectives
    },
    "socket": {
        "fleet/reaching.py",  # whether rank 0's port answers, before torch is asked
    },
    "asyncio": {  # Textual's loop, and what it does with a signal
        "tui/screen/app.py",
        "tui/screen/fleet_app.py",
    },
    "importlib": {
        "__init__.py",  # a name of the package when it is first used
        "library/their_callable.py",  # what triage was given
        "probes/compiled.py",  # whether triton is there
        "session/cards.py",  # our own tables
        "session/models.py",
        "tui/screen/loading.py",  # panes, by their names
    },
}
CALLS = {"eval", "exec", "compile", "__import__", "input", "breakpoint", "execfile"}
ATTRIBUTES = {"system", "popen", "execv", "execve", "execvp", "fork", "forkpty", "posix_spawn"}
DOTTED = {"torch.load", "np.load", "numpy.load", "torch.hub", "pickle.loads", "yaml.load"}
IMPORTERS = {"__init__.py", "library/their_callable.py", "tui/screen/loading.py"}
WRITERS = {
    "session/kept_file.py": "a session",
    "session/picture.py": "a picture",
    "session/scratch.py": "a compiler's folder, which goes with its instrument",
    "session/watch/marks.py": "a file for marks, which goes with the watcher",
    "session/watch/metrics_file.py": "metrics, where they were asked for",
    "session/child.py": "an instrument's log, nameless",
    "probes/compiled.py": "a compiler's folder, which goes again",
}
NOWHERE = {
    "verbs/streams.py",
    "tui/printed/patient_stream.py",
    "library/mark.py",
    "library/telemetry_child.py",
    "library/triage_plain.py",
} | {
    "probes/timeline.py",
    "fleet/links_process.py",  # the reading end of a pipe
    "session/doctor/kernel_log.py",  # to read
    "session/entry.py",  # to read
    "session/file.py",  # to read
    "tui/screen/terminal.py",  # the terminal itself, so that it does not block
    "tui/printed/plain.py",
    "tui/printed/watch_plain.py",
}
"""These open /dev/null, a copy of a descriptor, or a file to read."""
WRITES = {"write_text", "write_bytes", "mkdir", "makedirs", "symlink", "link", "mkfifo", "mknod"}


@cache
def modules() -> list[tuple[str, ast.Module]]:
    names = (path.relative_to(ROOT) for path in sorted(ROOT.glob("**/*.py")))
    ours = (n for n in names if n.parts[0] not in APART and not n.parts[0].startswith("."))
    return [(str(n), ast.parse((ROOT / n).read_text(encoding="utf-8"))) for n in ours]


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def test_the_walk_sees_the_package() -> None:
    names = {name for name, _ in modules()}
    assert {"cli.py", "session/file.py", "probes/worker.py", "tui/screen/app.py"} <= names
    assert len(names) > 250


def test_no_network_and_no_code_from_data() -> None:
    seen = {
        (name, top)
        for name, tree in modules()
        for top in {each.partition(".")[0] for each in imports(tree)}
        if top in FORBIDDEN or name not in ONLY_IN.get(top, {name})
    }
    assert seen == set()


def test_no_text_is_run() -> None:
    for name, tree in modules():
        for called, node in calls(tree):
            where = f"{name}:{node.lineno}: {called}"
            assert called not in CALLS, where
            assert called not in DOTTED, where
            assert not (called.startswith("os.") and called[3:] in ATTRIBUTES), where
            shell = [k for k in node.keywords if k.arg == "shell"]
            assert not shell, where


def test_modules_are_imported_by_name_in_few_places() -> None:
    found = {
        name
        for name, tree in modules()
        for called, _ in calls(tree)
        if called.rpartition(".")[2] in ("import_module", "exec_module", "load_module")
    }
    assert found == IMPORTERS


def test_files_are_made_in_few_places() -> None:
    found = set()
    for name, tree in modules():
        for called, node in calls(tree):
            last = called.rpartition(".")[2]
            mode = [a.value for a in node.args if isinstance(a, ast.Constant)]
            opened = called == "open" and any(m in ("w", "a", "wb", "ab", "r+b") for m in mode)
            if last in WRITES or opened or called in ("os.open", "os.fdopen"):
                found.add(name)
            if called.startswith("tempfile."):
                found.add(name)
    assert found <= WRITERS.keys() | NOWHERE
    assert found >= WRITERS.keys()


@pytest.fixture
def no_umask() -> Iterator[None]:
    """Nothing is taken from the mode of a new file."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_written_is_the_users_own(
    tmp_path: Path, no_umask: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "new" / "data"))
    kept = create(None, "stamp", "id")
    kept.write(SessionInfo(t=0.0, schema="roofwatch.session/1"))
    kept.close()
    write(tmp_path / "roof.txt", b"x")
    assert mode(kept.path) == mode(tmp_path / "roof.txt") == 0o600
    for folder in (tmp_path / "new", *(p for p in kept.path.parents if p.is_relative_to(tmp_path))):
        if folder != tmp_path:
            assert mode(folder) == 0o700, folder
    assert kept.path.parent == sessions_folder()


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing"])
def test_nothing_is_written_through_a_planted_link(
    there: bool, tmp_path: Path, h200_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = tmp_path / "theirs"
    if there:
        theirs.write_text("theirs")
    for name in ("roof.txt", "roof.svg", "s.jsonl"):
        (tmp_path / name).symlink_to(theirs)
    with pytest.raises(SaveRefused) as refused:
        create(tmp_path / "s.jsonl", "stamp", "id")
    assert str(tmp_path / "s.jsonl") in str(refused.value)
    with pytest.raises(PictureRefused, match=r"roof\.svg: is a link"):
        write(tmp_path / "roof.svg", b"x")
    assert main(["show", str(h200_file), "--plot", str(tmp_path / "roof.txt")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "roof.txt: is a link" in said
    assert theirs.exists() == there
    assert not there or theirs.read_text() == "theirs"


READERS: dict[str, Callable[[str], list[str]]] = {
    "show": lambda pipe: ["show", pipe],
    "compare": lambda pipe: ["compare", pipe, pipe],
    "show --replay": lambda pipe: ["show", pipe, "--replay", "--speed", "10"],
    "check": lambda pipe: ["check", pipe],
    "check --nominal": lambda pipe: ["check", "--op", "add", "--nominal", pipe],
    "plan --nominal": lambda pipe: ["plan", "--nominal", pipe],
    "plan --session": lambda pipe: ["plan", "--session", pipe],
    "plan --model": lambda pipe: ["plan", "--gpu", "T4", "--model", pipe],
    "run --nominal": lambda pipe: ["run", "--nominal", pipe],
    "run --save": lambda pipe: ["run", "--save", pipe],
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "in /dev/shm"])
def test_a_pipe_that_nobody_writes_to_is_refused(
    reader: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = Path("/dev/shm")
    if kind == "in /dev/shm" and not os.access(shared, os.W_OK):
        pytest.skip("no /dev/shm")
    pipe = (shared if kind == "in /dev/shm" else tmp_path) / f"roofwatch-{os.getpid()}.json"
    os.mkfifo(pipe)
    try:
        name = tmp_path / "link.json" if kind == "link to a pipe" else pipe
        if name != pipe:
            name.symlink_to(pipe)
        late = threading.Timer(5.0, lambda: os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)))
        late.start()  # who waits all the same is let go, and fails
        code = _code(READERS[reader](str(name)))
        assert late.is_alive()
        late.cancel()
    finally:
        pipe.unlink()
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.count("\n") == 1
    assert str(name) in said.err


def _code(argv: list[str]) -> int:
    try:
        return main(argv)
    except SystemExit as error:
        return int(error.code or 0)


def test_the_users_own_tables_may_be_no_pipes_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "config" / "roofwatch"
    own.mkdir(parents=True)
    for name in ("nominal.toml", "models.toml"):
        os.mkfifo(own / name)
        assert main(["plan", "--gpu", "T4", "--model", "TinyLlama"]) == 2
        assert capsys.readouterr().err == f"roofwatch: {own / name}: is a pipe, not a file\n"
        (own / name).unlink()


def test_a_session_file_is_read_up_to_its_bounds(
    tmp_path: Path, h200_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sparse = tmp_path / "large.jsonl"
    with sparse.open("wb") as file:
        file.truncate(session_file.MOST_BYTES + 1)
    with pytest.raises(session_file.UnreadableSession, match=r"large\.jsonl: more than 4 GiB"):
        next(session_file.events(sparse))
    monkeypatch.setattr(session_file, "MOST_KEPT_BYTES", 20_000)
    with pytest.raises(session_file.UnreadableSession, match=r"row \d+: more than 0 MiB of events"):
        list(session_file.events(h200_file))
    samples = [line for line in h200_file.read_bytes().splitlines(True) if b'"sample"' in line[:20]]
    many = tmp_path / "samples.jsonl"
    many.write_bytes(h200_file.read_bytes().splitlines(True)[0] + b"".join(samples * 3))
    assert len(list(session_file.events(many))) == 1 + 3 * len(samples)  # they are kept small


def test_a_pipe_is_read_up_to_the_same_bound(
    h200_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = h200_file.read_bytes()
    monkeypatch.setattr(session_file, "MOST_BYTES", 30_000)
    read_end, write_end = os.pipe()
    writer = threading.Thread(target=_pour, args=(write_end, data))
    writer.start()
    try:
        with pytest.raises(session_file.UnreadableSession, match=r"row \d+: past 0 GiB"):
            list(session_file.events(Path(f"/dev/fd/{read_end}")))
    finally:
        os.close(read_end)
        writer.join()


def _pour(write_end: int, data: bytes) -> None:
    try:
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(data)
    except BrokenPipeError:
        pass
