from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tfcheck_runtime.events import Site
from tfcheck_runtime.execute.kernel_times import KernelTime, kernel_times

SITE = Site("train.py", 7, "f")


NODE = SimpleNamespace(op=SimpleNamespace(type="MatMul"), site=SITE)


def kernel(name: str, kind: str, *, at: int, took: int) -> dict[str, Any]:
    arguments = {"op_name": kind, "provider": "CPUExecutionProvider"}
    return {"cat": "Node", "name": f"{name}_kernel_time", "ts": at, "dur": took, "args": arguments}


def told(tmp_path: Path, *events: dict[str, Any]) -> tuple[KernelTime, ...]:
    file = tmp_path / "session.json"
    session = {"cat": "Session", "name": "model_run", "ts": 0, "dur": 1000, "args": {}}
    file.write_text(json.dumps([session, *events]), encoding="utf-8")
    return kernel_times([str(file)], {"matmul": NODE, "scope/matmul": NODE})


def test_kernels_are_summed_up_by_the_line_that_made_them(tmp_path: Path) -> None:
    times = told(
        tmp_path,
        kernel("Exp", "Exp", at=50, took=20),
        kernel("matmul", "Gemm", at=0, took=10),
        kernel("scope/matmul", "Gemm", at=20, took=25),
    )

    assert times == (
        KernelTime("MatMul", "Gemm", "CPU", SITE, 2, 35e-6),
        KernelTime("", "Exp", "CPU", None, 1, 20e-6),
    )


def test_a_fused_kernel_belongs_to_the_first_of_its_nodes(tmp_path: Path) -> None:
    (time,) = told(tmp_path, kernel("fused matmul/MatMulAddFusion", "FusedGemm", at=0, took=10))

    assert (time.op, time.kernel) == ("MatMul", "FusedGemm")


def test_a_loop_takes_what_its_body_does_not(tmp_path: Path) -> None:
    times = told(
        tmp_path,
        kernel("while", "Loop", at=0, took=100),
        kernel("if", "If", at=10, took=40),
        kernel("Exp", "Exp", at=15, took=30),
        kernel("Add", "Add", at=60, took=20),
        kernel("Sub", "Sub", at=110, took=5),
    )

    assert {each.kernel: round(each.seconds * 1e6) for each in times} == {
        "Loop": 40,
        "Exp": 30,
        "Add": 20,
        "If": 10,
        "Sub": 5,
    }
