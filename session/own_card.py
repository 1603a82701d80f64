"""The card that a question without a name is about: this machine's, else the last measured one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.lookup import Nominal
from roofwatch.session.card_named import card_named
from roofwatch.session.file import UnreadableSession
from roofwatch.session.listing import Listing
from roofwatch.session.plan import PlanError
from roofwatch.session.replay import Replay
from roofwatch.session.saved_session import PATIENCE_S

DRIVER = Path("/proc/driver/nvidia/gpus")
MOST_READ = 6  # saved sessions that are looked into
LONGEST_BYTES = 4096


def own_card(
    cards: Cards, driver: Path = DRIVER, folders: Iterable[Path] | None = None
) -> Nominal | None:
    """This machine's first card as its driver lists it, else that of the last session with roofs.

    None where neither is known. NVML is not asked: a question on paper needs no reading.
    """
    for name in _driven(driver):
        try:
            return card_named(name, cards)
        except PlanError:
            continue
    listing = Listing(folders=folders)
    listing.refresh()
    listing.advance(PATIENCE_S)
    measured = [e for e in listing.entries if e.bandwidth_gbs or e.peak_key]
    for entry in measured[:MOST_READ]:
        try:
            session = Replay(entry.path).session
        except UnreadableSession:
            continue
        if session.device.kind == "cuda" and session.nominal is not None:
            return session.nominal
    return None


def _driven(folder: Path) -> list[str]:
    """Names of cards, in the order of their bus."""
    found = []
    try:
        for path in sorted(folder.glob("*/information")):
            with path.open("rb") as file:
                text = file.read(LONGEST_BYTES).decode("utf-8", "replace")
            lines = (line.partition(":") for line in text.splitlines())
            found += [value.strip() for key, _, value in lines if key.strip() == "Model"]
    except OSError:
        return found
    return found
