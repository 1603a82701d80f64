"""About a hundredth of benchmarks/fuzz.py: every reader answers damaged input, or refuses it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import fuzz
import pytest
from fuzz_promises import Broken, hold_refusal, hold_text
from fuzz_readers import READERS

COUNT, SEED = 250, 7


@pytest.mark.parametrize("name", READERS)
def test_damaged_input_is_answered_or_refused_in_a_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = fuzz.fuzz(name, COUNT, SEED, tmp_path / "kept")
    assert (found["tracebacks"], found["hangs"]) == (0, 0), capsys.readouterr().err[-3000:]
    assert found["refused"] + found["answered"] == COUNT
    assert min(found["refused"], found["answered"]) > COUNT // 50  # both ends are reached


def test_the_same_seed_makes_the_same_cases() -> None:
    for name, reader in READERS.items():
        first, again, other = (
            [reader.make(fuzz.chance(name, seed, i)) for i in range(20)] for seed in (1, 1, 2)
        )
        assert first == again != other


def test_a_case_that_fails_is_kept_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
        raise KeyError(len(data))

    monkeypatch.setitem(READERS, "csv", READERS["csv"]._replace(run=fails))
    assert fuzz.fuzz("csv", 2, 3, tmp_path)["tracebacks"] == 2
    assert "KeyError" in capsys.readouterr().err
    kept = tmp_path / "csv-3-1"
    assert kept.read_bytes() == READERS["csv"].make(fuzz.chance("csv", 3, 1))
    assert fuzz.repeat(kept) == "tracebacks"


def test_a_case_that_takes_too_long_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(data: bytes, folder: Path, rng: random.Random, entire: bool) -> bool:
        while True:
            pass

    monkeypatch.setattr(fuzz, "HANG_S", 0.05)
    monkeypatch.setitem(READERS, "csv", READERS["csv"]._replace(run=waits))
    assert fuzz.fuzz("csv", 1, 3, tmp_path)["hangs"] == 1


@pytest.mark.parametrize("said", ["x\ny", "x\x1b[2J", "", "x" * 5000, "another file", "f.toml: no"])
def test_the_promises_are_held(said: str) -> None:
    with pytest.raises(Broken):
        hold_refusal(said, "f.toml", "field ")
    hold_refusal("f.toml: field x: unknown", "f.toml", "field ")


@pytest.mark.parametrize("character", ["\x1b", "\x07", "\r", "\u202e", "\u2028", "\x9b", "\ud800"])
def test_what_acts_on_a_terminal_is_seen(character: str) -> None:
    with pytest.raises(Broken):
        hold_text(f"a\nb{character}", "a text")
    hold_text("a\nb × µ 名", "a text")


def test_the_kept_result_is_of_every_reader_and_without_a_failure() -> None:
    kept = json.loads((Path(fuzz.__file__).parent / "results" / "cpu" / "fuzz.json").read_text())
    assert kept["readers"].keys() == READERS.keys()
    for found in kept["readers"].values():
        assert found["count"] >= 100_000
        assert found["tracebacks"] == found["hangs"] == 0
        assert found["refused"] + found["answered"] == found["count"]
        assert found["through_everything"] > 50
