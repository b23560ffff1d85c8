"""`tfcheck export`: one Function of a script as an ONNX model."""

from __future__ import annotations

from pathlib import Path

from tfcheck.cli import options
from tfcheck.cli.output import talk, write_file, write_result
from tfcheck.errors import ConfigError
from tfcheck.profile.embedded import install, require_runtime

app = options.verb()


@app.command(epilog="Example: tfcheck export train.py:predict -o model.onnx")
def export(
    target: options.ExportTarget,
    arguments: options.ScriptArguments = None,
    output: options.ModelFile = Path("model.onnx"),
) -> int:
    """Run a script and write one of its tf.functions as an ONNX model.

    The model is that of the Function's latest trace.
    """
    script, separator, name = target.rpartition(":")
    if not separator or not name:
        raise ConfigError(f"expected SCRIPT:FUNCTION, such as train.py:predict, not {target}")
    require_runtime("export")
    install()
    # The runtime's packages are needed from here on.
    from tfcheck.profile.collect import collect
    from tfcheck.profile.exporting import export_function
    from tfcheck.profile.program import load_script

    place = output.absolute()
    collected = collect(load_script(script, arguments or []))
    status = collected.outcome.status
    if status:
        talk(f"warning: {script} ended with exit {status}")
    exported = export_function(collected, name)
    write_file(place, exported.content)
    takes, gives = ", ".join(exported.inputs), ", ".join(exported.outputs)
    size = f"{exported.nodes} nodes, opset {exported.opset}"
    write_result(f"wrote {output}: {name}({takes}) → {gives}; {size}\n")
    return status
