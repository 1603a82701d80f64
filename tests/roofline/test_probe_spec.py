"""The keys of matmul probes: one a precision, but for fp64, whose two peaks have one probe."""

from __future__ import annotations

from roofwatch.roofline.probe_spec import (
    MATMUL_KEYS,
    is_held,
    is_matmul,
    matmul_key,
    matmul_precision,
    matmul_spec,
    sweep_key,
    sweep_of,
    unheld_key,
)


def test_the_key_of_each_precision_is_its_probes() -> None:
    for peak_key in MATMUL_KEYS:
        burst, held = matmul_spec(peak_key), matmul_spec(peak_key, seconds=3)
        assert burst.key == matmul_key(peak_key) == unheld_key(held.key)
        assert is_held(held.key)
        assert not is_held(burst.key)
        assert is_matmul(burst.key)
        assert is_matmul(held.key)
        assert sweep_of(burst).key == sweep_key(matmul_key(peak_key))
        assert matmul_precision(burst.key) == matmul_precision(held.key)
        assert matmul_key(matmul_precision(held.key)) == burst.key


def test_both_fp64_peaks_have_one_probe() -> None:
    assert matmul_key("fp64_tensor") == matmul_key("fp64") == "matmul-fp64"
    assert len({matmul_key(key) for key in MATMUL_KEYS}) == len(MATMUL_KEYS) - 1
    assert not is_matmul("add_scalar-fp16-sustained")
