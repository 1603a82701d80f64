"""The command line of ``python -m roofwatch.fleet``, the same on every rank."""

from __future__ import annotations

import argparse
from pathlib import Path

from roofwatch.fleet.collective_sizes import MOST_BYTES
from roofwatch.fleet.own_device import AUTO, CPU, CUDA
from roofwatch.roofline.suite import FULL, QUICK, SHORT, SUSTAIN_S
from roofwatch.tui.printed.live_options import seconds
from roofwatch.tui.printed.look_options import add_ascii_option
from roofwatch.verbs.parser import Parser

DESCRIPTION = "Every card of every node at once: which one is slow, and what the links do."
EPILOG = """\
  torchrun --nnodes N --nproc-per-node M ... -m roofwatch.fleet
  srun --ntasks-per-node=M python -m roofwatch.fleet
  python -m roofwatch.fleet                    one device, alone
Rank 0 prints the report and keeps one file, which "roofwatch show" reads again.
Exit codes (of rank 0): 0 done; 1 the report could not be written; 2 usage; 3
the device is absent everywhere; 4 a rank or a link failed, or another fleet is
met; 5 something is slow, with --strict; 128+n on signal n.
"""
DEVICES = (AUTO, CPU, CUDA)
SUITES = (SHORT, QUICK, FULL)
SUITE = f"what each rank measures: {SHORT} (on a CPU without it), {QUICK} (on a GPU) or {FULL}"
SUSTAIN = f"seconds of the sustained probe ({SUSTAIN_S[QUICK]:.0f}, {FULL} {SUSTAIN_S[FULL]:.0f})"
TIMEOUT_S = 900.0
MOST_MIB = 1 << 14


def parse(argv: list[str] | None) -> argparse.Namespace:
    """The options; a mistake is one line and exit code 2."""
    parser = Parser(
        prog="roofwatch.fleet",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--suite", choices=SUITES, default=None, help=SUITE)
    add("--device", choices=DEVICES, default=AUTO, help="auto, cpu or cuda (by LOCAL_RANK)")
    add("--sustain", type=seconds, metavar="S", help=SUSTAIN)
    add("--save", type=Path, metavar="FILE", help="keep the fleet there (must be new or empty)")
    add("--json", action="store_true", help="the fleet as JSON, one line alone on stdout")
    add(
        "--timeout",
        type=seconds,
        default=TIMEOUT_S,
        metavar="S",
        help=f"for the suite, without waiting for the others ({TIMEOUT_S:.0f})",
    )
    add("--no-collectives", action="store_true", help="each rank by itself; no links")
    add(
        "--most-mib",
        type=_mib,
        metavar="N",
        help="largest collective, measured too "
        f"({MOST_BYTES[CUDA] >> 20}, on a CPU {MOST_BYTES[CPU] >> 20})",
    )
    add(
        "--strict",
        action="store_true",
        help="exit 5 when a rank or a link is slow, or it cannot be told",
    )
    add_ascii_option(parser)
    return parser.parse_args(argv)


def _mib(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= MOST_MIB):
        text = text if len(text) <= 40 else f"{text[:40]}..."
        raise argparse.ArgumentTypeError(f"{text!r} is no number of MiB from 1 to {MOST_MIB}")
    return int(text)
