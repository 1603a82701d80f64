"""Every figure of the measurements page comes from a kept session or result."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_page_is_what_the_kept_sessions_say() -> None:
    import measurements

    assert (ROOT / "docs" / "measurements.md").read_text() == measurements.document()


def test_the_schema_page_names_every_kind_and_field() -> None:
    from roofwatch.session import events

    page = (ROOT / "docs" / "schema.md").read_text()
    kinds = {
        c.__struct_config__.tag: c
        for c in vars(events).values()
        if isinstance(c, type) and issubclass(c, events.Event) and c is not events.Event
    }
    assert set(kinds) == events.KINDS
    for kind, struct in kinds.items():
        section = re.search(rf"(?s)## `{kind}`(.*?)(?=\n## |\Z)", page)
        assert section, kind
        for field in struct.__struct_fields__:
            assert f"`{field}`" in section.group(1) or field == "t", f"{kind}.{field}"


def test_pages_link_only_to_what_exists() -> None:
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_reliability_page_is_what_the_kept_results_say() -> None:
    import reliability

    assert (ROOT / "docs" / "reliability.md").read_text() == reliability.document()


def test_what_was_promised_was_seen() -> None:
    import reliability

    victims = reliability.result("kills")["victims"]
    assert set(victims) == {"telemetry", "probes", "parent"}
    for seen in victims.values():
        assert seen["kills"] == seen["readable"] >= 100
        assert seen["most_lost_s"] <= 1.0
        assert seen["orphans"] == seen["without_fault"] == 0
    for row in reliability.result("fuzz")["readers"].values():
        assert row["count"] >= 100_000
        assert row["tracebacks"] == row["hangs"] == 0
    soak = reliability.result("soak")
    assert soak["hours"] >= 0.95
    assert soak["growth_mb"] < 10
    assert "WRONG" not in reliability.result("nvml_matrix")["totals"]
    for seen in reliability.load("cuda_faults")["cases"].values():
        assert max(seen.get("back_s", 0.0), seen["back_at_the_end_s"]) <= 2.0
    for row in reliability.result("signals")["rows"].values():
        assert row["longest_s"] <= 2.0
        assert row["orphans"] == row["modes_not_restored"] == row["screen_not_restored"] == 0
