"""What a GPU's name means: figures, neighbours, what a name leaves open."""

from __future__ import annotations

from functools import cache

import pytest

from roofwatch.notebook import known_card
from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.nominal import merge, parse
from roofwatch.session.cards import packaged_cards

MIB = 1 << 20


@cache
def table() -> Cards:
    return Cards(packaged_cards())


def own(text: str) -> Cards:
    mine = parse(text, "mine.toml")
    return Cards(merge(packaged_cards(), mine), {c.key for c in mine})


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Tesla T4", "t4"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm5-80"),
        ("H100 80GB HBM3", "h100-sxm5-80"),
        ("nvidia h200", "h200-sxm-141"),
        ("T4", "t4"),
        ("A100 80GB SXM", "a100-sxm4-80"),
        ("H100 SXM", "h100-sxm5-80"),
        ("4090", "rtx-4090"),
        ("a100-pcie-40", "a100-pcie-40"),
    ],
)
def test_one_card(name: str, key: str) -> None:
    known = table().known(name)
    assert [c.key for c in known.candidates] == [key]
    assert known.slice_share is None
    assert known.candidates[0].origin == "table"


def test_an_ambiguous_name_is_all_that_it_may_be() -> None:
    assert sorted(c.key or "" for c in table().known("A100").candidates) == [
        "a100-pcie-40",
        "a100-pcie-80",
        "a100-sxm4-40",
        "a100-sxm4-80",
    ]
    assert "NVIDIA H100 PCIe" in table().known("H100").names


@pytest.mark.parametrize("name", [None, "", "GTX 9999", "A1000000", "\x1b[31m", "x" * 10_000])
def test_an_unknown_name_is_no_card(name: str | None) -> None:
    known = table().known(name)
    assert known.candidates == ()
    assert known.names == []
    assert known.slice_share is None


def test_figures_of_a_slice_are_its_sms_and_eighths_of_the_memory() -> None:
    (whole,) = table().known("A100-SXM4-80GB").candidates
    known = table().known("NVIDIA A100-SXM4-80GB MIG 1g.10gb")
    (part,) = known.candidates
    assert known.slice_share == pytest.approx(14 / 108)
    assert part.sm_count == 14
    assert part.origin == "derived"
    assert part.bandwidth_gbs == pytest.approx(2039 / 8)
    assert part.ceiling_bandwidth_gbs == pytest.approx(2039.04 / 8)
    assert part.peaks_tflops["bf16"] == pytest.approx(312 * 14 / 108)
    assert part.ceilings_tflops["bf16"] == pytest.approx(whole.ceilings_tflops["bf16"] * 14 / 108)
    assert part.llc_bytes == 5 * MIB
    assert part.measured_best == {}


@pytest.mark.parametrize(
    ("name", "sms", "eighths"),
    [
        ("A100-SXM4-80GB MIG 1g.20gb", 14, 2),
        ("A100-SXM4-80GB MIG 2g.20gb", 28, 2),
        ("A100-SXM4-80GB MIG 3g.40gb", 42, 4),
        ("A100-SXM4-80GB MIG 4g.40gb", 56, 4),
        ("A100-SXM4-80GB MIG 7g.80gb", 98, 8),
        ("A100 80GB SXM 1g.10gb", 14, 1),
        ("A100-SXM4-40GB MIG 1g.5gb", 14, 1),
        ("H100 80GB HBM3 MIG 1g.10gb", 16, 1),
        ("H200 MIG 1g.18gb", 16, 1),
    ],
)
def test_slices_of_other_sizes(name: str, sms: int, eighths: int) -> None:
    (part,) = table().known(name).candidates
    (whole,) = table().known(part.name).candidates
    assert whole.bandwidth_gbs
    assert part.sm_count == sms
    assert part.bandwidth_gbs == pytest.approx(whole.bandwidth_gbs * eighths / 8)


@pytest.mark.parametrize("name", ["A100-SXM4-40GB MIG 1g.10gb", "H200 MIG 1g.35gb"])
def test_a_slice_with_double_memory_has_two_eighths(name: str) -> None:
    (part,) = table().known(name).candidates
    (whole,) = table().known(part.name).candidates
    assert whole.bandwidth_gbs
    assert part.bandwidth_gbs == pytest.approx(whole.bandwidth_gbs / 4)


