"""Instructions that torch's elementwise formulas cost an element, counted in machine code.

    python benchmarks/instruction_counts.py [--nvrtc libnvrtc.so] [--nvdisasm nvdisasm] [--arch 90]

Compiles each formula with NVRTC (no GPU is needed), disassembles it, and follows the path that
ordinary values take. These are the figures behind roofline/arithmetic_time.py; the hardware's own
count of torch's kernels comes from dram_counters.py.
"""

from __future__ import annotations

import argparse
import ctypes
import glob
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ELEMENTS = 8  # a thread, as torch's vectorised kernels of two-byte types have
SOURCE = r"""
__device__ unsigned pack(float low, float high) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
__device__ uint4 philox(uint4 c, uint2 k) {
#pragma unroll
  for (int i = 0; i < 10; i++) {
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u;
    k.y += 0xBB67AE85u;
  }
  return c;
}
__device__ float uniform(unsigned x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
__device__ float kept(float v, unsigned drawn) { return uniform(drawn) < 0.9f ? v * 1.11f : 0.f; }
extern "C" __global__ void kernel(const uint4* __restrict__ x, uint4* __restrict__ y, uint2 key) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  uint4 all = x[i], drawn;
  unsigned w[4] = {all.x, all.y, all.z, all.w};
#pragma unroll
  for (int j = 0; j < 4; j++) {
    float a = __uint_as_float(w[j] << 16), b = __uint_as_float(w[j] & 0xffff0000u);
    BODY
    w[j] = pack(a, b);
  }
  y[i] = make_uint4(w[0], w[1], w[2], w[3]);
}
"""
BOTH = "a = {0}; b = {1};"
FORMULAS = {
    "move": "",
    "relu": "fmaxf(v, 0.f)",
    "cos": "cosf(v)",
    "three cos": "cosf(cosf(cosf(v)))",
    "exp": "expf(v)",
    "silu": "v / (1.f + expf(-v))",
    "silu, division approximate": "__fdividef(v, 1.f + __expf(-v))",
    "gelu": "v * 0.5f * (1.f + erff(v * 0.70710678f))",
    "dropout, a draw for four": "if (!(j & 1)) drawn = philox(make_uint4(i, j, 0, 0), key);"
    " a = kept(a, j & 1 ? drawn.z : drawn.x); b = kept(b, j & 1 ? drawn.w : drawn.y);",
    "dropout, a draw for each": "a = kept(a, philox(make_uint4(8 * i + 2 * j, 0, 0, 0), key).x);"
    " b = kept(b, philox(make_uint4(8 * i + 2 * j + 1, 0, 0, 0), key).x);",
}
SPECIAL = ("MUFU", "F2I", "I2F.", "F2F.", "POPC")  # what the special function units do
NVRTC = ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12")


def body(formula: str) -> str:
    """Statements on a and b from a formula of v, or as they stand."""
    if "=" in formula or not formula:
        return formula
    return BOTH.format(*(re.sub(r"\bv\b", name, formula) for name in "ab"))


def library(named: str | None) -> ctypes.CDLL:
    """NVRTC as named, the system's, or the one that came with torch."""
    beside = [p for site in sys.path for p in glob.glob(f"{site}/nvidia/*/lib/libnvrtc.so.1*")]
    for name in (named,) if named else (*NVRTC, *beside):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    sys.exit("NVRTC was not found: it is part of CUDA and of torch's CUDA wheels (--nvrtc)")


def machine_code(nvrtc: ctypes.CDLL, source: str, arch: str) -> bytes:
    """The cubin of a source."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None)
    options = (ctypes.c_char_p * 1)(f"--gpu-architecture=sm_{arch}".encode())
    failed = nvrtc.nvrtcCompileProgram(program, 1, options)
    what = "ProgramLog" if failed else "CUBIN"
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    out = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, out)
    if failed:
        sys.exit(f"sm_{arch}: {out.value.decode()}")
    return out.raw


def usual_path(listing: str) -> list[str]:
    """Instructions from the entry to the exit; what a branch skips for ordinary values is not one.

    Compilers place slow paths behind a branch around them: it is always taken.
    """
    lines: list[str] = []
    labels: dict[str, int] = {}
    for line in listing.splitlines():
        text = line.strip()
        if text.startswith(".L_"):
            labels[text.rstrip(":")] = len(lines)
        elif found := re.match(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", text):
            lines.append(found[1])
    path: list[str] = []
    at = 0
    while "EXIT" not in lines[at]:
        path.append(re.sub(r"^@\S+ ", "", lines[at]))
        branch = re.search(r"\bBRA\b.*`\((\.L_\S+?)\)", lines[at])
        at = labels[branch[1]] if branch else at + 1
    return [*path, "EXIT"]


def main() -> None:
    """A line a formula: instructions and special functions an element."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvrtc")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--arch", default="90", help="compute capability without its dot")
    options = parser.parse_args()
    nvrtc = library(options.nvrtc)
    for name, formula in FORMULAS.items():
        code = machine_code(nvrtc, SOURCE.replace("BODY", body(formula)), options.arch)
        with tempfile.TemporaryDirectory() as folder:
            cubin = Path(folder) / "kernel.cubin"
            cubin.write_bytes(code)
            command = [options.nvdisasm, "-c", str(cubin)]
            try:
                listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            except FileNotFoundError:
                sys.exit(f"{options.nvdisasm} is not installed: it is part of CUDA (--nvdisasm)")
        path = usual_path(listing)
        special = sum(step.startswith(SPECIAL) for step in path)
        counted, looked_up = len(path) / ELEMENTS, special / ELEMENTS
        print(f"{name:28}{counted:6.1f} instructions {looked_up:6.2f} special")


if __name__ == "__main__":
    main()
