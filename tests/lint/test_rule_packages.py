"""Rules that other distributions bring."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

RULE = '''\
import ast
from tfcheck.diagnostics import Severity
from tfcheck.lint.rule import Rule

class CallInTrace(Rule):
    """A call in traced code."""

    code = "ACM101"
    since = "1.0"
    severity = Severity.ERROR

    def enter_Call(self, call: ast.Call) -> None:
        self.report(call, "{message}")
'''
PROGRAM = """\
import tensorflow as tf

@tf.function
def step(x):
    return tf.abs(x)
"""


def lint(folder: Path) -> str:
    """What `tfcheck lint` says of the program, with the rules of the folder installed."""
    path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(folder)])
    ended = subprocess.run(
        [sys.executable, "-m", "tfcheck", "lint", "--output", "concise", "program.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout.partition("\n")[0] + ended.stderr


def test_rules_may_stand_in_one_module_and_a_changed_one_is_asked_again(tmp_path: Path) -> None:
    metadata = tmp_path / "acme_rules-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[tfcheck.rules]\nacme = acme_rules\n")
    (tmp_path / "program.py").write_text(PROGRAM)

    (tmp_path / "acme_rules.py").write_text(RULE.format(message="a call"))
    first = lint(tmp_path)
    (tmp_path / "acme_rules.py").write_text(RULE.format(message="another message"))
    second = lint(tmp_path)

    assert (first, second) == (
        "program.py:5:12: ACM101 a call",
        "program.py:5:12: ACM101 another message",
    )