def test_a_compute_instance_has_the_memory_of_its_gpu_instance() -> None:
    (part,) = table().known("A100-SXM4-80GB MIG 1c.3g.40gb").candidates
    assert part.sm_count == 14
    assert part.bandwidth_gbs == pytest.approx(2039 / 2)


def test_a_slice_of_an_ambiguous_card_is_of_each() -> None:
    known = table().known("A100 MIG 3g.20gb")
    assert len(known.candidates) == 4
    assert {c.sm_count for c in known.candidates} == {42}
    assert known.slice_share == pytest.approx(42 / 108)


def test_a_slice_of_an_unknown_card_is_unknown() -> None:
    assert table().known("GTX 9999 MIG 1g.10gb") == known_card.Known()


def test_siblings_are_the_other_forms_of_the_same_model() -> None:
    (a100,) = table().known("A100-SXM4-80GB").candidates
    names = table().siblings(a100)
    assert {n.key for n in names.values()} == {"a100-sxm4-40", "a100-pcie-40", "a100-pcie-80"}
    (ti,) = table().known("RTX 3090 Ti").candidates
    assert "NVIDIA GeForce RTX 3090" in table().siblings(ti)
    assert "NVIDIA GeForce RTX 3080" not in table().siblings(ti)


def test_a_figure_names_the_cards_that_have_it_relatives_first() -> None:
    (sxm80,) = table().known("A100-SXM4-80GB").candidates
    found = table().with_figure(1555, None, sxm80)
    assert found[:2] == ("NVIDIA A100-SXM4-40GB", "NVIDIA A100-PCIE-40GB")
    assert sxm80.name not in table().with_figure(2039, None, sxm80)
    assert table().with_figure(7, None, sxm80) == ()


def test_a_peak_is_anothers_dense_or_sparse_one_a_bandwidth_is_as_it_stands() -> None:
    (t4,) = table().known("T4").candidates
    dense, sparse = (table().with_figure(x, "fp16", t4) for x in (312, 624))
    assert "NVIDIA A100-SXM4-80GB" in dense
    assert "NVIDIA A100-SXM4-80GB" in sparse
    assert "NVIDIA A100-SXM4-80GB" not in table().with_figure(2 * 2039, None, t4)


@pytest.mark.parametrize(("off", "named"), [(1.019, True), (0.981, True), (1.025, False)])
def test_two_per_cent_is_the_same_figure(off: float, named: bool) -> None:
    (t4,) = table().known("T4").candidates
    found = table().with_figure(2039 * off, None, t4)
    assert ("NVIDIA A100-SXM4-80GB" in found) is named


def test_a_users_card_comes_before_the_tables() -> None:
    cards = own('[[card]]\nkey = "mine"\nnames = ["NVIDIA T4"]\nbandwidth_gbs = 300\n')
    (found,) = cards.known("T4").candidates
    assert (found.key, found.origin, found.bandwidth_gbs) == ("mine", "user", 300)
    assert [c.key for c in table().known("T4").candidates] == ["t4"]


def test_a_users_own_figures_for_a_card_of_the_table() -> None:
    cards = own('[[card]]\nkey = "t4"\nnames = ["Tesla T4"]\nbandwidth_gbs = 299\n')
    (found,) = cards.known("Tesla T4").candidates
    assert (found.origin, found.bandwidth_gbs) == ("user", 299)


def test_answers_are_kept_and_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    cards = Cards(packaged_cards())
    assert cards.known("T4") is cards.known("T4")
    monkeypatch.setattr(known_card, "MOST_KEPT", 5)
    for i in range(50):
        assert cards.known(f"unknown {i}").candidates == ()
    assert len(cards._known) <= 7
    assert [c.key for c in cards.known("T4").candidates] == ["t4"]


@pytest.mark.parametrize(("name", "sms"), [("A30 MIG 1g.6gb", 14), ("A30 MIG 2g.12gb", 28)])
def test_an_a30_is_cut_in_four(name: str, sms: int) -> None:
    (part,) = table().known(name).candidates
    assert part.sm_count == sms
    assert part.bandwidth_gbs == pytest.approx(933 * sms / 56, rel=0.01)
