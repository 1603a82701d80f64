"""Why a rank takes no part in a fleet, or no longer: what is raised for it, and its exit code."""

from __future__ import annotations

USAGE, FAILED = 2, 4


class MeetingLost(RuntimeError):
    """The store does not answer: rank 0, or torchrun's agent, has ended or stands still.

    ``hangs``: as in ``NotMet``.
    """

    def __init__(self, said: str, hangs: bool = False) -> None:
        super().__init__(said)
        self.hangs = hangs


class NotMet(RuntimeError):
    """Nobody is met, or another fleet; one line says what, ``code`` is that of the process.

    ``hangs``: a call into torch is still under way in a thread, so the process has to end at once.
    """

    def __init__(self, said: str, code: int = FAILED, hangs: bool = False) -> None:
        super().__init__(said)
        self.code = code
        self.hangs = hangs


class Ended(RuntimeError):
    """A signal came while others were waited for."""
