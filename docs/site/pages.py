"""What MkDocs is told of pages outside of docs/: they are read where they stand, not copied.

README.md and its neighbours become pages; a source file that a page links to is served as it is; a
link to a folder, which a site has no page for, stays as text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent.parent
DOCS = "docs/"
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Of the root, by what they are called in the site."""
LINK = re.compile(r"(!?\[(?:[^\]\\]|\\.)*\])\((?!https?:|mailto:|#)([^)#\s]+)(#[^)]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the root's pages, and every source file that a page links to."""
    from mkdocs.structure.files import File

    for name, uri in PAGES.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / name)))
    pages = [*PAGES, *(DOCS + file.src_uri for file in files if file.src_uri.endswith(".md"))]
    linked = {
        path
        for page in pages
        if (ROOT / page).is_file()
        for _, target, _ in LINK.findall((ROOT / page).read_text(encoding="utf-8"))
        if not _in_site(path := _from_root(target, page)) and (ROOT / path).is_file()
    }
    for path in sorted(linked):
        files.append(File.generated(config, f"source/{path}", abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Each link as it leads in the site."""
    uri = page.file.src_uri
    own = next((name for name, called in PAGES.items() if called == uri), DOCS + uri)
    return LINK.sub(lambda found: _link(found, own), markdown)


def _link(found: re.Match[str], page: str) -> str:
    said, target, anchor = found.groups()
    path = _from_root(target, page)
    if (ROOT / path).is_dir():
        return str(said)[1:-1]
    if path in PAGES:
        path = PAGES[path]
    else:
        path = path.removeprefix(DOCS) if path.startswith(DOCS) else f"source/{path}"
    return f"{said}({path}{anchor or ''})"


def _in_site(path: str) -> bool:
    return path in PAGES or path.startswith(DOCS)


def _from_root(target: str, page: str) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(page), target)).replace(os.sep, "/")
