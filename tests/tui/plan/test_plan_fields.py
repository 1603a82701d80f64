"""The fields of the plan: what keys and typed values make of the question, and its answer."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofwatch.roofline.model import Model
from roofwatch.session.cards import packaged_cards
from roofwatch.session.events import Device, Price, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import MEASURED, NOMINAL, Plan, plan
from roofwatch.session.replay import Replay
from roofwatch.session.roofs import roofs
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.plan import plan_answers
from roofwatch.tui.plan.plan_fields import BY_M, FIELDS, NOT_YET, NOTHING, ROOFS, PlanFields
from roofwatch.tui.plan.plan_pane import build
from roofwatch.tui.plan.plan_steps import OVERHEADS_S, beside, doubled, next_of, stepped
from roofwatch.tui.plan.plan_tables import Tables, load_tables

KEPT = Path(__file__).parent.parent.parent / "sessions"
DECODE, TWO = KEPT / "h200-decode-1.jsonl", KEPT / "two"


@pytest.fixture(scope="module")
def tables() -> Tables:
    return load_tables()


def filled(fields: PlanFields, session: Session, **texts: str) -> PlanFields:
    """As if each value had been typed and taken."""
    for name, text in texts.items():
        fields.open = name
        fields.begin(session)
        assert fields.line is not None
        fields.type(fields.line.typed(text) if text else fields.line.erased())
        fields.enter(session)
    return fields


def test_it_begins_with_this_card_as_measured(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    found, remark, _ = fields.answer(h200)
    own = roofs(h200)
    assert found is not None
    assert remark == ""
    assert (found.gpu, found.model, found.context) == ("NVIDIA H200", "Llama-3-8B", 2048)
    assert found.figures == MEASURED
    assert found.bandwidth_gbs == own.bandwidth_gbs
    assert found.memory_bytes == h200.device.memory_bytes
    assert found.load_s is not None


def test_a_line_taken_as_it_was_offered_changes_nothing(tables: Tables) -> None:
    """Its digits are fewer than the value's, and what was measured stays measured."""
    session = fold(events(DECODE))
    fields = PlanFields(tables, session)
    before = fields.answer(session).plan
    assert before is not None
    assert before.overhead_source == MEASURED
    for name in FIELDS:
        fields.open = name
        fields.begin(session)
        assert fields.line is not None
        if name == "overhead":
            assert float(fields.line.text.removesuffix("ms")) > 0
        fields.enter(session)
        assert fields.line is None
        assert fields.answer(session).plan == before, name


@pytest.mark.parametrize("path", ["/dev/tty", "/dev/zero"])
def test_what_would_wait_for_ever_is_no_model(tables: Tables, h200: Session, path: str) -> None:
    fields = filled(PlanFields(tables, h200), h200, model=path)
    assert fields.line is not None
    assert "is a device, not a file" in fields.said


