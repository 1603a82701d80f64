"""What two sessions side by side amount to, in words: on the screen, as text, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from roofwatch.roofline.per_cent import per_cent
from roofwatch.session.compare import FASTER, SLOWER, Comparison, Pair
from roofwatch.session.differences import APART
from roofwatch.session.noise import ON_HOST, RUN_TO_RUN

WITHIN, OUTSIDE, UNLIKE, FEW = "within", "outside", "unlike", "too few"
HOST, DOUBTED, UNSURE = "host", "doubted", "unsure"
"""What a ratio is beside noise: one word, wherever it stands."""
MEANT = {
    UNLIKE: "outside noise, and not measured alike",
    HOST: "further apart than noise, by two cards and the CPUs of hosts that may be two",
    DOUBTED: "not to be believed in its own session, so neither better nor worse",
    FEW: "too few repetitions to tell",
    UNSURE: "further apart than fresh runs lie, by repetitions that scatter too far to tell",
}
"""What a word means, of those that do not say it themselves."""
COUNTED = {
    UNLIKE: "not measured alike",
    HOST: "made with the host's CPU",
    DOUBTED: "doubted",
    FEW: "of too few repetitions to tell",
    UNSURE: "too scattered to tell",
}
"""How the whole counts what is neither better nor worse nor noise."""


def noise_said(p: Pair) -> str:
    """Whether a ratio is more than noise, in a word or two."""
    if p.hosts_apart and (p.beyond or p.unsure):
        return HOST
    if p.beyond and not p.alike:
        return UNLIKE
    if p.doubts:
        return DOUBTED
    if p.interval is None:
        return FEW
    if p.beyond:
        return OUTSIDE
    return UNSURE if p.unsure else WITHIN


def doubts_said(pairs: Sequence[Pair], side: str) -> str:
    """What of one side, "a" or "b", is doubted, and why: each reason once. Empty where nothing."""
    of_why: dict[str, list[str]] = {}
    for p in pairs:
        if side in p.doubts:
            of_why.setdefault(p.doubts[side], []).append(p.what)
    return "; ".join(f"{', '.join(names)} ({why})" for why, names in of_why.items())


def lost_said(told: Comparison, b: str = "B") -> str:
    """What B was to measure as A did and has not, in a sentence; empty where nothing."""
    count = sum(m.count for m in told.lost)
    if not count:
        return ""
    return f"{count} more {'was' if count == 1 else 'were'} to be measured and {b} lacks " + (
        "it." if count == 1 else "them."
    )


def verdict(told: Comparison, b: str = "B") -> str:
    """The whole in a sentence, and how many rows it does not count, since neither end is better."""
    judged = [p for p in told.pairs if p.better]
    if not told.pairs:
        return "Nothing was measured in both."
    if not judged:
        return "Nothing was measured in both that could be better or worse."
    better, worse = told.count(FASTER), told.count(SLOWER)
    words = Counter(noise_said(p) for p in judged)
    two = any(p.cards_apart for p in judged)
    within = (
        f"within what two cards of one kind differ by (up to {APART})" if two else "within noise"
    )
    rest = [(words[WITHIN], within), *((words[word], what) for word, what in COUNTED.items())]
    said = [f"{count} {what}" for count, what in rest if count]
    many = "figure" if len(judged) == 1 else "figures"
    text = f"Of {len(judged)} {many} {b} is better in {better}, worse in {worse}"
    if not better and not worse:
        text = f"Of {len(judged)} {many} none is better or worse in {b}"
    text = "; ".join([text, ", ".join(said)] if said else [text]) + "."
    return " ".join(part for part in (text, lost_said(told, b), _neither(told)) if part)


def _neither(told: Comparison) -> str:
    """The rows that are no better for being larger or smaller, by name."""
    names = list(dict.fromkeys(_kind(p) for p in told.pairs if not p.better))
    count = sum(not p.better for p in told.pairs)
    if not count:
        return ""
    more = "row is" if count == 1 else "rows are"
    return f"{count} more {more} neither better nor worse ({', '.join(names)})."


def _kind(p: Pair) -> str:
    """What a figure is, whichever precision it is of."""
    if " ridge" in p.name:
        return "ridge"
    return p.name.rpartition(": ")[2]


def method(*every: Comparison) -> str:
    """What noise is in all of these tables, and what the words in them mean."""
    pairs = [p for told in every for p in told.pairs]
    spreads = ", ".join(
        f"{name} {per_cent(RUN_TO_RUN[key], 1)}"
        for name, key in (("streams", "stream"), ("bursts", "burst"), ("sustained", "sustained"))
    )
    two = any(p.cards_apart for p in pairs)
    cards = f", and than two cards of one kind differ by (up to {APART})" if two else ""
    words = dict.fromkeys(noise_said(p) for p in pairs)
    ratio = "B / A" if len(every) == 1 else "A ratio"
    meant = "".join(f" {w.capitalize()}: {MEANT[w]}." for w in MEANT if w in words)
    return (
        f"{ratio} is outside noise where chance brings it there in less than one of 2000 "
        "comparisons: "
        "by its own repetitions (the 95 % interval is of their order) and by what fresh runs of "
        f"one card differ ({spreads}; where a CPU decides {100 * ON_HOST:.0f} % is assumed, and as "
        f"much as its repetitions scatter){cards}."
        f"{meant}"
    )
