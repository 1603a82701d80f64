"""Nsight Systems exports of the public schema, new and old ones, whole and damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.trace.read_trace import read_trace
from roofwatch.trace.refusal import UnreadableTrace

from .conftest import answer

KERNEL = """
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
        deviceId INTEGER NOT NULL, contextId INTEGER, streamId INTEGER NOT NULL,
        correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER,
        graphNodeId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 0, 1, 7, 11, 0, 1, 2, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (9000, 12000, 0, 1, 7, 12, 0, 1, 2, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (13000, 13500, 0, 1, 7, 13, 0, 3, 3, 5);
"""
REST = """
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO StringIds VALUES (1, 'void gemm<float>(float*)'), (2, 'gemm'), (3, 'in_graph'),
        (4, 'cudaLaunchKernel_v7000'), (5, 'cudaGraphLaunch_v10000'), (6, 'forward');
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT,
        correlationId INT, bytes INT, copyKind INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (14000, 15000, 0, 8, 14, 4096, 1);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, streamId INT,
        correlationId INT, bytes INT, value INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (15000, 16000, 0, 8, 15, 4096, 0);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,
        correlationId INT, nameId INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (500, 700, 99, 11, 4), (8000, 8200, 99, 12, 4),
        (8300, 8400, 99, 13, 5);
    CREATE TABLE NVTX_EVENTS (start INT, end INT, text TEXT, textId INT, globalTid INT,
        eventType INT);
    INSERT INTO NVTX_EVENTS VALUES (0, 9999, 'aten::mm, seq = 3', NULL, 99, 59),
        (450, 800, NULL, 6, 99, 59), (0, 9999, 'a mark', NULL, 99, 34);
    CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, smCount INT, totalMemory INT);
    INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', 132, 150109880320);
"""
Base = Callable[[str], Path]


@pytest.fixture
def base(tmp_path: Path) -> Base:
    """Makes an export of these statements."""

    def made(statements: str) -> Path:
        path = tmp_path / "a report? 100%.sqlite"
        con = sqlite3.connect(path)
        con.executescript(statements)
        con.commit()
        con.close()
        return path

    return made


def test_kernels_copies_streams_and_the_card_are_read(base: Base) -> None:
    found = answer(base(KERNEL + REST))
    assert found.source == "Nsight Systems"
    assert found.card.name == "NVIDIA H200"
    rows = {k.name: k for k in found.kernels}
    assert rows["void gemm<float>(float*)"].count == 2
    assert rows["void gemm<float>(float*)"].time_s == pytest.approx(5e-6)
    assert found.span_s == pytest.approx(15e-6)
    assert found.busy_s == pytest.approx(7.5e-6)
    assert {s.stream for s in found.streams} == {7, 8}
    assert rows["Memcpy HtoD"].bound == "overhead"
    assert rows["Memset"].bytes == 4096
    assert any("Nsight Systems records no shapes" in note for note in found.notes)


def test_a_range_around_a_launch_stands_for_its_operator(base: Base) -> None:
    rows = {k.name: k for k in answer(base(KERNEL + REST)).kernels}
    assert set(rows["void gemm<float>(float*)"].operators) == {"forward", "aten::mm"}


def test_an_old_export_without_most_tables_is_read(base: Base) -> None:
    found = answer(base(KERNEL))
    assert [k.name for k in found.kernels] == ["unnamed kernel"]
    assert found.card.origin == "none"
    assert any("--gpu" in note for note in found.notes)


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        ("CREATE TABLE x (a INT)", "no trace.*CUPTI_ACTIVITY_KIND_KERNEL is missing"),
        (
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT)",
            "no kernels.*CUPTI_ACTIVITY_KIND_KERNEL is missing",
        ),
        (
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, deviceId INT)",
            "CUPTI_ACTIVITY_KIND_KERNEL: column end is missing",
        ),
        (
            KERNEL + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId) "
            "VALUES ('soon', 1, 0, 7);",
            "CUPTI_ACTIVITY_KIND_KERNEL, row 4: start: 'soon' is no whole number",
        ),
        (
            "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start",
            "CUPTI_ACTIVITY_KIND_KERNEL is missing",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_named(base: Base, statements: str, words: str) -> None:
    with pytest.raises(UnreadableTrace, match=words) as error:
        read_trace(base(statements))
    assert "\n" not in str(error.value)


def test_rows_whose_times_no_clock_shows_are_dropped(base: Base) -> None:
    insert = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId) VALUES "
    found = answer(base(KERNEL + REST + insert + "(9, 3, 0, 7), (0, 9223372036854775807, 0, 7);"))
    assert found.span_s == pytest.approx(15e-6)
    assert any("2 rows" in note for note in found.notes)


def test_reading_leaves_the_file_as_it_was(base: Base) -> None:
    path = base(KERNEL + REST)
    before = path.read_bytes()
    read_trace(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_damaged_base_is_refused(base: Base) -> None:
    path = base(KERNEL + REST)
    data = bytearray(path.read_bytes())
    data[100:4000] = b"\xff" * 3900
    path.write_bytes(data)
    with pytest.raises(UnreadableTrace, match="no database that can be read"):
        read_trace(path)
