"""Runs a recording script again under an interpreter that has TensorFlow."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": ""}
"""On the CPU, in TensorFlow's own order of sums, without its log."""


def run_again(python: str, script: str, arguments: Sequence[str]) -> int:
    """Run `script` with `arguments` under `python`; its exit code."""
    command = [python, "-u", script, *arguments]
    return subprocess.run(command, env={**os.environ, **_QUIET}, check=False).returncode
