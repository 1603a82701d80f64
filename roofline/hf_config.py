"""A Hugging Face config.json as a Model; what these shapes cannot count is refused, in one line.

Field names and defaults are those of transformers' configuration classes.
"""

from __future__ import annotations

from typing import Any

from roofwatch.roofline.model import Model
from roofwatch.roofline.models import MOST, ModelError, WrongField, checked
from roofwatch.roofline.toml_text import one_line

QWEN2 = ("qwen2", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text")
QWEN3 = ("qwen3", "qwen3_vl_text")
TIED = ("gemma",)  # types whose head is the embedding unless they say otherwise
COUNTED = ("llama", "mistral", "granite", "phi3", "smollm3", *TIED, *QWEN2, *QWEN3)
"""``model_type`` of decoders whose parameters are exactly those that Model counts."""

EXPERTS = (
    "num_local_experts",
    "num_experts",
    "n_routed_experts",
    "moe_num_experts",
    "num_routed_experts",
    "num_moe_experts",
)
REFUSED = {
    "kv_lora_rank": "latent attention (MLA) keeps another KV cache than keys and values",
    "state_size": "a state-space model has no KV cache that grows with the context",
    "ssm_state_size": "a state-space model has no KV cache that grows with the context",
    "cross_attention_layers": "cross-attention layers are not counted",
    "num_kv_shared_layers": "layers that share their KV cache are not counted",
}
ATTENTION = ("full_attention", "sliding_attention")
_SHAPES = {
    "layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "intermediate": "intermediate_size",
    "heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "vocab": "vocab_size",
}


def model_of(config: object, source: str, name: str) -> Model:
    """The model of a decoded config.json; ``source`` is the file, ``name`` what to call it.

    The name that the file itself gives comes first. Of a multimodal model the ``text_config``
    counts.

    Raises:
        ModelError: a field is missing, of the wrong type or beyond its bound, or the model is none
            of the decoders that are counted here.
    """
    place = ""
    try:
        if not isinstance(config, dict):
            raise ModelError(one_line(f"{source}: expected an object, got {_kind(config)}"))
        text = config.get("text_config")
        if text is not None and not isinstance(text, dict):
            raise WrongField("text_config", f"expected an object, got {_kind(text)}")
        _refuse(config)
        own = config.get("_name_or_path")
        called = own if isinstance(own, str) and own.strip() else name
        if text is None:
            return _decoder(config, called, "")
        place = "text_config."
        said = "the language model alone, without what sees or hears"
        return _decoder({"tie_word_embeddings": None, **config, **text}, called, said)
    except WrongField as error:
        raise ModelError(one_line(f"{source}: field {place}{error.field}: {error}")) from None


def _decoder(config: dict[str, Any], name: str, note: str) -> Model:
    _refuse(config)
    kind = config.get("model_type")
    if kind is not None and kind not in COUNTED:
        raise WrongField(
            "model_type",
            f"{_said(kind)} is none of {', '.join(COUNTED)}, whose shapes are counted here",
        )
    shapes = {ours: _whole(config, theirs, MOST[ours]) for ours, theirs in _SHAPES.items()}
    given: dict[str, Any] = {ours: value for ours, value in shapes.items() if value is not None}
    for ours in ("layers", "hidden", "intermediate", "heads", "vocab"):
        if ours not in given:
            raise WrongField(_SHAPES[ours], "missing")
    given.setdefault("kv_heads", given["heads"])
    if "head_dim" not in given:
        if given["hidden"] % given["heads"]:
            why = f"{given['heads']} does not divide hidden_size, {given['hidden']}"
            raise WrongField("num_attention_heads", f"{why}, and head_dim is missing")
        given["head_dim"] = given["hidden"] // given["heads"]
    if given["heads"] % given["kv_heads"]:
        why = f"{given['kv_heads']} does not divide num_attention_heads, {given['heads']}"
        raise WrongField("num_key_value_heads", why)
    biased = _flag(config, "attention_bias", False)
    notes = [note] if note else []
    if (biased and kind not in QWEN2) or _flag(config, "mlp_bias", False):
        notes.append("biases of its output projection and MLP are not counted")
    if window := _window(config, kind):
        notes.append(f"its attention window ({window} tokens) is not counted: all KV is read")
    return checked(
        Model(
            name=name[:200],
            **given,
            tied=_flag(config, "tie_word_embeddings", kind in TIED),
            qkv_bias=biased or kind in QWEN2,
            qk_norm=kind in QWEN3,
            source="config.json",
            note="; ".join(notes),
        )
    )


def _refuse(config: dict[str, Any]) -> None:
    if _flag(config, "is_encoder_decoder", False):
        raise WrongField("is_encoder_decoder", "only decoders are counted here")
    for field in EXPERTS:
        if (experts := _whole(config, field, 1_000_000, least=0)) and experts > 1:
            said = f"{experts} experts: which weights a step of a mixture of experts reads depends"
            raise WrongField(field, f"{said} on its tokens, so none is counted here")
    for field, why in REFUSED.items():
        if config.get(field):
            raise WrongField(field, why)
    layers = config.get("layer_types")
    for each in layers if isinstance(layers, list) else []:
        if each not in ATTENTION:
            raise WrongField("layer_types", f"layers of type {_said(each)} are not counted")


def _window(config: dict[str, Any], kind: object) -> int | None:
    """The attention window where it is in use: Qwen has to switch it on, others have it."""
    on = _flag(config, "use_sliding_window", kind not in (*QWEN2, *QWEN3))
    window = _whole(config, "sliding_window", 1_000_000_000, least=0)
    return window if on and window else None


def _whole(config: dict[str, Any], field: str, most: int, least: int = 1) -> int | None:
    value = config.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongField(field, f"expected a whole number, got {_kind(value)}")
    if not least <= value <= most:
        raise WrongField(field, f"expected a whole number from {least} to {most}")
    return value


def _flag(config: dict[str, Any], field: str, default: bool) -> bool:
    value = config.get(field)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise WrongField(field, f"expected true or false, got {_kind(value)}")
    return value


def _said(value: object) -> str:
    return repr(value[:60]) if isinstance(value, str) else _kind(value)


def _kind(value: object) -> str:
    words = {"dict": "object", "list": "array", "NoneType": "null", "str": "string"}
    return words.get(name := type(value).__name__, name)
