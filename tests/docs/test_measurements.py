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
