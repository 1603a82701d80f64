"""config.json as Hugging Face writes it: what is counted, and what is refused in one line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.hf_config import COUNTED, EXPERTS, model_of
from roofwatch.roofline.model import Model
from roofwatch.roofline.models import ModelError

LLAMA_3 = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "hidden_act": "silu",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "max_position_embeddings": 8192,
    "model_type": "llama",
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "rope_theta": 500000.0,
    "tie_word_embeddings": False,
    "vocab_size": 128256,
}
QWEN_05 = {
    "hidden_size": 896,
    "intermediate_size": 4864,
    "model_type": "qwen2",
    "num_attention_heads": 14,
    "num_hidden_layers": 24,
    "num_key_value_heads": 2,
    "sliding_window": 32768,
    "tie_word_embeddings": True,
    "use_sliding_window": False,
    "vocab_size": 151936,
}
QWEN_3_8B = {
    "attention_bias": False,
    "head_dim": 128,
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "model_type": "qwen3",
    "num_attention_heads": 32,
    "num_hidden_layers": 36,
    "num_key_value_heads": 8,
    "sliding_window": None,
    "tie_word_embeddings": False,
    "use_sliding_window": False,
    "vocab_size": 151936,
}
GEMMA_7B = {
    "head_dim": 256,
    "hidden_size": 3072,
    "intermediate_size": 24576,
    "model_type": "gemma",
    "num_attention_heads": 16,
    "num_hidden_layers": 28,
    "num_key_value_heads": 16,
    "vocab_size": 256000,
}
PHI_3_MINI = {
    "attention_bias": False,
    "hidden_size": 3072,
    "intermediate_size": 8192,
    "model_type": "phi3",
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 32,
    "sliding_window": 2047,
    "tie_word_embeddings": False,
    "vocab_size": 32064,
}


def read(config: object, **changed: Any) -> Model:
    assert isinstance(config, dict)
    return model_of({**config, **changed}, "./config.json", "folder")


def refusal(config: object) -> str:
    with pytest.raises(ModelError) as caught:
        model_of(config, "./config.json", "folder")
    said = str(caught.value)
    assert said.startswith("./config.json: ")
    assert said.isprintable()
    return said


@pytest.mark.parametrize(
    ("config", "params"),
    [
        (LLAMA_3, 8_030_261_248),
        (QWEN_05, 494_032_768),
        (QWEN_3_8B, 8_190_735_360),
        (GEMMA_7B, 8_537_680_896),
        (PHI_3_MINI, 3_821_079_552),
    ],
)
def test_parameters_are_the_published_ones(config: dict[str, Any], params: int) -> None:
    assert read(config).params == params


def test_what_is_left_out_has_its_default() -> None:
    few = {k: v for k, v in LLAMA_3.items() if k not in ("num_key_value_heads", "model_type")}
    del few["tie_word_embeddings"]
    model = read(few)
    assert (model.kv_heads, model.head_dim, model.tied, model.qkv_bias) == (32, 128, False, False)
    assert read(GEMMA_7B).tied  # a gemma ties unless it says otherwise
    assert read(LLAMA_3, num_key_value_heads=None, head_dim=None).kv_heads == 32


def test_biases_of_q_k_and_v() -> None:
    assert read(QWEN_05).qkv_bias
    assert not read(LLAMA_3).qkv_bias
    biased = read(LLAMA_3, attention_bias=True)
    assert biased.qkv_bias
    assert "biases of its output projection" in biased.note
    assert read(QWEN_05).note == ""


def test_the_name_is_the_files_own_or_the_folders() -> None:
    assert read(LLAMA_3).name == "folder"
    assert read(LLAMA_3, _name_or_path="meta-llama/Meta-Llama-3-8B").name.endswith("Llama-3-8B")
    assert read(LLAMA_3, _name_or_path="").name == "folder"
    assert read(LLAMA_3, _name_or_path=3).name == "folder"


def test_an_attention_window_is_said_where_it_is_in_use() -> None:
    assert "2047 tokens" in read(PHI_3_MINI).note
    assert "4096 tokens" in read(LLAMA_3, model_type="mistral", sliding_window=4096).note
    assert read(LLAMA_3, model_type="mistral", sliding_window=None).note == ""
    assert read(QWEN_05).note == ""
    assert "32768 tokens" in read(QWEN_05, use_sliding_window=True).note


def test_of_a_multimodal_model_the_language_model_counts() -> None:
    llava = {"model_type": "llava", "text_config": LLAMA_3, "vision_config": {"hidden_size": 1}}
    model = read(llava, tie_word_embeddings=False)
    assert model.params == 8_030_261_248
    assert "language model alone" in model.note
    assert "field text_config.hidden_size: missing" in refusal(
        {"model_type": "llava", "text_config": {"model_type": "llama", "num_hidden_layers": 3}}
    )
    assert "field text_config: expected an object, got array" in refusal({"text_config": []})


@pytest.mark.parametrize("field", EXPERTS)
def test_a_mixture_of_experts_is_refused(field: str) -> None:
    said = refusal({**LLAMA_3, "model_type": "mixtral", field: 8})
    assert f"field {field}: 8 experts" in said
    assert "mixture of experts" in said
    assert read(LLAMA_3, **{field: 1}).params == 8_030_261_248  # one expert is a dense model
    inside = {"model_type": "llama4", "text_config": {**LLAMA_3, field: 16}}
    assert f"field text_config.{field}: 16 experts" in refusal(inside)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"is_encoder_decoder": True}, "field is_encoder_decoder: only decoders"),
        ({"kv_lora_rank": 512}, "field kv_lora_rank: latent attention (MLA)"),
        ({"model_type": "gpt2"}, "field model_type: 'gpt2' is none of llama, mistral"),
        ({"model_type": "gemma3_text"}, "'gemma3_text' is none of"),
        ({"model_type": 3}, "field model_type: int is none of"),
        ({"state_size": 16}, "field state_size: a state-space model"),
        ({"layer_types": ["full_attention", "linear_attention"]}, "type 'linear_attention'"),
        ({"num_hidden_layers": None}, "field num_hidden_layers: missing"),
        ({"hidden_size": "4096"}, "field hidden_size: expected a whole number, got string"),
        ({"hidden_size": 4096.0}, "field hidden_size: expected a whole number, got float"),
        ({"vocab_size": True}, "field vocab_size: expected a whole number, got bool"),
        ({"vocab_size": -1}, "field vocab_size: expected a whole number from 1 to"),
        ({"intermediate_size": [1, 2]}, "field intermediate_size: expected a whole number, got ar"),
        ({"num_hidden_layers": 10**9}, "field num_hidden_layers: expected a whole number from 1"),
        ({"num_attention_heads": 0}, "field num_attention_heads: expected a whole number from 1"),
        ({"num_key_value_heads": 5}, "field num_key_value_heads: 5 does not divide num_attention"),
        ({"num_attention_heads": 24}, "field num_attention_heads: 24 does not divide hidden_size"),
        ({"tie_word_embeddings": "no"}, "field tie_word_embeddings: expected true or false"),
        ({"num_experts": "many"}, "field num_experts: expected a whole number, got string"),
        ({"sliding_window": [4096]}, "field sliding_window: expected a whole number, got array"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(changed: dict[str, Any], says: str) -> None:
    assert says in refusal({**LLAMA_3, **changed})


@pytest.mark.parametrize("config", [[], 3, "x", None])
def test_what_is_no_object(config: object) -> None:
    assert "expected an object" in refusal(config)


@pytest.mark.parametrize("kind", COUNTED)
def test_every_type_that_is_counted_is_read(kind: str) -> None:
    assert read(LLAMA_3, model_type=kind).layers == 32


JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)
KNOWN = sorted({*LLAMA_3, *QWEN_3_8B, *EXPERTS, "text_config", "layer_types", "_name_or_path"})


@given(st.dictionaries(st.sampled_from(KNOWN), JSON, max_size=4))
def test_whatever_a_config_holds_it_is_a_model_or_one_line(changed: dict[str, Any]) -> None:
    said = ""
    try:
        model = read(LLAMA_3, **changed)
    except ModelError as error:
        said = str(error)
    assert said.isprintable()
    assert said.startswith("./config.json: ") if said else model.params > 0
