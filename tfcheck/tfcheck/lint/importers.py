"""Finds files that use a Function of another one, though nothing in them says so by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from tfcheck.lint.modules import Modules
from tfcheck.lint.outcome import NOTHING, Exports
from tfcheck.lint.surface import bindings, imports

_WORD = re.compile(rb"[A-Za-z_]\w*")
_ENDS = (b"(", b",", b")", b" as ", b"\n", b"\r")
_CLASS = re.compile(rb"class[ \t]+\w+[ \t]*\(([^)]*)\)")


class Importers:
    """Knows who imports whom, by the bytes of the files."""

    def __init__(self, modules: Modules, contents: Sequence[bytes]) -> None:
        self._modules = modules
        self._contents = contents
        self._exports: dict[int, Exports] = {}
        self._originals: dict[str, set[str]] = {}
        """For a name under which a file passes something on, the one it had before."""
        self._known_aliases: dict[int, list[tuple[str, str]]] = {}
        self._known_bases: dict[int, frozenset[str]] = {}

    def interested(self, exports: Mapping[int, Exports]) -> dict[int, Exports]:
        """The files that import one with new exports, with the names they seem to use.

        A file that spells such a name passes it on to its own importers.
        """
        found: dict[int, Exports] = {}
        stack = [(file, names) for file, names in exports.items() if names]
        while stack:
            file, names = stack.pop()
            known = self._exports.get(file, NOTHING)
            new = Exports(names.functions - known.functions, names.bases - known.bases)
            self._exports[file] = known | new
            for importer in self._importers.get(file, ()) if new else ():
                used = self._used(importer, new)
                if used:
                    found[importer] = found.get(importer, NOTHING) | self._unaliased(used)
                stack.append((importer, self._passed(importer, new)))
        return found

    def _used(self, file: int, names: Exports) -> Exports:
        """What a file seems to call, to decorate with or to derive from."""
        content = self._contents[file]
        called = (name for name in names.functions if _is_used(name.encode(), content))
        bases = (name for name in names.bases if name in self._bases_in(file))
        return Exports(frozenset(called), frozenset(bases))

    def _passed(self, file: int, names: Exports) -> Exports:
        """What the importers of a file can take from it in turn."""
        if self._has_star(file):
            return names
        return Exports(self._spelled(names.functions, file), self._spelled(names.bases, file))

    def _spelled(self, names: frozenset[str], file: int) -> frozenset[str]:
        content = self._contents[file]
        spelled = {name for name in names if name.encode() in content}
        for name, original in self._aliases_in(file) if spelled else ():
            if original in spelled:
                self._originals.setdefault(name, set()).add(original)
                spelled.add(name)
        return frozenset(spelled)

    def _aliases_in(self, file: int) -> list[tuple[str, str]]:
        """The names that a file imports under another name, with the one they had."""
        if file not in self._known_aliases:
            content = self._contents[file]
            found = bindings(content) if b" as " in content else ()
            pairs = ((name, dotted.rpartition(".")[2]) for name, dotted in found)
            self._known_aliases[file] = [pair for pair in pairs if pair[0] != pair[1]]
        return self._known_aliases[file]

    def _unaliased(self, names: Exports) -> Exports:
        """The names with those for which they stand."""
        return Exports(self._with_originals(names.functions), self._with_originals(names.bases))

    def _with_originals(self, names: frozenset[str]) -> frozenset[str]:
        return names.union(*(self._originals.get(name, ()) for name in names))

    def _bases_in(self, file: int) -> frozenset[str]:
        """The words between the parentheses of class statements."""
        if file not in self._known_bases:
            found = _CLASS.findall(self._contents[file])
            words = (word.decode() for bases in found for word in _WORD.findall(bases))
            self._known_bases[file] = frozenset(words)
        return self._known_bases[file]

    def _has_star(self, file: int) -> bool:
        return b"import *" in self._contents[file]

    @cached_property
    def _importers(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for file in range(len(self._contents)):
            for imported in dict.fromkeys(self._imported(file)):
                found.setdefault(imported, []).append(file)
        return found

    def _imported(self, file: int) -> Iterator[int]:
        for name in imports(self._contents[file]):
            reached = self._modules.find(name, file)
            if reached is not None and reached.file != file:
                yield reached.file


def _is_used(name: bytes, content: bytes) -> bool:
    """Whether there may be a `step(`, a `@step` or a `tf.function(step)`."""
    return any(name + end in content for end in _ENDS)
