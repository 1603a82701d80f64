"""The verbs. Each imports its parts only when it runs."""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import roofwatch
from roofwatch.tui.printed.live_options import NOMINAL, add_live_options, decode_shapes
from roofwatch.tui.printed.look_options import (
    add_ascii_option,
    add_look_options,
    add_output_options,
)

if TYPE_CHECKING:
    from roofwatch.roofline.nominal import Card
    from roofwatch.session.live import Live
    from roofwatch.session.replay import Replay
    from roofwatch.tui.drawing.glyphs import Glyphs
    from roofwatch.tui.screen.leaving import LastWord, Leaving

INTERNAL, USAGE, HUNG_UP = 1, 2, 129

EPILOG = """\
verbs:
  roofwatch            the screen: live telemetry, then the quick suite
  roofwatch run        the same without a screen: progress, record, findings
  roofwatch check FILE someone's own numbers: can they be believed (CSV, JSONL, -, or options)
  roofwatch plan       a card and a model on paper: what a batch can reach, and what caps it
  roofwatch show FILE  a saved session again (--json, --md, --plot PICTURE, --probe KEY, or --replay
                       for the screen)
  roofwatch triage MODULE:FUNCTION
                       someone's callable: compute, memory or overhead, and the treatment
"""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """One line on stderr, exit code 2."""
        from roofwatch.roofline.toml_text import one_line

        message = one_line(message)  # it repeats what was typed, which may be of any length
        _tell(f"{self.prog}: {message} (see {self.prog} --help)")
        sys.exit(USAGE)


def _live_options(parser: argparse.ArgumentParser) -> None:
    add_live_options(parser)
    _language_option(parser)


def _language_option(parser: argparse.ArgumentParser) -> None:
    said = "language of the findings: en or zh-CN (LANG's own without it)"
    parser.add_argument("--lang", type=_language, default=None, metavar="LANG", help=said)


def _language(text: str) -> str:
    from roofwatch.notebook.catalog import LANGUAGES, choose

    known = {name.lower(): name for name in LANGUAGES} | {"zh": "zh-CN", "zh-hans": "zh-CN"}
    name = known.get(text.lower().partition(".")[0].replace("_", "-"))
    if name is None:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(LANGUAGES)}")
    choose(name)
    return name


