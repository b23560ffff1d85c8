"""Turns failures of onnxruntime and of kernels into TensorFlow's errors, with the user's line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tfcheck_runtime.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
)
from tfcheck_runtime.graph.ir import Node

_NODE: Final = re.compile(r"while running \w+ node\. Name:'([^']*)'")
_DETAIL: Final = re.compile(r"Status Message: (?!.*Status Message: )(.*)", re.DOTALL)
_SOURCE: Final = re.compile(r"^\S+:\d+ .*? was false\. ?", re.DOTALL)
"""Where in onnxruntime's own code a check failed."""
_GUARD: Final = "indices element out of data bounds"
_FAULTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod"), "Integer division by zero"
    ),
    **dict.fromkeys(("Pad", "PadV2", "MirrorPad"), "Paddings must be non-negative"),
    "Slice": "Expected begin and size of a slice to stay inside the input",
    "Pow": "Integers to negative integer powers are not allowed",
}
"""What an index out of range means where a lowering put it to make the run fail."""
_KINDS: Final[tuple[tuple[str, type[OpError]], ...]] = (
    ("Failed to allocate memory", ResourceExhaustedError),
    ("bad_alloc", ResourceExhaustedError),
    ("CUDA failure 2", ResourceExhaustedError),
    ("NOT_IMPLEMENTED", UnimplementedError),
    ("CUDA failure", InternalError),
    ("CUDNN failure", InternalError),
)


def translate(error: Exception, origins: Mapping[str, Node]) -> OpError:
    """The error a TensorFlow user expects for one of onnxruntime.

    Args:
        error: what onnxruntime raised.
        origins: the graph's node behind each node of the model.
    """
    text = str(error)
    kind = next((k for mark, k in _KINDS if mark in text), InvalidArgumentError)
    detail = _DETAIL.search(text)
    message = _SOURCE.sub("", detail.group(1) if detail else text).strip()
    node = _origin(text, origins)
    if node is not None and _GUARD in message:
        message = _FAULTS.get(node.op.type, message)
    failure = kind(None, None, message)
    return locate(failure, node) if node else failure


def locate(error: OpError, node: Node) -> OpError:
    """`error` with the node that failed and the line that made it, unless it has them already."""
    if error.op is None:
        site = node.site
        error.op = node
        error.message = (
            f"{error.message.removesuffix(f' [Op:{node.op.type}]')}\n\t"
            f" [[{{{{node {node.name}}}}}]] [Op:{node.op.type}]\n"
            f'  File "{site.file}", line {site.line}, in {site.function}'
        )
    return error


def _origin(text: str, origins: Mapping[str, Node]) -> Node | None:
    # Bodies report through the If or Loop around them: the innermost name comes last.
    for name in reversed(_NODE.findall(text)):
        if name in origins:
            return origins[name]
        # Fused nodes are named after one of their parts.
        part = next((n for n in origins if n and name.startswith(n)), None)
        if part is not None:
            return origins[part]
    return None
