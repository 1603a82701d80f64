"""The kernel map from hand-made events: roofs, verdicts, reasons, treatments."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofwatch.roofline import transformer_work as t
from roofwatch.roofline.workload import Work, add, elementwise, embedding, rowwise
from roofwatch.session.events import Measurement
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.kernel_map import (
    COMPUTE,
    MEMORY,
    OVER,
    OVERHEAD,
    KernelPoint,
    bound_of,
    kernel_map,
    label,
)
from roofwatch.session.kernel_reason import Terms, short_name, time_said
from roofwatch.session.models import model_named, packaged_models
from roofwatch.session.questions import questions
from roofwatch.session.roofs import roofs
from roofwatch.session.summary import record

ELEMENTS = 1 << 28
LLAMA = model_named("Llama-3-8B", packaged_models())
Point = Callable[..., Measurement]
OnCard = Callable[..., Session]


def at(work: Work, gbs: float) -> float:
    """Seconds at so many GB/s."""
    return work.bytes / gbs / 1e9


def shaped(work: Work, **more: int) -> Work:
    return msgspec.structs.replace(work, shape={**work.shape, **more})


def mapped(session: Session) -> list[KernelPoint]:
    return kernel_map(session, roofs(session))


def only(session: Session) -> KernelPoint:
    (found,) = mapped(session)
    return found


@pytest.mark.parametrize(
    ("work", "roof", "by"),
    [
        (elementwise("relu", ELEMENTS, "bf16"), 4296, "add_scalar-fp16"),  # 1:1, the better one
        (add(ELEMENTS, "bf16"), 4388, "triad-fp16"),  # 2:1
        (t.layer(t.DECODE_LINEAR, 1, LLAMA, "bf16"), 4400, "read-fp32"),  # all but reads
        (embedding(65536, 4096, "bf16"), 4296, "add_scalar-fp16"),
        (t.chain(t.BIAS_GELU_DROPOUT, 9362, 14336, "bf16"), 4296, "add_scalar-fp16"),
    ],
    ids=["relu", "add", "decode linear", "embedding", "chain"],
)
def test_the_roof_is_the_best_kernel_of_the_same_mix(
    point: Point, on_card: OnCard, work: Work, roof: float, by: str
) -> None:
    p = only(on_card(point(work, at(work, 4100))))
    assert (p.roof, p.roof_by, p.roof_unit) == (pytest.approx(roof), by, "GB/s")
    assert p.of_roof == pytest.approx(4100 / roof)
    assert (p.bound, p.reason) == (MEMORY, "")


def test_a_kernel_of_the_map_that_is_the_best_is_its_own_roof(
    point: Point, on_card: OnCard
) -> None:
    relu, cos = (elementwise(op, ELEMENTS, "bf16") for op in ("relu", "cos"))
    first, second = mapped(on_card(point(relu, at(relu, 4500)), point(cos, at(cos, 4000))))
    assert (first.of_roof, first.roof_by) == (pytest.approx(1), "kernels")
    assert second.of_roof == pytest.approx(4000 / 4500)


def test_a_small_kernel_is_nobodys_roof(point: Point, on_card: OnCard) -> None:
    small, large = (elementwise("relu", n, "bf16") for n in (1 << 20, ELEMENTS))
    first, second = mapped(
        on_card(
            point(small, at(small, 9000), timing="graph"),
            point(large, at(large, 4200)),
        )
    )
    assert second.roof == pytest.approx(4296)
    assert first.of_roof is not None
    assert first.of_roof > OVER
    assert first.reason == "the cache: 4 MiB stay in it, no memory is that fast"


def test_copies_that_take_turns_are_not_in_the_cache(point: Point, on_card: OnCard) -> None:
    work = shaped(t.layer(t.DECODE_LINEAR, 1, LLAMA, "bf16"), copies=11)
    p = only(on_card(point(work, at(work, 4800), timing="graph")))
    assert p.reason == "over its roof: that was measured low, or the cache helps"


def test_a_prompts_layer_is_held_against_the_burst(point: Point, on_card: OnCard) -> None:
    work = t.layer(t.PREFILL_LINEAR, 4096, LLAMA, "bf16")
    p = only(on_card(point(work, work.flop / 779e12)))
    assert (p.bound, p.roof_unit, p.roof_by) == (COMPUTE, "TFLOP/s", "matmul-bf16")
    assert p.of_roof == pytest.approx(779 / 820)
    assert (p.reason, p.treatment) == ("", "stop here: it is at its roof")


def test_a_better_product_of_the_map_raises_the_flat(point: Point, on_card: OnCard) -> None:
    work = t.layer(t.PREFILL_LINEAR, 4096, LLAMA, "bf16")
    p = only(on_card(point(work, work.flop / 840e12)))
    assert (p.of_roof, p.roof_by) == (pytest.approx(1), "kernels")


def test_a_slow_product_names_the_librarys_kernel(point: Point, on_card: OnCard) -> None:
    work = t.layer(t.PREFILL_LINEAR, 4096, LLAMA, "bf16")
    kernel = "void cutlass::Kernel2<cutlass_80_tensorop_bf16>(Params)"
    p = only(on_card(point(work, work.flop / 500e12, kernel=kernel)))
    assert p.reason == "not known: the library's kernel Kernel2"
    assert p.treatment.startswith("another kernel: products of this type reach more here")


def test_decode_kernels_are_bound_by_bytes(point: Point, on_card: OnCard) -> None:
    linear = t.layer(t.DECODE_LINEAR, 1, LLAMA, "bf16")
    attention = t.decode_attention(LLAMA, 16, 2048, "bf16")
    found = mapped(on_card(*(point(w, at(w, 4000), timing="graph") for w in (linear, attention))))
    assert [p.bound for p in found] == [MEMORY, MEMORY]
    assert found[0].treatment == "a larger batch, or weights of fewer bits"
    assert found[1].treatment == "fewer KV heads, or a cache of fewer bits"
    assert found[1].intensity == pytest.approx(4, rel=0.01)


def test_the_seeds_rmsnorm_waits_for_its_launch(point: Point, on_card: OnCard) -> None:
    work = t.scaled_rows("rmsnorm", 1, 4096, "bf16")
    eager, graph = mapped(
        on_card(
            point(work, 8e-6, timing="host", variant="eager"),
            point(work, 2.2e-6, timing="graph", variant="graph"),
        )
    )
    assert eager.bound == graph.bound == OVERHEAD
    assert eager.label == "rmsnorm 1 row, eager"
    assert eager.reason == (
        "launch: of 8 us a launch alone costs 7.2 us, the bytes need 5.6 ns; one row keeps one "
        "block busy on 132 SMs"
    )
    assert "of 2.2 us a launch alone costs 840 ns" in graph.reason
    assert eager.treatment == "a CUDA graph, or fusion: fewer launches"
    assert graph.treatment == "fusion: fewer kernels"
    assert eager.of_roof is not None
    assert eager.of_roof < 0.001


def test_its_large_sister_does_not(point: Point, on_card: OnCard) -> None:
    work = t.scaled_rows("rmsnorm", 65536, 4096, "bf16")
    p = only(on_card(point(work, at(work, 4000))))
    assert (p.bound, p.reason) == (MEMORY, "")
    assert p.label == "rmsnorm"


def test_sampling_is_many_launches(point: Point, on_card: OnCard) -> None:
    work = shaped(t.sampling(1, 128256, 50, "bf16"), kernels=14)
    p = only(on_card(point(work, 61e-6, timing="graph", variant="graph")))
    assert p.bound == OVERHEAD
    assert p.terms[OVERHEAD] == pytest.approx(14 * 0.84e-6)
    assert p.reason.startswith("launch: of 61 us 14 launches alone cost 11.8 us")
    assert "many small steps" in p.reason


def test_without_a_launch_probe_the_seeds_launch_is_assumed_and_said(
    point: Point, on_card: OnCard
) -> None:
    work = t.scaled_rows("rmsnorm", 1, 4096, "bf16")
    eager, graph = mapped(
        on_card(
            point(work, 8e-6, timing="host", variant="eager"),
            point(work, 2.2e-6, timing="graph", variant="graph"),
            without="launch",
        )
    )
    assert eager.bound == OVERHEAD
    assert "(5 us each are assumed)" in eager.reason
    assert graph.bound == MEMORY  # nobody told what a node costs
    assert graph.status["terms.launch"] == "not_measured"


def test_cos_is_bound_by_its_instructions(point: Point, on_card: OnCard) -> None:
    work = elementwise("cos", ELEMENTS, "bf16")
    p = only(on_card(point(work, 0.31e-3)))
    assert p.reason == (
        "special functions (cos): 30 instructions an element (128 a clock and SM at 1980 MHz) "
        "take 237 us of 310 us"
    )
    assert p.terms[COMPUTE] == pytest.approx(ELEMENTS * 29.5 / (128 * 132 * 1.98e9))
    assert p.bound == MEMORY  # the bytes' own least time is longer by a hair
    slow = only(on_card(point(work, 0.36e-3, clock_mhz=[1500.0] * 2)))
    assert slow.bound == COMPUTE
    assert slow.roof_unit == "GB/s"
    assert slow.treatment.startswith("cheaper functions (an approximation")
    assert slow.treatment.endswith("; fusing alone brings little")
    assert "both bind it" in p.treatment  # at 80 % of the memory's roof


def test_arithmetic_that_is_part_of_the_time_is_said_to_be(point: Point, on_card: OnCard) -> None:
    work = elementwise("silu", ELEMENTS, "bf16")
    p = only(on_card(point(work, 0.32e-3)))
    assert p.reason.startswith("special functions (exp and a division): 3 special functions")
    assert p.reason.endswith("take 193 us beside 250 us of bytes: they overlap only in part")


def test_arithmetic_that_explains_nothing_is_not_said(point: Point, on_card: OnCard) -> None:
    work = elementwise("cos", ELEMENTS, "bf16")
    p = only(on_card(point(work, 2e-3)))
    assert p.reason == "not known"


def test_a_time_under_the_counted_arithmetic_belies_the_count(
    point: Point, on_card: OnCard
) -> None:
    work = elementwise("cos", ELEMENTS, "bf16")
    p = only(on_card(point(work, 0.29e-3, clock_mhz=[900.0] * 2)))
    assert COMPUTE not in p.terms
    assert (p.bound, p.reason) == (MEMORY, "not known")


def test_an_unknown_architecture_has_no_arithmetic(point: Point, on_card: OnCard) -> None:
    work = elementwise("cos", ELEMENTS, "bf16")
    session = on_card(point(work, 0.31e-3))
    session._merged = msgspec.structs.replace(session.device, compute_capability="gfx942")
    p = only(session)
    assert COMPUTE not in p.terms
    assert p.reason == "not known"


def attention(point: Point, on_card: OnCard, tflops: float, kernel: str | None) -> KernelPoint:
    work = t.prefill_attention(LLAMA, 8192, "bf16")
    return only(on_card(point(work, work.flop / tflops / 1e12, kernel=kernel)))


def test_attention_is_slowed_by_an_exponential_a_score(point: Point, on_card: OnCard) -> None:
    p = attention(point, on_card, 600.0, "cudnn_generated_fort_native_sdpa_sm90_flash")
    assert p.bound == COMPUTE
    assert p.reason == (
        "special functions: an exp a score (16 a clock and SM) takes 257 us beside 670 us of "
        "products: they overlap only in part"
    )


def test_attention_written_for_another_architecture_is_named(point: Point, on_card: OnCard) -> None:
    p = attention(point, on_card, 350.0, "void pytorch_flash::flash_fwd_kernel<Traits>(Params)")
    assert p.reason == (
        "library kernel: torch's flash attention is written for Ampere's tensor cores"
    )
    other = attention(point, on_card, 350.0, "void something::else<Traits>(Params)")
    assert other.reason == "not known: the library's kernel else"


def test_few_rows_keep_few_blocks_busy(point: Point, on_card: OnCard) -> None:
    work = rowwise("softmax", 64, 1 << 22, "bf16")
    p = only(on_card(point(work, at(work, 1500))))
    assert p.reason == "too few blocks: 64 rows keep 64 blocks busy on 132 SMs"


def test_a_norm_of_several_kernels_says_so(point: Point, on_card: OnCard) -> None:
    work = shaped(t.scaled_rows("rmsnorm", 65536, 4096, "bf16"), kernels=6)
    p = only(on_card(point(work, at(work, 900))))
    assert p.reason == "torch makes 6 kernels of it: what lies between them moves again"


def test_a_short_kernel_loses_a_known_part_to_its_launch(point: Point, on_card: OnCard) -> None:
    work = t.decode_attention(LLAMA, 2, 1024, "bf16")
    p = only(on_card(point(work, at(work, 4400) + 0.9e-6, timing="graph")))
    assert p.bound == MEMORY
    assert p.reason == "launch: 840 ns of the 900 ns over its bytes"
    slower = only(on_card(point(work, at(work, 4400) + 1.8e-6, timing="graph")))
    assert slower.reason == "not known: the library's kernel"


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (embedding(65536, 4096, "bf16"), "not known in figures: it gathers its rows by index"),
        (
            t.scaled_rows("rmsnorm", 65536, 4096, "bf16"),
            "not known in figures: it reduces each row before it writes",
        ),
        (add(ELEMENTS, "bf16"), "not known"),
    ],
    ids=["embedding", "rmsnorm", "add"],
)
def test_a_property_is_said_as_such_and_nothing_is_invented(
    point: Point, on_card: OnCard, work: Work, said: str
) -> None:
    assert only(on_card(point(work, at(work, 3000)))).reason == said


def test_without_any_roof_the_nulls_have_a_status(point: Point, on_card: OnCard) -> None:
    work = embedding(16, 4096, "bf16")
    p = only(on_card(point(work, 1e-3), without="-"))
    # What the map measured itself is the only roof there is, and this one lies in the cache.
    assert (p.roof, p.of_roof, p.roof_by) == (None, None, None)
    assert p.status["of_roof"] == p.status["roof"] == "not_measured"
    assert (p.reason, p.bound) == ("", OVERHEAD if p.terms.get(OVERHEAD) else MEMORY)


def test_a_session_without_the_map_has_none(h200: Session) -> None:
    assert mapped(h200) == []
    assert record(h200, None).kernels == []


def test_the_record_has_the_contracts_fields(point: Point, on_card: OnCard) -> None:
    work = elementwise("relu", ELEMENTS, "bf16")
    told = msgspec.to_builtins(record(on_card(point(work, at(work, 4100))), None))
    (block,) = told["kernels"]
    assert {"op", "intensity", "gbs", "tflops", "bound", "of_roof", "reason"} <= set(block)
    for field, value in block.items():
        assert value is not None or field in block["status"], field


def test_question_five_is_answered_from_the_map(point: Point, on_card: OnCard) -> None:
    linear = t.layer(t.PREFILL_LINEAR, 4096, LLAMA, "bf16")
    relu = elementwise("relu", ELEMENTS, "bf16")
    norm = t.scaled_rows("rmsnorm", 1, 4096, "bf16")
    session = on_card(
        point(linear, linear.flop / 779e12),
        point(relu, at(relu, 4100)),
        point(norm, 8e-6, timing="host", variant="eager"),
    )
    five = questions(session, roofs(session))[4]
    assert five.answer == (
        "Right of 187 FLOP/byte and under the flat: prefill linear 4096 (1792 FLOP/byte, 95 % of "
        "the roof). Never, at 0.25 FLOP/byte and less: relu. Their time is bytes over bandwidth, "
        "and only fewer bytes help. Waiting for launches, under no line: rmsnorm 1 row, eager."
    )
    assert five.values["never"] == ["relu"]
    assert five.values["overhead"] == ["rmsnorm 1 row, eager"]
    assert five.values["reach"] == {"prefill linear 4096": pytest.approx(0.95)}


@pytest.mark.parametrize("name", ["h200-kernels-1", "record/h200-kernels", "cpu/kernels-1"])
def test_question_five_says_of_no_kernel_what_the_map_denies(name: str) -> None:
    session = fold(events(Path(__file__).parents[1] / "sessions" / f"{name}.jsonl"))
    by_label = {p.label: p for p in mapped(session)}
    answer = questions(session, roofs(session))[4].answer
    alone = re.search(r"Of (.*) the time is bytes over bandwidth, and only fewer bytes", answer)
    both = re.search(r"Bytes and functions both bind (.*?)\. ", answer)
    assert "Their time is bytes" not in answer
    for one in alone[1].split(", ") if alone else []:
        assert by_label[one].reason == ""  # at its roof
    for one in both[1].split(", ") if both else []:
        assert by_label[one].cause in ("arithmetic", "beside_bytes")
    if session.device.kind == "cuda":
        assert alone is not None
        assert both is not None
        assert both[1].split(", ")[0] == "cos"
        assert "Not at the slope, so not by their bytes alone: " in answer
    else:
        assert (alone, both) == (None, None)
        assert "add (41 %)" in answer


def test_labels_and_names(point: Point) -> None:
    work = t.decode_attention(LLAMA, 16, 2048, "bf16")
    assert label(point(work, 1e-4)) == "decode attention 16 x 2048"
    work = t.chain(t.BIAS_GELU_DROPOUT, 10, 100, "bf16")
    assert label(point(work, 1e-4)) == "bias+gelu+dropout"
    assert short_name("void at::native::f<int, 4>(int)") == "f"
    assert short_name("nvjet_sm90_tst_128x256") == "nvjet_sm90_tst_128x256"
    assert [time_said(s) for s in (2.0, 3.1e-3, 4.26e-6, 5e-9)] == [
        "2 s",
        "3.1 ms",
        "4.26 us",
        "5 ns",
    ]


TERMS, BOUNDS = ("bytes", "compute", "launch"), (MEMORY, COMPUTE, OVERHEAD)
WORKS = {
    "relu": elementwise("relu", ELEMENTS, "bf16"),
    "cos": elementwise("cos", ELEMENTS, "bf16"),
    "add": add(ELEMENTS, "bf16"),
    "norm": t.scaled_rows("rmsnorm", 65536, 4096, "bf16"),
    "row": t.scaled_rows("rmsnorm", 1, 4096, "bf16"),
    "sampling": shaped(t.sampling(1, 128256, 50, "bf16"), kernels=14),
    "chain": t.chain(t.BIAS_GELU_DROPOUT, 9362, 14336, "bf16"),
    "decode": t.layer(t.DECODE_LINEAR, 1, LLAMA, "bf16"),
    "cache": t.decode_attention(LLAMA, 16, 2048, "bf16"),
    "prefill": t.layer(t.PREFILL_LINEAR, 4096, LLAMA, "bf16"),
    "attention": t.prefill_attention(LLAMA, 8192, "bf16"),
}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(WORKS)),
            st.floats(0.001, 30.0),
            st.sampled_from(["event", "graph", "host"]),
        ),
        min_size=1,
        max_size=6,
        unique_by=lambda case: (case[0], case[2]),
    ),
    st.sampled_from(["", "launch", "triad", "matmul", "-fp"]),
)
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_verdicts_never_contradict_the_arithmetic(
    point: Point, on_card: OnCard, cases: list[tuple[str, float, str]], without: str
) -> None:
    def made(name: str, factor: float, timing: str) -> Any:
        work = WORKS[name]
        least = max(work.bytes / 4.4e12, work.flop / 820e12 if "prefill" in work.op else 0.0)
        return point(work, factor * least + 1e-9, timing=timing)

    session = on_card(*(made(*case) for case in cases), without=without)
    for p in mapped(session):
        assert p.gbs == pytest.approx(p.bytes / p.time_s / 1e9)
        assert p.bound in (MEMORY, COMPUTE, OVERHEAD)
        if p.roof is None:
            assert p.of_roof is None
            continue
        figure = p.tflops if p.roof_unit == "TFLOP/s" else p.gbs
        assert p.of_roof == pytest.approx(figure / p.roof)
        least_s = {f"{k}_s": p.terms.get(w) for k, w in zip(TERMS, BOUNDS, strict=True)}
        longest = bound_of(Terms(**least_s))
        assert p.bound == longest or p.of_roof >= 0.9
        if p.roof_unit == "TFLOP/s":
            assert p.terms[COMPUTE] == pytest.approx(p.flop / p.roof / 1e12)
            assert p.terms[COMPUTE] >= p.terms.get(MEMORY, 0.0)
        else:
            assert p.terms[MEMORY] == pytest.approx(p.bytes / p.roof / 1e9)
        assert (p.reason == "") == (0.9 <= p.of_roof <= OVER)
        assert p.treatment
