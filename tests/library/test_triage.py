"""``roofwatch.triage``: arguments, roofs and where they come from, what is answered."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

import roofwatch
from roofwatch.library import triage as home
from roofwatch.library.their_callable import NoCallable, Watched, find, told
from roofwatch.library.triage import Refused, triage
from roofwatch.library.triage_plain import rows
from roofwatch.roofline.floors import Ceilings, Counted
from roofwatch.roofline.triage import Evidence
from roofwatch.roofline.trial import Varied
from roofwatch.session.events import Device
from roofwatch.session.host_cpu import cpuinfo
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width

torch = pytest.importorskip("torch")

from roofwatch.probes import quick_roof  # noqa: E402
from roofwatch.probes.op_count import CallCount  # noqa: E402
from roofwatch.probes.triage import Examined  # noqa: E402

N = 4096
A100 = Ceilings(
    bandwidth_gbs=2039.0,
    bandwidth_origin="measured",
    peaks_tflops={"fp16": 312.0},
    peak_origins={"fp16": "measured"},
)
PRODUCT = Counted(op="mm", calls=1, flop=2.0 * N**3, bytes=6.0 * N**2, peak_key="fp16")


@pytest.fixture
def roof(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A roof that costs no time; what was asked of it."""
    asked: list[str] = []

    def bandwidth(_: object) -> float:
        asked.append("bandwidth")
        return 20.0

    def peak(_: object, key: str) -> float:
        asked.append(key)
        return 0.2

    monkeypatch.setattr(quick_roof, "bandwidth_gbs", bandwidth)
    monkeypatch.setattr(quick_roof, "peak_tflops", peak)
    return asked


def examined(**changed: Any) -> Examined:
    evidence = Evidence(
        kind="cuda",
        time_s=0.5e-3,
        kernels=1.0,
        kernel_s=0.49e-3,
        busy_share=0.99,
        gap_share=0.01,
    )
    count = CallCount(
        counted=(PRODUCT,), operators=1, waits=0, written_bytes=2.0 * N**2, uncounted=()
    )
    grown = Varied(
        what="batch 8 to 64",
        time_ratio=7.5,
        factor=8.0,
        counted=(msgspec.structs.replace(PRODUCT, flop=8 * PRODUCT.flop),),
        launches=1.0,
    )
    return msgspec.structs.replace(
        Examined(evidence=evidence, count=count, varied=(grown,)), **changed
    )


def answered(seen: Examined) -> roofwatch.Triage:
    counted = seen.count.counted if seen.count else ()
    return home._answer("step", seen, counted, A100, Device(kind="cuda", name="NVIDIA A100"))


def test_the_answer_holds_the_contract_and_its_figures() -> None:
    got = answered(examined())
    assert (got.bound, got.certainty, got.would_help) == ("compute", "certain", "")
    wire = json.loads(msgspec.json.encode(got))
    assert {"bound", "certainty", "routes", "treatment"} <= wire.keys()
    assert set(wire["routes"]) == {"intensity", "timeline", "experiments"}
    assert wire["routes"]["intensity"]["says"] == "compute"
    assert wire["routes"]["experiments"]["status"] == "says"
    assert wire["roof"] == {
        "origin": "measured",
        "bandwidth_gbs": 2039.0,
        "peaks_tflops": {"fp16": 312.0},
        "ridge": pytest.approx(153, rel=0.01),
        "peak_key": "fp16",
    }
    assert wire["evidence"]["compute_s"] == pytest.approx(0.44e-3, rel=0.01)
    assert wire["card"] == "NVIDIA A100"


def test_it_reads_well() -> None:
    text = str(answered(examined()))
    lines = text.split("\n")
    assert lines[0] == "step: compute (certain), 500 us a call on NVIDIA A100"
    assert lines[1].startswith("  time: compute 99 %")
    assert [line.split(":")[0].strip() for line in lines[2:]] == [
        "intensity",
        "timeline",
        "experiments",
        "treatment",
    ]


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_its_rows_fit(cells: int) -> None:
    got = answered(examined(count=None, varied=()))
    printed = rows(got, cells, UNICODE)
    assert all(width(r) <= cells for r in printed)
    text = "\n".join(text_of(r) for r in printed)
    assert "cannot-say" in text
    assert "to be surer" in text


def test_nothing_to_see_cannot_be_said(roof: list[str]) -> None:
    got = roofwatch.triage(lambda: None, device="cpu", seconds=0.05)
    assert (got.bound, got.certainty) == ("cannot-say", "unsure")
    assert roof == []  # nothing to hold against it
    assert got.roof.origin is None


def test_a_host_that_sleeps_is_overhead(roof: list[str]) -> None:
    import time

    x = torch.ones(64)

    def fn() -> None:
        x.add_(1)
        time.sleep(0.02)

    got = roofwatch.triage(fn, device="cpu", seconds=0.1)
    assert got.bound == "overhead"
    assert got.name == "fn"
    assert roof == ["bandwidth", "fp32"]
    assert got.roof.origin == "measured"


