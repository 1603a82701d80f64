"""Attribution of a session's roofs: which clock, which waves, what is left for the kernel."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.attribution import (
    Attribution,
    BandwidthAttribution,
    attribute,
    attribute_bandwidth,
    wave_share,
)
from roofwatch.roofline.kernel_name import USUAL_TILE, tile
from roofwatch.session.conditions import conditions
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import gbs, tflops
from roofwatch.session.roofs import ComputeRoof, Roofs
from roofwatch.session.sm_clock import SmClock, sm_clock

READ_ONLY = "read"


class Attributed(msgspec.Struct, frozen=True, kw_only=True):
    """An attribution with what its clock and wave terms rest on."""

    terms: Attribution
    clock: SmClock
    tile: tuple[int, int]
    tile_known: bool  # from the kernel's name; else the usual tile is assumed
    wave_share: float


def attributed(session: Session, flat: ComputeRoof, which: str) -> Attributed | None:
    """The ``burst`` or ``sustained`` figure of one precision; None where a part is unknown.

    A sustained probe runs the kernel of its burst, which is the one that was profiled.
    """
    m = {"burst": flat.burst, "sustained": flat.sustained}[which]
    nominal = session.nominal
    units = session.device.sm_count
    if which == "burst" and flat.lifted:
        return None  # the flat is none of the burst's: what it lost was somebody else's
    if m is None or nominal is None or not flat.nominal_tflops or not units:
        return None
    if not {"m", "n"} <= m.shape.keys():
        return None  # another op's, which no burst of ours is
    clock = sm_clock(session, m)
    nominal_mhz = nominal.clocks_mhz.get(flat.peak_key)
    if clock is None or nominal_mhz is None:
        return None
    named = _tile(flat)
    used = named or USUAL_TILE
    share = wave_share(m.shape["m"], m.shape["n"], used, units)
    return Attributed(
        terms=attribute(tflops(m), flat.nominal_tflops, clock.mhz, nominal_mhz, share),
        clock=clock,
        tile=used,
        tile_known=named is not None,
        wave_share=share,
    )


def _tile(flat: ComputeRoof) -> tuple[int, int] | None:
    kernel = flat.burst.kernel if flat.burst else None
    return tile(kernel) if kernel else None


def bandwidth_attributed(session: Session, own: Roofs) -> BandwidthAttribution | None:
    """The bandwidth roof, from nominal down; None without a nominal figure or a memory clock."""
    nominal, m = session.nominal, own.bandwidth
    if nominal is None or nominal.bandwidth_gbs is None or m is None:
        return None
    seen, top = conditions(session, m).mem_mhz, session.device.mem_max_mhz
    if not seen or not top:
        return None
    physical = nominal.ceiling_bandwidth_gbs or nominal.bandwidth_gbs
    read = read_only(session)
    return attribute_bandwidth(
        gbs(m), nominal.bandwidth_gbs, physical * seen / top, gbs(read) if read else None
    )


def read_only(session: Session) -> Measurement | None:
    """The measurement of the stream that only reads."""
    return next(
        (m for m in session.measured() if m.op == READ_ONLY and m.protocol == "stream"), None
    )
