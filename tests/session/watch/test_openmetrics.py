from __future__ import annotations

import re

import pytest

from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.watch.openmetrics import openmetrics

LINE = re.compile(r'roofwatch_[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)+\})? [-+0-9.e]+')


def parsed(text: str) -> dict[str, str]:
    """Families by their kind; every line is of the exposition format."""
    assert text.endswith("# EOF\n")
    kinds: dict[str, str] = {}
    current = ""
    for line in text.splitlines()[:-1]:
        if line.startswith("# TYPE "):
            current, kind = line.split()[2:]
            assert current not in kinds
            kinds[current] = kind
        elif line.startswith("# "):
            assert line.split()[2] == current
        else:
            assert LINE.fullmatch(line), line
            name = re.split(r"[ {]", line)[0]
            assert name == current + ("_total" if kinds[current] == "counter" else "")
    return kinds


def test_readings_in_base_units(read, session_of) -> None:
    samples = [
        read(0.0, energy_j=5000.5, processes=1, counters={"power_cap": 1_500_000_000}),
        read(0.1, sm_mhz=1455.0, reasons=4, util=0.98, counters={"power_cap": 2_000_000_000}),
    ]
    text = openmetrics(session_of(samples, 1.0, uuid="GPU-1"), watching=True)
    kinds = parsed(text)
    assert kinds["roofwatch_energy_joules"] == "counter"
    labels = '{gpu="0",uuid="GPU-1",name="NVIDIA H200"}'
    assert f"roofwatch_sm_clock_hertz{labels} 1455000000.0\n" in text
    assert f"roofwatch_energy_joules_total{labels} 5000.5\n" in text  # of the sample before
    assert f"roofwatch_processes{labels} 1.0\n" in text
    with_reason = labels[:-1] + ',reason="power_cap"}'
    assert f"roofwatch_clocks_event_reason{with_reason} 1\n" in text
    assert f"roofwatch_clocks_event_reason_seconds_total{with_reason} 2.0\n" in text
    assert labels[:-1] + ',reason="idle"} 0\n' in text
    assert "roofwatch_watching 1\n" in text


def test_what_cannot_be_read_is_left_out(read, session_of) -> None:
    blind = read(0.0, power_w=None, power_instant_w=None, reasons=None, temp_c=None)
    text = openmetrics(session_of([blind], 1.0), watching=False)
    parsed(text)
    for absent in ("power", "celsius", "clocks_event_reason", "energy"):
        assert absent not in text
    assert "roofwatch_watching 0\n" in text


def test_a_name_cannot_break_a_line(read, session_of) -> None:
    text = openmetrics(session_of([read(0.0)], 1.0, name='a"b\\c\nd'), watching=True)
    parsed(text)
    assert 'name="a\\"b\\\\c�d"' in text


def test_every_card_has_its_lines(read, session_of) -> None:
    session = session_of([read(0.0)], 1.0)
    more = Device(kind="cuda", name="NVIDIA H200", index=1, uuid="GPU-2")
    told = session.told_by("telemetry")
    session.add(SessionInfo(t=0.1, instrument="telemetry", device=told, neighbours=[more]))
    session.add(read(0.2, gpu=1, sm_mhz=1200.0))
    text = openmetrics(session, watching=True)
    parsed(text)
    assert '{gpu="1",uuid="GPU-2",name="NVIDIA H200"} 1200000000.0' in text


def test_the_reference_parser_reads_it(read, session_of) -> None:
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    samples = [read(0.0, energy_j=5.0, counters={"power_cap": 10**9})]
    text = openmetrics(session_of(samples, 1.0), watching=True)
    families = {f.name: f for f in parser.text_string_to_metric_families(text)}
    assert families["roofwatch_power_instant_watts"].samples[0].value == 400.0
    assert families["roofwatch_energy_joules"].unit == "joules"
