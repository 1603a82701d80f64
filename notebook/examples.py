"""One worked number for each sentence that a person's row can raise, as typed in a shell.

E1 to E7 are the seeds' own errors with their own numbers; the others are published measurements, or
made from the same formulas.
"""

from __future__ import annotations

import shlex

import msgspec

from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.sheet import shell_rows
from roofwatch.notebook.verdict import Verdict, check_rows


class Example(msgspec.Struct, frozen=True):
    """The code and case that a row should raise, and the row as options of ``roofwatch check``."""

    code: str
    case: str
    options: str

    @property
    def command(self) -> str:
        """The row as a shell command line."""
        return f"roofwatch check {self.options}"

    @property
    def said(self) -> dict[str, str]:
        """The row's fields."""
        words = shlex.split(self.options)
        names = [word.removeprefix("--").replace("-", "_") for word in words[::2]]
        return dict(zip(names, words[1::2], strict=True))

    def verdicts(self, cards: Cards) -> list[Verdict]:
        """What ``roofwatch check`` answers, one for each point of the row."""
        return check_rows(shell_rows(self.said), cards)


class Spoken(msgspec.Struct, frozen=True, kw_only=True):
    """What was said of an example. Points that are read together have no severity."""

    command: str
    message: str
    why: str
    do: str
    severity: str | None = None


def spoken(cards: Cards) -> dict[tuple[str, str], Spoken]:
    """What is said of every example, by code and case, in the chosen language.

    Raises:
        LookupError: the rule of an example is silent.
    """
    return {(e.code, e.case): _spoken(e, e.verdicts(cards)) for e in EXAMPLES}


def _spoken(example: Example, verdicts: list[Verdict]) -> Spoken:
    for verdict in verdicts:
        for f in verdict.findings:
            if f.code == example.code:
                return Spoken(
                    command=example.command,
                    message=f.message,
                    why=f.why,
                    do=f.do,
                    severity=f.severity,
                )
        both = verdict.experiment
        if example.code == "experiment" and both is not None:
            return Spoken(command=example.command, message=both.message, why=both.why, do=both.do)
    raise LookupError(f"{example.code} is silent: {example.command}")


A100 = "--gpu 'A100 80GB SXM'"
T4 = "--gpu T4"
TINY = "--op decode --params 1.1B --dtype fp16"  # TinyLlama
A_256_MIB = "--op add_scalar --elements 134217728 --dtype fp16"
PACKED_27B = "--gpu 'RTX 4090' --op decode --params 27B --weight-bytes 15GB --dtype int4"


def _square(n: int, dtype: str) -> str:
    return f"--op matmul --m {n} --n {n} --k {n} --dtype {dtype}"


