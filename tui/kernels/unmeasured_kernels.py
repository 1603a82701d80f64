"""What the Kernels pane shows where no kernel was measured: how to, and common work on paper."""

from __future__ import annotations

from roofwatch.roofline.common_work import common
from roofwatch.roofline.suite import LINKS
from roofwatch.session.fold import Session
from roofwatch.session.program import PROGRAM
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.roofs import Roofs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped
from roofwatch.tui.kernels.kernel_rows import BOUND

PAPER_CELLS = 66  # of the table on paper, with whole words in its head
ON_SCREEN = f"{PROGRAM} --suite kernels"
HOW = (
    f"{PROGRAM} run --suite kernels measures them, {ON_SCREEN} does so in the screen: what each"
    " kernel of a transformer reaches of its own roof, what fusion brings, what a launch costs."
)


def unmeasured(session: Session, own: Roofs, follows: bool, cells: int, height: int) -> list[Row]:
    """The command that measures, and on paper what side of the ridge common work is on."""
    probes = [spec.key for spec in session.specs if spec.protocol == "kernels"]
    if session.suite == LINKS:
        waits = "No link is measured yet." if not session.closed else "No link was measured."
        return [row((f" {waits}", "title"))]
    if probes and not session.closed:
        rows = [row((" No kernel is measured yet; the roofs come first.", "title"))]
    elif follows:
        rows = wrapped(f"No kernel measured: {ON_SCREEN}", cells - 2, "title", " ")
    else:
        rows = [row((" No kernel was measured in this session.", "title"))]
        rows += wrapped(HOW, cells - 2, "", " ")
    key = own.main_key or next(iter(own.compute), None)
    roof = next((r for w in ("burst", "nominal") if (r := own.roof(key or "", w))), None)
    if roof is None:
        return rows
    which = "measured" if own.roof(key or "", "burst") else "nominal"
    said = f"On paper, {key} on this card ({which} ridge {figure(roof.ridge)} FLOP/byte)"
    rows += [row(""), *wrapped(said, cells - 2, "title", " ")]
    work = common("fp32" if key == "fp32" else "bf16")
    full = cells >= PAPER_CELLS
    scale = rate_scale(session)
    unit = scale.named("TFLOP/s")
    heads = ("FLOP/byte", f"at most {unit}") if full else ("FLOP/B", unit)
    sizes = (10, 17) if full else (8, 9)
    head = "".join(f"{name:>{size}}" for name, size in zip(heads, sizes, strict=True))
    rows.append(row((f"   {'work':<26}{head}  bound", "dim")))
    for c in work[: max(0, height - len(rows))]:
        bound = "memory" if c.intensity < roof.ridge else "compute"
        line = f"   {c.name:<26}{figure(c.intensity):>{sizes[0]}}"
        line += f"{figure(roof.attainable_tflops(c.intensity) * scale.factor):>{sizes[1]}}  "
        rows.append(row(line, (bound, BOUND[bound])))
    return rows
