from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`tfcheck run ARGUMENTS` in its own process, in a folder with script.py."""

    def run_in_process(
        script: str, *arguments: str, python: bool = False
    ) -> subprocess.CompletedProcess[str]:
        (tmp_path / "script.py").write_text(script, encoding="utf-8")
        head = [] if python else ["-m", "tfcheck", "run"]
        return subprocess.run(
            [sys.executable, *head, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run_in_process


@pytest.mark.parametrize(
    "script",
    [
        "import sys, os\n"
        "print(__name__, __file__, sys.argv, sys.path[0], os.getcwd(), __spec__, __builtins__)",
        "def f():\n    raise ValueError('bad')\n\n"
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    f()",
        "import sys\nsys.exit(3)",
        "import sys\nsys.exit('no data')",
        "raise SystemExit",
        "x = (\n",
        "import sys\nsys.excepthook = lambda *a: print('hook', a[0])\n1 / 0",
        "import threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), print('late'))).start()\nprint('end')",
        "import atexit\natexit.register(print, 'bye')",
        "raise KeyboardInterrupt",
        "import os\nif os.fork() == 0:\n    raise SystemExit(4)\nprint(os.wait()[1] >> 8)",
    ],
    ids=[
        "names",
        "exception",
        "exit",
        "exit message",
        "exit without code",
        "syntax error",
        "excepthook",
        "thread",
        "atexit",
        "interrupt",
        "fork",
    ],
)
def test_a_script_runs_as_python_runs_it(run: Run, script: str) -> None:
    expected = run(script, "script.py", "-v", "--help", python=True)

    ours = run(script, "script.py", "-v", "--help")

    assert (ours.stdout, ours.stderr) == (expected.stdout, expected.stderr)
    # Python ends itself with the signal, for which shells too say 130.
    assert ours.returncode == (130 if expected.returncode == -2 else expected.returncode)


def test_a_module_runs_as_python_runs_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").touch()
    (tmp_path / "pack" / "__main__.py").write_text(
        "import sys\nprint(__name__, __package__, sys.argv, sys.path[0])", encoding="utf-8"
    )
    expected = run("", "-m", "pack", "-m", "--json", python=True)

    ours = run("", "-m", "pack", "-m", "--json")

    assert (ours.stdout, ours.stderr, ours.returncode) == (expected.stdout, "", 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scrpt.py"], "no script scrpt.py to run; did you mean script.py?"),
        (["."], ". is a folder; name a script, or a package with `-m`"),
    ],
)
def test_a_script_that_is_not_there_is_wrong_use(
    run: Run, arguments: list[str], message: str
) -> None:
    ended = run("", *arguments)

    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"error: {message}\n")


def test_a_module_that_is_not_there_is_wrong_use(run: Run, tmp_path: Path) -> None:
    ended = run("", "-m", "no_such_module")

    assert (ended.returncode, ended.stderr) == (
        2,
        f"error: no module named no_such_module to run (looked in {tmp_path} and sys.path)\n",
    )


@pytest.mark.parametrize(
    "statement",
    [
        "import tensorflow as tf\nassert tf.constant([1.0]).dtype == tf.float32",
        "from tensorflow import constant, float32\nassert constant([1.0]).dtype == float32",
        "import tensorflow.math as m\nimport tensorflow as tf\nassert m.add is tf.math.add",
        "from tensorflow.math import add",
        "import tensorflow as tf\nassert not hasattr(tf, 'no_such_name')",
        "import importlib.util\nassert importlib.util.find_spec('tensorflow') is not None",
    ],
)
def test_importing_tensorflow_gives_the_embedded_runtime(run: Run, statement: str) -> None:
    ended = run(statement, "script.py")

    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("from tensorflow import no_such_name", "ImportError"),
        ("import tensorflow.no_such_name", "ImportError"),
        ("import tensorflow as tf\ntf.no_such_name", "tfcheck_runtime.errors.MissingNameError"),
    ],
)
def test_a_name_that_the_runtime_lacks_is_said_on_the_users_line(
    run: Run, tmp_path: Path, statement: str, error: str
) -> None:
    ended = run(statement, "script.py")

    script, line = tmp_path / "script.py", len(statement.splitlines())
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        "Traceback (most recent call last):",
        f'  File "{script}", line {line}, in <module>',
        f"    {statement.splitlines()[-1]}",
        f"{error}: tf.no_such_name ({script}:{line}) is not in the embedded runtime",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_an_interrupt_reaches_the_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import time\nprint('ready', flush=True)\ntime.sleep(60)", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "tfcheck", "run", str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Jobs that a shell starts in the background ignore it, and so do all below them.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.05)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)

    assert process.returncode == 130
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert "tfcheck" not in err
