"""Hours of a live screen in a minute: does memory grow, and how fast does the file?

    python benchmarks/soak.py [--minutes 60] [--speed 60] [--warm 10] [--json FILE]

The screen runs in a pseudo-terminal, with its reader threads, its file and its fold. The two
instruments are stand-ins: they write a recorded session's samples, ten a second of a time that
passes ``speed`` times as fast, and its probes again and again. Minutes are of that time; growth is
counted after ``warm`` of them, when everything is loaded and has been drawn.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from roofwatch.session.events import (
    AnyEvent,
    End,
    Measurement,
    Sample,
    Series,
    SessionInfo,
    Span,
)
from roofwatch.session.file import events
from roofwatch.session.instrument import Instrument

ROOT = Path(__file__).parent.parent
RECORDED = ROOT / "tests" / "sessions" / "h200-quick-1.jsonl"
HZ = 10.0
OF_PROBES = (Span, Series, Measurement)


class Fast(Instrument):
    """An instrument whose time passes ``speed`` times as fast."""

    speed = 1.0

    def now(self) -> float:
        """Seconds since the session began, of the fast time."""
        return super().now() * self.speed


def moved(event: AnyEvent, by_s: float, run: int) -> AnyEvent:
    """The same event so much later, of another run."""
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    for name in ("t", "t0", "begin_s", "end_s"):
        if name in fields:
            fields[name] += by_s
    if "clock_t_s" in fields:
        fields["clock_t_s"] = [t + by_s for t in fields["clock_t_s"]]
    if "run" in fields:
        fields["run"] = run
    return type(event)(**fields)


def told_by(instrument: str) -> SessionInfo:
    """What an instrument of the recorded session said of itself."""
    found = (e for e in events(RECORDED) if isinstance(e, SessionInfo))
    return next(e for e in found if e.instrument == instrument)


def telemetry(out: Fast) -> None:
    """The recorded samples, one after the other, for ever."""
    samples = [e for e in events(RECORDED) if isinstance(e, Sample)]
    out.say("sampling")
    out.write(moved(told_by("telemetry"), out.now(), 1))
    count = 0
    while True:
        sample = samples[count % len(samples)]
        out.write(moved(sample, out.now() - sample.t, 1))
        count += 1
        time.sleep(max(0.0, count / HZ - out.now()) / out.speed)


def probes(out: Fast, run: int) -> None:
    """The recorded probes once, each event when it is due."""
    out.write(moved(told_by("probes"), out.now(), run))
    out.say("waiting")
    recorded = [e for e in events(RECORDED) if isinstance(e, OF_PROBES)]
    begin_s, first_s = out.now(), min(e.t for e in recorded)
    for event in recorded:
        due_s = begin_s + event.t - first_s
        time.sleep(max(0.0, due_s - out.now()) / out.speed)
        out.write(moved(event, begin_s - first_s, run))
    out.write(End(t=out.now(), complete=True, run=run))


def instrument(argv: list[str]) -> int:
    """A stand-in, started as the real one is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("speed", type=float)
    parser.add_argument("--fd", type=int)
    parser.add_argument("--t0", type=int)
    parser.add_argument("--run", type=int, default=1)
    options, _ = parser.parse_known_args(argv)
    name = options.module.rpartition(".")[2]
    Fast.speed = options.speed
    out = Fast(name, options.fd, options.t0)
    out.keep_beating()
    out.listen(lambda line: None)
    if name == "telemetry":
        telemetry(out)
    else:
        probes(out, options.run)
    return 0


def inside(path: Path, speed: float) -> int:
    """The screen with the stand-ins, until somebody quits it; runs are repeated at once."""
    from roofwatch.session import child
    from roofwatch.session.asked import Options
    from roofwatch.session.cards import load_cards
    from roofwatch.session.live import Live
    from roofwatch.tui.drawing.glyphs import UNICODE
    from roofwatch.tui.screen.app import RoofwatchApp

    me = [sys.executable, __file__, "--instrument"]
    child.start_of = lambda module: [*me, module, str(speed)]  # type: ignore[assignment]
    real = Live.now
    Live.now = lambda self: real(self) * speed  # type: ignore[method-assign]
    Live.busy = lambda self: None  # type: ignore[method-assign]  # recorded samples know no rest
    live = Live(Options(save=path), load_cards)
    live.start()
    app = RoofwatchApp(live, UNICODE)
    app.call_later(lambda: app.set_interval(0.1, live.rerun))
    app.run(mouse=False)
    live.close()
    return 0


def soak(minutes: float, warm: float, speed: float) -> dict[str, Any]:
    """Watch it from outside."""
    from terminal import Terminal

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        command = [sys.executable, __file__, "--inside", str(path), "--speed", str(speed)]
        screen = Terminal(command, 120, 36)
        process = psutil.Process(screen.process.pid)
        rss: list[tuple[float, int, int]] = []
        begin_s = time.monotonic()
        while (now := (time.monotonic() - begin_s) * speed / 60) < minutes + warm:
            size = path.stat().st_size if path.exists() else 0
            rss.append((now, process.memory_info().rss, size))
            time.sleep(0.25)
        screen.type("q")
        code = screen.process.wait(20)
        found = [e for e in events(path) if isinstance(e, (Sample, End))]
        screen.close()
    for at, used, size in rss[:: max(1, len(rss) // 24)]:
        print(f"{at:6.1f} min  {used / 1e6:6.1f} MB  file {size / 1e6:6.1f} MB", file=sys.stderr)
    kept = [(at, used, size) for at, used, size in rss if at >= warm]
    (begin, used_before, size_before), (end, used_after, size_after) = kept[0], kept[-1]
    hours = (end - begin) / 60
    return {
        "hours": round(hours, 3),
        "speed": speed,
        "exit_code": code,
        "samples": sum(isinstance(e, Sample) for e in found),
        "runs": sum(isinstance(e, End) and e.complete for e in found),
        "resident_mb": round(used_before / 1e6, 1),
        "growth_mb": round((used_after - used_before) / 1e6, 2),
        "most_growth_mb": round((max(u for _, u, _ in kept) - used_before) / 1e6, 2),
        "file_mb_per_hour": round((size_after - size_before) / 1e6 / hours, 1),
    }


def main() -> int:
    """The soak, or one of its processes."""
    if sys.argv[1:2] == ["--instrument"]:
        return instrument(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--warm", type=float, default=10, help="minutes before growth is counted")
    parser.add_argument("--speed", type=float, default=60)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return inside(options.inside, options.speed)
    found = soak(options.minutes, options.warm, options.speed)
    print(json.dumps(found, indent=1))
    if options.json:
        date = datetime.date.today().isoformat()
        options.json.write_text(json.dumps({"date": date, **found}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