def test_ones_own_count_takes_the_place_of_torchs(roof: list[str]) -> None:
    x = torch.ones(64)
    got = triage(lambda: x + 1, device="cpu", seconds=0.05, flop=1e9, bytes=2e6)
    assert (got.evidence.flop, got.evidence.bytes) == (1e9, 2e6)
    assert got.evidence.peak_key == "fp32"


def test_nominal_measures_nothing_and_a_cpu_has_none(roof: list[str]) -> None:
    x = torch.ones(64)
    got = triage(lambda: x + 1, device="cpu", seconds=0.05, roof="nominal")
    assert roof == []
    assert got.roof.bandwidth_gbs is None
    assert got.status["floor"] == "the bandwidth is not known"
    assert "not known" in got.routes["intensity"].because


def test_the_nominal_roof_of_a_card_is_said_to_be_one() -> None:
    seen = examined()
    assert seen.count is not None
    here = Device(kind="cuda", name="NVIDIA A100-SXM4-80GB")
    place: Any = None
    found = home._ceilings(
        place, seen, seen.count.counted, Ceilings(), "nominal", here, lambda _: None
    )
    assert found.bandwidth_origin == "nominal"
    assert found.bandwidth_gbs == pytest.approx(2039, rel=0.01)
    assert found.peaks_tflops["fp16"] == pytest.approx(312, rel=0.01)
    assert found.peak_origins["fp16"] == "nominal"


def session_of(path: Path, name: str) -> Path:
    """A session of a device of this name with one stream and one matmul."""
    shape = {"elements": 1 << 28}
    common = {"kind": "measurement", "dtype": "fp32", "math": "ieee", "stop": "iqr"}
    stream = {
        **common,
        "t": 1.0,
        "probe": "add_scalar-fp32",
        "op": "add_scalar",
        "shape": shape,
        "accumulate": None,
        "peak_key": None,
        "flop": 2.0**28,
        "tensors": [{"name": "x", "read_bytes": 1 << 30}, {"name": "y", "write_bytes": 1 << 30}],
        "times_s": [0.1] * 3,
        "timing": "host",
        "protocol": "stream",
        "begin_s": 0.5,
        "end_s": 1.0,
    }
    events = [
        {"kind": "session", "t": 0.0, "schema": "roofwatch.session/1", "id": "x", "suite": "quick"},
        {
            "kind": "session",
            "t": 0.1,
            "instrument": "probes",
            "device": {"kind": "cpu", "name": name},
        },
        stream,
        {"kind": "end", "t": 2.0, "complete": True},
    ]
    path.write_text("".join(json.dumps(e) + "\n" for e in events))
    return path


def test_a_saved_session_gives_the_roof_and_what_it_lacks_is_measured(
    tmp_path: Path, roof: list[str]
) -> None:
    path = session_of(tmp_path / "s.jsonl", cpuinfo()[0] or "")
    x = torch.ones(64)
    got = triage(lambda: x + 1, device="cpu", seconds=0.05, session=path)
    assert got.roof.bandwidth_gbs == pytest.approx(2 * 2**30 / 0.1 / 1e9)
    assert got.evidence.bandwidth_origin == "session"
    assert got.evidence.peak_origin == "measured"
    assert got.roof.origin == "measured and session"
    assert roof == ["fp32"]


def test_a_session_of_another_device_is_refused(tmp_path: Path) -> None:
    path = session_of(tmp_path / "s.jsonl", "Another CPU")
    with pytest.raises(Refused, match="is of Another CPU, and this is"):
        triage(lambda: None, device="cpu", session=path)


async def later() -> None:
    pass


async def many() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("fn", "more", "says"),
    [
        (later, {}, "later only makes a coroutine"),
        (many, {}, "many only makes a coroutine"),
        (torch.nn.Linear(2, 2), {}, r"Linear is a module whose forward needs input; wrap a call"),
        (torch.nn.ReLU, {}, r"ReLU is a class of modules: make one and wrap its call: net = ReLU"),
        (lambda: None, {"session": ""}, "session is ''"),
        (lambda: None, {"session": "a\0b"}, "session is 'a.b', which is no path"),
        (lambda x, y: None, {}, r"needs x, y; wrap it: def run\(\): return"),
        (lambda: None, {"roof": "best"}, "roof is 'best'"),
        (lambda: None, {"device": "tpu"}, "device is 'tpu'"),
        (lambda: None, {"device": "cpu", "batch_arg": "rows"}, "no parameter 'rows'"),
        (lambda: None, {"seconds": 0}, "seconds is 0"),
        (lambda: None, {"flop": float("nan")}, "flop is nan"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    fn: Callable[..., object], more: dict[str, Any], says: str
) -> None:
    with pytest.raises(Refused, match=says) as caught:
        triage(fn, **more)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "more", [{"name": 5}, {"session": 5}, {"session": b"x"}, {"session": []}, {"batch_arg": []}]
)
def test_an_argument_of_another_type_is_named_before_anything_runs(more: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=f"^{next(iter(more))} is of type "):
        triage(pytest.fail, device="cpu", **more)
    with pytest.raises(TypeError, match=r"^say is of type int"):
        triage(pytest.fail, device="cpu", say=5)  # type: ignore[arg-type]


