"""Work that people know, and what changes side between a nominal and a measured ridge."""

from __future__ import annotations

import pytest

from roofwatch.roofline.common_work import Common, between, changing, common

NOMINAL, MEASURED = 250.0, 266.0  # seed, Day 15: 1000/4000 on paper, 850/3200 in truth


@pytest.mark.parametrize("dtype", ["bf16", "fp32", "fp8"])
def test_the_list_rises_and_names_each_piece_once(dtype: str) -> None:
    work = common(dtype)
    assert [c.intensity for c in work] == sorted(c.intensity for c in work)
    assert len({c.name for c in work}) == len(work)
    assert all(c.intensity > 0 for c in work)


def test_intensities_of_the_seeds() -> None:
    seen = {c.name: c.intensity for c in common("fp16")}
    assert seen["z = x + y"] == pytest.approx(1 / 6)
    assert seen["y = x + 1"] == 0.25
    assert seen["decode linear b=1"] == pytest.approx(1, rel=0.001)
    assert seen["decode linear b=16"] == pytest.approx(16, rel=0.01)
    assert seen["matmul 512"] == pytest.approx(171, abs=0.5)
    assert seen["matmul 4096"] == pytest.approx(4096 / 3)


def test_many_tokens_are_a_prompt() -> None:
    names = [c.name for c in common("fp16")]
    assert "decode linear b=256" in names
    assert "prefill linear 512 tokens" in names
    assert not [n for n in names if n.startswith("prefill") and " 256 " in n]


def test_wider_elements_halve_every_intensity() -> None:
    half, full = ({c.name: c.intensity for c in common(t)} for t in ("fp32", "fp16"))
    assert half == pytest.approx({name: value / 2 for name, value in full.items()})


def test_only_work_between_the_two_ridges_of_the_seed_changes_side() -> None:
    work = common("fp16")
    found = between(work, NOMINAL, MEASURED)
    assert [c.name for c in found] == ["attention 512 tokens"]  # 256 FLOP/byte
    assert set(found) == {c for c in work if (c.intensity > NOMINAL) != (c.intensity > MEASURED)}


def test_either_ridge_may_be_the_higher_one() -> None:
    work = common("bf16")
    assert between(work, MEASURED, NOMINAL) == between(work, NOMINAL, MEASURED)
    assert between(work, NOMINAL, NOMINAL) == ()


def test_each_ridge_is_held_against_the_first() -> None:
    work = (Common("low", 100.0), Common("middle", 255.0), Common("high", 290.0))
    ridges = {"nominal": 250.0, "burst": 266.0, "sustained": 240.0, "wide": 300.0}
    assert changing(work, ridges) == {
        "nominal/burst": ["middle"],
        "nominal/sustained": [],
        "nominal/wide": ["middle", "high"],
    }


def test_one_ridge_changes_nothing() -> None:
    assert changing(common("bf16"), {"nominal": 250.0}) == {}