def _screen_parser() -> Parser:
    parser = Parser(
        prog="roofwatch",
        description="What this GPU really does: its own roofline, with live clocks and power.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"roofwatch {roofwatch.__version__}")
    _live_options(parser)
    add_look_options(parser)
    return parser


def _live(parser: Parser, options: argparse.Namespace) -> Live:
    """A live session from the options. A bad file ends with code 2 before anything runs."""
    from roofwatch.session.asked import Options
    from roofwatch.session.live import Live

    def cards() -> tuple[tuple[Card, ...], frozenset[str]]:
        from roofwatch.session.cards import load_cards  # after the first paint

        return load_cards(options.nominal)

    if options.nominal is not None or _has_own_cards():
        cards()  # a mistake in a user's file is said before the screen opens
    if options.resume is not None:
        own = {"--save": options.save, "--hold": options.hold, "--sustain": options.sustain}
        own |= {"--model": options.model, "--context": options.context}
        own |= {"--suite": options.suite != "quick"}
        if (name := next((name for name, given in own.items() if given), None)) is not None:
            parser.error(f"--resume goes on as the session began; {name} is of a new one")
    models, contexts = decode_shapes(parser, options)
    return Live(
        Options(
            device=options.device,
            suite=options.suite,
            sustain_s=options.sustain,
            hold=options.hold,
            models=models,
            contexts=contexts,
            price=options.price,
            save=options.save,
            resume=_resumed(options.resume),
        ),
        cards,
    )


def _resumed(name: str | None) -> Path | None:
    """The session that ``--resume`` names; the last one where it names none."""
    if name is None:
        return None
    from roofwatch.session.resume import last_session

    return Path(name) if name else last_session()


def _kept(live: Live) -> str:
    problem = live.file.problem
    if live.nothing_kept:
        return "nothing was measured: no session is kept"
    from roofwatch.tui.screen.spent import session_cost_said

    spent = session_cost_said(live.session)
    kept = f"not kept: {problem}" if problem else f"what was measured is in {live.path}"
    if not problem and not live.session.complete and live.options.probes:
        kept = f"{kept} (--resume measures the rest)"
    return f"{kept}; it {spent}" if spent else kept


def _has_own_cards() -> bool:
    from roofwatch.session.cards import user_file

    return user_file(os.environ) is not None


def _tell(said: object) -> None:
    """One line on stderr, without what would move the cursor; nothing where stderr is closed."""
    from roofwatch.session.printable import shown

    if sys.stderr is not None:  # else print would write on stdout
        print(shown(str(said)), file=sys.stderr)


def _glyphs(encoding: str | None, ascii_only: bool = False) -> Glyphs:
    from roofwatch.tui.drawing.glyphs import for_terminal

    return for_terminal(encoding, os.environ, ascii_only)


def _left_in_time(last_word: LastWord | None = None) -> Leaving:
    """Signals end the block in order or, where it is held up, without it."""
    from roofwatch.tui.screen.leaving import Leaving
    from roofwatch.tui.screen.terminal import Terminal

    return Leaving(last_word, Terminal(sys.stdin.fileno(), sys.stderr.fileno()))


def _draw(source: Live | Replay, options: argparse.Namespace, leaving: Leaving) -> int:
    """The screen over a session, until someone leaves it."""
    from roofwatch.tui.screen.first_frame import first_frame

    leaving.covers()
    with first_frame(sys.stderr):
        from roofwatch.tui.drawing.theme import theme_of
        from roofwatch.tui.screen.app import run as run_screen

        theme = options.theme or theme_of(os.environ)
        glyphs = _glyphs(sys.stderr.encoding, options.ascii)
    return run_screen(source, glyphs, theme, options.mouse, options.nominal, leaving)


def screen(argv: list[str]) -> int:
    """The screen, or the plain run where the terminal is none."""
    parser = _screen_parser()
    options, unknown = parser.parse_known_args(argv)
    if (verb := next((word for word in unknown if word in VERBS), None)) is not None:
        parser.error(f"the verb comes first, then its options: roofwatch {verb} ...")
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if not _has_screen():
        return HUNG_UP if _hung_up() else run(argv, look=True)
    gc.disable()  # until the first paint: collecting costs a fifth of the start
    from roofwatch.tui.screen.last_word import last_word

    live = _live(parser, options)
    with _left_in_time(last_word(live)) as leaving:
        live.start()  # telemetry comes up while textual is imported
        try:
            code = _draw(live, options, leaving)
        finally:
            live.close(leaving.why)
        if code:
            with contextlib.suppress(OSError):  # its terminal may be gone
                _tell(_kept(live))
            return code
        from roofwatch.session.exit_code import exit_code

        _tell(_kept(live))
        return exit_code(live.session, [], strict=False)


def _has_screen() -> bool:
    real = all(s is not None and s.isatty() for s in (sys.stdin, sys.stdout, sys.stderr))
    return real and os.environ.get("TERM", "dumb") not in ("", "dumb")


def _hung_up() -> bool:
    """Someone had a terminal, and closed it before the screen could open."""
    from roofwatch.tui.screen.terminal import hung_up

    return sys.__stdin__ is not None and hung_up(sys.__stdin__.fileno())


def run(argv: list[str], look: bool = False) -> int:
    """Progress on stderr, the record on stdout; ``look``: a screen was meant, its options stand."""
    parser = Parser(prog="roofwatch run", description="Measure without a screen.")
    _live_options(parser)
    (add_look_options if look else add_ascii_option)(parser)
    add_output_options(parser)
    parser.add_argument("--strict", action="store_true", help="exit 5 on a finding that is wrong")
    options = parser.parse_args(argv)
    from roofwatch.tui.printed import plain
    from roofwatch.tui.printed.progress_stream import ProgressStream
    from roofwatch.tui.screen.last_word import last_word
    from roofwatch.tui.screen.leaving import Leaving

    live = _live(parser, options)
    with Leaving(last_word(live)) as leaving, ProgressStream(sys.stderr) as out:
        try:
            session = plain.run(live, _glyphs(out.encoding, options.ascii), out, leaving)
        except plain.Interrupted as ended:
            from roofwatch.session.printable import shown

            out.write(f"ended by {ended}; {shown(_kept(live))}\n")
            return 128 + ended.number
    from roofwatch.session.exit_code import ABSENT, exit_code
    from roofwatch.session.findings import findings
    from roofwatch.tui.printed.show_plain import print_session

    code = exit_code(session, findings(session), options.strict)
    if code != ABSENT or options.json or options.md:  # nothing was measured that one could read
        kept = None if live.file.problem else live.path
        print_session(session, kept, options, _glyphs)
    return code


def show(argv: list[str]) -> int:
    """A saved session again."""
    from roofwatch.tui.printed import show_plain

    parser = Parser(prog="roofwatch show", description="A saved session again.")
    show_plain.add_options(parser)
    _language_option(parser)
    options = parser.parse_args(argv)

    def screen(replay: Replay) -> int:
        if not _has_screen():
            parser.error("--replay needs a terminal")
        with _left_in_time() as leaving:
            return _draw(replay, options, leaving)

    return show_plain.show(options, parser.error, _tell, screen, _glyphs)


CHECK = """\
A file holds one JSON object a line, or CSV with headings; - is standard input. One number may be
given by options instead; two of one experiment with commas: --batch 8,64 --time 10ms,11ms.
Numbers carry their units: --claimed 900GB/s --time 4.7us. Exit code 2: a row was unreadable.
"""


def check(argv: list[str]) -> int:
    """The notebook on someone's own numbers."""
    from roofwatch.notebook.claim import WHAT
    from roofwatch.notebook.entry import READ

    parser = Parser(
        prog="roofwatch check",
        description="Whether a measured number can be believed, and which mistake it smells of.",
        epilog=CHECK,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # --nominal is a file, --nominal-gbs a figure
    )
    parser.add_argument("file", nargs="?", help="numbers (.jsonl, .csv), or - for standard input")
    parser.add_argument("--json", action="store_true", help="one answer a line, alone on stdout")
    parser.add_argument("--full", action="store_true", help="a page for every row, however many")
    parser.add_argument("--strict", action="store_true", help="exit 5 when a number is wrong")
    parser.add_argument("--nominal", type=Path, metavar="FILE", help=NOMINAL)
    _language_option(parser)
    said = parser.add_argument_group("one number (the fields of a file's row as well)")
    for name in READ:
        option = f"--{name.replace('_', '-')}"
        said.add_argument(option, dest=f"said_{name}", metavar="X", help=WHAT[name])
        if "_" in name:
            hidden = argparse.SUPPRESS
            said.add_argument(f"--{name}", dest=f"said_{name}", help=hidden)
    parser.usage = "%(prog)s [options] FILE|-    or    --gpu T4 --op add_scalar --elements ..."
    options = parser.parse_args(argv)
    fields = {n: v for n in READ if (v := getattr(options, f"said_{n}")) is not None}
    if bool(fields) == bool(options.file):
        parser.error("give a file or -, or one number by options (--op, --time, --claimed ...)")
    gc.disable()  # answers are kept until the last one is there
    from roofwatch.tui.printed.check_plain import run as check_plain

    return check_plain(
        options.file,
        fields,
        _glyphs,
        cards=options.nominal,
        as_json=options.json,
        full=options.full,
        strict=options.strict,
    )


def _speak() -> None:
    """The language that the shell asks for; --lang says another."""
    from roofwatch.notebook.catalog import choose, language_of

    choose(language_of(os.environ))


def plan(argv: list[str]) -> int:
    """A card and a model on paper."""
    from roofwatch.tui.printed import plan_plain

    said, more = plan_plain.DESCRIPTION, plan_plain.EPILOG
    raw = argparse.RawDescriptionHelpFormatter
    parser = Parser(prog="roofwatch plan", description=said, epilog=more, formatter_class=raw)
    plan_plain.add_options(parser)
    return plan_plain.run(parser.parse_args(argv), _glyphs)


def triage(argv: list[str]) -> int:
    """Someone's callable: what it waits for."""
    from roofwatch.library.triage_plain import add_options, answer

    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # their function may be asked to end
        signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = Parser(prog="roofwatch triage", description="Which bottleneck holds a callable up.")
    add_options(parser)
    return answer(parser.parse_args(argv), _tell)


VERBS: dict[str, Callable[[list[str]], int]] = {
    "check": check,
    "plan": plan,
    "run": run,
    "show": show,
    "triage": triage,
}


def main(argv: list[str] | None = None) -> int:
    """Run a verb; a person's mistake is one line and exit code 2."""
    from roofwatch.tui.printed.live_options import with_values

    refuse = Parser(prog="roofwatch").error
    arguments = with_values(sys.argv[1:] if argv is None else argv, refuse)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name must not end a run
    _speak()
    try:
        if arguments and not arguments[0].startswith("-"):
            verb = VERBS.get(arguments[0])
            if verb is None:
                _screen_parser().error(f"{arguments[0]!r} is no verb")
            return verb(arguments[1:])
        return screen(arguments)
    except ValueError as error:
        from roofwatch.roofline.models import ModelError
        from roofwatch.roofline.nominal import NominalError
        from roofwatch.session.file import SaveRefused, UnreadableSession
        from roofwatch.session.number_file import UnreadableNumbers
        from roofwatch.session.picture import PictureRefused
        from roofwatch.session.plan import PlanError

        of_files = (NominalError, SaveRefused, UnreadableNumbers, UnreadableSession)
        known = (*of_files, ModelError, PictureRefused, PlanError)
        if not isinstance(error, known):
            raise
        _tell(f"roofwatch: {error}")
        return USAGE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        with contextlib.suppress(OSError):
            _tell(f"roofwatch: {error}")
        os._exit(INTERNAL)  # what could not be written stays in a buffer that must not be flushed
    except KeyboardInterrupt:
        return 130
