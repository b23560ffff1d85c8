"""What the bytes of a file tell before it is parsed: a scan is a hundred times faster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# What traces is reached through one of these packages, which a file may import from another ...
_PACKAGES = (b"tensorflow", b"keras", b"tf.")
# ... by one of these words; patterns that start with a fixed text are searched the fastest.
_ENTRIES = re.compile(
    rb"\.(?:function|map|filter|reduce|flat_map|interleave|scan|take_while|group_by_window"
    rb"|bucket_by_sequence_length|rejection_resample)\b"
    rb"|vectorized_map|wrap_function"
    rb"|import\b[^\n]*\bfunction\b|\n[ \t\"]*function\b[ \t]*(?:as\b|[,)\n\\])"
)
_KERAS_METHODS = re.compile(rb"def +(?:call|train_step|test_step|predict_step)\b")
_COMMENTS = re.compile(rb"tfcheck:|tfc\d")
_IMPORTED = re.compile(rb"import\b[ \t]*(\([^)]*\)|[^\n;#]*)")
_FROM = re.compile(rb"[ \t\"]*(?:from[ \t]+([.\w]+)[ \t]*)?$")
_NAME = re.compile(rb"(?:^|[,(])\s*([\w.*]+)(?:\s+as\s+(\w+))?")
_DEFINED = re.compile(rb"\n(?:async )?(?:def|class) +(\w+)")
_ALIAS = re.compile(rb"\n(\w+)[ \t]*=[ \t]*([A-Za-z_][\w.]*)[ \t]*(?=\r?\n|#)")
_ASSIGNED = re.compile(rb"\n(\w+)[ \t]*(?::[^=\n]*)?=(?!=)")
_ALL = re.compile(rb"\n__all__[ \t]*=[ \t]*[\[(]([^\])]*)[\])]")
_QUOTED = re.compile(rb"[\"'](\w+)[\"']")


@dataclass(frozen=True, slots=True)
class Surface:
    """What the lines of a module say of its names; good enough to follow imports through it."""

    can_trace: bool
    passed_on: Mapping[str, str]
    """The dotted names behind names that are imported or are another word for one."""
    stars: tuple[str, ...]
    """The modules of `from module import *`."""
    defined: frozenset[str]
    """Functions and classes."""
    assigned: frozenset[str]
    """Names that are bound to anything else."""
    public: frozenset[str] | None
    """The names in `__all__`, where there is one."""

    def exports(self, name: str) -> bool:
        """Whether `from module import *` binds a name that the module binds itself."""
        if self.public is not None:
            return name in self.public
        known = name in self.defined or name in self.passed_on or name in self.assigned
        return known and not name.startswith("_")


def can_trace(content: bytes) -> bool:
    """Whether a file can hold traced code by itself, or a suppression comment."""
    if _KERAS_METHODS.search(content) is not None:
        return True
    lowered = content.lower()
    if b"tfc" in lowered and _COMMENTS.search(lowered) is not None:
        return True
    return uses_tensorflow(content) and _ENTRIES.search(content) is not None


def uses_tensorflow(content: bytes) -> bool:
    """Whether a file mentions one of the packages."""
    return any(package in content for package in _PACKAGES)


def survey(content: bytes) -> Surface:
    """Look at the names of a module."""
    passed: dict[str, str] = {}
    twice: set[str] = set()
    stars: list[str] = []
    content = b"\n" + content
    for name, dotted in bindings(content):
        if name == "*":
            stars.append(dotted)
        elif passed.setdefault(name, dotted) != dotted:
            twice.add(name)
    for found in _ALIAS.finditer(content):
        name = found[1].decode()
        head, _, rest = found[2].decode().partition(".")
        if head in passed and name not in passed:
            passed[name] = f"{passed[head]}.{rest}" if rest else passed[head]
    defined = frozenset(name.decode() for name in _DEFINED.findall(content))
    listed = _ALL.search(content)
    public = None if listed is None else frozenset(map(bytes.decode, _QUOTED.findall(listed[1])))
    kept = {name: to for name, to in passed.items() if name not in twice and name not in defined}
    assigned = frozenset(map(bytes.decode, _ASSIGNED.findall(content)))
    return Surface(can_trace(content), kept, tuple(stars), defined | twice, assigned, public)


def imports(content: bytes) -> Iterator[str]:
    """The dotted names that a file imports, as far as lines tell; too many rather than too few."""
    return (dotted for _, dotted in bindings(content))


def bindings(content: bytes) -> Iterator[tuple[str, str]]:
    """The names that imports bind, each with the dotted name behind it."""
    for found in _IMPORTED.finditer(content):
        start = max(content.rfind(end, 0, found.start()) for end in (b"\n", b";"))
        before = _FROM.match(content, start + 1, found.start())
        if before is None:
            continue
        base = before[1].decode() if before[1] is not None else None
        for name, alias in _NAME.findall(found[1]):
            yield _binding(base, name.decode(), alias.decode())


def _binding(base: str | None, name: str, alias: str) -> tuple[str, str]:
    if base is None:
        top = name.partition(".")[0]
        return (alias, name) if alias else (top, top)
    if name == "*":
        return "*", base
    return alias or name, f"{base}{'' if base.endswith('.') else '.'}{name}"
