"""One worked number for each sentence that a person's row can raise, as typed in a shell.

E1 to E7 are the seeds' own errors with their own numbers; the others are published measurements, or
made from the same formulas.
"""

from __future__ import annotations

import shlex

import msgspec

from roofwatch.notebook.finding import Finding
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.sheet import shell_rows
from roofwatch.notebook.verdict import Verdict, check_rows

A100 = "A100 80GB SXM"
TINY = {"op": "decode", "params": "1.1B", "dtype": "fp16"}  # TinyLlama
A_256_MIB = {"op": "add_scalar", "elements": "134217728", "dtype": "fp16"}
PACKED_27B = {"op": "decode", "params": "27B", "weight_bytes": "15GB", "dtype": "int4"}


class Example(msgspec.Struct, frozen=True):
    """The code and case that a row should raise, and the row: options with their values."""

    code: str
    case: str
    said: dict[str, str]

    @property
    def command(self) -> str:
        """The row as a shell command line."""
        options = [(f"--{name.replace('_', '-')}", value) for name, value in self.said.items()]
        return shlex.join(["roofwatch", "check", *(word for option in options for word in option)])

    def verdicts(self, cards: Cards) -> list[Verdict]:
        """What ``roofwatch check`` answers, one for each point of the row."""
        return list(check_rows(shell_rows(self.said), cards))


