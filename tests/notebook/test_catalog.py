"""Both languages say the same with the same fields, and a rule passes every field that is said."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from roofwatch.notebook import possible
from roofwatch.notebook.catalog import (
    FIELD,
    LANGUAGES,
    OPTIONAL,
    Case,
    catalog,
    choose,
    chosen,
    fields,
    fill,
    label,
    language_of,
    percent,
)
from roofwatch.notebook.finding import ROOTS

ROOT = Path(__file__).parent.parent.parent
EN = catalog("en")
PARTS = ("message", "why", "do")
CASES = [
    pytest.param(language, code, name, id=f"{language} {code} {name}")
    for language in LANGUAGES
    for code, page in catalog(language).pages.items()
    for name in page.cases
]
TOGETHER = "experiment"  # a page without a code: it is said of several rows
SAID_OF = {"severity", "subject", "root", "fit", "said"}  # what finding() takes besides evidence
PLAUSIBLE = {"": "fp16", ":%": 0.871, ":d": 12}


def parts_of(case: Case) -> list[str]:
    return [getattr(case, part) for part in PARTS]


def shape(template: str) -> tuple[list[str], list[list[str]]]:
    """Fields with their formats: those that are always there, and those of each optional part."""
    always = OPTIONAL.sub("", template)
    sometimes = sorted(
        sorted(f[0] for f in FIELD.finditer(o[1])) for o in OPTIONAL.finditer(template)
    )
    return sorted({f[0] for f in FIELD.finditer(always)}), sometimes


def test_a_word_goes_with_its_number() -> None:
    said = "{rows} {rows:row|rows} and {n:.2g} {n:times more|times less}."
    assert fields(said) == {"rows", "n"}
    assert fill(said, {"rows": 1, "n": 1.0}) == "1 row and 1 times more."
    assert fill(said, {"rows": 0, "n": 1.5}) == "0 rows and 1.5 times less."


# ---- what the rules say ----------------------------------------------------------------------


class Call:
    """One call of finding(): the codes with cases that it may name, the fields that it passes."""

    def __init__(self, pairs: set[tuple[str, str]], passed: set[str], where: str) -> None:
        self.pairs, self.passed, self.where = pairs, passed, where


class Module:
    """A file of rules, and which strings its names may stand for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.functions = [n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef)]

    def calls(self) -> Iterator[Call]:
        for function in self.functions:
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "finding":
                    where = f"{self.path.name}:{node.lineno}"
                    code, case = node.args
                    passed = {k.arg for k in node.keywords if k.arg} - SAID_OF
                    for keyword in node.keywords:
                        if keyword.arg == "said":
                            assert isinstance(keyword.value, ast.Dict), where
                            passed |= {ast.literal_eval(k) for k in keyword.value.keys if k}
                    yield Call(self.pairs(code, case, function), passed, where)

    def pairs(self, code: ast.expr, case: ast.expr, scope: ast.FunctionDef) -> set[tuple[str, str]]:
        """Codes with cases; where one condition chooses both, its two sides apart."""
        if isinstance(code, ast.IfExp) and isinstance(case, ast.IfExp):
            assert ast.dump(code.test) == ast.dump(case.test), f"{self.path.name}:{code.lineno}"
            first = self.pairs(code.body, case.body, scope)
            return first | self.pairs(code.orelse, case.orelse, scope)
        return set(product(self.strings(code, scope), self.strings(case, scope)))

    def strings(self, node: ast.expr, scope: ast.FunctionDef) -> set[str]:
        """Every string that an expression may be."""
        if isinstance(node, ast.Constant):
            return {node.value}
        if isinstance(node, ast.IfExp):
            return self.strings(node.body, scope) | self.strings(node.orelse, scope)
        assert isinstance(node, ast.Name), f"{self.path.name}:{node.lineno}: {ast.unparse(node)}"
        found = set().union(*self.of_name(node.id, scope))
        assert found, f"{self.path.name}:{node.lineno}: {node.id} is nothing known"
        return found

    def of_name(self, name: str, scope: ast.FunctionDef) -> Iterator[set[str]]:
        """A parameter, by the calls of its function; a loop's variable; what is assigned."""
        names = [a.arg for a in scope.args.args]
        if name in names:
            for caller in self.functions:
                for node in ast.walk(caller):
                    if isinstance(node, ast.Call) and ast.unparse(node.func) == scope.name:
                        yield self.strings(node.args[names.index(name)], caller)
        for node in ast.walk(scope):
            if isinstance(node, (ast.For, ast.comprehension)):
                yield self.of_loop(name, node)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
                yield from self.of_returned(name, node.targets[0], node.value)

    def of_loop(self, name: str, loop: ast.For | ast.comprehension) -> set[str]:
        if isinstance(loop.target, ast.Name) and loop.target.id == name:
            assert self.path.name == "possible.py", self.path  # its codes are a table
            return {*possible.STREAM, *possible.COMPUTE}.union(*possible.BY_OP.values())
        if isinstance(loop.target, ast.Tuple) and isinstance(loop.iter, ast.Tuple):
            targets = [t.id for t in loop.target.elts if isinstance(t, ast.Name)]
            if name in targets:
                return {ast.literal_eval(row)[targets.index(name)] for row in loop.iter.elts}
        return set()

    def of_returned(self, name: str, targets: ast.Tuple, value: ast.expr) -> Iterator[set[str]]:
        """``case, bound = _read(...)``: what the function's returns have in that place."""
        names = [t.id for t in targets.elts if isinstance(t, ast.Name)]
        if name not in names or not isinstance(value, ast.Call):
            return
        of = next(f for f in self.functions if f.name == ast.unparse(value.func))
        for node in ast.walk(of):
            if isinstance(node, ast.Return) and node.value is not None:
                pairs = [n for n in ast.walk(node.value) if isinstance(n, ast.Tuple)]
                yield set().union(*(self.strings(p.elts[names.index(name)], of) for p in pairs))


