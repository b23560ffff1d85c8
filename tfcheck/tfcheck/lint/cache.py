"""Keeps JSON on disk under keys that are digests of all that it follows from.

It is a help and never a cause of failure: what cannot be read counts as missing, a broken file is
replaced, and what cannot be written is left.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

from tfcheck.lint.records import Json

_FILE = "lint-1.sqlite"
"""With a number that changes with the schema."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value TEXT, used INTEGER)"
_SIZE_LIMIT = 200_000_000
_SECONDS_A_DAY = 86_400
_KEYS_AT_ONCE = 500
_PATIENCE = 5.0
"""Seconds to wait for another process that writes."""
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}
"""Errors that say nothing about the file."""


def digest(*parts: str | bytes) -> str:
    """A digest of texts, in which it shows where each ends."""
    hashed = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        hashed.update(len(data).to_bytes(8, "little"))
        hashed.update(data)
    return hashed.hexdigest()


def cache_folder() -> Path:
    """`TFCHECK_CACHE_DIR`, else where the system keeps what programs can do without."""
    chosen = os.environ.get("TFCHECK_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tfcheck"


class Cache:
    """The entries in one SQLite file, which several processes may use at a time."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE
        self._today = int(time.time()) // _SECONDS_A_DAY

    def get(self, keys: Iterable[str]) -> dict[str, Json]:
        """The values of those of the keys that there are."""
        wanted = [bytes.fromhex(key) for key in dict.fromkeys(keys)]
        if not wanted or not self._file.exists():
            return {}
        found: dict[str, str] = {}
        self._use(lambda connection: found.update(self._select(connection, wanted)))
        return dict(_decoded(found))

    def put(self, entries: Mapping[str, Json]) -> None:
        """Keep values, and drop those that were of no use for long when there are too many."""
        rows = [
            (bytes.fromhex(key), json.dumps(value, separators=(",", ":")), self._today)
            for key, value in entries.items()
        ]
        if rows:
            self._use(lambda connection: self._insert(connection, rows))

    def _select(
        self, connection: sqlite3.Connection, keys: Sequence[bytes]
    ) -> Iterator[tuple[str, str]]:
        old: list[tuple[int, bytes]] = []
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            part = keys[start : start + _KEYS_AT_ONCE]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, value, used FROM entries WHERE key IN ({marks})"
            for key, value, used in connection.execute(query, part).fetchall():
                yield key.hex(), value
                old += [(self._today, key)] if used != self._today else []
        if old:
            with connection:
                connection.executemany("UPDATE entries SET used = ? WHERE key = ?", old)

    def _insert(
        self, connection: sqlite3.Connection, rows: Sequence[tuple[bytes, str, int]]
    ) -> None:
        with connection:
            connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)
        if self._file.stat().st_size <= _SIZE_LIMIT:
            return
        with connection:
            half = "(SELECT count(*) / 2 FROM entries)"
            oldest = f"SELECT key FROM entries ORDER BY used LIMIT {half}"
            connection.execute(f"DELETE FROM entries WHERE key IN ({oldest})")
        connection.execute("VACUUM")

    def _use(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Work with a connection; what goes wrong is swallowed, and a broken file removed."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=_PATIENCE)) as connection:
                # A power failure may break the file, which is then made anew.
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute(_SCHEMA)
                work(connection)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode not in _PASSING:
                self._file.unlink(missing_ok=True)
        except OSError:
            return  # no place to write to


def _decoded(values: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
    for key, text in values.items():
        try:
            yield key, json.loads(text)
        except ValueError:
            continue  # broken: as if it were not there
