"""The lines of a fleet file: a header, then what came of each rank and of the links.

JSON, one object a line, told apart by ``kind``. Times in seconds, sizes in bytes.
"""

from __future__ import annotations

from typing import Annotated, get_args

import msgspec

from roofwatch.session.bounds import Count, Moment, Seconds, Size

SCHEMA = "roofwatch.fleet/1"

DONE, PARTIAL, FAILED, SILENT, ABSENT = STATES = ("done", "partial", "failed", "silent", "absent")
"""Of a rank: measured; cut short; measured nothing; stopped speaking; never spoke."""
WORLD, WITHIN, BETWEEN = GROUPS = ("world", "within", "between")
"""Whom a collective or a link joins: all ranks, those of one node, one of each node."""


Place = Annotated[int, msgspec.Meta(ge=0, le=1 << 24)]  # a rank's number, or how many
Apart = Annotated[float, msgspec.Meta(ge=0, le=1e6)]  # s: how far times lie apart
NO_RECORD = msgspec.Raw(b"null")


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """What every line has: seconds since rank 0 began."""

    t: Moment = 0.0


class Header(Line, tag="fleet", frozen=True, kw_only=True):
    """The first line."""

    schema: str
    id: str = ""
    started_at: str = ""  # ISO 8601, UTC
    world: Place = 1
    suite: str = ""
    device: str = ""  # "cuda" | "cpu", as rank 0 found it
    launcher: str = ""
    roofwatch: str = ""
    torch: str = ""
    nccl: str = ""  # its version, where GPUs are joined by it


class RankLine(Line, tag="rank", frozen=True, kw_only=True):
    """One rank, when its record came or nothing more was expected of it."""

    rank: Place
    host: str = ""
    node: str = ""  # the host's name, made unlike where two have one; empty of one that never came
    card: Place = 0  # its place on that node
    state: str = DONE
    why: str = ""
    no_device: bool = False  # the one that was asked for is not there
    record: msgspec.Raw = NO_RECORD


class GoneLine(Line, tag="gone", frozen=True, kw_only=True):
    """A rank that was gone once its line had come: its record stands, its state is this one."""

    rank: Place
    state: str = SILENT
    why: str = ""


class CollectiveLine(Line, tag="collective", frozen=True, kw_only=True):
    """Times of one collective over sizes, each the median of its repetitions on the slowest rank.

    ``status`` says why there are none: ``not_supported``, or an error's words.
    """

    op: str
    group: str = WORLD
    node: str = ""  # of a group within one
    ranks: Place = 0
    backend: str = ""
    sizes_bytes: list[Size] = []
    times_s: list[Seconds] = []
    iqr_s: list[Apart] = []  # of the repetitions
    repetitions: list[int] = []
    timing: str = ""  # "event" | "host"
    status: str = ""


class LinkLine(Line, tag="link", frozen=True, kw_only=True):
    """There and back between two ranks, while the other pairs of its round do the same."""

    a: Place
    b: Place
    group: str = WITHIN
    size_bytes: Size = 8
    time_s: Seconds | None = None  # one way: half of there and back
    latency_s: Seconds | None = None  # one way, 8 bytes
    link: str = ""  # "nvlink" | "pcie", as the driver says; empty where it was not asked


class OverlapLine(Line, tag="overlap", frozen=True, kw_only=True):
    """Matmuls and an all-reduce, each alone, then together."""

    ranks: Place = 0
    compute_s: Seconds | None = None
    link_s: Seconds | None = None
    together_s: Seconds | None = None
    flop: Count = 0.0
    size_bytes: Size = 8
    repetitions: int = 0


class NoteLine(Line, tag="note", frozen=True, kw_only=True):
    """What a reader should know."""

    text: str
    rank: int | None = None


class EndLine(Line, tag="fleet_end", frozen=True, kw_only=True):
    """The last line of a fleet that came to its end."""

    complete: bool
    why: str = ""


AnyLine = (
    Header | RankLine | GoneLine | CollectiveLine | LinkLine | OverlapLine | NoteLine | EndLine
)
KINDS = frozenset(str(each.__struct_config__.tag) for each in get_args(AnyLine))
_encoder = msgspec.json.Encoder()


def encode(line: AnyLine) -> bytes:
    """One line, with its end."""
    return _encoder.encode(line) + b"\n"
