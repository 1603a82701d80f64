"""``roofwatch triage``: what someone's callable waits for."""

from __future__ import annotations

import signal

from roofwatch.library.triage_plain import add_options, answer
from roofwatch.verbs.parser import Parser, tell


def main(argv: list[str]) -> int:
    """Someone's callable: what it waits for."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # their function may be asked to end
        signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = Parser(prog="roofwatch triage", description="Which bottleneck holds a callable up.")
    add_options(parser)
    return answer(parser.parse_args(argv), tell)
