"""`tfcheck export`: one Function of a script as an ONNX model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tfcheck.cli import options
from tfcheck.cli.function_of import collected_function
from tfcheck.cli.output import write_file, write_result

if TYPE_CHECKING:  # the runtime is loaded by those who export only
    from tfcheck_runtime.lower.manifest import Manifest

app = options.verb()

_WORTH_TELLING = 64 * 1024
"""Bytes from which a value that is baked into the model is named."""
_MOST_TOLD = 10


@app.command(epilog="Example: tfcheck export train.py:predict -o model.onnx")
def export(
    target: options.ExportTarget,
    arguments: options.ScriptArguments = None,
    output: options.ModelFile = Path("model.onnx"),
) -> int:
    """Run a script and write one of its tf.functions as an ONNX model.

    The model is that of the Function's latest trace. What it leaves out (prints, checks) and the
    large values it holds are told, by source line.
    """
    place = output.absolute()
    collected, name = collected_function("export", target, arguments or [])
    from tfcheck.profile.exporting import export_function

    exported = export_function(collected, name)
    write_file(place, exported.content)
    takes, gives = ", ".join(exported.inputs), ", ".join(exported.outputs)
    size = f"{exported.nodes} nodes, opset {exported.opset}"
    lines = [f"wrote {output}: {name}({takes}) → {gives}; {size}", *_notes(exported.manifest)]
    write_result("\n".join([*lines, ""]))
    return collected.outcome.status


def _notes(manifest: Manifest) -> Iterator[str]:
    from tfcheck.report.text import counted, size

    for node in manifest.dropped:
        site = node.site
        yield f"  left out: {node.op.type} at {site.file}:{site.line} in {site.function}"
    for before, after in manifest.written.items():
        yield f"  state: `{before}` is an input, its new value the output `{after}`"
    big = [each for each in manifest.baked_in if each.size >= _WORTH_TELLING]
    for each in big[:_MOST_TOLD]:
        where = f" at {each.site.file}:{each.site.line}" if each.site is not None else ""
        kind = "variable, frozen at its present value" if each.kind == "variable" else each.kind
        yield f"  holds {size(each.size)} of `{each.name}` ({kind}){where}"
    if len(big) > _MOST_TOLD:
        others = counted(len(big) - _MOST_TOLD, "other value")
        yield f"  and {others} of {size(_WORTH_TELLING)} or more"
