"""The names of people that texts tell: of a home folder, at a host, behind a tilde.

Such a name then goes wherever it stands alone (``uid=1000(alice)``), unless it is a word that our
own sentences need, or that of an account which many machines have: whoever is called mark, or max,
stays there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import msgspec

from roofwatch.notebook.catalog import catalog
from roofwatch.roofline.peaks import PEAK_KEYS
from roofwatch.roofline.suite import SUITES
from roofwatch.session.login import is_login, name_of

NAME = r"([^\W\d_][\w.-]{0,62}\w)"
HOME = re.compile(
    rf"(?:/homes?/|/Users/|/users/|\\{{1,4}}Users\\{{1,4}}){NAME}|(?<![\w/\\.])~{NAME}"
)
LOGIN = re.compile(r"""(?<![\w.+=-])[\w.+=-]{1,64}@[^\s"'`,;()\[\]{}<>|]{0,255}""")
MOST = 200  # names of a file: a damaged one may tell any number
AHEAD = 24  # characters in which the word before a login is looked for
COMMON = frozenset(
    {
        *(
            "root",
            "admin",
            "ubuntu",
            "debian",
            "centos",
            "user",
            "users",
            "guest",
            "test",
            "runner",
        ),
        *(
            "nobody",
            "data",
            "home",
            "public",
            "shared",
            "share",
            "work",
            "workspace",
            "git",
            "jovyan",
        ),
        *(
            "ec2-user",
            "azureuser",
            "cloud-user",
            "docker",
            "conda",
            "miniconda3",
            "default",
            "local",
        ),
        *(
            "cuda",
            "torch",
            "python",
            "python3",
            "nvidia",
            "gpu",
            "cpu",
            "gloo",
            "nccl",
            "roofwatch",
        ),
        *(
            "telemetry",
            "probes",
            "parent",
            "session",
            "alone",
            "paired",
            "host",
            "skipped",
            "failed",
        ),
        *("tok", "tokens", "step", "steps", "iter", "req", "flop", "flops", "gflop", "gflops"),
        *("gb", "gib", "mb", "mib", "kb", "kib", "ms", "us", "ns", "mhz", "ghz", "tflop", "tops"),
    }
)
"""Accounts of many machines, and words of notes, faults and units."""


def people_in(texts: Iterable[str]) -> set[str]:
    """Each name that they tell, as it is written there; linear in their length."""
    found = set[str]()
    for text in texts:
        if len(found) > MOST:
            break
        if "~" in text or "sers" in text or "/home" in text:
            found |= {name for told in HOME.findall(text) for name in told if name}
        for login in LOGIN.finditer(text) if "@" in text else ():
            ahead = text[max(0, login.start() - AHEAD) : login.start()].split()
            if is_login(login[0], ahead[-1] if ahead else ""):
                found.add(name_of(login[0]))
    return {name for name in found if len(name) > 1 and name.lower() not in _words()}


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a value, however deep; of a list of numbers nothing is looked at."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from texts_of(getattr(value, field))
    elif isinstance(value, dict):
        for key, told in value.items():
            yield from (*texts_of(key), *texts_of(told))
    elif isinstance(value, list | tuple | set | frozenset):
        for told in value:
            if not isinstance(told, int | float):
                yield from texts_of(told)


@cache
def _words() -> frozenset[str]:
    """Of our own sentences, in lower case."""
    told = " ".join(texts_of(catalog("en"))).lower()
    return frozenset(re.findall(r"[a-z]{2,}", told)) | COMMON | {*SUITES} | {*PEAK_KEYS}
