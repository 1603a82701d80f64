"""Four numbers with points: an address, or the version of what stands directly before them.

An address that stays is worse than a version that goes. So a version is only what a name of a
closed list stands before, with a blank, ``=``, ``-``, ``_`` or a bracket between, and no port
behind. Behind names that are said of hosts too ("NCCL 10.1.2.3", "driver 192.168.1.5") an address
of a private network stays one. A number over 255, or a fifth number, is of no address.
"""

from __future__ import annotations

import ipaddress
import re

from roofwatch.session.private_path import GONE

NUMBERS = re.compile(
    r"(?<!\d\.)(?<![0-9A-Za-z])(\d{1,3}(?:\.\d{1,3}){3})(:\d+)?\b(?!\.\d)", re.ASCII
)
BEFORE = re.compile(r"(?<![A-Za-z])(?:lib)?([A-Za-z]+)\d{0,2}[ =_(-]{1,3}v?\Z|\.so\.\Z", re.ASCII)
LONGEST = 32  # characters before the numbers that are looked at
SOFTWARE = frozenset(
    {
        *("cuda", "cudart", "cudnn", "cublas", "cublaslt", "cufft", "cupti", "cusparse", "cutlass"),
        *("nvcc", "nvrtc", "tensorrt", "torch", "pytorch", "triton", "python", "nvidia", "nsight"),
        *("rocm", "hip", "hipblas", "rocblas", "miopen", "mkl", "mkldnn", "onednn", "openblas"),
        *("gcc", "glibc", "kernel", "vbios", "firmware", "msgspec", "numpy"),
    }
)
"""What has versions and no address."""
EITHER = frozenset({"version", "ver", "release", "driver", "nccl", "rccl", "nvshmem", "ucx", "mpi"})
"""What is said of a host or a connection too."""


def without_addresses(text: str) -> str:
    """The text without addresses of version 4; linear in its length."""
    return NUMBERS.sub(lambda found: found[0] if _no_address(found) else GONE, text)


def _no_address(found: re.Match[str]) -> bool:
    if any(int(octet) > 255 for octet in found[1].split(".")):
        return True
    before = BEFORE.search(found.string[max(0, found.start() - LONGEST) : found.start()])
    if before is None or found[2]:
        return False
    name = (before[1] or "").lower()
    if name in EITHER:
        plain = ".".join(str(int(octet)) for octet in found[1].split("."))
        return not ipaddress.IPv4Address(plain).is_private
    return name in SOFTWARE or not name
