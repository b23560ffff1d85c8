"""Settings of a lint run: those of the closest tfcheck.toml or pyproject.toml, then the options."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from tfcheck.diagnostics import Confidence, Severity
from tfcheck.errors import ConfigError

DEFAULT_EXCLUDE = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "__pypackages__",
    "_build",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)
"""Folders that hold no code of the user's own; named files and folders are linted all the same."""

FOREIGN_KEYS = frozenset({"profile"})
"""Sub-tables of `[tool.tfcheck]` that other verbs read and check."""

OWN_FILE = "tfcheck.toml"
"""Holds at its top what pyproject.toml has in `[tool.tfcheck]`, and goes before that."""


NO_KEY: Mapping[str, bool] = {"key": False}
"""Metadata of fields that no file sets."""


@dataclass(frozen=True, slots=True)
class Selector:
    """A rule code, slug, code prefix or `ALL`, with the place it was written for messages."""

    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class PerFileIgnore:
    """Rules to ignore in files that match a pattern."""

    pattern: str
    selectors: tuple[Selector, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """What to lint and which rules to run, by the keys of `[tool.tfcheck]`."""

    root: Path = field(default_factory=Path.cwd, metadata=NO_KEY)
    """The folder that patterns are relative to: that of the file with the settings."""
    select: tuple[Selector, ...] = ()
    """The rules to run instead of the default selection."""
    extend_select: tuple[Selector, ...] = ()
    ignore: tuple[Selector, ...] = ()
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    """Apply `exclude` to files named on the command line too, as pre-commit needs."""
    respect_gitignore: bool = True
    severity: Severity = Severity.WARNING
    """Findings below it are left out, unless their rule is selected by code or slug."""
    confidence: Confidence = Confidence.MEDIUM
    """Findings below it are left out, unless their rule is selected by code or slug."""
    cache: bool = True
    """Keep on disk what was found, for runs in which it is still true."""
    scalar_limit: int = 3
    """How many different Python values of one argument are accepted before TFC101 speaks."""
    fail_on: Severity = Severity.INFO
    """Findings below it are shown, and leave the exit status at 0."""
    baseline: Path | None = None
    """A file with findings that are accepted for now, beside the one with the settings."""
    overrides: Overrides | None = field(default=None, compare=False, metadata=NO_KEY)
    """What the command line says, which holds in folders with settings of their own, too; None
    when those are not looked for."""
    inner: tuple[Settings, ...] = field(default=(), compare=False, metadata=NO_KEY)
    """The settings of folders below that have their own, deepest first."""

    def at(self, filename: str | Path) -> Settings:
        """The settings that hold for a file: the closest, whole; nothing is inherited."""
        if not self.inner:
            return self
        place = os.path.abspath(filename)
        for each in self.inner:
            if place.startswith(os.path.join(each.root, "")):
                return each
        return self


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says; None leaves the value of the file."""

    select: Sequence[str] | None = None
    extend_select: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    extend_exclude: Sequence[str] | None = None
    force_exclude: bool | None = None
    respect_gitignore: bool | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None
    cache: bool | None = None
    fail_on: Severity | None = None
    baseline: Path | None = None


Reader = Callable[[object, str], object]
"""Makes a setting of a value and the place it stands at; a ValueError says what was expected."""


@dataclass(frozen=True, slots=True)
class Table:
    """`[tool.tfcheck]` of a pyproject.toml, or all of a tfcheck.toml."""

    file: Path
    text: str
    """All of the file, to find lines in."""
    values: Mapping[str, object]
    name: str = "tool.tfcheck"
    """Empty for the top of a file."""

    def inner(self, key: str) -> str:
        """The name of a table in this one."""
        return f"{self.name}.{key}".lstrip(".")


def load_settings(start: Path, *, overrides: Overrides | None = None) -> Settings:
    """Read the settings that hold for `start`, a file or folder, and lay `overrides` over them.

    The closest folder upwards that has a tfcheck.toml, or a pyproject.toml with a
    `[tool.tfcheck]` table, wins. Rule names are checked when rules are loaded, so that a run that
    needs none does not load them.

    Raises:
        ConfigError: the file cannot be read, has an unknown key or a value of a wrong type.
    """
    table = find_table(start)
    if table is None:
        root = start if start.is_dir() else start.parent
        return _with_overrides(Settings(root=root.absolute()), overrides)
    return _settings(table, overrides)


def settings_in(folder: Path, overrides: Overrides) -> Settings | None:
    """The settings that a folder has itself, with `overrides` laid over them.

    Raises:
        ConfigError: its file cannot be read, has an unknown key or a value of a wrong type.
    """
    table = _own_table(folder)
    return None if table is None else _settings(table, overrides)


def _settings(table: Table, overrides: Overrides | None) -> Settings:
    values = {key: each for key, each in table.values.items() if key not in FOREIGN_KEYS}
    read = read_keys(values, table=table, name=table.name, readers=_READERS)
    root = table.file.parent.absolute()
    if isinstance(read.get("baseline"), Path):
        read["baseline"] = root / str(read["baseline"])
    return _with_overrides(Settings(root=root, **read), overrides)  # type: ignore[arg-type]  # each reader returns its field's type


def keys(kind: type) -> Iterator[str]:
    """The fields of a class of settings that files can set."""
    return (each.name for each in fields(kind) if each.metadata.get("key", True))


def find_table(start: Path) -> Table | None:
    """The table that holds for `start`, a file or folder: the closest upwards.

    Raises:
        ConfigError: a file on the way cannot be read.
    """
    if start.is_file() and start.suffix == ".toml":
        return _table_of(start)
    for folder in _upwards(start):
        table = _own_table(folder)
        if table is not None:
            return table
    return None


def _own_table(folder: Path) -> Table | None:
    return _table_of(folder / OWN_FILE) or _table_of(folder / "pyproject.toml")


def _table_of(file: Path) -> Table | None:
    if not file.is_file():
        return None
    text, values = _read_table(file)
    name = "" if file.name == OWN_FILE else "tool.tfcheck"
    return None if values is None else Table(file, text, values, name)


def read_keys(
    values: Mapping[str, object], *, table: Table, name: str, readers: Mapping[str, Reader]
) -> dict[str, object]:
    """The values of the table called `name`, read, by the names of fields.

    Raises:
        ConfigError: a key is unknown, or its value of a wrong type.
    """
    found: dict[str, object] = {}
    for key, value in values.items():
        place = f"{_shown(table.file)}{_line_of(table.text, key, table=name)}"
        read = readers.get(key)
        shown = f"[{name}] {key}" if name else key
        if read is None:
            raise ConfigError(f"{shown}: unknown key{_nearest(key, readers)} ({place})")
        try:
            found[key.replace("-", "_")] = read(value, place)
        except ValueError as error:
            raise ConfigError(f"{shown}: {error}, not {value!r} ({place})") from error
    return found


def _upwards(start: Path) -> list[Path]:
    folder = start.absolute()
    return [*([folder] if folder.is_dir() else []), *folder.parents]


def _read_table(file: Path) -> tuple[str, Mapping[str, object] | None]:
    try:
        text = file.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{_shown(file)}: cannot be read as TOML: {error}") from error
    if file.name == OWN_FILE:
        return text, document
    tool = document.get("tool", {})
    table = tool.get("tfcheck") if isinstance(tool, dict) else None
    if table is None or isinstance(table, dict):
        return text, table
    raise ConfigError(f"{_shown(file)}: [tool.tfcheck] must be a table, not {table!r}")


def _nearest(key: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(key, list(known), n=1)
    return f", did you mean `{close[0]}`?" if close else f"; known are {', '.join(sorted(known))}"


def _line_of(text: str, key: str, *, table: str) -> str:
    """`:31` for the line that sets `key`, as tomllib keeps no positions."""
    name = rf"(?:{re.escape(table)}\.)" if table else ""
    pattern = re.compile(rf"""\s*{name and f"{name}?"}["']?{re.escape(key)}["']?\s*[.=]""")
    header = re.compile(rf"""\s*\[{name}["']?{re.escape(key)}["']?\]""")
    inside = not table
    for number, line in enumerate(text.splitlines(), start=1):
        if header.match(line):
            return f":{number}"
        if line.lstrip().startswith("["):
            inside = bool(table) and line.strip().startswith(f"[{table}]")
        elif pattern.match(line) and (inside or (table and table in line)):
            return f":{number}"
    return ""


def _strings(value: object, _place: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError("expected a list of strings")


def _selectors(value: object, place: str) -> tuple[Selector, ...]:
    return tuple(Selector(text, place) for text in _strings(value, place))


def _per_file(value: object, place: str) -> tuple[PerFileIgnore, ...]:
    if not isinstance(value, dict):
        raise ValueError("expected a table of pattern = [rules]")
    return tuple(
        PerFileIgnore(pattern, _selectors(rules, place)) for pattern, rules in value.items()
    )


def _boolean(value: object, _place: str) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("expected true or false")


def _count(value: object, _place: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise ValueError("expected a number from 1")


def _severity(value: object, _place: str) -> Severity:
    if value in list(Severity):
        return Severity(str(value))
    raise ValueError(f"expected one of {', '.join(Severity)}")


def _confidence(value: object, _place: str) -> Confidence:
    if value in list(Confidence):
        return Confidence(str(value))
    raise ValueError(f"expected one of {', '.join(Confidence)}")


def _path(value: object, _place: str) -> Path:
    if isinstance(value, str):
        return Path(value)
    raise ValueError("expected the name of a file")


_READERS: Mapping[str, Reader] = {
    "select": _selectors,
    "extend-select": _selectors,
    "ignore": _selectors,
    "per-file-ignores": _per_file,
    "exclude": _strings,
    "extend-exclude": _strings,
    "force-exclude": _boolean,
    "respect-gitignore": _boolean,
    "severity": _severity,
    "confidence": _confidence,
    "cache": _boolean,
    "scalar-limit": _count,
    "fail-on": _severity,
    "baseline": _path,
}


def _with_overrides(settings: Settings, overrides: Overrides | None) -> Settings:
    changes: dict[str, object] = {}
    for name in (option.name for option in fields(overrides)) if overrides is not None else ():
        value = getattr(overrides, name)
        if value is None:
            continue
        if name in {"select", "extend_select", "ignore"}:
            origin = "--" + name.replace("_", "-")
            value = tuple(Selector(text, origin) for text in value)
        elif name in {"exclude", "extend_exclude"}:
            value = tuple(value)
        changes[name] = value
    return replace(settings, **changes)  # type: ignore[arg-type]  # names are those of the fields


def _shown(file: Path) -> str:
    """`file` as people in the current folder would name it."""
    try:
        return file.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(file)
