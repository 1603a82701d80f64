"""Before the links: which of the ranks that have handed in are still there.

One that was killed since then, or stands still, or has said that a signal ends it, would be waited
for by all others, who then measure nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from roofwatch.fleet.gather import STILL_HURRY_S, Waiting
from roofwatch.fleet.life import STILL_S
from roofwatch.fleet.links_fault import FAULTS, SILENT, Fault, faults_heard
from roofwatch.fleet.rank import Rank

LOOK_S = 0.1
LATE_S = 3.0  # after the time for the last lines, and before torchrun's end


def roll_call(me: Rank, heard: Waiting, ranks: Iterable[int]) -> dict[int, Fault]:
    """Those that are gone: one that said so, or has not beaten as long as counts.

    Each of the others has beaten once more, so that it takes a moment where all are there. Once a
    signal has come it is over with what is known, but for torchrun's, whose cause is one of them.

    Raises:
        MeetingLost: the store is gone.
    """
    left, gone, said = set(ranks), dict[int, Fault](), 0
    before = {rank: me.meeting.beats(rank) for rank in left}
    while left:
        me.beat("looking who is there")
        if (count := me.meeting.count(FAULTS)) > said:
            gone |= (told := faults_heard(me.meeting, sorted(left)))
            said = count if told else said  # counted a moment before it is said
            left -= set(told)
        heard.hear(me.meeting, left)
        still_s = STILL_HURRY_S if me.stopping.number else STILL_S
        for rank in sorted(left):
            if heard.beats(rank) != before[rank]:
                left.discard(rank)
            elif (silent_s := heard.silent_s(rank)) > still_s:
                left.discard(rank)
                how = f"no sign of life for {silent_s:.0f} s: killed, or it hangs"
                gone[rank] = Fault(cause=SILENT, how=how)
        hurry_s = me.stopping.hurry_s()
        if hurry_s is not None and (not me.stopping.of_agent or hurry_s < -LATE_S):
            break
        if left:
            time.sleep(LOOK_S)
    return gone
