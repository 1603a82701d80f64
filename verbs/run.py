"""``roofwatch run``: the suite without a screen."""

from __future__ import annotations

import argparse
import sys

from roofwatch.tui.printed.look_options import (
    add_ascii_option,
    add_look_options,
    add_output_options,
)
from roofwatch.verbs.live import add_options, kept_said, live_session
from roofwatch.verbs.parser import Parser, glyphs_for

EPILOG = """\
Progress goes to stderr, the record to stdout, the session into a file of its
own (--save, or the sessions folder). Exit codes: 0 measured; 1 the record or
the file of --save or --resume could not be written (a full disk); 2 usage; 3
the device that was named is absent; 4 an instrument or a probe failed; 5 a
finding is wrong, with --strict; 128+n signal n.

examples:
  roofwatch run                              the quick suite, as a report
  roofwatch run --json > record.json         the record alone
  roofwatch run --suite full --hold bf16,fp8 --sustain 10
  roofwatch run --suite decode --model Llama-3-8B --context 256,2048
  roofwatch run --device cpu --md --save cpu.jsonl
  roofwatch run --resume                     what was cut short
"""


def main(argv: list[str], look: bool = False) -> int:
    """Progress on stderr, the record on stdout; ``look``: a screen was meant, its options stand."""
    parser = Parser(
        prog="roofwatch run",
        description="Measure without a screen.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    (add_look_options if look else add_ascii_option)(parser)
    add_output_options(parser)
    parser.add_argument("--strict", action="store_true", help="exit 5 on a finding that is wrong")
    options = parser.parse_args(argv)
    from roofwatch.tui.printed import plain
    from roofwatch.tui.printed.progress_stream import ProgressStream
    from roofwatch.tui.screen.last_word import last_word
    from roofwatch.tui.screen.leaving import Leaving

    live = live_session(parser, options)
    with Leaving(last_word(live)) as leaving, ProgressStream(sys.stderr) as out:
        try:
            session = plain.run(live, glyphs_for(out.encoding, options.ascii), out, leaving)
        except plain.Interrupted as ended:
            from roofwatch.session.printable import shown

            out.write(f"ended by {ended}; {shown(kept_said(live))}\n")
            return 128 + ended.number
    from roofwatch.session.exit_code import ABSENT, exit_code, unwritten
    from roofwatch.session.findings import findings
    from roofwatch.tui.printed.show_plain import print_session

    lacking = unwritten(live.options, live.file.problem)
    code = exit_code(session, findings(session), options.strict, lacking)
    if code != ABSENT or options.json or options.md:  # nothing was measured that one could read
        kept = None if live.file.problem else live.path
        print_session(session, kept, options, glyphs_for)
    return code
