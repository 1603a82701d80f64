"""What the mutations of fuzz.py begin with: the repository's own tables and recorded sessions."""

from __future__ import annotations

import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SESSIONS = ROOT / "tests" / "sessions"
CASES = ROOT / "tests" / "notebook" / "cases" / "cases.jsonl"
SUITES = ("quick", "full", "mistakes", "decode", "kernels")
FEW = {"sample": 4, "series": 2, "measurement": 24, "expect": 8, "span": 8}
LISTS = ("times_s", "warmup_times_s", "clock_t_s", "clock_mhz")

Line = dict[str, Any]

LLAMA: Line = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "_name_or_path": "meta-llama/Meta-Llama-3-8B",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "rope_scaling": None,
    "attention_bias": False,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "vocab_size": 128256,
}
CONFIGS: tuple[Line, ...] = (
    LLAMA,
    {**LLAMA, "model_type": "mistral", "sliding_window": 4096, "head_dim": None},
    {
        **LLAMA,
        "model_type": "qwen2",
        "use_sliding_window": True,
        "sliding_window": 32768,
        "layer_types": ["full_attention", "sliding_attention"],
    },
    {**LLAMA, "model_type": "gemma", "tie_word_embeddings": None, "num_local_experts": 1},
    {"model_type": "llava", "text_config": LLAMA, "vision_config": {"hidden_size": 1024}},
)

ALSO: tuple[Line, ...] = (
    {"kind": "note", "t": 3.0, "text": "a note", "probe": "matmul-bf16"},
    {"kind": "fault", "t": 3.0, "instrument": "probes", "what": "a fault", "log": ["a line"]},
    {
        "kind": "flag",
        "t": 3.0,
        "code": "E2",
        "name": "l2-hit",
        "root": "bytes",
        "severity": "wrong",
        "subject": "matmul-bf16",
        "message": "a message",
        "why": "a reason",
        "do": "a remedy",
        "evidence": {"gbs": 900.0},
    },
    {"kind": "later", "t": 3.0, "what": "of a newer version"},
    {
        "kind": "session",
        "t": 3.0,
        "price": {"per_hour": 2.0, "currency": "€"},
        "cpu": {"name": "a CPU", "cores": 8, "periods": 9, "throttled": 1},
        "neighbours": [{"kind": "cuda", "index": 1, "name": "another", "uuid": "GPU-1"}],
    },
)
"""Kinds and fields that the recorded sessions lack."""


@cache
def session(suite: str) -> tuple[str, ...]:
    """The lines of a recorded session with a few events of every kind."""
    seen = dict[str, int]()
    kept: list[Line] = []
    for line in (SESSIONS / f"h200-{suite}-1.jsonl").read_text(encoding="utf-8").splitlines():
        event: Line = json.loads(line)
        kind = event["kind"]
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= FEW.get(kind, 99):
            for name in LISTS:
                if name in event:
                    event[name] = event[name][:3]
            kept.append(event)
    kept[-1:-1] = ALSO
    return tuple(json.dumps(event) for event in kept)


@cache
def tables(name: str, header: str) -> tuple[str, ...]:
    """The entries of one of our own TOML files, each with its tables."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return tuple(f"{header}{entry}" for entry in text.split(f"\n{header}")[1:])


@cache
def claims() -> tuple[Line, ...]:
    """Rows as people hand them to ``check``."""
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line)["row"] for line in lines)


COMMANDS = tuple(
    shlex.split(line)
    for line in """\
--help
--version
--device cuda:1 --suite full --sustain 10 --hold bf16,fp8_fast
--theme light --mouse --ascii --lang zh-CN
run --suite decode --model TinyLlama,Llama-3-8B --context 256,2048
run --json --device cpu --price 1.99/h --nominal mine.toml
run --md --strict --hold all --save new.jsonl
run --model config.json --suite decode
show s.jsonl --json --price '14.5 CNY/h'
show s.jsonl --md --lang zh
show s.jsonl --probe matmul-bf16 --ascii
show s.jsonl --plot roof.txt --precision bf16
show s.jsonl --replay --speed 10
check rows.csv --json --nominal mine.toml
check - --full --strict
check --gpu T4 --op add_scalar --elements 524288 --dtype fp16 --claimed 900GB/s --time 4.7us
check --op decode --gpu 'A100 80GB SXM' --params 7e9 --batch 8,64 --time 10ms,11ms
check --op decode --gpu T4 --weight-bytes 2GB --kv-bytes-per-token 512KiB --context 2048
check --op matmul --m 4096 --n 4096 --k 4096 --math tf32 --time_ms 3 --nominal-tflops 312
plan --gpu 'A100 80GB SXM' --model Llama-2-7B --price 1.99/h
plan --gpu T4 --model config.json --context 2048 --json
plan --session s.jsonl --model TinyLlama --ridge measured
plan --gpu T4 --model TinyLlama --bandwidth 270 --peak 50 --overhead 7.8ms --batch-max 64
plan --gpu T4 --model TinyLlama --weights int8 --kv fp8 --reserve 3% --link 64 --ridge 150
plan --nominal mine.toml --gpu T4 --model TinyLlama
plan --examples --json
triage module:function --device cpu --batch-arg n --seconds 0.1
triage ./x.py:f --json --roof nominal --flop 1e9 --bytes 1e6
""".splitlines()
)
FILES = ("s.jsonl", "mine.toml", "rows.csv", "config.json", "none", "folder", "link", "pipe", "")

VARIABLES: dict[str, tuple[str, ...]] = {
    "LC_ALL": ("zh_CN.UTF-8", "C", "POSIX", "en_US.utf8"),
    "LC_MESSAGES": ("zh_TW", "de_DE.UTF-8"),
    "LC_CTYPE": ("C.UTF-8", "en_US.ISO-8859-1"),
    "LANG": ("zh_CN.GB18030", "en_US.UTF-8", "zh"),
    "XDG_CONFIG_HOME": ("config", "/nonexistent/config", "~/.config"),
    "XDG_DATA_HOME": ("data", "/nonexistent/data", "~"),
    "HOME": ("/nonexistent", "", "~", "~root", "."),
    "COLORFGBG": ("15;0", "0;15", "0;default;15", "7"),
    "TERM": ("xterm-256color", "dumb", "linux"),
    "NO_COLOR": ("1", ""),
    "COLUMNS": ("80", "120", "-1"),
    "CUDA_VISIBLE_DEVICES": ("0", "1,0", "GPU-8f1d3a52", "MIG-1,MIG-2", "-1", "0,0", "1gpu", "+1"),
    "CUDA_DEVICE_ORDER": ("PCI_BUS_ID", "FASTEST_FIRST"),
    "MPLBACKEND": ("module://nothing",),
}
