"""What Chrome traces of many torch versions look like, and all that is joined of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofwatch.trace.read_trace import read_trace

from .conftest import BF16, answer, events

MM = ("aten::mm", [[4096, 4096], [4096, 4096]], "nvjet_sm90_tst_128x256", 100.0, 200.0)
ADD = ("aten::add", [[4096, 4096], [4096, 4096], []], "elementwise", 310.0, 25.0)
Write = Callable[..., Path]


def old(found: list[dict[str, Any]], external: str) -> list[dict[str, Any]]:
    """The same events as torch 1.x wrote them."""
    words = {"cpu_op": "Operator", "kernel": "Kernel", "cuda_runtime": "Runtime"}
    out = []
    for event in found:
        args = dict(event["args"])
        args[external] = str(args.pop("External id"))
        if "Input Dims" in args:
            args["Input dims"], args["Input type"] = args.pop("Input Dims"), args["Input type"]
            del args["Concrete Inputs"]
        times = {"ts": 1_670_000_000_000_000 + int(event["ts"]), "dur": int(event["dur"])}
        out.append(event | {"cat": words[event["cat"]], "args": args} | times)
    return out


def test_a_bare_list_is_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps(events(MM, ADD)))
    found = read_trace(path)
    assert [a.name for a in found.activities] == [MM[2], ADD[2]]
    assert found.cards == {}


@pytest.mark.parametrize("external", ["external id", "External id"])
def test_the_words_of_torch_1_are_understood(trace: Write, external: str) -> None:
    found = answer(trace(old(events(MM, ADD), external), devices=False), gpu="H200")
    assert found.span_s == pytest.approx(235e-6)
    assert found.busy_s == pytest.approx(225e-6)
    first = found.kernels[0]
    assert first.operators == ["aten::mm"]
    assert first.flop == 2 * 4096**3
    assert first.bound == "compute"
    assert found.devices[0].name is None


def test_a_kernel_without_an_operator_gets_its_launches(trace: Write) -> None:
    found = events(MM)
    del found[2]["args"]["External id"]
    assert answer(trace(found)).kernels[0].operators == ["aten::mm"]


def test_a_launch_without_an_operator_gets_the_innermost_around_it(trace: Write) -> None:
    found = events(MM, ADD)
    for event in found:
        if event["cat"] != "cpu_op":
            del event["args"]["External id"]
    outer = {"ph": "X", "cat": "cpu_op", "name": "aten::matmul", "pid": 5, "tid": 5}
    found.append(outer | {"ts": 9.0, "dur": 10.5, "args": {"External id": 99}})
    seen = answer(trace(found))
    assert [k.operators for k in seen.kernels] == [["aten::mm"], ["aten::add"]]


def test_gzip_of_several_members_is_one_trace(trace: Write, tmp_path: Path) -> None:
    data = trace(events(MM)).read_bytes()
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(data[:100]) + gzip.compress(data[100:]))
    assert len(read_trace(path).activities) == 1


def test_numbers_that_are_no_json_are_read_as_null(trace: Write) -> None:
    path = trace(events(MM))
    text = path.read_text().replace('"stream": 7', '"stream": 7, "blocks per SM": inf, "x": -nan')
    path.write_text(text)
    assert len(read_trace(path).activities) == 1


def test_times_are_whole_nanoseconds(trace: Write) -> None:
    found = events(("aten::mm", [], "k", 5179692020179.074, 0.736))
    a = read_trace(trace(found)).activities[0]
    assert (a.begin_ns, a.end_ns) == (5179692020179074, 5179692020179810)


@pytest.mark.parametrize("dur", [-1.0, 1e300, 1e13])
def test_times_that_no_clock_shows_are_dropped_with_a_note(trace: Write, dur: float) -> None:
    found = events(MM, ADD)
    found[2]["dur"] = dur
    seen = answer(trace(found))
    assert [k.name for k in seen.kernels] == [ADD[2]]
    assert any("1 event has times" in note for note in seen.notes)


def test_without_shapes_it_says_how_to_record_them(trace: Write) -> None:
    found = events(MM)
    for key in ("Input Dims", "Input type", "Concrete Inputs"):
        del found[0]["args"][key]
    seen = answer(trace(found))
    assert seen.kernels[0].bound == "unknown"
    assert seen.kernels[0].operators == ["aten::mm"]
    assert any("record_shapes=True" in note for note in seen.notes)


def test_an_operator_without_a_formula_is_unknown_and_named(trace: Write) -> None:
    seen = answer(trace(events(("aten::topk", [[4096, 4096]], "gatherTopK", 100.0, 50.0))))
    assert seen.kernels[0].bound == "unknown"
    assert seen.kernels[0].flop is None
    assert seen.kernels[0].why == "no formula tells the work of aten::topk"
    assert seen.bound["unknown"] == 1.0


def test_annotations_on_a_device_are_no_work_of_it(trace: Write) -> None:
    found = events(MM)
    found.append(found[2] | {"cat": "gpu_user_annotation", "name": "step", "dur": 9000.0})
    found.append(found[2] | {"cat": "cuda_sync", "name": "Stream Sync", "dur": 9000.0})
    assert answer(trace(found)).span_s == pytest.approx(200e-6)


def test_copies_over_the_link_are_overhead_and_device_copies_memory(trace: Write) -> None:
    found = events(MM)
    at = {"ph": "X", "pid": 0, "tid": 7, "cat": "gpu_memcpy"}
    link = {"device": 0, "stream": 7, "bytes": 1 << 20}
    found.append(
        at | {"name": "Memcpy HtoD (Pinned -> Device)", "ts": 400, "dur": 40, "args": link}
    )
    inside = link | {"bytes": 1 << 30}
    found.append(at | {"name": "Memcpy DtoD", "ts": 450, "dur": 600, "args": inside})
    rows = {k.name.partition(" (")[0]: k for k in answer(trace(found)).kernels}
    assert rows["Memcpy HtoD"].bound == "overhead"
    assert rows["Memcpy HtoD"].flop is None
    assert rows["Memcpy DtoD"].bound == "memory"
    assert rows["Memcpy DtoD"].bytes == 2 << 30


def test_fp32_products_are_judged_by_the_unit_that_their_name_tells(trace: Write) -> None:
    names = ("cutlass_80_tensorop_s1688gemm_128x128", "sm80_xmma_gemm_f32f32_ffma", "x_tf32f32_y")
    steps = [(MM[0], MM[1], n, 100.0 + 900 * i, 800.0) for i, n in enumerate(names)]
    found = events(*steps)
    for event in found:
        if "Input type" in event["args"]:
            event["args"]["Input type"] = ["float", "float"]
    keys = {k.name: k.peak_key for k in answer(trace(found)).kernels}
    assert keys == {names[0]: "tf32", names[1]: "fp32", names[2]: "tf32"}


def test_streams_at_once_share_the_time_that_they_take_together(trace: Write) -> None:
    found = events(MM, ADD)
    found[5] |= {"ts": 150.0, "dur": 100.0, "tid": 8}
    found[5]["args"]["stream"] = 8
    seen = answer(trace(found))
    assert seen.busy_s == pytest.approx(200e-6)
    assert [(s.stream, s.busy_s) for s in seen.streams] == [
        (7, pytest.approx(200e-6)),
        (8, pytest.approx(100e-6)),
    ]
    assert seen.bound["compute"] == pytest.approx(2 / 3)
    assert seen.bound["memory"] == pytest.approx(1 / 3)


def test_shares_are_means_over_devices(trace: Write) -> None:
    found = events(MM, ADD)
    found[5] |= {"ts": 100.0, "dur": 50.0, "pid": 1}
    found[5]["args"]["device"] = 1
    seen = answer(trace(found))
    assert [d.device for d in seen.devices] == [0, 1]
    assert seen.busy_s == pytest.approx(125e-6)
    assert sum(v or 0.0 for v in seen.bound.values()) == pytest.approx(1.0)
    assert seen.bound["overhead"] == pytest.approx(0.375)


def test_a_gap_after_a_wait_is_none_that_a_graph_closes(trace: Write) -> None:
    steps = [("aten::add", [[64, 64], [64, 64], []], "k", 100.0 + 30 * i, 2.0) for i in range(20)]
    found = events(*steps)
    for i in range(20):  # each is launched when the one before is over
        found[3 * i + 1]["ts"] = 95.0 + 30 * i
    graph = answer(trace(found)).candidates[0]
    assert (graph.kind, graph.count) == ("cuda-graph", 19)
    wait = {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 5, "tid": 5}
    waits = [
        wait | {"ts": 100.0 + 30 * i, "dur": 10.0, "args": {"correlation": 500 + i}}
        for i in range(20)
    ]
    assert answer(trace([*found, *waits])).candidates == []


def test_types_beside_shapes_decide_the_bytes(trace: Write) -> None:
    found = events(ADD)
    assert found[0]["args"]["Input type"][0] == BF16
    assert answer(trace(found)).kernels[0].bytes == 3 * 2 * 4096**2
    found[0]["args"]["Input type"][1] = "float"
    assert answer(trace(found)).kernels[0].bytes == (2 + 4 + 4) * 4096**2


def test_a_span_of_no_length_divides_nothing(trace: Write) -> None:
    from roofwatch.tui.drawing.glyphs import UNICODE
    from roofwatch.tui.trace.trace_kernel_page import whole as kernel_page
    from roofwatch.tui.trace.trace_page import whole
    from roofwatch.tui.trace.trace_pane import build

    seen = answer(trace(events((MM[0], MM[1], "k", 100.0, 0.0))))
    assert seen.span_s == seen.busy_s == seen.gap_s == 0.0
    assert seen.bound["unknown"] == 1.0
    assert seen.kernels[0].gbs is None
    assert seen.kernels[0].of_roof is None
    assert whole(seen, 80, UNICODE, 5)
    assert build(seen, 120, 31, UNICODE, 0)
    assert kernel_page(seen.kernels[0], seen, 80, UNICODE)


def test_the_trace_that_is_timed_is_one_of_a_training_step(tmp_path: Path) -> None:
    import trace_speed

    path = tmp_path / "made.json"
    count = trace_speed.write(path, 0.3)
    seen = answer(path)
    assert path.stat().st_size == pytest.approx(0.3e6, rel=0.05)
    assert sum(k.count for k in seen.kernels) == pytest.approx(count / 5, abs=2)
    assert {k.bound for k in seen.kernels} == {"compute", "memory"}
    assert [note for note in seen.notes if "nominal" not in note] == []
