"""``roofwatch cards``: the nominal table on stdout, with the arithmetic behind each figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from roofwatch.cli import main
from roofwatch.roofline.nominal import factor_bandwidth_gbs, factor_peak_tflops
from roofwatch.session.card_entry import bandwidth_arithmetic, peak_arithmetic
from roofwatch.session.cards import packaged_cards
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.card_rows import arithmetic_rows, table_rows

Out = pytest.CaptureFixture[str]
OWN = """
[[card]]
key = "mine"
names = ["My Card"]
bandwidth_gbs = 100
[card.peaks]
fp32 = 10
"""


def listed(capsys: Out, *arguments: str) -> list[dict[str, object]]:
    assert main(["cards", *arguments, "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_every_card_has_what_the_contract_names(capsys: Out) -> None:
    found = listed(capsys)
    assert len(found) == len(packaged_cards())
    for entry, card in zip(found, packaged_cards(), strict=True):
        assert entry["names"] == list(card.names)
        assert entry["peaks_tflops"] == card.peaks
        assert entry["bandwidth_gbs"] == card.bandwidth_gbs
        products = entry["products"]
        assert isinstance(products, dict)
        for key, value in products.get("peaks_tflops", {}).items():
            assert value == factor_peak_tflops(card, key)
        assert products.get("bandwidth_gbs") == factor_bandwidth_gbs(card)
        missing = {name for name, value in entry.items() if value is None}
        assert missing == set(entry["status"])  # type: ignore[call-overload]


def test_the_arithmetic_is_what_it_comes_to() -> None:
    counted = 0
    for card in packaged_cards():
        if said := bandwidth_arithmetic(card):
            assert _worked_out(said) == pytest.approx(factor_bandwidth_gbs(card), rel=1e-4)
        for key in card.peaks:
            if said := peak_arithmetic(card, key):
                peak = factor_peak_tflops(card, key)
                assert _worked_out(said) / 1e6 == pytest.approx(peak, rel=1e-4)
                counted += 1
    assert counted > 500


def _worked_out(said: str) -> float:
    """``132 SM x 4 cores x 512 FMA x 2 x 1830 MHz``, its words left out."""
    product = 1.0
    for factor in said.split(" x "):
        number, _, rest = factor.partition(" ")
        product *= float(number)
        if "/ 8" in rest:
            product /= 8
    return product


def test_a_named_card_has_its_arithmetic(capsys: Out) -> None:
    assert main(["cards", "h200", "--ascii"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == " NVIDIA H200"
    assert " bandwidth       4800    4814  GB/s: 6016 bit / 8 x 6.402 Gbit/s" in out
    assert " bf16           989.4   989.4  132 SM x 4 cores x 512 FMA x 2 x 1830 MHz" in out
    assert " ridge bf16     206.1          FLOP/byte" in out


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_it_fits_its_terminal(cells: int) -> None:
    lines = [text_of(r) for r in table_rows(packaged_cards(), cells, UNICODE)]
    assert len(lines) == len(packaged_cards()) + 1
    assert max(map(cell_len, lines)) <= cells
    assert "fp16" in lines[0]
    for card in packaged_cards():
        lines = [text_of(r) for r in arithmetic_rows(card, False, cells, UNICODE)]
        assert max(map(cell_len, lines)) <= cells, card.key


def test_a_name_of_several_is_answered_by_all(capsys: Out) -> None:
    found = listed(capsys, "A100")
    assert len(found) > 1
    assert all("A100" in str(entry["names"]) for entry in found)


def test_an_own_card_stands_with_the_others(tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "nominal.toml"
    file.write_text(OWN)
    (mine,) = listed(capsys, "My Card", "--nominal", str(file))
    assert (mine["origin"], mine["products"]) == ("user", {})
    assert mine["status"] == dict.fromkeys(
        ("memory_gb", "tdp_w", "sm_max_mhz", "evidence"), "not_known"
    )
    assert main(["cards", "My Card", "--nominal", str(file)]) == 0
    out = capsys.readouterr().out
    assert "your own entry" in out
    assert " ridge fp32       100          FLOP/byte" in out


def test_what_it_cannot_answer_is_one_line(tmp_path: Path, capsys: Out) -> None:
    for arguments in (["H2000"], ["H200", "--nominal", str(tmp_path / "none.toml")], ["a", "b"]):
        with pytest.raises(SystemExit) as ended:
            raise SystemExit(main(["cards", *arguments]))
        assert ended.value.code == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
    assert main(["cards", "T4"]) == 0
