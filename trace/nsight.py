"""An Nsight Systems export (SQLite) as a ``Recording``.

Tables and columns are those of NVIDIA's export schema; older exports lack some, which is tolerated
where it can be. An NVTX range around a launch stands for its operator; shapes are never recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofwatch.roofline.recorded_call import RecordedCall
from roofwatch.trace.chrome import waits
from roofwatch.trace.identity import identity
from roofwatch.trace.innermost import innermost
from roofwatch.trace.recording import COPY, FILL, KERNEL, Activity, Launch, Recording
from roofwatch.trace.refusal import UnreadableTrace
from roofwatch.trace.trace_bytes import LIMIT_BYTES

if TYPE_CHECKING:
    from sqlite3 import Connection

SOURCE = "Nsight Systems"
TABLE = "CUPTI_ACTIVITY_KIND_"
COPY_KINDS = {1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 8: "DtoD", 9: "HtoH", 10: "PtoP"}
"""CUpti_ActivityMemcpyKind."""
RANGE = 59  # NVTX's push-pop range
LARGEST_NS = 1 << 62
LONGEST_NS = 10**15


def read_nsight(path: Path) -> Recording:
    """The export of one capture. Raises UnreadableTrace, naming table, row and column."""
    import sqlite3  # of this format alone

    if path.stat().st_size > LIMIT_BYTES:
        raise UnreadableTrace(f"{path}: more than {LIMIT_BYTES >> 30} GiB")
    where = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        base = sqlite3.connect(where, uri=True)
        try:
            base.execute("PRAGMA trusted_schema = OFF")
            base.text_factory = lambda data: data.decode("utf-8", "replace")
            return _Reader(path, base).recording()
        finally:
            base.close()
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        raise UnreadableTrace(f"{path}: no database that can be read: {error}") from None


class _Reader:
    def __init__(self, path: Path, base: Connection) -> None:
        self._path, self._base = path, base
        told = base.execute("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 10000")
        self._tables = {name for (name,) in told if isinstance(name, str)}
        self._strings: dict[int, str] = {}
        self._dropped = 0

    def recording(self) -> Recording:
        """All that is used of it."""
        if f"{TABLE}KERNEL" not in self._tables:
            other = "it holds no kernels" if f"{TABLE}RUNTIME" in self._tables else "no trace"
            raise UnreadableTrace(
                f"{self._path}: a database, but {other}: table {TABLE}KERNEL is missing"
            )
        for key, value in self._rows("StringIds", ("id", "value")):
            if isinstance(key, int) and isinstance(value, str):
                self._strings[key] = value
        found = Recording(source=SOURCE)
        self._kernels(found)
        self._copies(found)
        self._launches(found)
        self._ranges(found)
        self._cards(found)
        if self._dropped:
            found.notes.append(f"{self._dropped} rows have times that no clock shows: dropped")
        return found

    def _rows(
        self, table: str, wanted: tuple[str, ...], optional: tuple[str, ...] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """The wanted columns, then the optional ones (None where a table has them not)."""
        if table not in self._tables:
            return
        told = self._base.execute(f'PRAGMA table_info("{table}")')
        columns = {row[1] for row in told}
        if missing := [name for name in wanted if name not in columns]:
            raise UnreadableTrace(f"{self._path}: table {table}: column {missing[0]} is missing")
        asked = ", ".join(
            f'"{name}"' if name in columns else "NULL" for name in (*wanted, *optional)
        )
        told = self._base.execute(f'SELECT {asked} FROM "{table}"')
        for row in told:  # noqa: UP028 (it would close the cursor behind the connection)
            yield row

    def _whole(self, value: object, table: str, row: int, column: str) -> int:
        if isinstance(value, int):
            return value
        said = f"{value!r:.40} is no whole number"
        raise UnreadableTrace(f"{self._path}: table {table}, row {row}: {column}: {said}")

    def _times(self, values: tuple[Any, ...], table: str, row: int) -> tuple[int, int] | None:
        begin = self._whole(values[0], table, row, "start")
        end = self._whole(values[1], table, row, "end")
        if abs(begin) > LARGEST_NS or not 0 <= end - begin < LONGEST_NS:
            self._dropped += 1
            return None
        return begin, end

    def _kernels(self, found: Recording) -> None:
        table = f"{TABLE}KERNEL"
        names = ("demangledName", "shortName", "name")
        rows = self._rows(
            table, ("start", "end", "deviceId", "streamId"), (*names, "correlationId")
        )
        for row, values in enumerate(rows, 1):
            if (times := self._times(values, table, row)) is None:
                continue
            device = self._whole(values[2], table, row, "deviceId")
            stream = self._whole(values[3], table, row, "streamId")
            name = next((n for v in values[4:7] if (n := self._string(v))), "unnamed kernel")
            correlation = values[7] if isinstance(values[7], int) else None
            found.activities.append(Activity(KERNEL, name, *times, device, stream, correlation))

    def _copies(self, found: Recording) -> None:
        wanted = ("start", "end", "deviceId", "streamId")
        for kind, table in ((COPY, f"{TABLE}MEMCPY"), (FILL, f"{TABLE}MEMSET")):
            rows = self._rows(table, wanted, ("bytes", "copyKind", "correlationId"))
            for row, values in enumerate(rows, 1):
                if (times := self._times(values, table, row)) is None:
                    continue
                device = self._whole(values[2], table, row, "deviceId")
                stream = self._whole(values[3], table, row, "streamId")
                size = values[4] if isinstance(values[4], int) and values[4] >= 0 else None
                name = "Memset"
                if kind == COPY:
                    way = COPY_KINDS.get(values[5]) if isinstance(values[5], int) else None
                    name = f"Memcpy {way}" if way else "Memcpy"
                correlation = values[6] if isinstance(values[6], int) else None
                found.activities.append(
                    Activity(kind, name, *times, device, stream, correlation, bytes=size)
                )

    def _launches(self, found: Recording) -> None:
        table = f"{TABLE}RUNTIME"
        rows = self._rows(table, ("start", "end", "correlationId"), ("globalTid", "nameId"))
        for row, values in enumerate(rows, 1):
            if (times := self._times(values, table, row)) is None:
                continue
            correlation = self._whole(values[2], table, row, "correlationId")
            thread = values[3] if isinstance(values[3], int) else 0
            name = self._string(values[4]) or ""
            found.launches[correlation] = Launch(name, *times, thread)
            if waits(name):
                found.waits.append(times)

    def _ranges(self, found: Recording) -> None:
        """NVTX ranges as operators: their names, and which launch lies in them."""
        seen: dict[str, int] = {}
        wanted = ("start", "end")
        more = ("text", "textId", "globalTid", "eventType")
        for begin, end, text, text_id, thread, kind in self._rows("NVTX_EVENTS", wanted, more):
            name = text if isinstance(text, str) and text else self._string(text_id)
            times = isinstance(begin, int) and isinstance(end, int) and begin <= end
            if not name or not times or kind not in (None, RANGE) or not isinstance(thread, int):
                continue
            name = name.partition(", ")[0]  # emit_nvtx adds numbers to an operator's name
            call = seen.setdefault(name, len(seen))
            if call == len(found.calls):
                found.calls.append(RecordedCall(*_split(name)))
                found.names.append(name)
            found.operators.add(begin, end, thread, call)
        if len(found.operators):
            innermost(found)

    def _cards(self, found: Recording) -> None:
        wanted, more = ("id", "name"), ("smCount", "totalMemory")
        if "TARGET_INFO_GPU" in self._tables:
            for key, name, sms, memory in self._rows("TARGET_INFO_GPU", wanted, more):
                if isinstance(key, int) and isinstance(name, str) and name:
                    found.cards[key] = identity(name, sms, memory)

    def _string(self, value: object) -> str | None:
        if isinstance(value, str):
            return value
        return self._strings.get(value) if isinstance(value, int) else None


def _split(name: str) -> tuple[str, str]:
    namespace, _, short = name.rpartition("::")
    return namespace, short
