"""MIG slices by name: which profiles a card has, and which of several cards may be meant."""

from __future__ import annotations

import pytest

from roofwatch.notebook.card_slice import NOTE, SliceError, slices_named
from roofwatch.notebook.known_card import Cards
from roofwatch.session.cards import packaged_cards

CARDS = Cards(packaged_cards())


@pytest.mark.parametrize(
    ("card", "profiles"),
    [
        ("A100-SXM4-40GB", "1g.5gb 1g.10gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb"),
        ("A100 80GB PCIe", "1g.10gb 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb"),
        ("A30", "1g.6gb 2g.12gb 4g.24gb"),
        ("H100 NVL", "1g.12gb 1g.24gb 2g.24gb 3g.47gb 4g.47gb 7g.94gb"),
        ("NVIDIA H200", "1g.18gb 1g.35gb 2g.35gb 3g.71gb 4g.71gb 7g.141gb"),
        ("B200", "1g.23gb 1g.45gb 2g.45gb 3g.90gb 4g.90gb 7g.180gb"),
    ],
)
def test_the_profiles_of_the_mig_user_guide(card: str, profiles: str) -> None:
    (whole,) = CARDS.known(card).candidates
    for profile in profiles.split():
        (found,) = slices_named(f"{card} MIG {profile}", CARDS)
        assert (found.name, found.origin) == (f"{whole.name} MIG {profile}", "derived")
        assert found.note == NOTE
        assert found.key != whole.key
        assert (found.memory_bytes or 0) / 2**30 == pytest.approx(
            float(profile[3:-2]), rel=0.01, abs=0.6
        )


@pytest.mark.parametrize(
    "name",
    [
        "T4 MIG 1g.5gb",
        "RTX 4090 1g.5gb",
        "A100 80GB SXM MIG 9g.900gb",
        "A100 80GB SXM MIG 1g.5gb",
        "A100 80GB SXM MIG 2g.10gb",
        "A100 80GB SXM MIG 5g.50gb",
        "A30 MIG 3g.12gb",
        "H200 MIG 3g.70.5gb",
        "A100 80GB SXM MIG 3c.1g.10gb",
    ],
)
def test_no_such_profile(name: str) -> None:
    with pytest.raises(SliceError) as caught:
        slices_named(name, CARDS)
    assert str(caught.value).isprintable()
    assert "MIG profile" in str(caught.value)


def test_the_profile_tells_which_card_is_meant() -> None:
    names = [n.name for n in slices_named("A100 MIG 1g.5gb", CARDS)]
    assert names == ["NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA A100-PCIE-40GB MIG 1g.5gb"]


def test_a_compute_instance_has_the_memory_of_its_slice() -> None:
    (one,), (three,) = (
        slices_named(f"A100 80GB SXM MIG {p}", CARDS) for p in ("1c.3g.40gb", "3g.40gb")
    )
    assert one.memory_bytes == three.memory_bytes
    assert one.peaks_tflops["fp16"] * 3 == pytest.approx(three.peaks_tflops["fp16"])
    assert one.name == "NVIDIA A100-SXM4-80GB MIG 1c.3g.40gb"


def test_a_name_without_a_slice_is_the_card() -> None:
    assert slices_named("H100 SXM", CARDS) == CARDS.known("H100 SXM").candidates
    assert slices_named("zork MIG 1g.5gb", CARDS) == ()
    assert slices_named("", CARDS) == ()
