"""Numbers with units as people write them: understood, asked back, or refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofwatch.notebook.quantity import (
    GBS,
    MFU,
    MOST_COUNT,
    TFLOPS,
    TOKENS,
    QuantityError,
    claimed,
    count,
    number,
    rate,
    rounding,
    size_bytes,
    time_s,
)

Reader = Callable[[str], object]


def bare_time(text: str) -> object:
    return time_s(text, 1.0)


READERS: tuple[Reader, ...] = (claimed, bare_time, size_bytes, number, count)


def refused(reader: Reader, text: str) -> str:
    with pytest.raises(QuantityError) as caught:
        reader(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("units", "seconds"),
    [
        ("s sec secs second seconds S", 1.0),
        ("ms msec msecs millisecond milliseconds MS", 1e-3),
        ("us µs μs usec usecs microsecond microseconds", 1e-6),
        ("ns nsec nsecs nanosecond nanoseconds", 1e-9),
        ("min mins minute minutes", 60.0),
    ],
)
def test_every_spelling_of_a_time(units: str, seconds: float) -> None:
    for unit in units.split():
        for text in (f"4{unit}", f"4 {unit}", f"  4.0\t{unit} "):
            assert time_s(text, None).value == pytest.approx(4 * seconds, rel=1e-12), text


def test_the_micro_sign_and_the_greek_letter_are_one_unit() -> None:
    assert time_s("183\u00b5s", None) == time_s("183\u03bcs", None) == time_s("183us", None)


@pytest.mark.parametrize(("scale", "seconds"), [(1.0, 4.7), (1e-3, 4.7e-3), (1e-6, 4.7e-6)])
def test_a_bare_time_counts_in_what_its_name_says(scale: float, seconds: float) -> None:
    assert time_s("4.7", scale).value == pytest.approx(seconds)
    assert time_s("4.7 us", scale).value == pytest.approx(4.7e-6)  # what is written decides


def test_a_time_without_a_unit_is_asked_back() -> None:
    assert refused(lambda t: time_s(t, None), "4.7") == ("has no unit: write 4.7us, 1.2ms or 0.5s")
    assert "unknown unit 'h'" in refused(bare_time, "4 h")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("12", 12),
        ("12 B", 12),
        ("12 bytes", 12),
        ("1 byte", 1),
        ("4 GByte", 4e9),
        ("4 GBytes", 4e9),
        ("4 KB", 4e3),
        ("4 kB", 4e3),
        ("4MB", 4e6),
        ("4 GB", 4e9),
        ("4 TB", 4e12),
        ("4 PB", 4e15),
        ("4 KiB", 4096),
        ("4 kiB", 4096),
        ("4MiB", 4 << 20),
        ("4 GiB", 4 << 30),
        ("4 TiB", 4 << 40),
        ("1_000", 1000),
        ("1.5e3", 1500),
    ],
)
def test_sizes_decimal_and_binary(text: str, size: float) -> None:
    assert size_bytes(text).value == size


def test_a_pebibyte_is_binary_too() -> None:
    assert size_bytes("1 PiB").value == 2.0**50
    assert claimed("1 PiB/s").value == 2.0**50 / 1e9


@pytest.mark.parametrize("text", ["9 iB", "9 iB/s"])
def test_an_i_alone_is_no_prefix(text: str) -> None:
    assert "unknown unit" in refused(size_bytes if text.endswith("B") else claimed, text)


@pytest.mark.parametrize("text", ["4 Gb", "4 bits", "4 gb", "4 GB/s", "4 XB"])
def test_a_size_in_anything_else_is_asked_back(text: str) -> None:
    assert "has an unknown unit" in refused(size_bytes, text)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("900GB/s", GBS, 900),
        ("900 GB/sec", GBS, 900),
        ("900 GBps", GBS, 900),
        ("900 Gbyte/s", GBS, 900),
        ("900 Gbytes/s", GBS, 900),
        ("900 GByte/s", GBS, 900),
        ("900 GBytes/s", GBS, 900),
        ("900 GB/second", GBS, 900),
        ("900 GB per second", GBS, 900),
        ("900 GB / s", GBS, 900),
        ("900 GB/秒", GBS, 900),
        ("800 GBit/s", GBS, 100),
        ("65 TFLOP per second", TFLOPS, 65),
        ("57.1 tokens per second", TOKENS, 57.1),
        ("1.2 TB/s", GBS, 1200),
        ("900000 MB/s", GBS, 900),
        ("900000 kB/s", GBS, 0.9),
        ("3e9 B/s", GBS, 3),
        ("1 GiB/s", GBS, 2**30 / 1e9),
        ("1 MiB/s", GBS, 2**20 / 1e9),
        ("1 TiB/s", GBS, 2**40 / 1e9),
        ("800 Gb/s", GBS, 100),
        ("800 Gbps", GBS, 100),
        ("800 Gbit/s", GBS, 100),
        ("800 Gbits/s", GBS, 100),
        ("8e9 bit/s", GBS, 1),
        ("8 Gib/s", GBS, 2**30 / 1e9),
        ("65 TFLOP/s", TFLOPS, 65),
        ("65 TFLOPS", TFLOPS, 65),
        ("65 TFLOPs", TFLOPS, 65),
        ("65 Tflops", TFLOPS, 65),
        ("65 Tflop/s", TFLOPS, 65),
        ("65 TFlops/s", TFLOPS, 65),
        ("65 TFLOP/sec", TFLOPS, 65),
        ("65 TOPS", TFLOPS, 65),
        ("65 TOP/s", TFLOPS, 65),
        ("65000 GFLOP/s", TFLOPS, 65),
        ("1.979 PFLOPS", TFLOPS, 1979),
        ("4 MFLOPS", TFLOPS, 4e-6),
        ("4 kFLOPS", TFLOPS, 4e-9),
        ("4e12 FLOPS", TFLOPS, 4),
        ("4e12 OPS", TFLOPS, 4),
        ("57.1 tokens/s", TOKENS, 57.1),
        ("57.1 tok/s", TOKENS, 57.1),
        ("57.1 toks/s", TOKENS, 57.1),
        ("57.1 token/sec", TOKENS, 57.1),
        ("57.1 t/s", TOKENS, 57.1),
        ("57.1 tps", TOKENS, 57.1),
        ("104 MFU %", MFU, 1.04),
        ("104 MFU%", MFU, 1.04),
        ("104% MFU", MFU, 1.04),
        ("104 %MFU", MFU, 1.04),
        ("104 % of MFU", MFU, 1.04),
        ("45 mfu %", MFU, 0.45),
        ("0.5 % MFU", MFU, 0.005),
        ("0.45 MFU", MFU, 0.45),
        ("1.04 MFU", MFU, 1.04),
        ("45 MFU", MFU, 0.45),
    ],
)
def test_a_claim_is_of_the_kind_that_its_unit_says(text: str, kind: str, value: float) -> None:
    seen = claimed(text)
    assert seen.kind == kind
    assert seen.value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("unit", ["GB/s", "Gb/s", "TFLOPS", "MFU %", "tok/s"])
def test_blanks_around_a_unit_do_not_matter(unit: str) -> None:
    assert claimed(f"9{unit}") == claimed(f"  9  {unit}\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("900", "has no unit: GB/s, TFLOP/s, tokens/s or MFU %?"),
        ("50 %", "is a share of what? Write MFU %, or give the rate"),
        ("50%", "is a share of what?"),
        ("900 GB", "has an unknown unit 'GB'"),
        ("900 gb/s", "has an unknown unit 'gb/s'"),  # bits or bytes?
        ("900 T", "has an unknown unit 'T'"),
        ("900 GB/s or so", "has an unknown unit"),
        ("900 m/s", "has an unknown unit 'm/s'"),
    ],
)
def test_a_claim_that_is_not_clear_is_asked_back(text: str, says: str) -> None:
    assert says in refused(claimed, text)


def test_a_bare_rate_is_in_the_unit_of_its_field() -> None:
    assert rate("900", GBS).value == 900
    assert rate("1.2TB/s", GBS).value == 1200
    assert rate("65", TFLOPS).value == 65
    assert rate("57", TOKENS).value == 57
    assert {rate("9", kind).kind for kind in (GBS, TFLOPS, TOKENS)} == {GBS, TFLOPS, TOKENS}


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("900 GB/s", TFLOPS, "which is no rate of operations (TFLOP/s)"),
        ("65 TFLOPS", GBS, "which is no rate of bytes (GB/s)"),
        ("65 TFLOPS", TOKENS, "which is no rate of tokens (tokens/s)"),
        ("65 MFU %", TFLOPS, "has the unit 'MFU %'"),
    ],
)
def test_a_rate_of_another_kind_is_refused(text: str, kind: str, says: str) -> None:
    assert says in refused(lambda t: rate(t, kind), text)


@pytest.mark.parametrize(
    ("digits", "share"),
    [
        ("4.7", 0.5 / 47),
        ("183", 0.5 / 183),
        ("1.234", 0.5 / 1234),
        ("1_790", 0.5 / 1790),
        ("-12", 0.5 / 12),
        ("0.0470", 0.5 / 470),
        ("4.70e-6", 0.5 / 470),
        ("4.7E+6", 0.5 / 47),
        ("0.04", 0.125),
        ("4", 0.125),
        ("1", 0.125),  # no digit hides more than an eighth
        ("0", 0.0),
        ("0.00", 0.0),
    ],
)
def test_rounding_is_half_a_unit_of_the_last_digit(digits: str, share: float) -> None:
    assert rounding(digits) == pytest.approx(share)


def test_more_digits_than_a_float_has_do_not_matter() -> None:
    assert rounding("1." + "3" * 90) == pytest.approx(0.5 / int("1" + "3" * 16))


def test_rounding_goes_along_with_every_quantity() -> None:
    assert claimed("900GB/s").rounding == pytest.approx(0.5 / 900)
    assert time_s("4.7us", None).rounding == pytest.approx(0.5 / 47)
    assert number("6.74B").rounding == pytest.approx(0.5 / 674)


@pytest.mark.parametrize("unit", ["", " B", " GB/s", " ms"])
@pytest.mark.parametrize("digits", ["0", "-1", "0.0", "-0", "1e999", "1e-40", "1e24", "9" * 90])
def test_what_lies_outside_1e_18_to_1e24_measures_nothing(digits: str, unit: str) -> None:
    read: Reader = {"": number, " B": size_bytes, " GB/s": claimed, " ms": bare_time}[unit]
    if unit == " ms" and digits == "1e24":
        assert time_s("1e24 ms", None).value == pytest.approx(1e21)
        return
    assert refused(read, digits + unit) == "is not a number above 0, from 1e-18 to 1e24"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "text", ["", " ", "nan", "NaN", "inf", "-inf", "x", "GB/s", "½", "²", "--1", "1" * 101]
)
def test_what_is_no_number_is_said_to_be_none(reader: Reader, text: str) -> None:
    assert refused(reader, text) == "is no number"


def test_digits_of_another_script_are_digits() -> None:
    assert claimed("١٢ GB/s").value == 12
    assert count("１２") == 12


@pytest.mark.parametrize(
    ("text", "value"),
    [("6.74B", 6.74e9), ("124M", 124e6), ("1.8T", 1.8e12), ("7e9", 7e9), ("1_000", 1000)],
)
def test_parameters_are_counted_in_billions(text: str, value: float) -> None:
    assert number(text).value == pytest.approx(value)


def test_a_bare_number_has_no_unit() -> None:
    assert refused(number, "137 GFLOP") == "has a unit 'GFLOP' where a bare number belongs"


@pytest.mark.parametrize(
    ("text", "value"),
    [("4096", 4096), ("4096.0", 4096), ("1e6", 10**6), ("1_048_576", 1 << 20), ("+5", 5)],
)
def test_counts_are_whole(text: str, value: int) -> None:
    assert count(text) == value
    assert isinstance(count(text), int)


def test_a_count_keeps_every_digit() -> None:
    assert count("9007199254740993") == 2**53 + 1
    assert count("1e18") == MOST_COUNT


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("4096.5", "is no whole number up to 1e18"),
        ("2e18", "is no whole number up to 1e18"),
        ("0", "above 0"),
        ("-4", "above 0"),
        ("4k", "has 'k' behind it: write the whole number"),
        ("4096 elements", "write the whole number"),
    ],
)
def test_what_is_no_count_is_refused(text: str, says: str) -> None:
    assert says in refused(count, text)


def test_a_long_text_is_refused_without_being_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    # 100 kB of blanks between two letters take a minute; the number of steps is what is held.
    from roofwatch.notebook import quantity

    class Searched:
        def fullmatch(self, text: str) -> None:
            assert len(text) <= 1000, "the whole text is searched"

    monkeypatch.setattr(quantity, "NUMBER", Searched())
    assert refused(claimed, "9x" + " " * 100_000 + "x") == "is no number"
