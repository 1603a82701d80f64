"""A library that answers as the driver's libnvidia-ml.so.1 does on an H200, or fails as ordered.

python benchmarks/nvml_stub.py FOLDER
LD_LIBRARY_PATH=FOLDER NVML_STUB="nvmlDeviceGetPowerUsage=hang" python -m roofwatch

The orders are explained at the head of tests/telemetry/stub/nvml_stub.c. Needs a C compiler.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "tests" / "telemetry" / "stub" / "nvml_stub.c"
NAME = "libnvidia-ml.so.1"


def compiler() -> str | None:
    """The C compiler of this machine, where there is one."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def build(folder: Path) -> Path:
    """Compile it into a folder: the library's path."""
    found = compiler()
    if found is None:
        raise RuntimeError("no C compiler: cc, gcc or clang")
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / NAME
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
    subprocess.run([found, *flags, "-o", library, SOURCE], check=True)
    return library


def environment(library: Path, orders: str = "") -> dict[str, str]:
    """Of a process that meets the library in place of the driver's."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_")}
    paths = filter(None, [str(library.parent), environ.get("LD_LIBRARY_PATH")])
    return environ | {"LD_LIBRARY_PATH": os.pathsep.join(paths), "NVML_STUB": orders}


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
