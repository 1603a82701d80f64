"""Which files the cards come from, and every way in which a file can be no file."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from roofwatch.roofline.nominal import NominalError, parse
from roofwatch.session.cards import load_cards, packaged_cards
from roofwatch.session.own_file import LIMIT_BYTES

CARD = '[[card]]\nkey = "{key}"\nnames = ["{name}"]\nbandwidth_gbs = {gbs}\n'


def written(path: Path, key: str = "mine", name: str = "Mine", gbs: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CARD.format(key=key, name=name, gbs=gbs), encoding="utf-8")
    return path


def refused(path: str | Path, environ: dict[str, str]) -> str:
    with pytest.raises(NominalError) as caught:
        load_cards(path, environ)
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_without_any_file_the_packaged_table() -> None:
    cards, user_keys = load_cards(environ={})
    assert cards == packaged_cards()
    assert user_keys == frozenset()
    assert len(cards) >= 80


def test_the_users_file_and_the_named_one_override_in_that_order(tmp_path: Path) -> None:
    user = written(tmp_path / "config/roofwatch/nominal.toml", key="t4", name="Tesla T4", gbs=300)
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": "/nowhere"}
    cards, user_keys = load_cards(environ=environ)
    assert user_keys == {"t4"}
    assert [card.bandwidth_gbs for card in cards if card.key == "t4"] == [300]
    named = written(tmp_path / "named.toml", key="t4", name="Tesla T4", gbs=299)
    named.write_text(named.read_text() + CARD.format(key="new", name="New", gbs=7))
    cards, user_keys = load_cards(named, environ)
    assert user_keys == {"t4", "new"}
    assert [card.bandwidth_gbs for card in cards if card.key in user_keys] == [299, 7]
    assert len(cards) == len(packaged_cards()) + 1
    assert user.exists()


@pytest.mark.parametrize("base", [None, "", "relative/path"])
def test_without_an_absolute_xdg_directory_home_counts(tmp_path: Path, base: str | None) -> None:
    written(tmp_path / ".config/roofwatch/nominal.toml")
    environ = {"HOME": str(tmp_path)} | ({} if base is None else {"XDG_CONFIG_HOME": base})
    assert load_cards(environ=environ)[1] == {"mine"}
    assert load_cards(environ={**environ, "HOME": ""})[1] == frozenset()


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = written(tmp_path / "n.toml")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_cards(path, {})[1] == {"mine"}


def test_what_cannot_be_read_is_named_with_its_reason(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert refused(missing, {}) == f"{missing}: No such file or directory"
    assert refused(tmp_path, {}) == f"{tmp_path}: Is a directory"
    latin = tmp_path / "latin.toml"
    latin.write_bytes("schema = 1 # é".encode("latin-1"))
    assert refused(latin, {}) == f"{latin}: not UTF-8 text (byte 13)"
    utf16 = tmp_path / "utf16.toml"
    utf16.write_text("schema = 1", encoding="utf-16")
    assert refused(utf16, {}).startswith(f"{utf16}: not UTF-8 text")
    broken = tmp_path / "broken.toml"
    broken.write_text("schema = 1\n[[card]\n")
    assert refused(broken, {}).startswith(f"{broken}: line 2, ")
    assert "null byte" in refused("a\0b", {})
    assert refused(tmp_path / "a\nb", {}) == f"{tmp_path}/a\\nb: No such file or directory"
    assert refused(os.fsdecode(b"\xff.toml"), {}).startswith("\\udcff.toml: ")
    long = tmp_path / ("x" * 300)
    assert refused(long, {}).endswith(": File name too long")


def test_an_endless_file_is_refused(tmp_path: Path) -> None:
    big = tmp_path / "big.toml"
    big.write_bytes(b"#" * (LIMIT_BYTES + 1))
    assert refused(big, {}) == f"{big}: more than 4 MiB"
    assert refused("/dev/zero", {}) == "/dev/zero: is a device, not a file"


def test_a_forbidden_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbidden, real = tmp_path / "n.toml", Path.open

    def denied(path: Path, *args: Any, **options: Any) -> Any:  # chmod does not stop root
        if path == forbidden:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(path, *args, **options)

    monkeypatch.setattr(Path, "open", denied)
    assert refused(forbidden, {}) == f"{forbidden}: Permission denied"


def test_a_users_file_that_is_broken_is_an_error_too(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    path = tmp_path / "roofwatch/nominal.toml"
    path.parent.mkdir()
    path.symlink_to("nowhere")
    with pytest.raises(NominalError, match="No such file"):
        load_cards(environ=environ)
    path.unlink()
    path.mkdir()
    with pytest.raises(NominalError, match="Is a directory"):
        load_cards(environ=environ)
    path.rmdir()
    path.write_text('[[card]]\nkey = "x"\nnames = ["X"]\nbandwith_gbs = 5\n')
    with pytest.raises(NominalError) as caught:
        load_cards(environ=environ)
    assert str(caught.value) == (
        f'{path}: [[card]] 1 "x" field bandwith_gbs: unknown; did you mean bandwidth_gbs?'
    )


def test_a_users_card_may_name_a_cpu() -> None:
    from roofwatch.roofline.suite import suite
    from roofwatch.session.events import Device
    from roofwatch.session.expectation import expectations, nominal_of

    mine = parse(
        '[[card]]\nkey = "mine"\nnames = ["Some CPU"]\nbandwidth_gbs = 100\n[card.peaks]\nfp32 = 3',
        "mine.toml",
    )
    device = Device(kind="cpu", name="Some CPU", core_count=2)
    nominal = nominal_of(device, mine, frozenset(["mine"]))
    assert nominal.origin == "user"
    ranges = {e.probe: e for e in expectations(suite("quick", "cpu"), device, nominal, 0.0, 1)}
    assert 60 < ranges["add_scalar-fp32"].low < ranges["add_scalar-fp32"].high <= 100
    assert "of nominal 3" in ranges["matmul-fp32"].why
    assert nominal_of(device, mine, frozenset()).origin == "none"
