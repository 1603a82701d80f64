"""The instrument as a process: its events, its ends, and how little it loads."""

import itertools
import os
import subprocess
import sys
import time

import pytest

from roofwatch.session import events


def kinds(stream):
    return [type(event).__name__ for event in stream]


def test_the_host_for_real(start, finish):
    code, stream = finish(start("--source", "host", "--seconds", "0.5"))
    assert code == 0
    info, *samples = stream
    assert isinstance(info, events.SessionInfo)
    assert (info.instrument, info.source, info.device.kind) == ("telemetry", "host", "cpu")
    assert all(isinstance(sample, events.Sample) for sample in samples)
    assert 4 <= len(samples) <= 6
    assert all(a.t < b.t for a, b in itertools.pairwise(samples))


def test_a_card(start, finish):
    code, stream = finish(start("--seconds", "0.3", fake={}))
    assert code == 0
    info, *samples = stream
    assert (info.source, info.device.name) == ("nvml", "NVIDIA H200")
    assert info.software.driver == "580.159.04"
    assert [sample.sm_mhz for sample in samples] == [1455] * len(samples)
    assert [sample.energy_j for sample in samples][:2] == [None, 2967.191]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (12, "no NVIDIA driver library"),
        (9, "driver is not loaded"),
        (18, "driver was upgraded, host must reboot"),
        (4, "no permission"),
        (999, "restart the container"),
        (10, "NVML does not answer: nvmlInit timed out"),
    ],
)
def test_auto_falls_back_to_the_host_and_says_why(code, words, start, finish):
    ended, stream = finish(start("--seconds", "0.1", fake={"nvmlInit": code}))
    assert ended == 0
    assert kinds(stream)[:3] == ["SessionInfo", "Note", "Sample"]
    assert stream[0].source == "host"
    assert words in stream[1].text
    assert "host's CPU" in stream[1].text


def test_auto_without_a_visible_card(start, finish):
    ended, stream = finish(start("--seconds", "0.1", fake={"nvmlDeviceGetHandleByIndex": 999}))
    assert ended == 0
    assert stream[0].source == "host"


@pytest.mark.parametrize(
    ("arguments", "fake"),
    [
        (["--source", "nvml"], {"nvmlInit": 12}),
        (["--source", "nvml"], {"nvmlDeviceGetHandleByIndex": 4}),
        (["--device", "cuda:5"], {}),
        (["--device", "GPU-ffff"], {}),
    ],
)
def test_what_was_asked_for_and_is_absent(arguments, fake, start, finish):
    ended, stream = finish(start(*arguments, fake=fake))
    assert ended == 3
    assert kinds(stream) == ["Fault"]
    assert stream[0].exit_code == 3


@pytest.mark.parametrize(("code", "words"), [(15, "GPU is lost"), (999, "restart the container")])
def test_a_card_that_goes_ends_the_process(code, words, start, finish):
    ended, stream = finish(start("--hz", "50", fake={"after": [9, code]}))
    assert ended == 4
    assert kinds(stream)[:2] == ["SessionInfo", "Sample"]
    fault = stream[-1]
    assert (fault.instrument, fault.exit_code) == ("telemetry", 4)
    assert words in fault.what


@pytest.fixture
def supervised(start):
    """Start it as a session does: a pipe of its own, commands on stdin."""
    ends = []

    def run(*arguments, **options):
        reader, writer = os.pipe()
        child = start(
            "--fd",
            str(writer),
            "--t0",
            str(time.monotonic_ns()),
            *arguments,
            stdin=subprocess.PIPE,
            pass_fds=(writer,),
            **options,
        )
        os.close(writer)
        pipe = os.fdopen(reader, "rb")
        ends.append(pipe)
        return child, pipe

    yield run
    for end in ends:
        end.close()


def test_it_beats_first_and_quits_when_told(supervised):
    child, pipe = supervised(fake={})
    first = events.decode(pipe.readline())
    assert (type(first), first.state) == (events.Beat, "starting")
    while not isinstance(events.decode(pipe.readline()), events.Sample):
        pass
    child.stdin.write(b"what?\nquit\n")
    child.stdin.flush()
    rest = [events.decode(line) for line in pipe]
    assert child.wait(10) == 0
    assert len(rest) < 20
    assert child.stdout.read() == b""


def test_it_ends_with_its_parents_end_of_the_pipe(supervised):
    child, pipe = supervised("--source", "host")
    while not isinstance(events.decode(pipe.readline()), events.Sample):
        pass
    child.stdin.close()
    assert child.wait(10) == 0
    child.stdin = None


@pytest.mark.parametrize("hz", ["0", "-1", "101", "x", "nan"])
def test_a_rate_that_makes_no_sense(hz, start):
    child = start("--hz", hz)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 2
    assert b"--hz" in err


def loaded(statement):
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def test_it_loads_little():
    modules = loaded("import roofwatch.telemetry.__main__")
    assert not modules & {"torch", "textual", "plotext", "rich", "pynvml", "psutil", "numpy"}
    modules = loaded("import roofwatch.telemetry.gpu")
    assert not modules & {"torch", "textual", "pynvml", "psutil"}
    modules = loaded("import roofwatch.telemetry.host")
    assert not modules & {"torch", "textual", "pynvml"}
