"""The documents as a site: pages have their places, links their targets, the build no warning."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parent.parent.parent
SOURCE = "source/"


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    """docs/site/pages.py, as MkDocs loads it."""
    spec = spec_from_file_location("pages", ROOT / "docs" / "site" / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_has_its_place(pages: ModuleType) -> None:
    placed = re.findall(
        r": ([\w.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M
    )
    own = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert sorted(placed) == sorted(own | set(pages.PAGES.values()))


def test_every_link_leads_somewhere_in_the_site(pages: ModuleType) -> None:
    files = [*pages.PAGES, *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
    for file in files:
        text = (ROOT / file).read_text(encoding="utf-8")
        for found in pages.LINK.finditer(text):
            led = re.fullmatch(r"!?\[.*\]\(([^)#]+)(#.*)?\)", pages._link(found, file), re.S)
            if led is None:  # a folder
                continue
            where = led[1]
            there = where in pages.PAGES.values() or (ROOT / "docs" / where).is_file()
            kept = where.startswith(SOURCE) and (ROOT / where.removeprefix(SOURCE)).is_file()
            assert there or kept, f"{file}: {found[0]}"


class Targets(HTMLParser):
    """What a page of the site loads and links to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An address in ``href`` or ``src``."""
        self.found |= {value for name, value in attrs if name in ("href", "src") and value}


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed (extra docs)")
def test_the_site_builds_without_a_warning_and_every_link_of_it_holds(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    built = sorted(tmp_path.glob("**/*.html"))
    assert len(built) > 12
    for page in built:
        if page.name == "404.html":  # its addresses begin at the root, wherever that is
            continue
        targets = Targets()
        targets.feed(page.read_text(encoding="utf-8"))
        for target in targets.found:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert there.exists(), f"{page.relative_to(tmp_path)}: {target}"
            if parts.fragment and (there.is_dir() or there == page):
                text = (there / "index.html" if there.is_dir() else there).read_text("utf-8")
                assert f'id="{unquote(parts.fragment)}"' in text, f"{page}: {target}"
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "fonts.googleapis" not in page
    assert "pictures/screen.png" in page
