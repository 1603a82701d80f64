"""A control, the same bytes in another type, that takes another time: the kernel's doing."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import judge


def found(**fields: object) -> list[Finding]:
    own = {"protocol": "stream", "gbs": 4400.0, "judged": "gbs", "repetitions": 40, **fields}
    return judge(Reading(subject="add_scalar-fp64", op="add_scalar", dtype="fp64", **own))  # type: ignore[arg-type]


@pytest.mark.parametrize("ratio", [0.605, 0.975, 1.025])
def test_a_control_that_differs_by_more_than_two_per_cent(ratio: float) -> None:
    (one,) = found(control_ratio=ratio)
    assert one.code == one.name == "inefficient-kernel"
    assert one.evidence == {"ratio": ratio}
    assert (one.severity, one.root) == (SUSPECT, "bytes")
    assert "repeated" in one.message


@pytest.mark.parametrize("ratio", [0.981, 1.0, 1.019])
def test_a_control_within_two_per_cent_agrees(ratio: float) -> None:
    assert found(control_ratio=ratio) == []


def test_the_message_never_rounds_a_disagreement_onto_agreement() -> None:
    for ratio, said in ((1.03, "103 %"), (0.97, "97 %")):
        (one,) = found(control_ratio=ratio)
        assert said in one.message


def test_a_control_that_scatters_is_the_noises_doing_and_no_kernels() -> None:
    told = found(control_ratio=0.71, spread=0.16, control_restless=True, control_noise=0.2)
    assert [f.code for f in told] == ["unstable", "unstable"]
    assert "71 %" in told[0].message
    assert all("byte count" not in f.message for f in told)


@pytest.mark.parametrize(
    ("ratio", "noise", "usual", "severity"),
    [
        (0.77, 0.28, 0.02, SUSPECT),  # repeated, the blocks themselves lay 28 % apart
        (1.25, 0.21, 0.02, SUSPECT),
        (0.97, 0.0, 0.10, NOTE),  # as far as any two runs of this device may
    ],
)
def test_what_the_noise_explains_is_unstable(
    ratio: float, noise: float, usual: float, severity: str
) -> None:
    (one,) = found(control_ratio=ratio, control_noise=noise, control_usual=usual)
    assert (one.code, one.root, one.severity) == ("unstable", "conditions", severity)
    assert one.evidence == {"ratio": ratio, "noise": max(noise, usual)}


def test_blocks_that_repeat_and_differ_are_the_kernels_doing() -> None:
    (one,) = found(control_ratio=0.605, control_noise=0.03, control_usual=0.02)
    assert one.code == "inefficient-kernel"


def test_other_work_is_named() -> None:
    (one,) = found(control_ratio=0.8, control_noise=0.3, others_cores=1.72, cores=2)
    assert "1.7 of 2 cores" in one.message
    assert one.evidence["others_cores"] == 1.72
