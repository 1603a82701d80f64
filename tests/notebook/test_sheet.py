"""Rows out of JSON lines, an array, CSV and options; a bad one stops no other."""

from __future__ import annotations

import pytest

from roofwatch.notebook import sheet
from roofwatch.notebook.entry import Unreadable
from roofwatch.notebook.sheet import Fields, rows, shell_rows

ADD = '{"op":"add","elements":7}'
CSV = "op,elements\nadd,7\n"


def read(text: str, name: str = "") -> list[tuple[str, Fields | Unreadable]]:
    return list(rows(text, name))


def fields(text: str, name: str = "") -> list[Fields]:
    found = read(text, name)
    assert not [f for _, f in found if isinstance(f, Unreadable)], found
    return [dict(f) for _, f in found if not isinstance(f, Unreadable)]


def bad(row: tuple[str, Fields | Unreadable]) -> str:
    where, error = row
    assert isinstance(error, Unreadable)
    assert str(error).startswith(f"{where}: ")
    assert str(error).isprintable()
    return str(error)


def test_one_object_a_line() -> None:
    found = read(f'{ADD}\n{{"op":"copy"}}\n')
    assert found == [("row 1", {"op": "add", "elements": 7}), ("row 2", {"op": "copy"})]


def test_blank_lines_move_the_line_not_the_row() -> None:
    assert [where for where, _ in read(f"\n{ADD}\n\n \t\n{ADD}\n\n")] == [
        "row 1 (line 2)",
        "row 2 (line 5)",
    ]


@pytest.mark.parametrize("text", [f"{ADD}\r\n{ADD}\r\n", f"\ufeff{ADD}\n{ADD}", f"  {ADD}\n{ADD}"])
def test_ends_of_lines_and_marks_do_not_matter(text: str) -> None:
    assert fields(text) == [{"op": "add", "elements": 7}] * 2


