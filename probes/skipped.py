"""Which probes a device, a torch or this run cannot measure: a note in place of a number."""

from __future__ import annotations

from roofwatch.probes import cpu, mistakes, operands, peers, transfers
from roofwatch.probes.place import Place
from roofwatch.roofline.expected import CPU_DTYPES
from roofwatch.roofline.precision import lacks
from roofwatch.roofline.probe_spec import LINK_GROUPS, TRANSFER, ProbeSpec

ONE_MODEL = "on a CPU the first model is enough: --model names it"


def why_skipped(spec: ProbeSpec, place: Place) -> str | None:
    """Why a probe is left out; None for one that can be measured."""
    if spec.mistake and (why := mistakes.cannot(spec, place)):
        return why
    if spec.protocol in (TRANSFER, *LINK_GROUPS):
        return _no_link(spec, place)
    if spec.model and spec.model not in place.models:
        return f"the shapes of {spec.model} were not given"
    if place.target.kind == "cpu":
        if spec.model and spec.model != next(iter(place.models)):
            return ONE_MODEL
        if spec.dtype not in CPU_DTYPES:
            return f"{spec.dtype} is not measured on a CPU"
        if spec.dtype == "bf16" and not cpu.has_fast_bf16():
            return "this CPU emulates bf16: no number worth having"
        return _shapeless(spec, place)
    capability = place.target.identity().compute_capability
    why = lacks(spec.peak_key, capability) if spec.peak_key else None
    return why or operands.missing(spec) or _shapeless(spec, place)


def _no_link(spec: ProbeSpec, place: Place) -> str | None:
    if spec.protocol == "memcpy":
        return None
    if spec.protocol == "peers":
        return peers.cannot(place.target)
    return transfers.NO_CARD if place.target.kind == "cpu" else None


def _shapeless(spec: ProbeSpec, place: Place) -> str | None:
    """A held matmul and a sweep take their shape or layout from the burst."""
    if (
        spec.peak_key
        and spec.protocol in ("sustained", "sweep")
        and spec.peak_key not in place.shapes
    ):
        return f"{spec.peak_key} has no burst shape to hold"
    return None
