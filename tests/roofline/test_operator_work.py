"""The work of recorded operators by their shapes, against sums worked out by hand."""

from __future__ import annotations

import pytest

from roofwatch.roofline.operator_work import operator_work
from roofwatch.roofline.recorded_call import Argument, RecordedCall

HALF, BF16, FP32, LONG = "c10::Half", "c10::BFloat16", "float", "long int"


def t(*dims: int, kind: str = BF16, strides: tuple[int, ...] | None = None) -> Argument:
    return Argument(kind, dims, strides)


def s(value: str = "") -> Argument:
    return Argument("Scalar", (), None, value)


def call(name: str, *arguments: Argument) -> RecordedCall:
    return RecordedCall("aten", name, arguments)


NONE = Argument()
CASES = [
    # 2 m n k; e (m k + k n + m n)
    (call("mm", t(64, 32), t(32, 16)), 2 * 64 * 32 * 16, 2 * (64 * 32 + 32 * 16 + 64 * 16)),
    (
        call("addmm", t(16), t(64, 32), t(32, 16), s("1"), s("1")),
        2 * 64 * 32 * 16,
        2 * (16 + 64 * 32 + 32 * 16 + 64 * 16),
    ),
    (call("bmm", t(4, 8, 8), t(4, 8, 8)), 4 * 2 * 8**3, 2 * 3 * 4 * 64),
    (call("baddbmm", t(4, 8, 8), t(4, 8, 8), t(4, 8, 8)), 4 * 2 * 8**3, 2 * 4 * 4 * 64),
    (call("matmul", t(2, 3, 8, 8), t(8, 4)), 6 * 2 * 8 * 8 * 4, 2 * (6 * 64 + 32 + 6 * 32)),
    (call("mv", t(8, 4), t(4)), 2 * 8 * 4, 2 * (32 + 4 + 8)),
    (call("linear", t(2, 5, 8), t(16, 8), t(16)), 2 * 10 * 8 * 16, 2 * (80 + 128 + 16 + 160)),
    (call("_int_mm", t(8, 8, kind="char"), t(8, 8, kind="char")), 2 * 8**3, 64 + 64 + 4 * 64),
    # a 3x3 convolution, one pixel of padding: as many results as pixels
    (
        call(
            "cudnn_convolution", t(2, 4, 8, 8), t(6, 4, 3, 3), s("[1, 1]"), s("[1, 1]"), s("[1, 1]")
        ),
        2 * (2 * 6 * 64) * (4 * 9),
        2 * (2 * 4 * 64 + 6 * 4 * 9 + 2 * 6 * 64),
    ),
    # in two groups each result sees half of the channels
    (
        call(
            "convolution",
            t(1, 4, 8, 8),
            t(6, 2, 1, 1),
            t(6),
            s("[2, 2]"),
            s("[0, 0]"),
            s("[1, 1]"),
            s("False"),
        ),
        2 * (6 * 16) * 2,
        2 * (256 + 12 + 6 + 96),
    ),
    # 2 n m (d + d) a head; half of it under a mask
    (
        call("_scaled_dot_product_flash_attention", *[t(1, 2, 16, 8)] * 3, s("0."), s("False")),
        4 * 2 * 16 * 16 * 8,
        2 * 4 * 256,
    ),
    (
        call("_scaled_dot_product_flash_attention", *[t(1, 2, 16, 8)] * 3, s("0."), s("True")),
        2 * 2 * 16 * 16 * 8,
        2 * 4 * 256,
    ),
    (
        call(
            "_flash_attention_forward", *[t(1, 16, 2, 8)] * 3, NONE, NONE, s(), s(), s(), s("False")
        ),
        4 * 2 * 16 * 16 * 8,
        2 * 4 * 256,
    ),
    (call("add", t(8, 8), t(8, 8), s("1")), 64, 2 * 3 * 64),
    (call("add_", t(8, 8), t(8, 8), s("1")), 64, 2 * 3 * 64),
    (call("add", t(8, 8), t(8), s("1")), 64, 2 * (64 + 8 + 64)),  # one row for all
    (call("mul", t(8, 8, kind=HALF), Argument("double", ())), 64, 2 * 2 * 64 + 8),
    (call("add", t(8, 8), t(8, 8, kind=FP32)), 64, 64 * (2 + 4 + 4)),
    (call("add", t(8, 8), t(8, 8, strides=(8, 0))), 64, 2 * (64 + 8 + 64)),  # an expanded one
    (call("eq", t(8, 8), t(8, 8)), 64, 64 * (2 + 2 + 1)),
    (call("gelu", t(8, 8), s("none")), 5 * 64, 2 * 2 * 64),
    (call("silu", t(8, 8)), 4 * 64, 2 * 2 * 64),
    (call("clamp_min", t(8, 8), s("0")), 64, 2 * 2 * 64),
    (call("relu", t(8, 8), t(8, 8)), 64, 2 * 2 * 64),  # out=: written, not read
    (call("_softmax", t(8, 8), s("-1"), s("False")), 4 * 64, 2 * 2 * 64),
    (call("_softmax", t(8, 8, kind=HALF), s("-1"), s("True")), 4 * 64, 64 * (2 + 4)),
    (call("native_layer_norm", t(8, 8), s("[8]"), t(8), t(8), s()), 8 * 64, 2 * (128 + 16)),
    (call("_fused_rms_norm", t(8, 8), s("[8]"), t(8), s()), 4 * 64, 2 * (128 + 8)),
    (call("sum", t(8, 4), s("[-1]"), s("False"), s()), 32, 2 * (32 + 8)),
    (call("sum", t(8, 4), s()), 32, 2 * 32),
    (call("argmax", t(8, 4), s("0"), s("False")), 32, 2 * 32 + 8 * 4),
    (call("copy_", t(8, 8, kind=FP32), t(8, 8), s("False")), 0, 64 * (2 + 4)),
    (call("fill_", t(8, 8), s("0")), 0, 2 * 64),
    (call("embedding", t(1000, 8), t(4, kind=LONG), s()), 0, 2 * 32 * 2 + 4 * 8),
    (call("index_select", t(10, 8), s("0"), t(4, kind=LONG)), 0, 2 * 32 * 2 + 4 * 8),
    (call("native_dropout", t(8, 8), s("0.1"), s("True")), 2 * 64, 64 * (2 + 2 + 1)),
]


