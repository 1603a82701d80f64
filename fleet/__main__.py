"""``python -m roofwatch.fleet``: one process a rank, started by torchrun, by srun or by hand."""

from __future__ import annotations

if __name__ == "__main__":  # before what takes time to import
    import sys

    from roofwatch.verbs.early import ctrl_c_ends

    if not ctrl_c_ends():
        sys.exit(130)

import argparse
import contextlib
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from roofwatch.fleet.not_met import Ended, MeetingLost, NotMet
from roofwatch.fleet.options import parse
from roofwatch.fleet.own_device import CPU, CUDA, own_device
from roofwatch.fleet.stopping import Stopping
from roofwatch.fleet.world import TORCHRUN, World, WorldError, world
from roofwatch.roofline.suite import QUICK, SHORT
from roofwatch.session.fleet.missing_links import CUT
from roofwatch.session.fleet.rank_figures import THREADS
from roofwatch.verbs.parser import USAGE, glyphs_for, tell
from roofwatch.verbs.streams import at_once, flushed, forgiving, written

if TYPE_CHECKING:
    from roofwatch.fleet.lead import Lead
    from roofwatch.fleet.meeting import Meeting
    from roofwatch.fleet.rank import Measure, Rank
    from roofwatch.session.fleet.lines import RankLine

DONE, ABSENT, FAILED, SLOW = 0, 3, 4, 5
TORCH_LOG = "TORCH_CPP_LOG_LEVEL"  # read once, when torch is imported
LATE_S = 15.0  # more for all than for a rank's suite, so that a late one tells of itself


