"""Bounds that any true figure keeps: what lies outside is damage, and named so by the decoder."""

from __future__ import annotations

from typing import Annotated

import msgspec

Moment = Annotated[float, msgspec.Meta(ge=0, le=1e9)]  # seconds since the session began
Seconds = Annotated[float, msgspec.Meta(ge=1e-12, le=1e6)]
Figure = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Expected = Annotated[float, msgspec.Meta(ge=1e-9, le=1e12)]  # something is, or there is no range
Rate = Annotated[float, msgspec.Meta(gt=0, le=1e12)]  # that someone claims
Count = Annotated[float, msgspec.Meta(ge=0, le=1e30)]  # of FLOP or bytes; a copy has no FLOP
Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 60)]
Size = Annotated[int, msgspec.Meta(ge=1, le=1 << 48)]  # of a dimension
Nanoseconds = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Clock = Annotated[float, msgspec.Meta(ge=1, le=1e6)]  # MHz, as read on the device
Run = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
