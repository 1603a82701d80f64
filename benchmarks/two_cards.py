"""A host of several cards on the screen: ``python benchmarks/two_cards.py [--save FILE]``.

Runs the quick suite in a pseudo-terminal, opens Clocks, prints what stands there: a strip a card;
then the other card's charts. The first paint of both sizes is timed as well.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from screen import first_paint
from terminal import Terminal


def main() -> None:
    """Print the screens and the times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", type=Path, required=True)
    options = parser.parse_args()
    me = [sys.executable, "-m", "roofwatch"]
    for size in ((80, 24), (200, 60)):
        paints = [first_paint(me, size, "1 Roof")[0] for _ in range(6)]
        print(size, *(f"{p:.3f}" for p in paints if p is not None))
    terminal = Terminal([*me, "--save", str(options.save)], 100, 30)
    terminal.type("2")
    terminal.when(lambda text: "sustained" in text or "held" in text, 90)
    time.sleep(2.0)
    print(terminal.text())
    terminal.type("\x1b[B\r")
    time.sleep(1.5)
    print(terminal.text())
    terminal.when(lambda _: '"kind":"end"' in options.save.read_text(), 120)
    print(terminal.close())


if __name__ == "__main__":
    main()
