"""Variables of the environment that change what is computed, or how fast."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from roofwatch.session.doctor.facts import Facts
from roofwatch.session.doctor.said import Checks, Said, fail, ok, warn
from roofwatch.session.doctor.words import value

LOOKED_AT = re.compile(
    r"NVIDIA_TF32_OVERRIDE|TORCH_ALLOW_TF32_CUBLAS_OVERRIDE|CUDA_LAUNCH_BLOCKING"
    r"|CUDA_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|CUDA_MODULE_LOADING|CUBLAS\w*|CUBLASLT\w*"
    r"|PYTORCH_(CUDA_)?ALLOC_CONF|PYTORCH_NO_CUDA_MEMORY_CACHING|(OMP|MKL)_NUM_THREADS"
    r"|(TORCH_)?NCCL_\w+|(TORCH_)?CUDNN_\w+|TORCH_BLAS_PREFER_CUBLASLT|DISABLE_ADDMM_CUDA_LT"
)
OFF = ("", "0")
NCCL_SLOWER = ("NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE", "NCCL_IB_DISABLE", "NCCL_NVLS_DISABLE")
UNSET = "unset it, unless it is meant"


def looked_at(environ: Mapping[str, str]) -> dict[str, str]:
    """Those of the variables that a check asks for."""
    return {name: said for name, said in environ.items() if LOOKED_AT.fullmatch(name)}


def _tf32(facts: Facts) -> Said:
    """fp32 is what the program asks for."""
    names = ("NVIDIA_TF32_OVERRIDE", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE")
    found = _given(facts, lambda name: name in names)
    if facts.environ.get(names[0]) == "0":
        return warn(found, "not set", f"{UNSET}: TF32 is off whatever a program asks for")
    if facts.environ.get(names[1]) not in (None, *OFF):
        return warn(found, "not set", f"{UNSET}: fp32 matmuls run in TF32, faster and less exact")
    return ok(found)


def _launch_blocking(facts: Facts) -> Said:
    """Launches do not wait."""
    found = _given(facts, lambda name: name == "CUDA_LAUNCH_BLOCKING")
    if facts.environ.get("CUDA_LAUNCH_BLOCKING") in (None, *OFF):
        return ok(found)
    return warn(found, "not set", "unset it: every launch waits for its kernel")


def _visible(facts: Facts) -> Said:
    """The card can be seen."""
    names = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")
    found = _given(facts, lambda name: name in names)
    if (facts.problem or "").startswith("CUDA_VISIBLE_DEVICES"):
        return fail(f"{found}: it hides every card", "a card that is seen", "unset it")
    return ok(found)


def _allocator(facts: Facts) -> Said:
    """Torch keeps the memory that it has taken."""
    no_cache = "PYTORCH_NO_CUDA_MEMORY_CACHING"
    found = _given(facts, lambda name: name == no_cache or name.endswith("ALLOC_CONF"))
    if facts.environ.get(no_cache) not in (None, *OFF):
        return warn(found, "not set", "unset it: every tensor is taken from the driver anew")
    return ok(found)


def _threads(facts: Facts) -> Said:
    """Torch's CPU threads are as many as there are cores."""
    found = _given(facts, lambda name: name.endswith("_NUM_THREADS"))
    cores = facts.machine.cpu.cores
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        said = facts.environ.get(name, "").partition(",")[0].strip()
        if not said.isascii() or not said.isdigit() or cores is None:
            continue
        if int(said[:9]) == 1 < cores:
            do = "unset it, or give it the cores of a process: CPU work runs on one of them"
            return warn(found, f"up to {cores}", do)
        if int(said[:9]) > cores:
            return warn(found, f"up to {cores}", "lower it: threads take turns on the cores")
    if not facts.environ.get("OMP_NUM_THREADS") and facts.checkup and facts.checkup.threads:
        return ok(f"{found}; torch takes {facts.checkup.threads}")
    return ok(found)


def _workspace(facts: Facts) -> Said:
    """cuBLAS has room to work."""
    found = _given(facts, lambda name: name.startswith(("CUBLAS", "TORCH_BLAS", "DISABLE_ADDMM")))
    said = facts.environ.get("CUBLAS_WORKSPACE_CONFIG")
    if said in (":16:8", ":0:0"):
        do = ":4096:8 is as repeatable, and faster; or unset it"
        return warn(found, "not set, or :4096:8", do)
    if any(n.startswith("CUBLAS_EMULATE") for n in facts.environ):
        return warn(found, "not set", f"{UNSET}: products are emulated in another precision")
    return ok(found)


def _cudnn(facts: Facts) -> Said:
    """cuDNN is as it comes."""
    found = _given(facts, lambda name: "CUDNN_" in name)
    return ok(found) if found == NONE else warn(found, "not set", UNSET)


def _nccl(facts: Facts) -> Said:
    """Cards talk to each other by the fastest way there is."""
    found = _given(facts, lambda name: "NCCL_" in name)
    if any(facts.environ.get(name) not in (None, *OFF) for name in NCCL_SLOWER):
        return warn(found, "not set", f"{UNSET}: a way between the cards is closed")
    return ok(found)


def _loading(facts: Facts) -> Said:
    """Kernels are loaded when they are used."""
    found = _given(facts, lambda name: name == "CUDA_MODULE_LOADING")
    if facts.environ.get("CUDA_MODULE_LOADING", "").upper() == "EAGER":
        return warn(found, "not set, or LAZY", f"{UNSET}: every kernel is loaded at the start")
    return ok(found)


NONE = "not set"


def _given(facts: Facts, fits: Callable[[str], bool]) -> str:
    """The variables of a row that are set, with their values."""
    said = [f"{name}={value(v)}" for name, v in sorted(facts.environ.items()) if fits(name)]
    return ", ".join(said[:4]) + (" ..." if len(said) > 4 else "") if said else NONE


CHECKS: Checks = {
    "env-tf32": _tf32,
    "env-launch-blocking": _launch_blocking,
    "env-visible-devices": _visible,
    "env-allocator": _allocator,
    "env-threads": _threads,
    "env-cublas": _workspace,
    "env-cudnn": _cudnn,
    "env-nccl": _nccl,
    "env-module-loading": _loading,
}