class Spoken(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of an example. Points that are read together have no severity."""

    command: str
    message: str
    why: str
    do: str
    severity: str | None = None


def _square(n: int, dtype: str) -> dict[str, str]:
    return {"op": "matmul", "m": str(n), "n": str(n), "k": str(n), "dtype": dtype}


EXAMPLES: tuple[Example, ...] = (
    Example(
        "E1",
        "counted",
        {
            "gpu": A100,
            "op": "add_scalar",
            "elements": "536870912",
            "dtype": "fp16",
            "time": "1.2ms",
            "claimed": "895GB/s",
        },
    ),
    Example("E1", "hidden", {"gpu": A100, "op": "add_scalar", "claimed": "895GB/s"}),
    Example(
        "E2",
        "fits",
        {
            "gpu": "T4",
            "op": "add_scalar",
            "elements": "524288",
            "dtype": "fp16",
            "time": "2.33us",
            "claimed": "900GB/s",
        },
    ),
    Example(
        "E2",
        "partly",
        {
            "gpu": "T4",
            "op": "add_scalar",
            "elements": "2097152",
            "dtype": "fp16",
            "claimed": "280GB/s",
        },
    ),
    Example("E2", "unknown_size", {"gpu": "T4", "op": "add_scalar", "claimed": "900GB/s"}),
    Example(
        "E3",
        "other",
        {"gpu": "T4", **_square(4096, "fp32"), "claimed": "7TFLOP/s", "nominal_tflops": "65"},
    ),
    Example(
        "E3",
        "sparse",
        {"gpu": A100, **_square(8192, "bf16"), "claimed": "280TFLOP/s", "nominal_tflops": "624"},
    ),
    Example(
        "E3",
        "other_sparse",
        {"gpu": A100, **_square(8192, "fp32"), "claimed": "17TFLOP/s", "nominal_tflops": "624"},
    ),
    Example(
        "E3",
        "faster_unit",
        {"gpu": A100, **_square(8192, "fp32"), "claimed": "120TFLOP/s", "timing": "event"},
    ),
    Example(
        "E3",
        "cuda_cores",
        {"gpu": "RTX 4090", **_square(4096, "fp16"), "claimed": "36.26TFLOP/s"},
    ),
    Example("E3", "as_sparse", {"gpu": A100, **_square(8192, "fp16"), "claimed": "540TFLOP/s"}),
    Example("E4", "left_of_ridge", {"gpu": "T4", **_square(512, "fp16"), "claimed": "13TFLOP/s"}),
    Example(
        "E4",
        "few_tiles",
        {
            "gpu": "A100 80GB PCIe",
            **_square(512, "fp32"),
            "time": "32.77us",
            "claimed": "8.192TFLOP/s",
        },
    ),
    Example(
        "E4",
        "launch",
        {
            "gpu": "RTX 4090",
            "op": "matmul",
            "m": "2048",
            "n": "2048",
            "k": "256",
            "dtype": "fp16",
            "time": "60us",
        },
    ),
    Example(
        "E4",
        "last_wave",
        {
            "gpu": "T4",
            "op": "matmul",
            "m": "1408",
            "n": "1024",
            "k": "8192",
            "dtype": "fp16",
            "claimed": "26TFLOP/s",
        },
    ),
    Example("E5", "over", {"gpu": "T4", **A_256_MIB, "time": "8us"}),
    Example(
        "E5", "unsynchronised", {"gpu": "T4", **A_256_MIB, "time": "8us", "synchronized": "false"}
    ),
    Example("E5", "under_floor", {"gpu": "T4", **A_256_MIB, "time": "0.5us"}),
    Example(
        "E6",
        "bandwidth",
        {"gpu": "T4", **A_256_MIB, "claimed": "256GB/s", "nominal_gbs": "320"},
    ),
    Example(
        "E6",
        "compute",
        {"gpu": "T4", **_square(8192, "fp16"), "claimed": "48TFLOP/s", "nominal_tflops": "65"},
    ),
    Example("E6", "question", {"gpu": "T4", "op": "add_scalar", "nominal_gbs": "320"}),
    Example(
        "E7",
        "kv_bytes",
        {
            "gpu": "T4",
            **TINY,
            "batch": "128",
            "kv_bytes_per_token": "22.5KB",
            "context": "256",
            "time": "10.9ms",
        },
    ),
    Example("E7", "kv_missing", {"gpu": "T4", **TINY, "batch": "128", "time": "19ms"}),
    Example(
        "throttled",
        "suspected",
        {"gpu": "A100-PCIE-40GB", **_square(8192, "fp16"), "claimed": "197.5TFLOP/s"},
    ),
    Example("low-clock", "suspected", {"gpu": "T4", **A_256_MIB, "claimed": "60GB/s"}),
    Example(
        "low-without-cause",
        "low",
        {
            "gpu": "RTX 6000 Ada",
            "op": "decode",
            "params": "6.74B",
            "dtype": "fp16",
            "batch": "1",
            "time": "166.3ms",
        },
    ),
    Example(
        "cold-start",
        "no_warm_up",
        {"gpu": "RTX A6000", **_square(256, "fp32"), "time": "3.909ms"},
    ),
    Example(
        "zeros",
        "above",
        {"gpu": "A100-SXM4-40GB", **_square(8192, "fp16"), "claimed": "295TFLOP/s"},
    ),
    Example(
        "emulated-dtype",
        "no_unit",
        {"gpu": "V100-SXM2-16GB", **_square(8192, "bf16"), "claimed": "10.65TFLOP/s"},
    ),
    Example("other-process", "suspected", {"gpu": "T4", **A_256_MIB, "claimed": "120GB/s"}),
    Example("host-bound", "decode", {"gpu": "T4", **TINY, "batch": "1", "time": "16ms"}),
    Example(
        "host-bound",
        "short_kernels",
        {"gpu": "T4", "op": "other", "read_bytes": "8MB", "write_bytes": "8MB", "time": "120us"},
    ),
    Example(
        "launch-bound",
        "short",
        {"gpu": "T4", "op": "rmsnorm", "m": "1", "n": "2048", "dtype": "fp16", "time": "8us"},
    ),
    Example(
        "inefficient-kernel",
        "suspected",
        {
            "gpu": "A100-SXM4-40GB",
            "op": "copy",
            "elements": "268435458",
            "dtype": "fp64",
            "claimed": "39GB/s",
        },
    ),
    Example(
        "copy-engine",
        "memcpy",
        {"gpu": "H100 SXM", "op": "copy", "dtype": "bytes", "claimed": "2000GB/s"},
    ),
    Example("pageable", "host_copy", {"gpu": A100, "op": "h2d", "claimed": "6GB/s"}),
    Example(
        "speculative-decode",
        "stated",
        {"gpu": "RTX 4090", **PACKED_27B, "tokens_per_step": "3.28", "claimed": "135.5 tokens/s"},
    ),
    Example(
        "speculative-decode",
        "implied",
        {"gpu": "RTX 4090", **PACKED_27B, "claimed": "135.5 tokens/s"},
    ),
    Example(
        "strided",
        "uncoalesced",
        {"gpu": "RTX 4090", "op": "copy", "dtype": "fp32", "claimed": "200.73GB/s"},
    ),
    Example("transfer-included", "link", {"gpu": "T4", **_square(4096, "fp16"), "time": "9.5ms"}),
    Example(
        "units",
        "counted",
        {"gpu": "T4", **A_256_MIB, "time": "2.000ms", "claimed": "250.0GB/s"},
    ),
    Example("units", "hidden", {"gpu": "T4", **A_256_MIB, "claimed": "2147GB/s"}),
    Example(
        "wrong-sku",
        "compared",
        {
            "gpu": "NVIDIA H100 80GB HBM3",
            "op": "other",
            "dtype": "bf16",
            "claimed": "104 MFU %",
            "nominal_tflops": "312",
        },
    ),
    Example(
        "wrong-sku",
        "other_card",
        {
            "gpu": "A100 40GB SXM",
            "op": "add_scalar",
            "elements": "536870912",
            "dtype": "fp16",
            "claimed": "1790GB/s",
        },
    ),
    Example(
        "wrong-peak-value",
        "near",
        {
            "gpu": "RTX 4070 Ti",
            "op": "matmul",
            "m": "5120",
            "n": "4096",
            "k": "4096",
            "dtype": "fp32",
            "claimed": "29.17TFLOP/s",
            "nominal_tflops": "35.48",
        },
    ),
    Example(
        "wrong-peak-value",
        "compared",
        {"gpu": "T4", **A_256_MIB, "claimed": "256GB/s", "nominal_gbs": "400"},
    ),
    Example(
        "boost-clock",
        "above_nominal",
        {"gpu": "RTX 5090", **_square(8192, "fp16"), "claimed": "224.4TFLOP/s"},
    ),
    Example(
        "mig-slice",
        "named",
        {
            "gpu": "A100-SXM4-80GB MIG 3g.40gb",
            "op": "add_scalar",
            "elements": "536870912",
            "dtype": "fp16",
            "claimed": "890GB/s",
        },
    ),
    Example(
        "mig-slice", "suspected", {"gpu": A100, **_square(8192, "bf16"), "claimed": "110TFLOP/s"}
    ),
    Example("unstable", "high", {"gpu": "T4", **_square(4096, "fp32"), "claimed": "8TFLOP/s"}),
    Example(
        "bytes-miscounted",
        "more",
        {"gpu": "RTX 4090", **_square(4096, "fp16"), "time": "3.79ms", "claimed": "7658GB/s"},
    ),
    Example(
        "bytes-miscounted",
        "fewer",
        {"gpu": "T4", **A_256_MIB, "time": "2.00ms", "claimed": "80.0GB/s"},
    ),
    Example("bytes-miscounted", "twice", {"gpu": "T4", "op": "read", "claimed": "540GB/s"}),
    Example(
        "flop-miscounted",
        "counted",
        {"gpu": "T4", **_square(4096, "fp16"), "time": "2.75ms", "claimed": "25TFLOP/s"},
    ),
    Example(
        "flop-miscounted", "hidden", {"gpu": "T4", **_square(4096, "fp16"), "claimed": "25TFLOP/s"}
    ),
    Example(
        "no-tensor-core",
        "alignment",
        {
            "gpu": A100,
            "op": "matmul",
            "m": "8192",
            "n": "8192",
            "k": "8191",
            "dtype": "fp16",
            "claimed": "45TFLOP/s",
        },
    ),
    Example(
        "impossible",
        "bandwidth",
        {"gpu": "T4", **A_256_MIB, "claimed": "400GB/s", "timing": "event"},
    ),
    Example(
        "impossible",
        "compute",
        {"gpu": "T4", **_square(8192, "fp32"), "claimed": "11TFLOP/s", "timing": "event"},
    ),
    Example("experiment", "flat", {"op": "decode", "batch": "8,64", "time": "10ms,11ms"}),
    Example(
        "experiment",
        "stream_flat",
        {"op": "add_scalar", "elements": "262144,524288", "dtype": "fp16", "time": "8us,8us"},
    ),
    Example(
        "experiment",
        "between",
        {**TINY, "context": "2048", "batch": "16,128", "time": "10.9ms,30ms"},
    ),
    Example(
        "experiment",
        "with_work",
        {
            "op": "matmul",
            "m": "4096,8192",
            "n": "4096,8192",
            "k": "4096,8192",
            "dtype": "fp16",
            "time": "2.75ms,22ms",
        },
    ),
    Example("experiment", "with_batch", {**TINY, "batch": "64,128", "time": "10ms,19ms"}),
)


def spoken(cards: Cards) -> dict[tuple[str, str], Spoken]:
    """What is said of every example, by code and case, in the chosen language.

    Raises:
        LookupError: the rule of an example is silent.
    """
    return {(e.code, e.case): _spoken(e, e.verdicts(cards)) for e in EXAMPLES}


def _spoken(example: Example, verdicts: list[Verdict]) -> Spoken:
    for verdict in verdicts:
        together = verdict.experiment
        if example.code == "experiment" and together is not None:
            return Spoken(
                command=example.command,
                message=together.message,
                why=together.why,
                do=together.do,
            )
        for f in verdict.findings:
            if f.code == example.code:
                return _of_finding(example, f)
    raise LookupError(f"{example.code} is silent: {example.command}")


def _of_finding(example: Example, f: Finding) -> Spoken:
    return Spoken(
        command=example.command, message=f.message, why=f.why, do=f.do, severity=f.severity
    )
