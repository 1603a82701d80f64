"""The names that the shape of a measurement must have, by its op and by its protocol."""

from __future__ import annotations

_SIDES = {  # of an op, or of a protocol
    "matmul": "m n k",
    "prefill_linear": "m",
    "prefill_attention": "tokens heads",
    "decode_attention": "batch context",
    "fusion": "rows columns",
    "transfer": "bytes",
    "transfers": "bytes",
    "peers": "bytes",
    "memcpy": "bytes",
}


def sides(op: str, protocol: str) -> set[str]:
    """What ``shape`` needs: a matmul its three sides, a decode step its batch and context."""
    needed = f"{_SIDES.get(op, '')} {_SIDES.get(protocol, '')}"
    if protocol == "decode":
        needed += " batch context " + ("layers layers_of" if op == "decode" else "calls")
    return set(needed.split())