def test_m_takes_the_nominal_roofs(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    fields.toggle()
    found = fields.answer(h200).plan
    assert found is not None
    assert found.figures == NOMINAL
    assert found.bandwidth_gbs == 4800.0
    assert round(found.ridge) == 206
    assert found.memory_bytes == h200.device.memory_bytes  # the card stays this one
    assert found.batch_memory_cap is not None
    fields.toggle()
    assert fields.figures == MEASURED


def test_the_seeds_table_is_answered(tables: Tables, h200: Session) -> None:
    """Seed, Day 18: card x model at n = 2048."""
    fields = filled(PlanFields(tables, h200), h200, gpu="A100 80GB SXM", model="llama-2-7b")
    found = fields.answer(h200).plan
    assert found is not None
    assert found.figures == NOMINAL
    assert round(found.ridge) == 153
    assert found.ai_max == pytest.approx(12.57, rel=0.002)
    assert found.limited_by == "memory"
    filled(fields, h200, gpu="T4", model="TinyLlama", context="256")
    found = fields.answer(h200).plan
    assert found is not None
    assert found.ai_max == pytest.approx(381.5, abs=0.1)
    assert found.b_star == pytest.approx(434, abs=1)
    assert found.limited_by == "compute"


def test_every_field_changes_both_ways(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    seen = {}
    for name in FIELDS:
        fields.open = name
        before = fields._typed_form(h200)
        fields.change(1, h200)
        assert fields._typed_form(h200) != before, name
        assert fields.said == "", name
        seen[name] = fields._typed_form(h200)
        fields.change(-1, h200)
        if name not in ("price", "overhead"):
            assert fields._typed_form(h200) == before, name
    assert seen["context"] == "4096"
    assert seen["batch_max"] == "256"
    assert seen["weights"] == "bf16"
    assert seen["kv"] == "bf16"
    assert seen["overhead"] == "0.05ms"
    assert seen["price"] == "0.05 $/h"
    assert seen[ROOFS] == NOMINAL


def test_cards_go_round_and_come_back_to_this_one(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    names = []
    for _ in range(len(tables.cards)):
        names.append(fields.card(h200).name)
        fields.change(1, h200)
    assert fields.here
    assert len(set(names)) == len(names)
    assert names[0] == "NVIDIA H200"
    fields.change(-1, h200)
    assert not fields.here


def test_a_typed_name_of_this_card_is_this_card(tables: Tables, h200: Session) -> None:
    fields = filled(PlanFields(tables, h200), h200, gpu="T4")
    assert not fields.here
    filled(fields, h200, gpu="H200")
    assert fields.here
    assert fields.figures == MEASURED


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("gpu", "nonsuch", "no card is called 'nonsuch'"),
        ("gpu", "A100", "may be"),
        ("model", "Llama", "may be"),
        ("model", "./nothing/config.json", "config.json"),
        ("context", "32k", "'k'"),
        ("context", "0", "context"),
        ("weights", "fp5", "none of fp16, bf16, fp8, int8, int4"),
        ("kv", "int4", "none of fp16, bf16, fp8, int8"),
        ("batch_max", "1e9", "batch"),
        ("overhead", "7.8", "seconds or milliseconds? 7.8ms, 7.8s"),
        ("overhead", "7800 s", "from 0 to"),
        ("overhead", "long", "long"),
        ("price", "1.99/month", "month"),
        ("price", "free", "no price"),
        (ROOFS, "both", "none of measured, nominal"),
    ],
)
def test_a_bad_value_is_one_line_and_nothing_is_lost(
    tables: Tables, h200: Session, name: str, text: str, why: str
) -> None:
    fields = PlanFields(tables, h200)
    before = fields.question
    filled(fields, h200, **{name: text})
    assert why in fields.said
    assert "\n" not in fields.said
    assert fields.line is not None  # typing goes on
    assert fields.line.text == text
    assert fields.question == before
    fields.type(None)
    assert fields.said == ""
    assert fields.answer(h200).plan is not None


def test_values_are_typed_with_their_units(tables: Tables, h200: Session) -> None:
    fields = filled(
        PlanFields(tables, h200),
        h200,
        overhead="7.8ms",
        price="2,49 €/h",
        batch_max="200",
        context="10000",
        weights="int8",
    )
    q = fields.question
    assert q.overhead_s == pytest.approx(7.8e-3)
    assert q.price == Price(per_hour=2.49, currency="€")
    assert (q.batch_max, q.context, q.weights) == (200, 10000, "int8")
    found = fields.answer(h200).plan
    assert found is not None
    assert found.curve[-1].cost_per_mtok is not None
    filled(fields, h200, overhead="0", price="")
    assert (fields.question.overhead_s, fields.question.price) == (0.0, None)


def test_a_config_of_ones_own_joins_the_models(
    tables: Tables, h200: Session, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "num_hidden_layers": 4,
        "hidden_size": 512,
        "intermediate_size": 1024,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "vocab_size": 32000,
    }
    (folder / "config.json").write_bytes(msgspec.json.encode(config))
    fields = filled(PlanFields(tables, h200), h200, model=str(folder))
    assert fields.said == ""
    assert fields.model.layers == 4
    fields.open = "model"
    fields.change(1, h200)
    fields.change(-1, h200)
    assert fields.model.layers == 4


def test_measured_roofs_are_known_of_this_card_alone(tables: Tables, h200: Session) -> None:
    fields = filled(PlanFields(tables, h200), h200, gpu="T4")
    fields.open = ROOFS
    fields.change(1, h200)
    assert "this session's own card" in fields.said
    assert fields.figures == NOMINAL
    filled(fields, h200, roofs="measured")
    assert "this session's own card" in fields.said


def test_before_anything_is_measured_nominal_figures_stand(tables: Tables, h200: Session) -> None:
    h200.measurements.clear()
    fields = PlanFields(tables, h200)
    found, remark, _ = fields.answer(h200)
    assert found is not None
    assert found.figures == NOMINAL
    assert remark.endswith("nominal figures")


def test_of_an_unknown_machine_it_says_so_until_a_card_is_chosen(tables: Tables) -> None:
    session = Session()
    fields = PlanFields(tables, session)
    assert fields.answer(session) == (None, NOTHING, "")
    session.add(SessionInfo(t=0.0, instrument="telemetry", device=Device(kind="cpu", name="CPU")))
    assert fields.answer(session) == (None, NOT_YET, "")
    fields.change(1, session)
    assert fields.answer(session).plan is not None


def test_of_a_measured_cpu_nominal_roofs_say_why_there_are_none(
    tables: Tables, h200: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "device", Device(kind="cpu", name="A CPU"))
    h200.nominal = None
    fields = PlanFields(tables, h200)
    assert fields.answer(h200).plan is not None
    fields.toggle()
    assert fields.answer(h200) == (None, BY_M, "")
    rows = [text_of(r) for r in build(fields, h200, 80, 19, UNICODE)]
    assert sum("no datasheet" in r for r in rows) == 1


def test_it_begins_with_the_sessions_own_model_context_and_price(
    tables: Tables, h200: Session
) -> None:
    model = next(m for m in packaged_models() if m.name == "Qwen2.5-7B")
    info = SessionInfo(
        t=0.0,
        models=[msgspec.to_builtins(model)],
        contexts=[256, 1024],
        price=Price(per_hour=3.0),
    )
    h200.add(info)
    fields = PlanFields(tables, h200)
    assert fields.model.name == "Qwen2.5-7B"
    assert fields.question.context == 1024
    assert fields.question.price == Price(per_hour=3.0)
    others = fields.other_models(h200, 99)
    assert others[0].model == "Qwen2.5-7B"
    assert len(others) == len(tables.models)


def test_a_session_with_an_odd_context_has_a_plan(tables: Tables, h200: Session) -> None:
    h200.add(SessionInfo(t=0.0, contexts=[0, 10**12]))
    fields = PlanFields(tables, h200)
    assert fields.question.context == 2048


def test_of_many_models_those_around_the_chosen_one_are_worked_out(
    tables: Tables, h200: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def counted(card: object, model: Model, question: object) -> Plan:
        asked.append(model.name)
        return plan(card, model, question)  # type: ignore[arg-type]

    monkeypatch.setattr(plan_answers, "plan", counted)
    many = tuple(
        msgspec.structs.replace(tables.models[0], name=f"Mine-{i}", names=()) for i in range(50)
    )
    fields = PlanFields(tables._replace(models=(*tables.models, *many)), h200)
    filled(fields, h200, model="mine-30")
    build(fields, h200, 198, 54, UNICODE)
    assert "Mine-30" in asked
    assert len(asked) < 40
    before = list(asked)
    for _ in range(3):
        build(fields, h200, 198, 54, UNICODE)
    assert asked == before
    h200.revision += 1  # something new was measured
    build(fields, h200, 198, 54, UNICODE)
    assert len(asked) > len(before)


def test_the_cards_of_a_named_file_are_there(tmp_path: Path, h200: Session) -> None:
    mine = tmp_path / "cards.toml"
    text = (files("roofwatch") / "nominal.toml").read_text(encoding="utf-8")
    entry = next(e for e in text.split("[[card]]") if 'key = "t4"' in e)
    entry = entry.replace('"t4"', '"my-board"').replace('"Tesla T4"', '"My Board 16"')
    lines = [line for line in entry.splitlines() if not line.startswith("pci_device_ids")]
    mine.write_text("\n".join(["schema = 1", "[[card]]", *lines]))
    fields = filled(PlanFields(load_tables(mine), h200), h200, gpu="My Board 16")
    assert fields.said == ""
    found = fields.answer(h200).plan
    assert found is not None
    assert found.gpu == "My Board 16"
    missing = load_tables(tmp_path / "nothing.toml")
    assert "nothing.toml" in missing.problem
    assert missing.cards == packaged_cards()


def test_a_file_of_ones_own_that_cannot_be_used_is_said(tmp_path: Path, h200: Session) -> None:
    own = tmp_path / "config" / "roofwatch"
    own.mkdir(parents=True)
    (own / "nominal.toml").write_text("cards = 3")
    (own / "models.toml").write_text("schema = 2")
    fields = PlanFields(load_tables(), h200)
    assert "models.toml" in fields.said
    assert fields.answer(h200).plan is not None
    fields.step(1)
    assert fields.said == ""


def test_steps() -> None:
    assert [doubled(v, 1, (0, 10)) for v in (1, 3, 4, 1000, 1024, 5000)] == [
        2,
        4,
        8,
        1024,
        1024,
        1024,
    ]
    assert [doubled(v, -1, (2, 10)) for v in (1024, 1000, 5, 4, 3, 1)] == [512, 512, 4, 4, 4, 4]
    assert beside(OVERHEADS_S, 7.8e-3, 1) == pytest.approx(10e-3)
    assert beside(OVERHEADS_S, 7.8e-3, -1) == pytest.approx(5e-3)
    assert beside(OVERHEADS_S, 5.0, 1) == 5.0
    assert next_of(("a", "b"), "?", 1) == "a"
    assert next_of(("a", "b"), "b", 1) == "a"


@pytest.mark.parametrize(
    ("price", "by", "found"),
    [
        (None, 1, 0.05),
        (0.05, -1, None),
        (1.0, -1, 0.95),
        (0.95, 1, 1.0),
        (1.0, 1, 1.25),
        (1.99, 1, 2.0),
        (1.99, -1, 1.75),
        (10.0, 1, 11.0),
        (1e6, 1, 1000010.0),
        (None, -1, None),
    ],
)
def test_prices_go_by_round_steps(price: float | None, by: int, found: float | None) -> None:
    before = Price(per_hour=price) if price else None
    after = stepped(before, by, "$")
    assert (after.per_hour if after else None) == (pytest.approx(found) if found else None)


KEYS = st.sampled_from(["next", "back", "up", "down", "m", "type", "enter", "esc", *"1a.0/k "])


@settings(max_examples=60, deadline=None)
@given(st.lists(KEYS, max_size=60))
def test_no_keys_break_it(keys: list[str]) -> None:
    session = Session()
    fields = PlanFields(TABLES, session)
    for key in keys:
        if key in ("next", "back"):
            fields.change(1 if key == "next" else -1, session)
        elif key in ("up", "down"):
            fields.step(-1 if key == "up" else 1)
        elif key == "m":
            fields.toggle()
        elif key == "type":
            fields.begin(session)
        elif key == "enter":
            fields.enter(session)
        elif key == "esc":
            fields.type(None)
        elif fields.line is not None:
            fields.type(fields.line.typed(key))
        fields.meant()
        found, remark, _ = fields.answer(session)
        assert (found is None) == (remark == NOTHING)


TABLES = load_tables()


def test_a_slice_can_be_typed(tables: Tables, h200: Session) -> None:
    fields = filled(PlanFields(tables, h200), h200, gpu="H100 SXM MIG 1g.10gb")
    found = fields.answer(h200).plan
    assert (fields.said, found is not None) == ("", True)
    assert found is not None
    assert (found.gpu, found.figures) == ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "derived")
    fields.change(1, h200)
    assert fields.card(h200).origin != "derived"
    filled(fields, h200, gpu="T4 MIG 1g.5gb")
    assert "no MIG profile of this card is known" in fields.said


def test_a_links_session_is_planned_by_its_links_and_says_that_the_roofs_are_nominal(
    tables: Tables,
) -> None:
    session = Replay(TWO / "links.jsonl").session
    fields = PlanFields(tables, session)
    fields.open = "tp"
    fields.change(1, session)
    found, remark, _ = fields.answer(session)
    assert found is not None
    assert (found.tp, found.peer_from, found.latency_from) == (2, "measured", "measured")
    assert found.peer_gbs == pytest.approx(385, abs=1)
    assert remark == "bandwidth and peak for fp16 weights not measured: nominal figures"
    rows = [text_of(r) for r in build(fields, session, 80, 19, UNICODE)]
    assert any("nominal: none measured" in r for r in rows)
    assert any("cards     2 over 385 GB/s (measured)" in r for r in rows)
    assert any("latency   27.1 µs an all-reduce of 2 cards" in r for r in rows)
    fields.toggle()  # nominal roofs go with the nominal link
    found, _, _ = fields.answer(session)
    assert found is not None
    assert (found.peer_gbs, found.peer_from, found.latency_from) == (450.0, "nvlink", "none")
    rows = [text_of(r) for r in build(fields, session, 80, 19, UNICODE)]
    assert any("latency   none counted: an upper bound" in r for r in rows)
