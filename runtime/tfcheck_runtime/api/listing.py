"""The page of what the runtime has: `python -m tfcheck_runtime.api.listing > docs/ops.md`."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from tfcheck_runtime.api import root
from tfcheck_runtime.op import Op, defined

_HEAD = """# What the embedded runtime has

This page is generated from the definitions; a test keeps it fresh.

## Names

Every name here means what TensorFlow's of the same name means.
Where they are known to differ is said in [runtime.md](runtime.md).
Any other `tf.*` name raises `NotImplementedError` on the line that uses it.
"""

_OPS = """
## Ops

*ONNX*: runs inside onnxruntime where the data types allow.
*Host*: always runs its NumPy kernel, between onnxruntime regions.
*Gradient*: a tape can differentiate it; integer and boolean results have none in any case.

| op | runs | gradient |
|---|---|---|
"""


def page() -> str:
    """The page in Markdown."""
    names = "".join(_section(path, module) for path, module in sorted(_namespaces("tf", root)))
    return _HEAD + names + _OPS + "".join(_row(op) for op in defined())


def _namespaces(path: str, module: ModuleType) -> Iterator[tuple[str, ModuleType]]:
    yield path, module
    for name, value in vars(module).items():
        if isinstance(value, ModuleType) and not name.startswith("_"):
            yield from _namespaces(f"{path}.{name}", value)


def _section(path: str, module: ModuleType) -> str:
    names = [
        name
        for name, value in sorted(vars(module).items())
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    ]
    if not names:
        return ""
    return f"\n### `{path}`\n\n{', '.join(f'`{name}`' for name in names)}\n"


def _row(op: Op) -> str:
    runs = "host" if op.lower is None and op.lower_resource is None else "ONNX"
    return f"| `{op.type}` | {runs} | {'yes' if op.gradient else 'no'} |\n"


if __name__ == "__main__":
    print(page(), end="")
