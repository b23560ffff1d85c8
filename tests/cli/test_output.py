from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tfcheck.cli.output import write_file
from tfcheck.errors import OutputError


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    target.write_text("old", encoding="utf-8")

    write_file(target, b"new")

    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")

    write_file(tmp_path / "link", b"new")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_device_is_written_not_replaced() -> None:
    write_file(Path(os.devnull), b"text")

    assert not Path(os.devnull).is_file()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    target = tmp_path / "no" / "report.json"

    with pytest.raises(OutputError) as caught:
        write_file(target, b"text")

    assert str(caught.value) == f"cannot write {target}: No such file or directory"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of a POSIX shell")
def test_a_reader_that_goes_away_is_no_error() -> None:
    program = "from tfcheck.cli.output import write_result\nwrite_result('line\\n' * 100000)"

    ran = subprocess.run(
        f'"{sys.executable}" -c "{program}" | head -1; echo ${{PIPESTATUS[0]}}',
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.stdout, ran.stderr) == ("line\n0\n", "")


def test_letters_that_the_output_lacks_are_escaped() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "from tfcheck.cli.output import write_result\nwrite_result('→ é')"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )

    assert ran.stdout == b"\\u2192 \xe9"
