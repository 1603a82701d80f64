"""A fleet without links says why, whatever became of them."""

from __future__ import annotations

from pathlib import Path

from made_fleet import made_fleet

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.lines import EndLine, Header, NoteLine
from roofwatch.session.fleet.missing_links import NOT_SAID, missing_links

TWO = Path(__file__).parents[2] / "sessions" / "two"


def of(world: int, *lines: EndLine | NoteLine) -> str:
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=world))
    for line in lines:
        fleet.add(line)
    return missing_links(fleet)


def test_each_reason_in_words() -> None:
    assert missing_links(made_fleet(8)) == ""
    assert of(1, EndLine(complete=True)) == "none: one rank has nobody to send to"
    assert of(2) == "not measured: the file ends before them"
    killed = EndLine(complete=False, why="ended by SIGTERM")
    assert of(2, killed) == "not measured: ended by SIGTERM"
    left_out = NoteLine(text="no links: --no-collectives leaves them out")
    assert of(2, left_out, EndLine(complete=True)) == (
        "not measured: --no-collectives leaves them out"
    )


def test_torchrun_ends_the_others_when_one_has_died() -> None:
    fleet = made_fleet(8, lost=(3,), links=False)
    fleet.add(EndLine(complete=False, why="ended by SIGTERM"))
    said = "not measured: ended by SIGTERM (torchrun ends all ranks of a machine when one has died)"
    assert missing_links(fleet) == said


def test_a_kept_file_without_a_reason_says_that() -> None:
    assert missing_links(read_fleet(TWO / "fleet-slow.jsonl")) == NOT_SAID
