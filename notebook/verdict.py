"""From a claim to a verdict: believable, suspect, wrong, or cannot-say; and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from roofwatch.notebook.catalog import fill, label
from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_reading import key_of, reading_of
from roofwatch.notebook.claim_work import LINK_OPS, elements_of
from roofwatch.notebook.entry import Unreadable, claim_of, unused_of
from roofwatch.notebook.experiment import Experiment, Point, together, told_apart
from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding
from roofwatch.notebook.known_card import SAME, Cards, Known
from roofwatch.notebook.possible import possible
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import judge
from roofwatch.notebook.wrong_peak import NEAR
from roofwatch.roofline.digits_said import digits_said
from roofwatch.roofline.expected import Range
from roofwatch.roofline.lookup import Nominal

BELIEVABLE, CANNOT_SAY = "believable", "cannot-say"
VERDICTS = (BELIEVABLE, SUSPECT, WRONG, CANNOT_SAY)
GRAVITY = {BELIEVABLE: 0, CANNOT_SAY: 1, SUSPECT: 2, WRONG: 3}


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One row's answer. Rates in GB/s and TFLOP/s, intensity in FLOP per byte.

    ``gpu`` is the card that it was judged as; ``gpu_note`` says what its name leaves open.
    ``missing`` names what the row would have to say before more can be said.
    ``unused`` are fields that are none of ours. ``point`` is said of rows that share an id.
    """

    id: str | int | float | None
    verdict: str | None
    op: str | None = None
    gbs: float | None = None
    tflops: float | None = None
    intensity: float | None = None
    judged: str | None = None  # "gbs" | "tflops": which of the two is the number in question
    of_nominal: float | None = None
    sparse: bool = False  # that share is of the peak with 2:4 sparsity
    expected: Range | None = None
    findings: list[Finding] = []
    error: str | None = None
    gpu: str | None = None
    gpu_note: str | None = None
    missing: list[str] = []
    unused: list[str] = []  # fields of the row that mean nothing here
    experiment: Experiment | None = None
    point: str | None = None  # "batch 8": what tells it from the other rows of its id

    def __str__(self) -> str:
        """Verdict and number in a line, then a line for each finding."""
        if self.error is not None:
            return self.error
        value, unit = (self.gbs, "GB/s") if self.judged == "gbs" else (self.tflops, "TFLOP/s")
        rate = f"{digits_said(value, 4)} {unit}" if value else ""
        head = ", ".join(part for part in (self.verdict, self.gpu, rate) if part)
        return "\n".join((head, *(f"{f.code} {f.severity}: {f.message}" for f in self.findings)))


def unreadable(error: Unreadable, id: str | int | float | None = None) -> Verdict:
    """The answer to a row that cannot be read."""
    return Verdict(id=id, verdict=None, error=str(error))


def check_fields(fields: Mapping[str, object], cards: Cards, where: str = "") -> Verdict:
    """The answer to one row, read from its fields."""
    try:
        return check_claim(claim_of(fields, where), cards, where)
    except Unreadable as error:
        return unreadable(error, _id_of(fields))


def _id_of(fields: Mapping[str, object]) -> str | int | float | None:
    given = fields.get("id")
    if isinstance(given, str):
        return given.encode("utf-8", "replace").decode("utf-8")
    return given if isinstance(given, (int, float)) and not isinstance(given, bool) else None


def check_claim(claim: Claim, cards: Cards, where: str = "") -> Verdict:
    """The answer to one claim.

    A name that several cards share is judged as each of them: where they agree that is the answer,
    else the row is asked back.
    """
    subject = str(claim.id) if claim.id is not None else where or claim.op
    known = cards.known(claim.gpu)
    fitting = _told_apart(claim, known)
    answers = [_judge(claim, subject, n, known.slice_share, cards) for n in fitting]
    if not answers:
        alone = _judge(claim, subject, None, None, cards)
        return msgspec.structs.replace(alone, gpu_note=_unknown(claim, known, cards))
    note = _note(claim, answers)
    if len({a.verdict for a in answers}) == 1:
        return msgspec.structs.replace(answers[0], gpu_note=note)
    gravest = max(answers, key=lambda a: GRAVITY[a.verdict or BELIEVABLE])
    proofs = [f for f in gravest.findings if f.severity == WRONG]
    return msgspec.structs.replace(
        gravest,
        verdict=CANNOT_SAY,
        gpu=None,
        gpu_note=note,
        expected=None,
        of_nominal=None,
        sparse=False,
        findings=[msgspec.structs.replace(f, severity=NOTE) for f in proofs],
        missing=["gpu"],
    )


def _told_apart(claim: Claim, known: Known) -> tuple[Nominal, ...]:
    """The candidates; those alone that own the figure it was compared with, where some do.

    None where the figure is far from all of theirs: a form of the card that the table lacks.
    """
    if len(known.candidates) < 2:
        return known.candidates
    figure, key = claim.nominal_gbs or claim.nominal_tflops, claim.dtype or ""
    if figure is None:
        return known.candidates
    of_bytes = claim.nominal_gbs is not None
    own = [(c, c.bandwidth_gbs if of_bytes else c.peaks_tflops.get(key)) for c in known.candidates]
    fits = tuple(c for c, of_card in own if of_card and abs(figure / of_card - 1) <= SAME)
    if fits:
        return fits
    near = any(NEAR[0] <= figure / of_card <= NEAR[1] for _, of_card in own if of_card)
    other = not of_bytes and any(
        abs(figure / peak / times - 1) <= SAME
        for c in known.candidates
        for peak in c.peaks_tflops.values()
        for times in (1, 2)
    )
    return known.candidates if near or other else ()


