"""Where a probe runs, and what the parent and the probes before it have told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from roofwatch.probes.device import Target
from roofwatch.probes.kernels import Profiled
from roofwatch.probes.shapes import Shape
from roofwatch.probes.spin import SpinClock
from roofwatch.probes.timing import Timed
from roofwatch.roofline.model import Model
from roofwatch.roofline.workload import Work
from roofwatch.session.events import HostCpu


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """The device and its circumstances.

    ``shapes`` are the bursts' best by peak key; ``peaks_tflops`` the card's nominal ones.
    """

    target: Target
    clock: SpinClock | None
    shapes: Mapping[str, tuple[Shape, str]]
    peaks_tflops: Mapping[str, float]
    rest: Callable[[float], None]
    models: Mapping[str, Model] = {}
    contexts: tuple[int, ...] = ()
    note: Callable[[str], None] = lambda _: None  # says why something of the probe is missing
    told_cpu: Callable[[HostCpu], None] = lambda _: None  # hears what was seen of the host's CPU


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One point of a group: its work, how long it took, and in which of several ways.

    ``work.op`` names it. ``dtype`` is the probe's own where nothing else is said.
    """

    work: Work
    timed: Timed
    variant: str | None = None
    dtype: str | None = None
    layout: str | None = None
    profile: Profiled | None = None
    cards: tuple[int, int] | None = None  # of a copy between cards: from, to, as torch counts