def test_a_separator_inside_a_string_ends_no_row() -> None:
    (one,) = fields('{"op":"add","note":"a\u2028b\u0085c"}')
    assert one["note"] == "a\u2028b\u0085c"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "no JSON object"),
        ("{'op': 'add'}", "no JSON object"),
        ('{"op":"add"} x', "no JSON object"),
        ('{"op":"add","n":NaN}', "no JSON object"),
        ('{"op":"add","n":1e999}', "no JSON object"),
        ('{"op":"\udcff"}', "no JSON object"),
        ('{"op":"\\ud800"}', "no JSON object"),
        ('{"op":"add","n":' + "9" * 5000 + "}", "no JSON object"),
        ("[" * 100_000, "nested too deeply"),
        ("[1]", "an object with fields belongs here"),
        ("7", "an object with fields belongs here"),
        ("null", "an object with fields belongs here"),
        ('"op"', "an object with fields belongs here"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_read(line: str, says: str) -> None:
    first, second, third = read(f"{ADD}\n{line}\n{ADD}\n")
    assert first[1] == third[1] == {"op": "add", "elements": 7}
    assert third[0] == "row 3"
    assert bad(second).startswith("row 2: ")
    assert says in bad(second)


@pytest.mark.parametrize("first", ["oops", "[1]", '"op"', "# made by hand"])
@pytest.mark.parametrize("name", ["x.jsonl", "X.NDJSON"])
def test_a_bad_first_line_of_a_jsonl_file_stops_no_other(first: str, name: str) -> None:
    one, two = read(f"{first}\n{ADD}\n", name)
    assert bad(one).startswith("row 1: ")
    assert two == ("row 2", {"op": "add", "elements": 7})


def test_an_array_of_objects() -> None:
    found = read(f' [\n{ADD},\n 7, {{"op":"copy"}}]', "x.json")
    assert [where for where, _ in found] == ["row 1", "row 2", "row 3"]
    assert found[0][1] == {"op": "add", "elements": 7}
    assert bad(found[1]) == "row 2: an object with fields belongs here"


@pytest.mark.parametrize("text", [f"[{ADD}", f"[{ADD}] x", "[" * 100_000])
def test_a_broken_array_is_one_bad_row(text: str) -> None:
    (one,) = read(text)
    assert bad(one).startswith("row 1: the array is ")


def test_csv_with_headings() -> None:
    found = read("op,elements,note\nadd,7,hello\ncopy,8,\n")
    assert found == [
        ("row 1 (line 2)", {"op": "add", "elements": "7", "note": "hello"}),
        ("row 2 (line 3)", {"op": "copy", "elements": "8", "note": ""}),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("begin", ["", "\ufeff", "\n", " , \n"])
def test_csv_of_any_system(begin: str, end: str) -> None:
    assert fields(begin + "op, elements" + end + "add,7" + end) == [{"op": "add", "elements": "7"}]


def test_tabs_where_the_name_says_so() -> None:
    assert fields("op\tnote\nadd\ta,b\n", "x.TSV") == [{"op": "add", "note": "a,b"}]


def test_a_csv_that_begins_like_json_is_what_its_name_says() -> None:
    assert fields("[op],op\n1,add\n", "x.csv") == [{"[op]": "1", "op": "add"}]


def test_quotes_keep_commas_quotes_and_ends_of_lines() -> None:
    found = read('op,note\nadd,"a, ""b""\nc"\ncopy,d\n')
    assert found[0][1] == {"op": "add", "note": 'a, "b"\nc'}
    assert found[1] == ("row 2 (line 4)", {"op": "copy", "note": "d"})


def test_short_rows_are_read_long_ones_named_and_empty_ones_skipped() -> None:
    found = read("op,elements\nadd\n\n , \nadd,7,8,9\ncopy,1\n")
    assert found[0] == ("row 1 (line 2)", {"op": "add"})
    assert bad(found[1]) == "row 2 (line 5): 4 cells under 2 headings"
    assert found[2] == ("row 3 (line 6)", {"op": "copy", "elements": "1"})


def test_a_bad_cell_in_a_csv_stops_no_other() -> None:
    for cell in ('"a"b', "x" * 200_000):
        one, two = read(f"op,note\nadd,{cell}\ncopy,c\n")
        assert bad(one).startswith("row 1 (line 2): no CSV: ")
        assert two == ("row 2 (line 3)", {"op": "copy", "note": "c"})


def test_a_null_in_a_csv_is_one_bad_row_at_most() -> None:
    found = read("op,note\nadd,a\0b\ncopy,c\n")  # Python 3.10 refuses it, later ones do not
    assert len(found) == 2
    assert found[1] == ("row 2 (line 3)", {"op": "copy", "note": "c"})


def test_a_quote_that_is_never_closed_stops_no_other() -> None:
    found = read('op,note\nadd,"a\ncopy,b\nfill,c\n')
    assert bad(found[0]).startswith("row 1 (line 2)")
    assert [f for _, f in found[1:]] == [{"op": "copy", "note": "b"}, {"op": "fill", "note": "c"}]


def test_an_unclosed_quote_is_said() -> None:
    found = read(CSV + 'copy,"8\n')
    assert found[0] == ("row 1 (line 2)", {"op": "add", "elements": "7"})
    assert "no CSV: " in bad(found[1])


def test_a_heading_that_comes_twice_is_said() -> None:
    found = read("op,elements,elements\nadd,7,8\n")
    assert any(isinstance(f, Unreadable) and "elements" in str(f) for _, f in found)


def test_one_number_by_options() -> None:
    said = {"op": "add", "time": "4.7us", "gpu": "T4, mine", "note": "a,b"}
    assert list(shell_rows(said)) == [("", said)]


def test_commas_make_points_of_one_experiment() -> None:
    said = {"op": "decode", "batch": "8,64", "time": "10ms,11ms", "gpu": "H100, mine"}
    common = {"op": "decode", "gpu": "H100, mine", "id": "experiment"}
    assert list(shell_rows(said)) == [
        ("point 1", {**common, "batch": "8", "time": "10ms"}),
        ("point 2", {**common, "batch": "64", "time": "11ms"}),
    ]


def test_one_list_is_enough_and_an_id_of_ones_own_stays() -> None:
    found = list(shell_rows({"id": "mine", "op": "add", "time": "1ms,2ms,3ms"}))
    assert [where for where, _ in found] == ["point 1", "point 2", "point 3"]
    assert {f["id"] for _, f in found if not isinstance(f, Unreadable)} == {"mine"}


def test_lists_that_do_not_pair_are_said() -> None:
    ((where, error),) = shell_rows({"batch": "8,64", "time": "1ms,2ms,3ms", "op": "add"})
    assert where == ""
    assert isinstance(error, Unreadable)
    assert str(error) == "points do not pair: 2 of batch and 3 of time"


def test_a_separator_in_a_cell_ends_no_row_beside_a_bad_one_either() -> None:
    found = read('op,note\nadd,"a"b\ncopy,c\u2028d\n')
    assert found[1:] == [("row 2 (line 3)", {"op": "copy", "note": "c\u2028d"})]


def test_headings_that_are_no_text_are_said_as_text() -> None:
    for heading in ("o\x1b[2Jp", "o\u202ep,m", "op\udcffx", "o\x07p", "x" * 9000):
        _, error = read(f"{heading}\nadd,7\n", "x.csv")[0]
        assert str(error).startswith("heading, field op: missing")
        assert str(error).isprintable()
    _, twice = read("op,m\x1b,m\x1b\n", "x.csv")[0]
    assert str(twice) == "heading, field m\\x1b: stands there twice"


def test_past_a_bound_no_more_rows_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "MOST_ROWS", 2)
    for text in (f"{ADD}\n" * 5, f"[{ADD},{ADD},{ADD},{ADD}]", f"{CSV}add,8\nadd,9\nadd,10\n"):
        *whole, last = read(text)
        assert [where for where, _ in whole] == ["row 1", "row 2"] or text.startswith("op")
        assert len(whole) == 2
        assert bad(last).endswith(": no more than 2 rows are read")


# ---- a name that stands twice in an object -----------------------------------------------------


@pytest.mark.parametrize("given", ["{}\n", "[{}]", '[{{"op":"add"}}, {}]', '{{"op":"add"}}\n{}\n'])
@pytest.mark.parametrize(
    "twice",
    [
        '{"op":"add","time_ms":2.8,"time_ms":9.9}',
        '{"op":"add","time_ms":2.8,"time_ms":2.8}',
        '{"op":"add","ti\\u006de_ms":2.8,"time_ms":9.9}',
    ],
)
def test_a_name_given_twice_is_said_as_in_a_heading(given: str, twice: str) -> None:
    found = read(given.format(twice))
    where, error = found[-1]
    assert isinstance(error, Unreadable)
    assert str(error) == f"{where}, field time_ms: is given twice"
    assert all(row == {"op": "add"} for _, row in found[:-1])


def test_a_column_of_one_s_own_is_not_lost_either() -> None:
    (row,) = read('{"op":"add","host":"a","host":"b"}')
    assert str(row[1]) == "row 1, field host: is given twice"


@pytest.mark.parametrize(
    "row", ['{"op":"add","note":"a:b:c"}', '{"op":"add","more":{"op":1,"x":2}}', '{"op":":","x":1}']
)
def test_colons_elsewhere_are_no_second_name(row: str) -> None:
    assert isinstance(read(row)[0][1], dict)
    assert isinstance(read(f"[{row}]")[0][1], dict)
