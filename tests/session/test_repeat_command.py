"""The commands that repeat a number are taken by the real parser and measure that very probe."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.library.said import said_of
from roofwatch.roofline.suite import SUITES, suite
from roofwatch.session.events import Device, Measurement, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.models import packaged_models
from roofwatch.session.repeat_command import not_repeatable, python_lines, repeat_command
from roofwatch.tui.printed.live_options import decode_shapes
from roofwatch.verbs.screen import screen_parser

SESSIONS = sorted((Path(__file__).parent.parent / "sessions").glob("*.jsonl"))


def parsed(command: str) -> Any:
    words = shlex.split(command)
    assert words[:2] == ["roofwatch", "run"]
    parser = screen_parser()
    options = parser.parse_args(words[2:])
    options.models, options.contexts = decode_shapes(parser, options)
    return options


def would_run(command: str, session: Session) -> list[Any]:
    options = parsed(command)
    names = [model.name for model in options.models]
    device = session.device
    return list(
        suite(
            options.suite,
            device.kind or "cuda",
            device.compute_capability,
            options.sustain,
            options.hold,
            names,
        )
    )


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: p.stem)
def test_the_command_runs_the_very_probe(path: Path) -> None:
    session = fold(events(path))
    for spec in session.specs:
        command = repeat_command(session, spec)
        if spec.model and spec.model not in {m.name for m in packaged_models()}:
            assert command is None  # of somebody's config.json, which a session does not keep
            continue
        assert command is not None, spec.key
        assert spec in would_run(command, session), command


@pytest.mark.parametrize("kind", ["cuda", "cpu"])
@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("seconds", [None, 1.0, 4.5, 12.3456789, 3600.0])
@pytest.mark.parametrize("hold", [[], ["fp8"], ["fp32", "bf16"], ["all"]])
def test_every_suite_that_can_be_asked_for_has_its_commands(
    kind: str, name: str, seconds: float | None, hold: list[str]
) -> None:
    device = Device(kind=kind, compute_capability="9.0" if kind == "cuda" else None)
    told = SessionInfo(t=0.0, suite=name, sustain_s=seconds, hold=hold, contexts=[64, 128])
    session = fold([told, SessionInfo(t=0.1, instrument="telemetry", device=device)])
    for spec in session.specs:
        command = repeat_command(session, spec)
        if spec.model and spec.model not in ("TinyLlama-1.1B", "Llama-3-8B"):
            continue
        if command is None:
            assert spec.model  # none was named: no model of this session
            continue
        assert spec in would_run(command, session), command
        assert (parsed(command).device == "cpu") == (kind == "cpu")


def test_seconds_and_precision_are_asked_for_where_they_differ() -> None:
    device = Device(kind="cuda", compute_capability="9.0")
    told = SessionInfo(t=0.0, suite="full", sustain_s=10.0, hold=["fp8"])
    session = fold([told, SessionInfo(t=0.1, instrument="telemetry", device=device)])
    held = {s.key: repeat_command(session, s) for s in session.specs if s.seconds}
    assert held == {
        "triad-fp16-sustained": "roofwatch run --suite full",
        "matmul-fp8-sustained": "roofwatch run --hold fp8 --sustain 10",
    }


def test_another_card_is_named_by_torchs_number() -> None:
    card = Device(kind="cuda", compute_capability="9.0", index=5)
    torchs = Device(kind="cuda", index=2)
    session = fold(
        [
            SessionInfo(t=0.0, suite="quick"),
            SessionInfo(t=0.1, instrument="telemetry", device=card),
            SessionInfo(t=0.2, instrument="probes", device=torchs),
        ]
    )
    assert repeat_command(session, session.specs[0]) == "roofwatch run --device cuda:2"


@pytest.mark.parametrize("seconds", [1e-3, 0.5, 3601.0, 1e6])
def test_what_no_option_takes_has_no_command(seconds: float) -> None:
    session = fold([SessionInfo(t=0.0, suite="quick", sustain_s=seconds)])
    held = session.specs[-1]
    assert repeat_command(session, held) is None
    assert "no options" in not_repeatable(held)


def test_a_model_of_a_config_is_asked_for_by_its_file() -> None:
    told = SessionInfo(t=0.0, suite="decode", models=[{"name": "my own; rm -rf"}])
    session = fold([told])
    own = session.specs[-1]
    assert repeat_command(session, own) is None
    assert not_repeatable(own).endswith("config.json of my own; rm -rf again")


# -- Python ----------------------------------------------------------------------------------


class _Library:
    """Stands for the library: its arguments are checked, nothing is timed."""

    def __init__(self) -> None:
        self.said: Any = None

    def measure(self, fn: Any, **told: Any) -> str:
        sides = {side: told.pop(side, None) for side in ("m", "n", "k", "batch", "elements")}
        known = ("flop", "bytes", "math", "shape", "name", "nominal_gbs", "nominal_tflops")
        given = {name: told.pop(name, None) for name in known}
        self.said = said_of(fn, **given, sides=sides, **told)
        fn()
        return ""


def run(lines: list[str]) -> _Library:
    """Executes the lines on this machine's CPU."""
    library = _Library()
    code = "\n".join(lines).replace('device="cuda"', 'device="cpu"')
    code = code.replace("import torch, roofwatch", "import torch")
    exec(code, {"roofwatch": library})
    return library


def small(m: Measurement) -> Measurement:
    shape = {name: 64 + 8 * i for i, name in enumerate(m.shape)}
    return msgspec.structs.replace(m, shape=shape)


def test_the_lines_run_and_what_they_say_is_taken(full: Session) -> None:
    seen = []
    for m in full.measured():
        lines = python_lines(full, small(m))
        if not lines:
            continue
        seen.append(m.probe)
        assert max(map(len, lines)) <= 60
        said = run(lines).said
        assert said.claim.op == m.op
        assert said.claim.dtype == m.dtype
    assert {"matmul-bf16", "matmul-tf32", "add_scalar-fp16", "copy-fp16"} <= set(seen)
    assert not {"matmul-fp8", "matmul-int8", "read-fp32"} & set(seen)


def test_layout_and_math_are_those_of_the_measurement(full: Session) -> None:
    m = next(m for m in full.measurements if m.probe == "matmul-tf32")
    plain = python_lines(full, msgspec.structs.replace(m, layout="nn"))
    turned = python_lines(full, msgspec.structs.replace(m, layout="nt"))
    assert "torch.backends.cuda.matmul.allow_tf32 = True" in plain
    assert not any(".t()" in line for line in plain)
    assert any(line.endswith(".t()") for line in turned)
    assert python_lines(full, msgspec.structs.replace(m, shape={"m": 8, "n": 8, "k": 8}))


def test_a_mistake_has_no_lines() -> None:
    session = fold(events(SESSIONS[0].parent / "h200-mistakes-1.jsonl"))
    made = [m for m in session.measurements if m.claim is not None]
    assert made
    assert all(python_lines(session, m) == [] for m in made)
