"""`tfcheck verify`: whether a Function means the same in Python, as a graph and as a model."""

from __future__ import annotations

from tfcheck.cli import options
from tfcheck.cli.function_of import collected_function
from tfcheck.cli.output import write_result
from tfcheck.errors import ExitCode

app = options.verb()


@app.command(epilog="Example: tfcheck verify train.py:predict")
def verify(
    target: options.ExportTarget,
    arguments: options.ScriptArguments = None,
    tolerance: options.Tolerance = 1.0,
    seed: options.Seed = 0,
) -> int:
    """Run a script and compare the ways to run one of its tf.functions.

    Its latest trace is computed by NumPy kernels, and held against plain Python, the ONNX model
    in onnxruntime and the model in ONNX's reference evaluator, on the recorded inputs and on
    generated ones: random, singleton, empty, zeros, NaN, infinite, extremes. Where they differ,
    the first step that does is named by its source line. Ends with 1 when some differ.
    """
    collected, name = collected_function("verify", target, arguments or [])
    from tfcheck.profile.verifying import Verifier
    from tfcheck.report.verified import render_verified

    verified = Verifier(collected, name, factor=tolerance).verify(seed=seed)
    write_result(render_verified(name, verified))
    if not all(each.agrees for each in verified):
        return ExitCode.FINDINGS
    return collected.outcome.status