def together() -> Call:
    """The cases of the experiment, and the evidence that fills them."""
    module = Module(ROOT / "notebook" / "experiment.py")
    scope = next(f for f in module.functions if f.name == "together")
    evidence = next(
        node.value
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "evidence"
    )
    assert isinstance(evidence, ast.Dict)
    passed = {ast.literal_eval(k) for k in evidence.keys if k}
    cases = module.strings(ast.Name(id="case", lineno=0), scope)
    return Call({(TOGETHER, case) for case in cases}, passed, "experiment.py")


def said() -> list[Call]:
    files = [*sorted((ROOT / "notebook").glob("*.py")), *sorted((ROOT / "session").glob("**/*.py"))]
    return [*(call for path in files for call in Module(path).calls()), together()]


CALLS = said()


def test_every_case_that_is_said_is_in_the_catalog() -> None:
    assert len(CALLS) > 40
    for call in CALLS:
        for code, case in call.pairs:
            assert case in EN.pages[code].cases, f"{call.where}: {code} {case}"


def test_no_case_is_unused() -> None:
    used = {pair for call in CALLS for pair in call.pairs}
    assert {(code, case) for code, page in EN.pages.items() for case in page.cases} == used


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rule_passes_every_field_that_its_words_use(language: str) -> None:
    for call in CALLS:
        for code, case in call.pairs:
            for template in parts_of(catalog(language).pages[code].cases[case]):
                missing = fields(template) - call.passed
                assert not missing, f"{call.where}: {code} {case} says {missing}"


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert set(EN.pages) == {*ROOTS, TOGETHER}


# ---- both languages --------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_language_has_what_english_has(language: str) -> None:
    other = catalog(language)
    assert set(other.labels) == set(EN.labels)
    assert {c: set(p.cases) for c, p in other.pages.items()} == {
        c: set(p.cases) for c, p in EN.pages.items()
    }
    for code, page in EN.pages.items():
        for name, case in page.cases.items():
            of_other = other.pages[code].cases[name]
            for part in PARTS:
                theirs, ours = getattr(of_other, part), getattr(case, part)
                assert fields(theirs) == fields(ours), f"{code} {name} {part}"
                assert shape(theirs) == shape(ours), f"{code} {name} {part}"


def plausible(template: str) -> dict[str, Any]:
    """A value for each field, of the kind that its format asks for."""
    return {f[1]: PLAUSIBLE.get(f[2] or "", 1234.5) for f in FIELD.finditer(template)}