def main(argv: list[str] | None = None, measure: Measure | None = None) -> int:
    """Measure this rank (``measure`` in place of its suite); rank 0 gathers and reports."""
    forgiving()
    options = parse(argv)
    try:
        here = world(os.environ)
    except WorldError as error:
        tell(f"roofwatch.fleet: {error}")
        return USAGE
    os.environ.setdefault(TORCH_LOG, "ERROR")  # a store that goes first is no backtrace's matter
    stopping = Stopping(agent=here.agent_store or here.launcher == TORCHRUN)
    device = own_device(options.device, here.local_rank)
    if device == CPU and THREADS not in os.environ:  # else all ranks of a machine take all cores
        cores = len(os.sched_getaffinity(0))
        os.environ[THREADS] = str(max(1, cores // here.local_size))
    if options.suite is None:
        options.suite = SHORT if device == CPU else QUICK
    measure = measure or _measure(options, device)
    try:
        if here.rank:
            return _follow(options, here, stopping, measure)
        return _lead(options, here, stopping, device, measure)
    except Ended:
        tell(f"roofwatch.fleet: rank {here.rank}: {stopping.why} before the others were met")
        at_once(128 + stopping.number)
    except NotMet as error:
        tell(f"roofwatch.fleet: rank {here.rank}: {error}")
        if error.hangs:
            at_once(error.code)
        return error.code
    except MeetingLost as error:
        tell(f"roofwatch.fleet: rank {here.rank}: {error}")
        code = 128 + stopping.number if stopping.number else FAILED
        if error.hangs:
            at_once(code)
        return code


def _measure(options: argparse.Namespace, device: str) -> Measure:
    from roofwatch.fleet.own_suite import own_suite
    from roofwatch.session.asked import Options

    asked = Options(
        device=device,
        suite=options.suite,
        sustain_s=options.sustain,
        history=device != CPU,  # what all cores reached is not expected of some
    )
    return partial(own_suite, asked)


def _follow(options: argparse.Namespace, here: World, stopping: Stopping, measure: Measure) -> int:
    from roofwatch.fleet.rank import Rank

    me = Rank(here, _meeting(here, stopping, ""), stopping, options.timeout)
    me.hand_in(me.measured(measure))
    me.follow()
    return 128 + stopping.number if stopping.number else DONE


def _meeting(here: World, stopping: Stopping, fleet: str) -> Meeting:
    from roofwatch.fleet.meeting import JOIN_S, Meeting

    def told(said: str) -> None:
        tell(f"roofwatch.fleet: rank {here.rank}: {said}")

    return Meeting(here, fleet, JOIN_S, lambda: bool(stopping.number), told)


def _lead(
    options: argparse.Namespace, here: World, stopping: Stopping, device: str, measure: Measure
) -> int:
    from roofwatch.fleet.lead import Lead
    from roofwatch.fleet.rank import Rank
    from roofwatch.session.file import SaveRefused

    try:
        lead = Lead(options.save, keep_records=options.json)
    except SaveRefused as error:
        tell(f"roofwatch.fleet: {error}")
        return USAGE
    try:
        me = Rank(here, _meeting(here, stopping, lead.id), stopping, options.timeout)
    except (Ended, NotMet, MeetingLost):
        lead.abandon()
        raise
    kind = CPU if device == CPU else CUDA
    lead.begin(here.size, options.suite, kind, here.launcher, *_versions(kind))
    own = me.measured(measure)
    lost = ""
    try:
        why = _gather_and_link(options, me, lead, own, device)
    except MeetingLost as error:  # what has come is told all the same
        why = lost = str(error)
        lead.note(f"{lost}: what had come by then")
    lead.end(None if lost else me, not why and not lead.fleet.troubled, why)
    _print(options, lead)
    if not lost and not here.agent_store:
        lead.see_off(me)
    missing = [*(r.why for r in lead.fleet.troubled), *([why] if why else [])]
    if stopping.number and missing and set(missing) == {stopping.why}:
        code = 128 + stopping.number  # it alone is why something is missing
    else:
        code = _code(options, lead, bool(why))
    if me.meeting.hangs:
        at_once(code)
    return code


def _gather_and_link(
    options: argparse.Namespace, me: Rank, lead: Lead, own: RankLine, device: str
) -> str:
    """Every rank's record, then the links; why that came to no good end, or nothing."""
    from roofwatch.fleet.meeting import JOIN_S
    from roofwatch.fleet.rank import READY_S

    lead.collect(me, own, READY_S + options.timeout + LATE_S, JOIN_S, tell)
    cause = ""
    if me.stopping.number or not options.no_collectives:
        cause = lead.look_who_is_there(me, tell)
    why = me.stopping.why
    if why:
        lead.note(f"{why}: what had come by then")
        why = cause or why
    elif not options.no_collectives:
        most = options.most_mib << 20 if options.most_mib else None
        plan = lead.plan(me, CPU if device == CPU else CUDA, most)
        if plan is None:
            few = "fewer than two ranks are there for them"
            lead.no_links(me, few if me.world.size > 1 else "")
        else:
            why = lead.links(me, plan, device, tell)
            if why:
                lead.note(f"{CUT}{why}")
    else:
        lead.no_links(me, "--no-collectives leaves them out" if me.world.size > 1 else "")
    lead.note_refused(me)
    return why


def _versions(kind: str) -> tuple[str, str]:
    """torch's, and NCCL's where GPUs are joined by it."""
    import torch

    nccl = ""
    if kind == CUDA:
        with contextlib.suppress(RuntimeError, AttributeError, ImportError):
            nccl = ".".join(map(str, torch.cuda.nccl.version()))
    return str(torch.__version__), nccl


def _print(options: argparse.Namespace, lead: Lead) -> None:
    """The report on stdout, where the file is on stderr."""
    if lead.file.problem:
        tell(f"roofwatch.fleet: {lead.problem}")
    elif str(lead.file.path) != os.devnull:
        tell(f"the fleet is in {lead.file.path}")
    if sys.stdout is None:
        return

    def write() -> None:
        if options.json:
            from roofwatch.session.fleet.fleet_json import fleet_json

            for piece in fleet_json(lead.fleet, lead.lines()):
                sys.stdout.buffer.write(piece)
        else:
            from roofwatch.tui.drawing.print_rows import columns, print_rows
            from roofwatch.tui.printed.fleet_rows import fleet_rows

            glyphs = glyphs_for(sys.stdout.encoding, options.ascii)
            print_rows(fleet_rows(lead.fleet, columns(sys.stdout), glyphs), sys.stdout, glyphs)

    written(write, "roofwatch.fleet")


def _code(options: argparse.Namespace, lead: Lead, links_failed: bool) -> int:
    from roofwatch.session.fleet.link_figures import slow_links
    from roofwatch.session.fleet.outliers import outliers
    from roofwatch.session.fleet.spreads import metrics

    fleet = lead.fleet
    if fleet.troubled or links_failed:
        return ABSENT if all(r.absent for r in fleet.in_order) else FAILED
    if options.strict:
        found = metrics(fleet)
        if outliers(fleet, found) or slow_links(fleet) or any(m.too_far for m in found):
            return SLOW
    return DONE


if __name__ == "__main__":
    sys.exit(flushed(main()))
