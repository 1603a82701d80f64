"""What a live session's file says where the process ends before the session could be closed."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from roofwatch.tui.screen.leaving import LastWord

if TYPE_CHECKING:
    from roofwatch.session.live import Live

END = re.compile(rb'^\{"kind":"end".*$', re.MULTILINE)


def last_word(live: Live) -> LastWord:
    """Writes the end of a run that has none. The instruments end with the process."""

    def write(why: str) -> int:
        from roofwatch.session.events import End
        from roofwatch.session.exit_code import exit_code, unwritten

        session = live.session
        if session.schema is None:  # nothing has been written: a file of nothing but its end
            with contextlib.suppress(OSError):
                if not live.path.stat().st_size:
                    live.path.unlink()
            return 0
        run = session.run
        if run not in session.ends and not _ended(live.path, run):
            whole = not live.options.probes
            live.file.write(End(t=live.now(), complete=whole, why=why, run=run))
        live.file.close()
        lacking = unwritten(live.options, live.file.problem)
        return exit_code(session, [], strict=False, lacking=lacking)

    return write


def _ended(path: Path, run: int) -> bool:
    """Whether a reader thread has kept an end that nobody has folded yet."""
    from roofwatch.session.events import End, decode

    try:
        kept = path.read_bytes()
    except OSError:
        return False
    ends = (decode(line) for line in END.findall(kept))
    return any(isinstance(end, End) and end.run == run for end in ends)
