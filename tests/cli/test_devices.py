from __future__ import annotations

import pytest

from tfcheck.cli.main import main
from tfcheck_runtime.execute import device, inventory


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory, "gpu_count", lambda: None)
    monkeypatch.setattr(device, "gpu_count", lambda: None)


@pytest.mark.parametrize(
    ("setting", "status", "first"),
    [
        ("", 0, "graphs run on cpu (TFCHECK_DEVICE=auto)"),
        ("cpu", 0, "graphs run on cpu (TFCHECK_DEVICE=cpu)"),
        ("cuda:1", 1, "graphs cannot run: cuda:1 does not work (TFCHECK_DEVICE=cuda:1)"),
    ],
)
@pytest.mark.usefixtures("no_driver")
def test_every_device_is_tried(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    setting: str,
    status: int,
    first: str,
) -> None:
    monkeypatch.setenv("TFCHECK_DEVICE", setting)

    assert main(["devices"]) == status
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == first
    assert lines[2].split(maxsplit=2) == ["cpu", "works", "ran a graph on CPUExecutionProvider"]
    assert lines[3].split(maxsplit=2)[:2] == ["cuda", "missing"]
    assert "onnxruntime" in lines[5]


def test_a_device_that_does_not_exist_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TFCHECK_DEVICE", "gpu")

    assert main(["devices"]) == 2
    assert capsys.readouterr().err == (
        "error: TFCHECK_DEVICE is 'gpu'; expected auto, cpu, cuda or cuda:N\n"
    )
