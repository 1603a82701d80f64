"""Before the links: which of the ranks that have handed in are still there.

One that was killed since then, or stands still, or has said that a signal ends it, would be waited
for by all others, who then measure nothing. While one is waited for another may go that has
answered: so an answer has to be fresh when the last one comes.
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
FRESH_S = 3.0  # an answer counts as long: a rank beats once a second
SLOWER = 4  # where ranks beat slower: as long as this part of the time since the call began


def roll_call(me: Rank, heard: Waiting, ranks: Iterable[int]) -> dict[int, Fault]:
    """Those that are gone: one that said so, or has not beaten as long as counts.

    Each of the others has beaten once more, a moment ago, so that it takes a moment where all are
    there. Once a signal has come it is over with what is known, but for torchrun's, whose cause is
    one of them.

    Raises:
        MeetingLost: the store is gone.
    """
    there, gone, said = set(ranks), dict[int, Fault](), 0
    before = {rank: me.meeting.beats(rank) for rank in there}
    moved_s = time.monotonic()  # when the call began, or somebody was last found gone
    while there:
        me.beat("looking who is there")
        if (count := me.meeting.count(FAULTS)) > said:
            told = faults_heard(me.meeting, sorted(there))
            said = count if told else said  # counted a moment before it is said
            gone |= told
            there -= set(told)
        heard.hear(me.meeting, there)
        hurry_s = me.stopping.hurry_s()
        still_s = STILL_S if hurry_s is None else STILL_HURRY_S
        for rank in sorted(there):
            if (silent_s := heard.silent_s(rank)) > still_s:
                there.discard(rank)
                how = f"no sign of life for {silent_s:.0f} s: killed, or it hangs"
                gone[rank] = Fault(cause=SILENT, how=how)
                moved_s = time.monotonic()
        answered = {rank for rank in there if heard.beats(rank) != before[rank]}
        fresh_s = max(FRESH_S, (time.monotonic() - moved_s) / SLOWER)
        if all(rank in answered and heard.silent_s(rank) <= fresh_s for rank in there):
            break
        if hurry_s is not None and (not me.stopping.of_agent or hurry_s < -LATE_S):
            break
        time.sleep(LOOK_S)
    return gone
