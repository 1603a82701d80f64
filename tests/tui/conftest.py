"""What the tests of the screen share: findings in Chinese, and the comparison of pictures."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.app import App

from roofwatch.notebook import catalog
from roofwatch.notebook.finding import Finding

PICTURES = Path(__file__).parent / "pictures"


@pytest.fixture
def same_picture() -> Callable[[App[None], str], None]:
    """Compares the screen with a kept SVG; ROOFWATCH_NEW_PICTURES=1 takes new ones, to be looked
    at."""

    def compare(app: App[None], name: str) -> None:
        svg = re.sub(r"terminal-\d+", "terminal", app.export_screenshot())
        svg = re.sub(r"(?s)@font-face \{.*?\}\s*", "", svg)
        path = PICTURES / f"{name}.svg"
        if os.environ.get("ROOFWATCH_NEW_PICTURES"):
            PICTURES.mkdir(exist_ok=True)
            path.write_text(svg)
        assert svg == path.read_text()

    return compare


@pytest.fixture
def chinese() -> Iterator[list[Finding]]:
    """Findings with long Chinese sentences without spaces, while Chinese is spoken."""
    catalog.choose("zh-CN")
    yield [
        Finding(
            code=code,
            name=name,
            root="bytes",
            severity=severity,
            subject="add_scalar-fp16",
            message="实测带宽是标称值的二点八倍，数据全部留在末级缓存里，从未到达显存；这个数不能当作显存带宽来用。",
            why="第一遍之后，数据不再离开芯片（两个张量共2.0 MiB，而缓存有4 MiB），测到的是缓存。",
            do="1. 至少用80 MiB（缓存的二十倍）来测；2. 看大小扫描在哪里变平；3. 最后才怀疑显卡。",
            evidence={"gbs": 900.0, "working_set_bytes": 2 << 20, "说明": "数据留在缓存里"},
        )
        for code, name, severity in (
            ("E2", "l2-hit", "wrong"),
            ("units", "units", "suspect"),
            ("E6", "nominal-as-floor", "note"),
        )
    ]
    catalog.choose("en")
