"""The file of numbers: read whole, or refused in one line that names it."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from roofwatch.session import number_file
from roofwatch.session.number_file import UnreadableNumbers, read_numbers

TEXT = '{"op":"add","note":"é, 名"}\n'


def kept(folder: Path, data: bytes) -> str:
    path = folder / "numbers.jsonl"
    path.write_bytes(data)
    return str(path)


def refused(name: str) -> str:
    with pytest.raises(UnreadableNumbers) as caught:
        read_numbers(name)
    assert "\n" not in str(caught.value) or "\n" in name
    return str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_utf_8_and_utf_16_with_a_mark(tmp_path: Path, encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    assert read_numbers(kept(tmp_path, mark + TEXT.encode(encoding))) == TEXT


def test_utf_16_without_a_mark_is_no_text(tmp_path: Path) -> None:
    name = kept(tmp_path, TEXT.encode("utf-16-le"))
    assert refused(name) == f"{name}: no text: it holds null bytes"


def test_bytes_that_are_no_utf_8_stay_where_they_are(tmp_path: Path) -> None:
    text = read_numbers(kept(tmp_path, b'{"op":"add"}\n{"id":"\xff"}\n{"op":"copy"}\n'))
    assert text.splitlines()[::2] == ['{"op":"add"}', '{"op":"copy"}']
    assert text.splitlines()[1] == '{"id":"\udcff"}'


@pytest.mark.parametrize("data", [b"", b" \n\r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"])
def test_a_file_without_rows_is_said(tmp_path: Path, data: bytes) -> None:
    name = kept(tmp_path, data)
    assert refused(name) == f"{name}: no rows in it"


@pytest.mark.parametrize("data", [b"\xff\xfe", b"\xfe\xff\x00 \x00\n"])
def test_so_it_is_in_utf_16(tmp_path: Path, data: bytes) -> None:
    name = kept(tmp_path, data)
    assert refused(name) == f"{name}: no rows in it"


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x00\x00", b"\xff\xfe\x00", b"\x89PNG\r\n\x1a\n\x00\x00"]
)
def test_what_is_no_text(tmp_path: Path, data: bytes) -> None:
    assert ": no text" in refused(kept(tmp_path, data))


def test_what_cannot_be_opened_is_named_with_its_reason(tmp_path: Path) -> None:
    assert refused("/nowhere/x.csv") == "/nowhere/x.csv: No such file or directory"
    assert refused(str(tmp_path)) == f"{tmp_path}: Is a directory"
    assert "null byte" in refused("a\0b")
    assert refused("x" * 300).endswith(": File name too long")
    with pytest.raises(UnreadableNumbers):
        read_numbers(os.fsdecode(b"/nowhere/\xff"))


def test_an_endless_or_a_huge_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(number_file, "LIMIT_BYTES", 1 << 20)
    name = kept(tmp_path, b" " * ((1 << 20) + 1))
    assert refused(name) == f"{name}: more than 1 MiB"
    assert refused("/dev/zero") == "/dev/zero: is a device, not a file"
    assert read_numbers(kept(tmp_path, b"x" * (1 << 20))) == "x" * (1 << 20)


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))


def test_standard_input_whatever_its_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, TEXT.encode())
    assert read_numbers("-") == TEXT


def test_standard_input_that_is_empty_binary_or_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, b"")
    assert refused("-") == "standard input: no rows in it"
    standard_input(monkeypatch, b"a\0")
    assert refused("-") == "standard input: no text: it holds null bytes"
    monkeypatch.setattr(sys, "stdin", None)
    assert refused("-") == "standard input is closed"


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, TEXT.encode())
    os.close(writer)
    try:
        assert read_numbers(f"/dev/fd/{reader}") == TEXT
    finally:
        os.close(reader)


def test_a_pipe_is_refused_and_one_that_the_shell_opened_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refused(str(pipe)) == f"{pipe}: is a pipe, not a file"
    read_end, write_end = os.pipe()
    os.write(write_end, TEXT.encode())
    os.close(write_end)
    assert read_numbers(f"/dev/fd/{read_end}") == TEXT
    os.close(read_end)
