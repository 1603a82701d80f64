"""``roofwatch``: the screen."""

from __future__ import annotations

import argparse
import contextlib
import gc
from collections.abc import Callable, Mapping

import roofwatch
from roofwatch.session.program import PROGRAM
from roofwatch.tui.printed.look_options import add_look_options, add_trace_option
from roofwatch.verbs import run
from roofwatch.verbs.live import add_options, kept_said, live_session
from roofwatch.verbs.on_screen import draw, has_screen, hung_up, left_in_time, trace_of
from roofwatch.verbs.parser import HUNG_UP, Parser, tell

EPILOG = """\
verbs (roofwatch VERB --help has each one's options and examples):
  roofwatch            the screen: live telemetry, then the quick suite
  roofwatch run        the same without a screen: progress, record, findings
  roofwatch doctor     this machine looked over, before money is spent on it
  roofwatch cards      the nominal table, with the arithmetic behind each figure
  roofwatch check FILE someone's own numbers: can they be believed (CSV, JSONL,
                       -, or options)
  roofwatch compare A B ...
                       saved sessions side by side, and what of it is more
                       than noise
  roofwatch plan       a card and a model on paper: what a batch can reach, and
                       what caps it
  roofwatch quiz       the notes' self-test questions, with this card's numbers
  roofwatch show FILE  a saved session again (--json, --md, --plot PICTURE,
                       --probe KEY, or --replay for the screen)
  roofwatch trace FILE a profiler's trace: each kernel on the roofline, busy
                       time and gaps
  roofwatch triage MODULE:FUNCTION
                       someone's callable: compute, memory or overhead, and
                       the treatment
  roofwatch watch [-- COMMAND ...]
                       the clocks while any work runs, or around a command,
                       summed up at its end
  torchrun ... -m roofwatch.fleet
                       every card of every node at once: which one is slow, and
                       the links

examples:
  roofwatch                                the screen, and the quick suite
  roofwatch --suite full --price 1.99/h    everything, and what it costs
  roofwatch --device cuda:1 --ascii        another card, in any terminal
  roofwatch --resume                       what a dropped link cut short
  roofwatch --completion bash              a script for the shell

files:
  ~/.local/share/roofwatch/sessions/       every run, one event a line
  ~/.config/roofwatch/nominal.toml         cards of your own
  ~/.config/roofwatch/models.toml          models of your own

environment:
  XDG_DATA_HOME, XDG_CONFIG_HOME           put these elsewhere
  LANG, COLORFGBG, NO_COLOR                language of the findings, colours

exit codes:
  0 done; 1 what was asked for could not be written (a full disk); 2 a mistake
  on the command line or in a file; 3 the device that was named is absent; 4 an
  instrument or a probe failed; 5 something is wrong, with --strict; 128+n
  signal n
"""


SHELLS = ("bash", "fish", "zsh")


def screen_parser() -> Parser:
    """The options of ``roofwatch`` without a verb."""
    parser = Parser(
        prog="roofwatch",
        description="What this GPU really does: its own roofline, with live clocks and power.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"roofwatch {roofwatch.__version__}")
    said = "print the script with which bash, fish or zsh completes our command lines"
    parser.add_argument("--completion", choices=SHELLS, metavar="SHELL", help=said)
    add_options(parser)
    add_look_options(parser)
    add_trace_option(parser)
    return parser


def main(argv: list[str], verbs: Mapping[str, Callable[[list[str]], int]]) -> int:
    """The screen, or the plain run where the terminal is none."""
    parser = screen_parser()
    options, unknown = parser.parse_known_args(argv)
    if (verb := next((word for word in unknown if word in verbs), None)) is not None:
        parser.error(f"the verb comes first, then its options: roofwatch {verb} ...")
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if options.completion is not None:
        from roofwatch.verbs.completion.script import script

        print(script(options.completion, parser, verbs), end="")
        return 0
    if options.trace is not None and not has_screen():
        parser.error(f"--trace needs a terminal; {PROGRAM} trace FILE prints it")
    if not has_screen():
        return HUNG_UP if hung_up() else run.main(argv, look=True)
    gc.disable()  # until the first paint: collecting costs a fifth of the start
    from roofwatch.tui.screen.last_word import last_word

    trace = trace_of(options)
    live = live_session(parser, options)
    with left_in_time(last_word(live)) as leaving:
        live.start()  # telemetry comes up while textual is imported
        try:
            code = draw(live, options, leaving, trace)
        finally:
            live.close(leaving.why)
        if code:
            with contextlib.suppress(OSError):  # its terminal may be gone
                tell(kept_said(live))
            return code
        from roofwatch.session.exit_code import exit_code, unwritten

        tell(kept_said(live))
        lacking = unwritten(live.options, live.file.problem)
        return exit_code(live.session, [], strict=False, lacking=lacking)