@pytest.mark.parametrize(("one", "flop", "size"), CASES, ids=lambda v: getattr(v, "name", None))
def test_work_by_shapes(one: RecordedCall, flop: float, size: int) -> None:
    found = operator_work(one)
    assert found is not None
    assert found.work.flop == flop
    assert found.work.bytes == size


def test_a_list_of_tensors_has_its_size_from_the_kernels_name() -> None:
    parts = ((8, 4), (8, 12))
    one = call("cat", Argument("TensorList", (), None, "", parts), s("1"))
    assert operator_work(one) is None
    found = operator_work(one, "CatArrayBatchedCopy<at::native::OpaqueType<2u>, unsigned int, 2>")
    assert found is not None
    assert found.work.bytes == 2 * 2 * 8 * 16


def test_a_convolutions_gradients_are_a_product_each() -> None:
    told = [s(), s(), s(), s(), s("False"), s(), s()]
    mask = s("[False, True, False]")
    one = call("convolution_backward", t(2, 6, 8, 8), t(2, 4, 8, 8), t(6, 4, 3, 3), *told, mask)
    found = operator_work(one)
    assert found is not None
    assert found.work.flop == 2 * (2 * 6 * 64) * (4 * 9)
    both = call("convolution_backward", *one.arguments[:-1], s("[True, True, False]"))
    again = operator_work(both)
    assert again is not None
    assert again.work.flop == 2 * found.work.flop


@pytest.mark.parametrize(
    "one",
    [
        call("mm"),
        call("mm", t(4, 5), t(4, 5)),  # inner sides differ
        call("mm", t(4, 5), t(5, 4, kind=FP32)),
        call("mm", Argument("", (4, 5)), Argument("", (5, 4))),  # types not recorded
        call("add", t(3), t(4)),
        call("topk", t(8, 8)),
        call("sort", t(8, 8)),
        call("_foreach_add_", Argument("TensorList", (), None, "", ((8,), (8,)))),
        call("cudnn_convolution", t(2, 4, 8, 8), t(6, 4, 3, 3)),  # no padding recorded
        call("_scaled_dot_product_flash_attention", *[t(1, 2, 16, 8)] * 3),  # nor the mask
        call("_flash_attention_forward", *[t(1, 16, 2, 8)] * 3, t(3, kind="int"), t(3, kind="int")),
        call("view", t(8, 8)),
        RecordedCall("mine", "mm", (t(4, 4), t(4, 4))),
    ],
)
def test_what_has_no_formula_is_not_known(one: RecordedCall) -> None:
    assert operator_work(one) is None
