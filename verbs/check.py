"""``roofwatch check``: the notebook on someone's own numbers."""

from __future__ import annotations

import argparse
import gc
from pathlib import Path

from roofwatch.tui.printed.live_options import NOMINAL
from roofwatch.verbs.parser import Parser, add_language_option, glyphs_for

EPILOG = """\
A file holds one JSON object a line, or CSV with headings; - is standard input.
One number may be given by options instead; two of one experiment with commas.
Numbers carry their units. Exit codes: 0 judged; 2 a row was unreadable; 5 a
number is wrong, with --strict.

examples:
  roofwatch check numbers.csv --full
  roofwatch check - --json --strict < numbers.jsonl
  roofwatch check --gpu T4 --op add_scalar --elements 524288 --dtype fp16 \\
      --claimed 900GB/s
  roofwatch check --op matmul --m 8192 --n 8192 --k 8192 --time 4.3ms
  roofwatch check --op decode --params 8B --batch 8,64 --time 10ms,11ms
"""


def main(argv: list[str]) -> int:
    """The notebook on someone's own numbers."""
    from roofwatch.notebook.claim import WHAT
    from roofwatch.notebook.entry import READ

    parser = Parser(
        prog="roofwatch check",
        description="Whether a measured number can be believed, and which mistake it smells of.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # --nominal is a file, --nominal-gbs a figure
    )
    parser.add_argument("file", nargs="?", help="numbers (.jsonl, .csv), or - for standard input")
    parser.add_argument("--json", action="store_true", help="one answer a line, alone on stdout")
    parser.add_argument("--full", action="store_true", help="a page for every row, however many")
    parser.add_argument("--strict", action="store_true", help="exit 5 when a number is wrong")
    parser.add_argument("--nominal", type=Path, metavar="FILE", help=NOMINAL)
    add_language_option(parser)
    said = parser.add_argument_group("one number (the fields of a file's row as well)")
    for name in READ:
        option = f"--{name.replace('_', '-')}"
        said.add_argument(option, dest=f"said_{name}", metavar="X", help=WHAT[name])
        if "_" in name:
            hidden = argparse.SUPPRESS
            said.add_argument(f"--{name}", dest=f"said_{name}", help=hidden)
    parser.usage = "%(prog)s [options] FILE|-   or   --gpu T4 --op add_scalar ..."
    options = parser.parse_args(argv)
    fields = {n: v for n in READ if (v := getattr(options, f"said_{n}")) is not None}
    if bool(fields) == bool(options.file):
        parser.error("give a file or -, or one number by options (--op, --time, --claimed ...)")
    gc.disable()  # answers are kept until the last one is there
    from roofwatch.tui.printed.check_plain import run as check_plain

    return check_plain(
        options.file,
        fields,
        glyphs_for,
        cards=options.nominal,
        as_json=options.json,
        full=options.full,
        strict=options.strict,
    )
