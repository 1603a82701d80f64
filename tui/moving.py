"""What the keys that move do in each pane."""

from __future__ import annotations

from textual.geometry import Size

from roofwatch.tui import notebook_pane, probes_pane
from roofwatch.tui.notebook_cursor import moved, paged
from roofwatch.tui.painting import Scene


def scroll(scene: Scene, name: str, size: Size, rows: int) -> None:
    """Some rows on or back through the pane ``name``, as far as there are any."""
    at = scene.at
    if name == "probes":
        length = probes_pane.length(scene.session, size.width, scene.glyphs) + 1
        last = max(0, length - size.height + 1)
        at.first_probe = min(last, max(0, at.first_probe + rows))
    elif name == "notebook":
        at.place = paged(at.place, rows, *_notebook(scene, size))
    elif name == "kernels":
        from roofwatch.tui import kernels_pane

        view = kernels_pane.View(at.kernel_page, at.kernel)
        places = kernels_pane.length(scene.session, *size, scene.glyphs, view)
        at.kernel = min(places - 1, max(0, at.kernel + rows))
    elif name == "plan":
        at.plan(scene.session).step(1 if rows > 0 else -1)


def move(scene: Scene, name: str, size: Size, step: int) -> None:
    """To the next finding or field where there is a cursor, else by a row."""
    at = scene.at
    if name == "notebook" and not scene.wide:
        at.place = moved(at.place, step, *_notebook(scene, size))
    elif name == "decode":
        at.all_batches = step > 0
    elif name == "plan":
        at.plan(scene.session).step(step)
    else:
        scroll(scene, name, size, step)


def turn(scene: Scene, name: str, step: int) -> None:
    """Another value of a field, another curve, else another precision of the roofline."""
    at = scene.at
    if name == "plan":
        at.plan(scene.session).change(step, scene.session)
    elif name == "decode":
        at.curve += step
    elif name == "kernels":
        at.kernel_page, at.kernel = at.kernel_page + step, 0
    else:
        at.next_precision(scene.session, step)


def typed(scene: Scene, key: str, character: str | None) -> None:
    """One key while a value of the plan is typed."""
    fields = scene.at.plan(scene.session)
    if fields.line is None:
        return
    if key == "escape":
        fields.type(None)
    elif key in ("enter", "tab", "shift+tab", "down", "up"):
        fields.enter(scene.session)
        if fields.line is None and key != "enter":
            fields.step(-1 if key in ("shift+tab", "up") else 1)
    elif (line := fields.line.key(key, character)) is not None:
        fields.type(line)


def _notebook(scene: Scene, size: Size) -> tuple[list[tuple[int, int]], int, int]:
    """Where its findings stand, its length, and the rows it has room for."""
    spans, length = notebook_pane.spans(scene.session, size.width, scene.glyphs, scene.found)
    return spans, length, size.height - 1 if scene.wide else size.height