@pytest.mark.parametrize(("language", "code", "name"), CASES)
def test_templates_take_numbers_and_let_unknown_ones_go(
    language: str, code: str, name: str
) -> None:
    for template in parts_of(catalog(language).pages[code].cases[name]):
        values = plausible(template)
        optional = [[f[1] for f in FIELD.finditer(o[1])] for o in OPTIONAL.finditer(template)]
        assert all(optional), f"brackets without a field: {template}"
        for known in product((True, False), repeat=len(optional)):
            unknown = {n for names, k in zip(optional, known, strict=True) if not k for n in names}
            text = fill(template, {n: None if n in unknown else v for n, v in values.items()})
            assert reads_well(text), text


def reads_well(text: str) -> bool:
    """No field or bracket is left, no two marks meet, and the sentence ends."""
    if re.search(r"[{}\[\]]|None| [,.;:)]|[,;:] ?[,.;:]|[，；：。] ?[，；：。]|  |\w（）", text):
        return False
    return text[-1] in ".。" and text == text.strip()


def words(language: str) -> Iterator[str]:
    """Every text of a catalog."""
    told = catalog(language)
    yield from told.labels.values()
    for page in told.pages.values():
        yield from (page.title, page.what, page.fires, page.avoid)
        for case in page.cases.values():
            yield from parts_of(case)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_printable_and_there(language: str) -> None:
    for text in words(language):
        assert text
        assert text.isprintable(), repr(text)
        assert unicodedata.normalize("NFC", text) == text


def test_english_is_ascii() -> None:
    assert all(text.isascii() for text in words("en"))


HAN = r"[\u4e00-\u9fff]"


def test_chinese_marks_are_full_width_and_numbers_stand_apart() -> None:
    for text in words("zh-CN"):
        filled = text
        for field in FIELD.finditer(text):
            filled = filled.replace(field[0], "12")
        for pattern in (
            r"(?<!\d)\.(\s|$)",  # an ASCII period as the end of a sentence
            rf"{HAN} ?[,;:!?()]|[,;:!?(] ?{HAN}",
            rf"{HAN}[A-Za-z0-9]|[A-Za-z0-9%]{HAN}",  # a space belongs between
            r"\s[，。；：、）」]|[，。；：、（「]\s",
        ):
            assert not re.search(pattern, filled), f"{pattern}: {text}"


# ---- the machinery ---------------------------------------------------------------------------


def test_an_optional_part_goes_with_its_unknown_field() -> None:
    template = "{rate:.0f} GB/s[, {share:%} of {whole:.0f}][: {name}]."
    known = {"rate": 900.4, "share": 0.5, "whole": 1800.0, "name": "L2"}
    assert fill(template, known) == "900 GB/s, 50 % of 1800: L2."
    assert fill(template, {**known, "whole": None}) == "900 GB/s: L2."
    assert fill(template, {"rate": 900.4}) == "900 GB/s."
    assert fields(template) == {"rate", "share", "whole", "name"}


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.875, "88 %"),
        (1.0, "100 %"),
        (0.998, "99.8 %"),
        (1.004, "100.4 %"),
        (0.0065, "0.65 %"),
        (0.0, "0 %"),
        (2.81, "281 %"),
    ],
)
def test_a_share_never_rounds_onto_the_whole(ratio: float, text: str) -> None:
    assert percent(ratio) == text


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "zh_TW.UTF-8"}, "zh-CN"),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh-CN"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": ""}, "en"),
        ({}, "en"),
    ],
)
def test_the_shell_says_which_language(environ: dict[str, str], language: str) -> None:
    assert language_of(environ) == language


def test_the_chosen_language_is_spoken_and_an_unknown_one_refused() -> None:
    try:
        choose("zh-CN")
        assert chosen() is catalog("zh-CN")
        assert label("wrong") == catalog("zh-CN").labels["wrong"]
        with pytest.raises(KeyError):
            choose("tlh")
        assert chosen() is catalog("zh-CN")
    finally:
        choose(LANGUAGES[0])
    assert label("wrong") == "wrong"
    with pytest.raises(KeyError):
        catalog("tlh")
