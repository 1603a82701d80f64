"""``python -m roofwatch.telemetry``: the live instrument, alone or under a session.

Exit codes: 0 done, 2 usage, 3 no NVML or no such device, 4 the card was lost, 130 on Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys

from roofwatch.session.events import Fault, SessionInfo
from roofwatch.session.instrument import Instrument, add_arguments
from roofwatch.telemetry.nvml import Absent, Gone
from roofwatch.telemetry.orders import HZ_MAX, Orders
from roofwatch.telemetry.sampler import Source, introduce, look, run

HZ = 10.0  # NVML refreshes every 100 ms; faster polling returns repeats


def main(arguments: list[str] | None = None) -> int:
    """Sample until told to stop; the exit code."""
    options = _parse(arguments)
    instrument = Instrument("telemetry", options.fd, options.t0)
    orders = Orders(options.hz)
    # NVML's first call takes seconds with persistence mode off: say that we live before it.
    instrument.say("starting")
    instrument.keep_beating()
    instrument.listen(orders.hear)
    try:
        source = _open(instrument, options)
        instrument.say("sampling")
        introduce(source, instrument, options.hz)
        hz = options.hz
        run(source, instrument, hz, options.seconds, orders.come)
        while orders.follow():
            for asked in orders.looks():
                look(source, instrument, asked)
            if orders.hz != hz:
                hz, now = orders.hz, instrument.now()
                instrument.write(SessionInfo(t=now, instrument=instrument.name, hz=hz))
            run(source, instrument, hz, options.seconds, orders.come)
    except Absent as error:
        return _fail(instrument, str(error), 3)
    except Gone as error:
        return _fail(instrument, str(error), 4)
    except KeyboardInterrupt:
        return 130
    return 0


def _open(instrument: Instrument, options: argparse.Namespace) -> Source:
    """The source that was asked for; under ``auto`` the host where there is no NVML.

    A device that was named and is not there is an error under ``auto`` too: the host's numbers
    would pass for its own.
    """
    from roofwatch.telemetry import nvml

    kind, device = options.source, options.device
    if kind == "host" or device == "cpu":
        return _host([])
    try:
        library = nvml.load(options.without)
        instrument.waits_for = library.waits_for
        library.start()
    except Absent as error:
        if kind == "nvml":
            raise
        return _host([f"{error}; reading the host's CPU instead"])
    from roofwatch.telemetry.gpu import Gpu

    try:
        return Gpu(library, device, os.environ)
    except Absent as error:
        if kind == "nvml" or device not in (None, "all"):
            raise
        return _host([f"{error}; reading the host's CPU instead"])


def _host(notes: list[str]) -> Source:
    from roofwatch.telemetry.host import Host

    return Host(notes)


def _fail(instrument: Instrument, what: str, exit_code: int) -> int:
    instrument.write(
        Fault(t=instrument.now(), instrument=instrument.name, what=what, exit_code=exit_code)
    )
    return exit_code


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m roofwatch.telemetry", description="Live readings of one card, or the host."
    )
    add_arguments(parser)
    parser.add_argument("--source", choices=("auto", "nvml", "host"), default="auto")
    parser.add_argument("--device", help="cuda:N as CUDA counts, a UUID, cpu, or all")
    parser.add_argument(
        "--without",
        type=_names,
        default=frozenset(),
        metavar="NAME[,NAME...]",
        help="NVML functions that are not called: they would hang",
    )
    parser.add_argument("--hz", type=_rate, default=HZ, help="samples a second (default 10)")
    parser.add_argument("--seconds", type=float, help="stop after so long (default: never)")
    return parser.parse_args(arguments)


def _names(text: str) -> frozenset[str]:
    return frozenset(filter(None, map(str.strip, text.split(","))))


def _rate(text: str) -> float:
    hz = float(text)
    if not 0 < hz <= HZ_MAX:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and up to {HZ_MAX:g}")
    return hz


if __name__ == "__main__":
    try:
        code = main()
    except Exception:
        import traceback

        traceback.print_exc()
        code = 1
    sys.stderr.flush()
    # Not sys.exit: a thread that waits on stdin can make the interpreter's own end abort.
    os._exit(code)