EXAMPLES: tuple[Example, ...] = (
    Example(
        "E1",
        "counted",
        f"{A100} --op add_scalar --elements 536870912 --dtype fp16 --time 1.2ms --claimed 895GB/s",
    ),
    Example("E1", "hidden", f"{A100} --op add_scalar --claimed 895GB/s"),
    Example(
        "E2",
        "fits",
        f"{T4} --op add_scalar --elements 524288 --dtype fp16 --time 2.33us --claimed 900GB/s",
    ),
    Example(
        "E2", "partly", f"{T4} --op add_scalar --elements 2097152 --dtype fp16 --claimed 280GB/s"
    ),
    Example("E2", "unknown_size", f"{T4} --op add_scalar --claimed 900GB/s"),
    Example("E3", "other", f"{T4} {_square(4096, 'fp32')} --claimed 7TFLOP/s --nominal-tflops 65"),
    Example(
        "E3", "sparse", f"{A100} {_square(8192, 'bf16')} --claimed 280TFLOP/s --nominal-tflops 624"
    ),
    Example(
        "E3",
        "other_sparse",
        f"{A100} {_square(8192, 'fp32')} --claimed 17TFLOP/s --nominal-tflops 624",
    ),
    Example(
        "E3", "faster_unit", f"{A100} {_square(8192, 'fp32')} --claimed 120TFLOP/s --timing event"
    ),
    Example(
        "E3",
        "accumulator",
        f"--gpu 'RTX 3090' {_square(8192, 'fp16')} --claimed 130TFLOP/s --timing event",
    ),
    Example("E3", "cuda_cores", f"--gpu 'RTX 4090' {_square(4096, 'fp16')} --claimed 36.26TFLOP/s"),
    Example("E3", "as_sparse", f"{A100} {_square(8192, 'fp16')} --claimed 540TFLOP/s"),
    Example("E4", "left_of_ridge", f"{T4} {_square(512, 'fp16')} --claimed 13TFLOP/s"),
    Example(
        "E4",
        "few_tiles",
        f"--gpu 'A100 80GB PCIe' {_square(512, 'fp32')} --time 32.77us --claimed 8.192TFLOP/s",
    ),
    Example(
        "E4",
        "launch",
        "--gpu 'RTX 4090' --op matmul --m 2048 --n 2048 --k 256 --dtype fp16 --time 60us",
    ),
    Example(
        "E4",
        "last_wave",
        f"{A100} --op matmul --m 1408 --n 1280 --k 8192 --dtype fp16 --time 0.221ms",
    ),
    Example("E5", "over", f"{T4} {A_256_MIB} --time 8us"),
    Example("E5", "unsynchronised", f"{T4} {A_256_MIB} --time 8us --synchronized false"),
    Example("E5", "under_floor", f"{T4} {A_256_MIB} --time 0.5us"),
    Example("E6", "bandwidth", f"{T4} {A_256_MIB} --claimed 256GB/s --nominal-gbs 320"),
    Example(
        "E6", "compute", f"{T4} {_square(8192, 'fp16')} --claimed 48TFLOP/s --nominal-tflops 65"
    ),
    Example("E6", "question", f"{T4} --op add_scalar --nominal-gbs 320"),
    Example(
        "E7",
        "kv_bytes",
        f"{T4} {TINY} --batch 128 --kv-bytes-per-token 22.5KB --context 256 --time 10.9ms",
    ),
    Example("E7", "kv_missing", f"{T4} {TINY} --batch 128 --time 19ms"),
    Example(
        "throttled",
        "suspected",
        f"--gpu A100-PCIE-40GB {_square(8192, 'fp16')} --claimed 197.5TFLOP/s",
    ),
    Example(
        "power-capped",
        "suspected",
        f"--gpu A100-PCIE-40GB {_square(8192, 'fp16')} --claimed 150TFLOP/s",
    ),
    Example("low-clock", "suspected", f"{A100} {_square(8192, 'fp16')} --time 17ms"),
    Example("low-clock", "memory", f"{T4} {A_256_MIB} --claimed 60GB/s"),
    Example(
        "low-without-cause",
        "low",
        "--gpu 'RTX 6000 Ada' --op decode --params 6.74B --dtype fp16 --batch 1 --time 166.3ms",
    ),
    Example("cold-start", "no_warm_up", f"--gpu 'RTX A6000' {_square(256, 'fp32')} --time 3.909ms"),
    Example("zeros", "above", f"--gpu A100-SXM4-40GB {_square(8192, 'fp16')} --claimed 295TFLOP/s"),
    Example(
        "emulated-dtype",
        "no_unit",
        f"--gpu V100-SXM2-16GB {_square(8192, 'bf16')} --claimed 10.65TFLOP/s",
    ),
    Example("other-process", "suspected", f"{T4} {A_256_MIB} --claimed 120GB/s"),
    Example("host-bound", "decode", f"{T4} {TINY} --batch 1 --time 16ms"),
    Example(
        "host-bound",
        "short_kernels",
        f"{T4} --op other --read-bytes 8MB --write-bytes 8MB --time 120us",
    ),
    Example("launch-bound", "short", f"{T4} --op rmsnorm --m 1 --n 2048 --dtype fp16 --time 8us"),
    Example(
        "inefficient-kernel",
        "suspected",
        "--gpu A100-SXM4-40GB --op copy --elements 268435458 --dtype fp64 --claimed 39GB/s",
    ),
    Example("copy-engine", "memcpy", "--gpu 'H100 SXM' --op copy --dtype bytes --claimed 2000GB/s"),
    Example("pageable", "host_copy", f"{A100} --op h2d --claimed 6GB/s"),
    Example(
        "speculative-decode",
        "stated",
        f"{PACKED_27B} --tokens-per-step 3.28 --claimed '135.5 tokens/s'",
    ),
    Example("speculative-decode", "implied", f"{PACKED_27B} --claimed '135.5 tokens/s'"),
    Example(
        "strided", "uncoalesced", "--gpu 'RTX 4090' --op copy --dtype fp32 --claimed 200.73GB/s"
    ),
    Example("transfer-included", "link", f"{T4} {_square(4096, 'fp16')} --time 9.5ms"),
    Example("transfer-included", "rate", f"{A100} --op relu --claimed 12GB/s"),
    Example("units", "counted", f"{T4} {A_256_MIB} --time 2.000ms --claimed 250.0GB/s"),
    Example("units", "hidden", f"{T4} {A_256_MIB} --claimed 2147GB/s"),
    Example(
        "wrong-sku",
        "compared",
        "--gpu 'NVIDIA H100 80GB HBM3' --op other --dtype bf16 --claimed '104 MFU %' "
        "--nominal-tflops 312",
    ),
    Example(
        "wrong-sku",
        "other_card",
        "--gpu 'A100 40GB SXM' --op add_scalar --elements 536870912 --dtype fp16 "
        "--claimed 1790GB/s",
    ),
    Example(
        "wrong-peak-value",
        "near",
        "--gpu 'RTX 4070 Ti' --op matmul --m 5120 --n 4096 --k 4096 --dtype fp32 "
        "--claimed 29.17TFLOP/s --nominal-tflops 35.48",
    ),
    Example(
        "wrong-peak-value", "compared", f"{T4} {A_256_MIB} --claimed 256GB/s --nominal-gbs 400"
    ),
    Example(
        "wrong-peak-value",
        "memory_for_link",
        f"{A100} --op h2d --claimed 24GB/s --nominal-gbs 2039",
    ),
    Example(
        "boost-clock",
        "above_nominal",
        f"--gpu 'RTX 5090' {_square(8192, 'fp16')} --claimed 224.4TFLOP/s",
    ),
    Example(
        "boost-clock",
        "above_range",
        "--gpu H200 --op matmul --dtype bf16 --claimed '104 MFU %'",
    ),
    Example(
        "mig-slice",
        "named",
        "--gpu 'A100-SXM4-80GB MIG 3g.40gb' --op add_scalar --elements 536870912 "
        "--dtype fp16 --claimed 890GB/s",
    ),
    Example("mig-slice", "suspected", f"{A100} {_square(8192, 'bf16')} --claimed 110TFLOP/s"),
    Example(
        "unstable", "high", f"--gpu V100-SXM2-16GB {_square(8192, 'fp32')} --claimed 15.3TFLOP/s"
    ),
    Example(
        "bytes-miscounted",
        "more",
        f"--gpu 'RTX 4090' {_square(4096, 'fp16')} --time 3.79ms --claimed 7658GB/s",
    ),
    Example("bytes-miscounted", "fewer", f"{T4} {A_256_MIB} --time 2.00ms --claimed 80.0GB/s"),
    Example(
        "bytes-miscounted",
        "does_not_fit",
        "--gpu 'RTX 4090' --op decode --params 70B --dtype fp16 --batch 1 --time 800ms",
    ),
    Example(
        "bytes-miscounted",
        "understated",
        "--gpu H200 --op matmul --m 64 --n 28672 --k 8192 --dtype bf16 "
        "--read-bytes 1MB --write-bytes 3.6MB --time 45us",
    ),
    Example("bytes-miscounted", "twice", f"{T4} --op read --claimed 540GB/s"),
    Example(
        "flop-miscounted",
        "counted",
        f"{T4} {_square(4096, 'fp16')} --time 2.75ms --claimed 25TFLOP/s",
    ),
    Example("flop-miscounted", "hidden", f"{T4} {_square(4096, 'fp16')} --claimed 25TFLOP/s"),
    Example(
        "no-tensor-core",
        "alignment",
        f"{A100} --op matmul --m 8192 --n 8192 --k 8191 --dtype fp16 --claimed 45TFLOP/s",
    ),
    Example("impossible", "bandwidth", f"{T4} {A_256_MIB} --claimed 400GB/s --timing event"),
    Example(
        "impossible", "compute", f"{T4} {_square(8192, 'fp32')} --claimed 20TFLOP/s --timing event"
    ),
    Example("experiment", "flat", "--op decode --batch 8,64 --time 10ms,11ms"),
    Example(
        "experiment",
        "flat_short",
        "--op matmul --m 1024,2048 --n 1024,2048 --k 1024,2048 --dtype fp16 --time 60us,61us",
    ),
    Example("experiment", "bends", "--op decode --batch 8,64,256 --time 10ms,11ms,30ms"),
    Example(
        "experiment",
        "stream_flat",
        "--op add_scalar --elements 262144,524288 --dtype fp16 --time 8us,8us",
    ),
    Example("experiment", "between", f"{TINY} --context 2048 --batch 16,128 --time 10.9ms,30ms"),
    Example(
        "experiment",
        "with_work",
        "--op matmul --m 4096,8192 --n 4096,8192 --k 4096,8192 --dtype fp16 --time 2.75ms,22ms",
    ),
    Example("experiment", "with_batch", f"{TINY} --batch 64,128 --time 10ms,19ms"),
    Example(
        "experiment",
        "kv_explains",
        f"{TINY} --kv-bytes-per-token 22.5KiB --kv-len 2048 --batch 1,128 --time 7ms,25ms",
    ),
    Example(
        "experiment",
        "kv_leaves",
        f"{TINY} --kv-bytes-per-token 22.5KiB --kv-len 2048 --batch 1,128 --time 16ms,30ms",
    ),
)