def _unknown(claim: Claim, known: Known, cards: Cards) -> str | None:
    """That no card has this name, with the nearest; nothing where the row names none."""
    if not claim.gpu or known.candidates:
        return None
    near = cards.near(claim.gpu)
    return fill(label("unknown_card"), {"gpu": claim.gpu[:60], "names": ", ".join(near) or None})


def _note(claim: Claim, answers: Sequence[Verdict]) -> str | None:
    """Which cards the name may mean, each with its own verdict."""
    if len(answers) < 2:
        return None
    each = ", ".join(f"{a.gpu} ({label(a.verdict or CANNOT_SAY)})" for a in answers[:6])
    return fill(label("ambiguous"), {"gpu": claim.gpu, "names": each})


def _judge(
    claim: Claim, subject: str, nominal: Nominal | None, slice_share: float | None, cards: Cards
) -> Verdict:
    reading, expected = reading_of(
        claim,
        subject,
        nominal,
        slice_share,
        compared_is(claim, nominal, cards),
        cards.siblings(nominal) if nominal else None,
    )
    found = judge(reading)
    verdict = verdict_of(reading, found)
    missing: list[str] = []
    if verdict == CANNOT_SAY:
        missing = missing_of(claim, reading, nominal is not None)
        found = [*found, *possible(reading, found)]
    rate, full = reading.rate, reading.nominal
    return Verdict(
        id=claim.id,
        op=claim.op,
        verdict=verdict,
        gbs=reading.gbs,
        tflops=reading.tflops,
        intensity=reading.intensity,
        judged=reading.judged,
        of_nominal=rate / full if rate and full else None,
        sparse=reading.sparse and reading.judged == "tflops",
        expected=expected,
        findings=found,
        gpu=nominal.name if nominal else None,
        missing=missing,
    )


def compared_is(claim: Claim, nominal: Nominal | None, cards: Cards) -> tuple[str, ...]:
    """Other cards of which the figure that the row compares with is the nominal one."""
    if nominal is None:
        return ()
    key = key_of(claim, nominal)
    for figure, own, of in (
        (claim.nominal_tflops, nominal.peaks_tflops.get(key or ""), key),
        (claim.nominal_gbs, nominal.bandwidth_gbs, None),
    ):
        if figure and own and abs(figure / own - 1) > SAME:
            return cards.with_figure(figure, of, nominal)
    return ()


def verdict_of(reading: Reading, found: Iterable[Finding]) -> str:
    """Wrong by evidence; suspect out of its range; believable inside; else nothing can be said."""
    severities = {f.severity for f in found}
    if WRONG in severities:
        return WRONG
    if reading.rate is None or reading.within is None:
        return SUSPECT if SUSPECT in severities else CANNOT_SAY
    return SUSPECT if SUSPECT in severities else BELIEVABLE


def missing_of(claim: Claim, reading: Reading, known: bool) -> list[str]:
    """Fields that would let more be said, the most useful first. ``known``: the card is."""
    out = []
    if not known and reading.low is None:
        figure = "nominal_tflops" if reading.judged == "tflops" else "nominal_gbs"
        out.append(figure if claim.gpu else "gpu")
    if claim.dtype is None and claim.op not in LINK_OPS:
        out.append("dtype")
    if claim.claimed_mfu is not None:
        return out  # a share needs no size
    if reading.rate is None:
        if claim.op == "decode" and claim.params is None and claim.weight_bytes is None:
            out.append("params")
        if claim.op == "matmul":
            out += [name for name in ("m", "n", "k") if getattr(claim, name) is None]
        elif claim.op in ("attention", "other") and reading.bytes is None:
            out += ["read_bytes", "write_bytes"]
        elif reading.bytes is None and claim.op != "decode" and elements_of(claim) is None:
            out.append("elements")
        if claim.time_s is None:
            out.append("time_s")
    return out


def check_rows(
    rows: Iterable[tuple[str, Mapping[str, object] | Unreadable]], cards: Cards
) -> list[Verdict]:
    """Answers in the order of the rows. Rows that share an ``id`` are points of one experiment."""
    answers: list[Verdict] = []
    points: dict[str, list[tuple[int, Point]]] = {}
    for where, fields in rows:
        if isinstance(fields, Unreadable):
            answers.append(unreadable(fields))
            continue
        try:
            claim = claim_of(fields, where)
        except Unreadable as error:
            answers.append(unreadable(error, _id_of(fields)))
            continue
        answer = check_claim(claim, cards, where)
        unused = unused_of(fields)
        if claim.claimed_tokens_per_s is not None and claim.op != "decode":
            unused.append("claimed_tokens_per_s")  # nothing else has steps that yield them
        if unused:
            answer = msgspec.structs.replace(answer, unused=unused)
        if claim.id is not None:
            points.setdefault(repr(claim.id), []).append(
                (len(answers), Point(claim=claim, gbs=answer.gbs, tflops=answer.tflops))
            )
        answers.append(answer)
    for group in points.values():
        if len(group) < 2:
            continue
        apart = told_apart([point.claim for _, point in group])
        for (at, _), said in zip(group, apart, strict=True):
            answers[at] = msgspec.structs.replace(answers[at], point=said)
        joint = together([point for _, point in group])
        if joint is not None:
            last = group[-1][0]
            answers[last] = msgspec.structs.replace(answers[last], experiment=joint)
            if joint.at_odds:
                _doubt(answers, [at for at, _ in group])
    return answers


def _doubt(answers: list[Verdict], group: Sequence[int]) -> None:
    """Rows that are each believable, and cannot all be right: none of them is told to be."""
    if all(answers[at].verdict == BELIEVABLE for at in group):
        for at in group:
            answers[at] = msgspec.structs.replace(answers[at], verdict=SUSPECT)
