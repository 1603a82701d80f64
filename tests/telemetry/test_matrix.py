"""Every NVML function that telemetry uses, failing in every way; a few of them hanging for real."""

import nvml_cells
import nvml_scenes
import pytest
from nvml_hang import hang

from roofwatch.telemetry import metric, quick_fields

FUNCTIONS = nvml_scenes.functions()


def test_every_function_of_the_source_is_called_on_some_host():
    called = {
        function
        for name in nvml_scenes.SCENES
        for calls in nvml_scenes.called(name)
        for function in calls
    }
    assert called == set(FUNCTIONS)
    assert len(FUNCTIONS) > 40


@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_ends_in_a_value_a_null_with_its_status_or_one_line(function):
    cells = {name: nvml_cells.cell(function, name, hosts=1) for name in nvml_cells.COLUMNS}
    assert {name: word for name, word in cells.items() if word not in nvml_cells.WORDS} == {}


@pytest.mark.parametrize(
    ("function", "column", "word"),
    [
        ("nvmlDeviceGetTemperature", "not supported", "null"),
        ("nvmlDeviceGetTemperature", "GPU lost", "line"),
        ("nvmlDeviceGetCurrentClocksEventReasons", "function not found", "same"),
        ("nvmlDeviceGetCount", "max uint32", "line"),
        ("nvmlDeviceGetMaxMigDeviceCount", "NaN", "other card"),
        ("nvmlDeviceGetCurrentClocksEventReasons", "zero", "reading"),
        ("nvmlInit", "timeout", "line"),
    ],
)
def test_the_words(function, column, word):
    assert nvml_cells.cell(function, column, hosts=1) == word


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("zero", "temp_c is 0 in place of 61"),
        ("max uint32", "temp_c is 4294967295 in place of 61"),
        ("None", "temp_c is null with status 'lost'"),
    ],
)
def test_a_telemetry_that_believes_everything_is_caught(column, words, monkeypatch):
    monkeypatch.setattr(quick_fields, "CELSIUS", lambda answer: answer)
    monkeypatch.setattr(metric.Metric, "read", _credulous(metric.Metric.read))
    assert words in nvml_cells.cell("nvmlDeviceGetTemperature", column, hosts=1)


def _credulous(read):
    def run(self):
        value = read(self)
        if self.status == "error":
            self.status = "lost"
        return value

    return run


def test_a_crash_is_caught(monkeypatch):
    monkeypatch.setattr(metric, "believe", lambda take, answer: take(answer))
    word = nvml_cells.cell("nvmlDeviceGetUtilizationRates", "None", hosts=1)
    assert word.startswith("WRONG: one card, while it runs: AttributeError")


@pytest.mark.parametrize(
    ("function", "word"),
    [("nvmlInit", "line"), ("nvmlDeviceGetTemperature", "works"), ("nvmlDeviceGetName", "works")],
)
def test_a_hang_is_named_and_done_without(function, word):
    assert hang(function) == word
