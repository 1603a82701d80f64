"""``roofwatch``: the screen."""

from __future__ import annotations

import argparse
import contextlib
import gc
from collections.abc import Collection

import roofwatch
from roofwatch.tui.printed.look_options import add_look_options
from roofwatch.verbs import run
from roofwatch.verbs.live import add_options, kept_said, live_session
from roofwatch.verbs.on_screen import draw, has_screen, hung_up, left_in_time
from roofwatch.verbs.parser import HUNG_UP, Parser, tell

EPILOG = """\
verbs:
  roofwatch            the screen: live telemetry, then the quick suite
  roofwatch run        the same without a screen: progress, record, findings
  roofwatch doctor     this machine looked over in ten seconds, before money is spent on it
  roofwatch check FILE someone's own numbers: can they be believed (CSV, JSONL, -, or options)
  roofwatch plan       a card and a model on paper: what a batch can reach, and what caps it
  roofwatch show FILE  a saved session again (--json, --md, --plot PICTURE, --probe KEY, or --replay
                       for the screen)
  roofwatch triage MODULE:FUNCTION
                       someone's callable: compute, memory or overhead, and the treatment
  roofwatch watch [-- COMMAND ...]
                       the clocks while any work runs, or around a command, summed up at its end
  torchrun ... -m roofwatch.fleet
                       every card of every node at once: which one is slow, and the links
"""


def screen_parser() -> Parser:
    """The options of ``roofwatch`` without a verb."""
    parser = Parser(
        prog="roofwatch",
        description="What this GPU really does: its own roofline, with live clocks and power.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"roofwatch {roofwatch.__version__}")
    add_options(parser)
    add_look_options(parser)
    return parser


def main(argv: list[str], verbs: Collection[str]) -> int:
    """The screen, or the plain run where the terminal is none."""
    parser = screen_parser()
    options, unknown = parser.parse_known_args(argv)
    if (verb := next((word for word in unknown if word in verbs), None)) is not None:
        parser.error(f"the verb comes first, then its options: roofwatch {verb} ...")
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if not has_screen():
        return HUNG_UP if hung_up() else run.main(argv, look=True)
    gc.disable()  # until the first paint: collecting costs a fifth of the start
    from roofwatch.tui.screen.last_word import last_word

    live = live_session(parser, options)
    with left_in_time(last_word(live)) as leaving:
        live.start()  # telemetry comes up while textual is imported
        try:
            code = draw(live, options, leaving)
        finally:
            live.close(leaving.why)
        if code:
            with contextlib.suppress(OSError):  # its terminal may be gone
                tell(kept_said(live))
            return code
        from roofwatch.session.exit_code import exit_code

        tell(kept_said(live))
        return exit_code(live.session, [], strict=False)
