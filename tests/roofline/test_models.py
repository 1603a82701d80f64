"""The table of models: published counts, names as people type them, mistakes in a file."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.models import MOST, ModelError, match, merge, models_in, named, parse
from roofwatch.session.models import packaged_models

MODELS = packaged_models()
FIELDS = {
    "name": '"Mine"',
    "layers": "2",
    "hidden": "64",
    "intermediate": "128",
    "heads": "8",
    "kv_heads": "2",
    "head_dim": "8",
    "vocab": "100",
}


def entry(**changed: str | None) -> str:
    fields = {k: v for k, v in {**FIELDS, **changed}.items() if v is not None}
    return "[[model]]\n" + "".join(f"{k} = {v}\n" for k, v in fields.items())


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("TinyLlama-1.1B", 1_100_048_384),
        ("Llama-2-7B", 6_738_415_616),
        ("Llama-2-13B", 13_015_864_320),
        ("Llama-2-70B", 68_976_648_192),
        ("Llama-3-8B", 8_030_261_248),
        ("Llama-3-70B", 70_553_706_496),
        ("Mistral-7B", 7_241_732_096),
        ("Qwen2.5-7B", 7_615_616_512),
        ("Qwen2.5-32B", 32_763_876_352),
    ],
)
def test_parameters_from_the_shapes_are_the_published_ones(name: str, params: int) -> None:
    model = named(name, MODELS)
    assert model.name == name
    assert model.params == params
    assert model.source


def test_the_table_holds_what_is_tested_here() -> None:
    assert len(MODELS) == 9
    assert len({m.name for m in MODELS}) == 9


def test_a_step_of_llama_3_8b_reads_15_01_of_16_06_gb() -> None:
    # An input embedding with a matrix of its own gives a few rows; so the decode probe counts.
    model = named("Llama-3-8B", MODELS)
    assert 2 * model.params / 1e9 == pytest.approx(16.06, abs=0.005)
    assert 2 * model.read_params / 1e9 == pytest.approx(15.01, abs=0.005)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Llama-2-7B", "Llama-2-7B"),
        ("llama 2 7b", "Llama-2-7B"),
        ("LLAMA_2_7B", "Llama-2-7B"),
        (" llama -_ 2 7b ", "Llama-2-7B"),
        ("meta-llama/Llama-2-7b-hf", "Llama-2-7B"),
        ("TinyLlama", "TinyLlama-1.1B"),
        ("TinyLlama/TinyLlama-1.1B-Chat-v1.0", "TinyLlama-1.1B"),
        ("1.1b", "TinyLlama-1.1B"),
        ("mistral", "Mistral-7B"),
        ("Llama-3.1-8B-Instruct", "Llama-3-8B"),
        ("meta-llama/Meta-Llama-3-70B", "Llama-3-70B"),
        ("qwen2.5 32b", "Qwen2.5-32B"),
        ("Qwen/Qwen2.5-Coder-7B-Instruct", "Qwen2.5-7B"),
    ],
)
def test_names_as_people_type_them(typed: str, name: str) -> None:
    assert named(typed, MODELS).name == name


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("Llama-3", "'Llama-3' may be Llama-3-8B, Llama-3-70B: say which model"),
        ("7B", "'7B' may be Llama-2-7B, Mistral-7B, Qwen2.5-7B: say which model"),
        ("Qwen2.5-72B", "like it: Qwen2.5-7B, Qwen2.5-32B"),
        ("Lama-3-8B", "like it: Llama-3-8B"),
        ("gpt", "no model is called 'gpt'; known are TinyLlama-1.1B, Llama-2-7B"),
        ("", "no model is called ''"),
        ("/", "no model is called '/'"),
        ("x" * 300, "no model is called 'xxx"),
        ("a\nb", "no model is called 'a\\nb'"),
    ],
)
def test_names_that_are_none_or_several(typed: str, says: str) -> None:
    with pytest.raises(ModelError) as caught:
        named(typed, MODELS)
    assert says in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_word_within_a_word_is_no_match() -> None:
    assert match("lama", MODELS) == ()
    assert match("1.1", MODELS) == ()


def test_a_whole_entry_is_read_as_written() -> None:
    (model,) = parse(entry(names='["Other Name"]', tied="true", qkv_bias="true", note='"n"'), "f")
    assert (model.name, model.names, model.tied, model.qkv_bias) == (
        "Mine",
        ("Other Name",),
        True,
        True,
    )
    assert model.params == 2 * (64 * 96 + 64 * 64 + 96 + 3 * 64 * 128 + 2 * 64) + 100 * 64 + 64
    assert named("other-name", (model,)) is model


def test_norms_of_q_and_k_are_counted_per_layer() -> None:
    plain, normed = (parse(entry(qk_norm=flag), "f")[0].params for flag in ("false", "true"))
    assert normed - plain == 2 * 2 * 8


def test_a_users_model_takes_a_name_or_an_alias() -> None:
    (own,) = parse(entry(name='"tiny"', names='["Llama 2 7B"]'), "mine")
    merged = merge(MODELS, [own])
    assert named("Llama-2-7B", merged) is own
    assert named("tiny", merged) is own
    assert "Llama-2-7B" not in [m.name for m in merged]
    assert len(merged) == len(MODELS)
    (alias,) = parse(entry(name='"mine"', names='["TinyLlama"]'), "mine")
    assert named("TinyLlama", merge(MODELS, [alias])) is alias
    assert named("TinyLlama-1.1B", merge(MODELS, [alias])).params == 1_100_048_384


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[model]", "f: line 1, column"),
        ("model = 3", "f: field model: expected [[model]] tables, got int"),
        ("models = []", "f: field models: unknown; did you mean model?"),
        ("schema = 2", "f: field schema: this version reads schema 1 only"),
        ("model = [3]", "f: [[model]] 1 field model: expected [[model]] tables, got int"),
        (entry(layers=None), 'f: [[model]] 1 "Mine" field layers: missing'),
        (entry(name=None), "f: [[model]] 1 field name: missing"),
        (entry(name='""'), "field name: expected 1 to 200 characters"),
        (entry(name='"-"'), "field name: expected a name"),
        (entry(layer="2"), "field layer: unknown; did you mean layers?"),
        (entry(hidden='"wide"'), "field hidden: expected a whole number, got str"),
        (entry(hidden="64.0"), "field hidden: expected a whole number, got float"),
        (entry(hidden="true"), "field hidden: expected a whole number, got bool"),
        (entry(heads="0"), "field heads: expected a whole number from 1 to"),
        (entry(vocab="-5"), "field vocab: expected a whole number from 1 to"),
        (entry(layers="99999999"), "field layers: expected a whole number from 1 to 10000"),
        (entry(kv_heads="3"), "field kv_heads: 3 does not divide heads, 8"),
        (entry(tied="1"), "field tied: expected true or false, got int"),
        (entry(names='"x"'), "field names: expected an array, got str"),
        (entry(names=str(["x"] * 101)), "field names: 101 names; at most 100 are read"),
        ("[[model]]\n" * 501, "f: field model: 501 models; at most 500 are read"),
        (entry(names="[3]"), "field names: expected a string, got int"),
        (entry() + entry(), 'f: [[model]] 2 "Mine" field names: mine is already [[model]] 1'),
        (entry() + entry(name='"B"', names='["MINE"]'), "mine is already [[model]] 1"),
    ],
)
def test_a_mistake_is_named_by_file_entry_and_field(text: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse(text, "f")
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


VALUES: st.SearchStrategy[Any] = st.one_of(
    st.integers(-(10**20), 10**20), st.text(max_size=5), st.booleans(), st.floats(), st.none()
)


@given(st.dictionaries(st.sampled_from([*FIELDS, "tied", "x"]), VALUES))
def test_whatever_a_table_holds_only_our_error_comes_out(table: dict[str, Any]) -> None:
    said = ""
    try:
        (model,) = models_in({"model": [table]}, "f")
    except ModelError as error:
        said = str(error)
    assert said.isprintable()
    assert said or all(0 < getattr(model, field) <= most for field, most in MOST.items())


@given(st.text(max_size=300))
def test_whatever_is_typed_is_a_model_or_one_line(typed: str) -> None:
    said = ""
    try:
        found = named(typed, MODELS)
    except ModelError as error:
        said = str(error)
    assert said.isprintable()
    assert said or found in MODELS
