"""`tfcheck run`: a script on the embedded runtime."""

from __future__ import annotations

from tfcheck.cli import options
from tfcheck.profile.embedded import install, require_runtime

app = options.verb()


@app.command(
    # What follows the script is the script's, options included.
    context_settings={"allow_interspersed_args": False},
    epilog="Example: tfcheck run train.py --epochs 5",
)
def run(
    script: options.Script,
    arguments: options.ScriptArguments = None,
    module: options.AsModule = False,
) -> int:
    """Run a script on the embedded runtime instead of TensorFlow.

    `import tensorflow` gives the embedded runtime; all else is as `python SCRIPT ARGS` does it.
    TFCHECK_ON_RETRACE=fail, warn or eager says what happens when a tf.function would trace again.
    """
    require_runtime("run")
    install()
    # The runtime's packages are needed from here on.
    from tfcheck.profile.program import load_module, load_script, run_program
    from tfcheck.profile.retracing import from_environment

    load = load_module if module else load_script
    program = load(script, arguments or [])
    with from_environment():
        return run_program(program).status
