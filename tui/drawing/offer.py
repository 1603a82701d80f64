"""A key that does something now, for the footer."""

from __future__ import annotations

Offer = tuple[str, str]
"""The key as it is written, with {lr} and {ud} for arrows, and the word for what it does."""
