"""How a number was timed, in sentences: the protocol, the clock, and why it stopped.

The figures are those of the protocols in probes/, which nothing here may import; a test holds the
sentences to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofwatch.roofline.probe_spec import GROUPS, TRANSFER, ProbeSpec
from roofwatch.session.printable import shown

if TYPE_CHECKING:
    from roofwatch.session.events import Measurement

CPU = "cpu"

STREAM = "It is warmed up until two blocks of 50 ms agree within 0.5 %, then repeated until its "
STREAM += "times have settled, for 0.6 s at most."
STREAM_CPU = "It is warmed up until two blocks of 50 ms agree within 0.5 %, then repeated until "
STREAM_CPU += "its times have settled, for 2.5 s at most."
BURST = "A burst: three launches load the kernel, the card rests for 0.7 s, then it is launched "
BURST += "for at most 20 ms, so that no power limit has time to act."
BURST_CPU = "A burst: three launches load the code, a rest of 0.1 s, then at most 0.8 s of "
BURST_CPU += "launches."
SUSTAINED = "Held without rest, 50 ms of launches queued ahead. Its window begins 2 s after the "
SUSTAINED += "rate fell (after two thirds of the time at the latest); a repetition is the mean "
SUSTAINED += "launch of 100 ms in it."
SUSTAINED_CPU = "Held without rest. Its window begins 2 s after the rate "
SUSTAINED_CPU += "fell (after two thirds of the time at the latest); a repetition is the mean "
SUSTAINED_CPU += "launch of 100 ms in it."
SWEEP = "Each size is warmed up by 2 launches and repeated 7 times; squares whose launch takes "
SWEEP += "more than 100 us are bursts on a rested card."
SWEEP_CPU = "Each size is warmed up by 2 launches and repeated 3 times."
MISTAKE = "As those who make the mistake time it; what they would report is judged like "
MISTAKE += "anyone's number."
TRANSFERS = "Copies of 256 MiB without rest for a second; in the middle of it the driver is asked "
TRANSFERS += "what the link is."
OF_GROUP = {
    "launch": "The smallest kernel there is: the host's part behind a spin that keeps the device "
    "from emptying the queue, the rate of one core over 0.5 s, two events around it alone and "
    "behind other work, and a node of a graph of 1000.",
    "decode": "Each step eager and as one CUDA graph, each of its parts alone right before it with "
    "cold caches; what is done between two calls is timed without them and taken off.",
    "kernels": "Each kernel warm until its times have settled, a product as a burst, a short "
    "kernel as it is called and in a graph of 64.",
    "fusion": "Each chain kernel by kernel, replayed as one graph, and compiled into one kernel; "
    "warm until the times have settled.",
    "alignment": "Each shape as a burst on a rested card, against the aligned one beside it.",
    "waves": "Each size warmed up by 2 launches and repeated 7 times after a rest of 0.3 s; the "
    "profiler names its kernel.",
    "transfers": "Each kind of copy from 64 KiB to 1 GiB, short ones many between two events; "
    "pageable copies by the host's clock, each waited for.",
    "peers": "Each ordered pair of cards from 64 KiB to 256 MiB by the events of the card that "
    "sends; both ways at once by the host's clock, on streams of their own.",
    "memcpy": "Copies within the host's memory from 64 KiB to 1 GiB, by one thread and by as many "
    "as torch takes; bytes read and bytes written both count.",
}

CLOCKS = {
    "event": "Events between the launches tell how long each took; all are enqueued ahead behind a "
    "short spin, so that none waits for the host.",
    "graph": "A launch is so short that many are replayed as one CUDA graph; a repetition is their "
    "mean.",
    "host": "By the host's clock.",
}
READ_ON_DEVICE = "Every 5 ms a kernel of known cycles between two launches tells the SM clock; it "
READ_ON_DEVICE += "stands in no launch's time."

STOPS = {
    "iqr": "the middle half of the times lay within 1 % of the median",
    "standard-error": "the standard error of the median fell under 0.3 %",
    "time-cap": "the time for it was used up before the spread settled",
    "protocol": "as many as the protocol takes",
}
"""Why repetitions ended."""


def stop_said(stop: str) -> str:
    """Why repetitions ended, in words; a reason that only a newer version knows as it is."""
    return STOPS.get(stop, shown(stop))


def protocol_said(protocol: str, kind: str | None) -> str:
    """What a probe of this protocol does on such a device; empty for one that nobody knows."""
    on_cpu = kind == CPU
    if protocol in GROUPS:
        return OF_GROUP[protocol]
    told = {
        "stream": (STREAM, STREAM_CPU),
        "burst": (BURST, BURST_CPU),
        "sustained": (SUSTAINED, SUSTAINED_CPU),
        "sweep": (SWEEP, SWEEP_CPU),
        "mistake": (MISTAKE, MISTAKE),
        TRANSFER: (TRANSFERS, TRANSFERS),
    }.get(protocol, ("", ""))
    return told[on_cpu]


def how_timed(m: Measurement, kind: str | None, spec: ProbeSpec | None) -> str:
    """All that is to be said of how one measurement was timed."""
    parts = [protocol_said(m.protocol, kind)]
    if m.protocol == "burst" and len(m.searched) > 1:
        parts.append(f"Its shape is the better of the two best of {len(m.searched)} in a search.")
    parts.append(clock_said(m, kind))
    if m.clock_mhz:
        parts.append(READ_ON_DEVICE)
    if m.warmup_times_s and m.protocol == "stream":
        parts.append(f"{len(m.warmup_times_s)} launches warmed it up.")
    if spec is not None and spec.control:
        parts.append(
            "It is a control: the same kernel in another type. If its rate lies over 2 % from the "
            "first stream's, both are measured again."
        )
    return " ".join(part for part in parts if part)


def clock_said(m: Measurement, kind: str | None) -> str:
    """Whose clock it was."""
    if m.timing == "event" and m.protocol == "sustained":
        return "An event behind each launch tells how long it took."
    if m.timing == "event-many":
        return "Many short copies lie between two events; a repetition is their mean."
    if m.timing == "host" and kind == CPU and m.protocol != "mistake":
        return "By the host's clock, each launch waited for."
    return CLOCKS.get(m.timing, f"Timed by: {shown(m.timing)}.")
