"""What an exported model holds and lacks, beside its graph: effects left out, values baked in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import onnx

from tfcheck_runtime.events import Site
from tfcheck_runtime.graph.ir import Node


@dataclass(frozen=True, slots=True)
class BakedIn:
    """A value that the model holds as an initialiser."""

    name: str
    kind: str
    """`variable`, `tensor` (captured from outside) or `constant` (made inside)."""
    size: int
    """In bytes."""
    site: Site | None
    """The line that uses it first."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """How a model differs from the Function that it was made from."""

    dropped: tuple[Node, ...]
    """Steps that only act outside (prints, checks, summaries): the model does without."""
    written: Mapping[str, str]
    """Variables that the Function writes: the input with the old value, the output with the new."""
    baked_in: tuple[BakedIn, ...]
    """Initialisers, the largest first; variables among them are frozen at their present value."""

    def write_into(self, model: onnx.ModelProto) -> None:
        """Put it into the model's metadata, each part as JSON.

        `tfcheck.dropped`: list of op, node, file, line and function; `tfcheck.written`: output by
        input; `tfcheck.frozen`: names of the variables that are initialisers.
        """
        dropped = [
            {
                "op": node.op.type,
                "node": node.name,
                "file": node.site.file,
                "line": node.site.line,
                "function": node.site.function,
            }
            for node in self.dropped
        ]
        frozen = sorted(each.name for each in self.baked_in if each.kind == "variable")
        for key, value in (
            ("dropped", dropped),
            ("written", dict(self.written)),
            ("frozen", frozen),
        ):
            if value:
                entry = model.metadata_props.add()
                entry.key, entry.value = f"tfcheck.{key}", json.dumps(value)
