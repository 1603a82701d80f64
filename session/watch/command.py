"""Somebody else's command, as if we were not there: its terminal, signals and exit code."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import types
from collections.abc import Mapping, Sequence
from itertools import pairwise

NOT_EXECUTABLE, NOT_FOUND = 126, 127  # as shells say it
PASSED_ON = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
"""What another process may send us and mean the command. Ctrl-Z and fg act on both as they are."""

INTERPRETERS = ("python", "pypy", "bash", "sh", "zsh", "perl", "ruby", "node", "julia")
LAUNCHERS = ("torchrun", "accelerate", "deepspeed", "uv", "srun", "mpirun")
SCRIPTS = (".py", ".sh", ".pl", ".rb", ".js", ".jl")
MODULE = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
CODE = re.compile(r"-[A-Za-z]*[ceE]")  # python -Bc, bash -lc, perl -ne


class NotStarted(Exception):
    """The command cannot be run; one line, and a shell's exit code."""

    def __init__(self, what: str, exit_code: int) -> None:
        super().__init__(what)
        self.exit_code = exit_code


class Passing:
    """Holds signals back, to be passed on by ``wait``. Main thread only; enter before any child.

    The terminal's own (Ctrl-C) reach the command by themselves and are not sent twice: the kernel
    says whether it or a process sent one, and for that they are waited for, not handled. What was
    ignored when we were started stays so for the command (nohup).
    """

    def __init__(self) -> None:
        self._waits_for = {
            number for number in PASSED_ON if signal.getsignal(number) is not signal.SIG_IGN
        }
        self._handlers: dict[signal.Signals, object] = {}
        self._mask: set[int] = set()
        self._early: list[int] = []
        self.asked: list[int] = []  # signals that came while no command ran

    def __enter__(self) -> Passing:
        for number in self._waits_for:
            self._handlers[number] = signal.signal(number, self._hear)
        self._mask = set(
            signal.pthread_sigmask(signal.SIG_BLOCK, {*self._waits_for, signal.SIGCHLD})
        )
        return self

    def __exit__(self, *_: object) -> None:
        while self.wait(0.0, None):
            pass
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # as it was told
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def _hear(self, number: int, _: types.FrameType | None) -> None:
        self._early.append(number)

    def start(
        self, command: Sequence[str], environ: Mapping[str, str], stdout: int | None
    ) -> subprocess.Popen[bytes]:
        """Start it with our terminal and our signal mask as it was; ``stdout`` in place of ours.

        Raises:
            NotStarted: there is no such command, or it is none.
        """
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        try:
            return subprocess.Popen(list(command), env=dict(environ), stdout=stdout)
        except FileNotFoundError as error:
            missing = error.filename if error.filename != command[0] else None
            what = f"{missing}: no such folder" if missing else "there is no such command"
            raise NotStarted(what, NOT_FOUND) from None
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            raise NotStarted(said or str(error), NOT_EXECUTABLE) from None
        finally:
            signal.pthread_sigmask(signal.SIG_BLOCK, {*self._waits_for, signal.SIGCHLD})

    def wait(self, seconds: float, process: subprocess.Popen[bytes] | None) -> bool:
        """Wait so long, or until a child ends or a signal has come, which is passed on.

        Without a process it is kept in ``asked``. False where nothing came.
        """
        told = signal.sigtimedwait(
            {*self._waits_for, signal.SIGCHLD}, 0 if self._early else seconds
        )
        early, self._early = self._early, []
        for number in early:  # heard while the command was started, or by another thread
            self._pass(number, process)
        if told is None:
            return bool(early)
        if told.si_signo != signal.SIGCHLD and (told.si_code <= 0 or process is None):
            self._pass(told.si_signo, process)
        return True

    def _pass(self, number: int, process: subprocess.Popen[bytes] | None) -> None:
        if process is None:
            self.asked.append(number)
        elif process.poll() is None:
            process.send_signal(number)


def name_of(command: Sequence[str]) -> str:
    """What a command is called: its program, and the script or module that an interpreter runs.

    Nothing else of it is kept: arguments hold secrets. A word is a script's by its suffix alone.
    """
    program = _text(os.path.basename(command[0]))
    interpreter = program.rstrip("0123456789.") in INTERPRETERS
    if not interpreter and program not in LAUNCHERS:
        return program
    for before, word in pairwise(command):
        if before == "-m" and MODULE.fullmatch(word):
            return f"{program} {word}"
        if interpreter and CODE.fullmatch(before):  # what follows is no name
            break
        if not word.startswith("-") and word.endswith(SCRIPTS):
            return f"{program} {_text(os.path.basename(word))}"
    return program


def _text(name: str) -> str:
    """A file's name may be no text; what a session keeps is."""
    return os.fsencode(name).decode("utf-8", "replace")


def code_of(status: int) -> int:
    """A process's status as a shell says it: 128 and the number of the signal that ended it."""
    return status if status >= 0 else 128 - status


def ended(status: int) -> str:
    """The same in words."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"