class Hostile:
    """Code of its own behind every attribute."""

    __name__ = 5

    def __getattr__(self, name: str) -> object:
        raise KeyError(name)

    def __call__(self) -> object:
        return torch.ones(3)


class Nameless:
    @property
    def __name__(self) -> str:
        raise ValueError("no name")

    def __call__(self) -> object:
        return torch.ones(3)


def around() -> object:
    return torch.ones(3)


around.__wrapped__ = around  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("make", "name"), [(Hostile, "Hostile"), (Nameless, "Nameless"), (lambda: around, "around")]
)
def test_what_cannot_be_asked_about_itself_is_called_all_the_same(
    make: Callable[[], Callable[..., object]], name: str, roof: list[str]
) -> None:
    assert triage(make(), device="cpu", seconds=0.05).name == name


def test_a_clock_that_they_replace_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    def fn() -> None:
        monkeypatch.setattr(time, "perf_counter", lambda: 0.0)

    with pytest.raises(RuntimeError, match="perf_counter is no longer"):
        triage(fn, device="cpu")


def test_what_cannot_be_called_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="of type int"):
        triage(3)  # type: ignore[arg-type]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a device")
def test_an_absent_device_is_named() -> None:
    with pytest.raises(home.Absent, match=r"device is cuda:3: torch .* sees no CUDA device"):
        triage(lambda: None, device="cuda:3")


def test_it_is_loaded_when_it_is_asked_for() -> None:
    assert roofwatch.triage is triage
    assert roofwatch.Triage.__name__ in roofwatch.__all__


# What a person types


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_and_what_stands_beside_it(folder: Path) -> None:
    (folder / "beside_of_triage.py").write_text("def add(): return 3\n")
    (folder / "mine_of_triage.py").write_text(
        "from beside_of_triage import add\nclass Job:\n    run = staticmethod(add)\n"
    )
    assert find(f"{folder}/mine_of_triage.py:add")() == 3
    assert find("mine_of_triage:Job.run")() == 3
    assert find("./mine_of_triage.py:Job.run")() == 3


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("mine", "mine: is not module:function"),
        (":run", "is not module:function"),
        ("no_such_module_here:run", "no_such_module_here: there is no module of that name"),
        ("no_such.inner:run", "no_such.inner: there is no module of that name"),
        ("./no.py:run", "./no.py: there is no such file"),
        ("json:run", "json: has no run"),
        ("json:decoder.nope", "json: has no decoder.nope"),
        ("json:__name__", "json:__name__: is of type str"),
        ("bad\nname:run", "bad\\nname: there is no module"),
    ],
)
def test_what_leads_to_nothing(folder: Path, typed: str, says: str) -> None:
    with pytest.raises(NoCallable) as caught:
        find(typed)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1 / 0\n", "ZeroDivisionError: division by zero (broken.py:1)"),
        ("import nothing_of_that_name\n", "No module named 'nothing_of_that_name' (broken.py:1)"),
        ("def run(:\n", "(broken.py:1)"),
        ("\nimport sys\nsys.exit(3)\n", "SystemExit: 3 (broken.py:3)"),
        ("raise ValueError('two\\nlines')\n", "ValueError: two lines (broken.py:1)"),
    ],
)
def test_what_cannot_be_imported_says_where(folder: Path, text: str, says: str) -> None:
    (folder / "broken.py").write_text(text)
    with pytest.raises(NoCallable) as caught:
        find("./broken.py:run")
    assert str(caught.value).startswith("./broken.py: cannot be imported: ")
    assert str(caught.value).endswith(says)


def test_the_names_that_could_have_been_meant(folder: Path) -> None:
    (folder / "named.py").write_text("def forward(): pass\ndef backward(): pass\n")
    with pytest.raises(NoCallable, match="has no forwards; it has backward, forward"):
        find("./named.py:forwards")


def test_their_error_is_known_as_theirs() -> None:
    def fails(batch: int = 3) -> None:
        """Theirs."""
        torch.ones(2) @ torch.ones(batch)

    watched = Watched(fails)
    assert watched.__name__ == "fails"  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError) as caught:
        watched()
    assert watched.raised is caught.value
    assert told(caught.value).startswith("RuntimeError: ")
    assert "(test_triage.py:" in told(caught.value)
    assert len(told(RuntimeError("x" * 5000))) < 300


def test_a_slow_roof_is_in_gflops() -> None:
    got = answered(examined(count=None, varied=()))
    slow = structs.replace(
        got.roof, origin="measured", bandwidth_gbs=30.0, peaks_tflops={"fp32": 0.0944}
    )
    told = " ".join(text_of(r) for r in rows(structs.replace(got, roof=slow), 100, UNICODE))
    assert "30 GB/s, fp32 94.4 GFLOP/s (measured)" in told
