"""`tfcheck devices`: what graphs can run on here."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Iterator

from tfcheck import __version__
from tfcheck.cli import options
from tfcheck.cli.output import write_result
from tfcheck.errors import ConfigError, ExitCode
from tfcheck.profile.embedded import require_runtime

app = options.verb()

_PACKAGES = (
    "numpy",
    "onnx",
    "onnx-ir",
    "onnxruntime",
    "onnxruntime-gpu",
    "tensorflow",
    "tensorflow-cpu",
    "keras",
)


@app.command(
    epilog="Example: tfcheck devices  (with TFCHECK_DEVICE=cuda: as if you asked for a GPU)"
)
def devices() -> int:
    """Run a small graph on each device, and say what is missing where that fails.

    Put the output into reports of bugs. Ends with 1 when `TFCHECK_DEVICE` names a device that
    cannot be used.
    """
    require_runtime("devices")
    from tfcheck.report.columns import line_up
    from tfcheck.report.text import printable
    from tfcheck_runtime.errors import InvalidArgumentError
    from tfcheck_runtime.execute.device import VARIABLE, requested_device
    from tfcheck_runtime.execute.inventory import try_devices

    try:
        request = requested_device()
    except InvalidArgumentError as error:
        raise ConfigError(str(error)) from error
    trials = list(try_devices())
    usable = {trial.device for trial in trials if trial.works}
    rows = [
        [each.device, "works" if each.works else "missing", printable(each.detail)]
        for each in trials
    ]
    works = str(request.device) in usable
    chosen = str(request.device) if works or request.required else "cpu"
    setting = f"{VARIABLE}={os.environ.get(VARIABLE) or 'auto'}"
    answer = (
        f"graphs run on {chosen} ({setting})"
        if works or not request.required
        else (f"graphs cannot run: {chosen} does not work ({setting})")
    )
    table = [f"  {line}" for line in line_up(rows, right=[False] * 3)]
    write_result("\n".join([answer, "", *table, "", f"  {', '.join(_versions())}", ""]))
    return ExitCode.CLEAN if works or not request.required else ExitCode.FINDINGS


def _versions() -> Iterator[str]:
    yield f"tfcheck {__version__}"
    yield f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield f"{os.cpu_count()} cores"
    for package in _PACKAGES:
        try:
            yield f"{package} {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:
            continue
