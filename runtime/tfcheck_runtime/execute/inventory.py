"""Tries every device that graphs could run on, and says what is missing where one fails."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime

from tfcheck_runtime.execute.device import GPU_DRIVER, Device, gpu_count
from tfcheck_runtime.execute.session import CUDA, FAILURES, providers


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of running a graph on one device."""

    device: str
    works: bool
    detail: str
    """What ran, or what is missing."""


def try_devices() -> Iterator[Trial]:
    """The CPU, then each GPU, or one line for those that cannot be there."""
    yield _try(Device("cpu"), "CPUExecutionProvider")
    count = gpu_count()
    if count is None:
        yield Trial("cuda", False, f"no NVIDIA driver ({GPU_DRIVER} cannot be loaded)")
    elif count == 0:
        yield Trial("cuda", False, "the NVIDIA driver reports no GPU")
    elif CUDA not in onnxruntime.get_available_providers():
        yield Trial("cuda", False, "this onnxruntime has no CUDA: install tfcheck[cuda]")
    else:
        for index in range(count):
            yield _try(Device("cuda", index), CUDA)


def _try(device: Device, provider: str) -> Trial:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            chosen = providers(device)
            session = onnxruntime.InferenceSession(_sample(), providers=chosen)
        if provider not in session.get_providers():
            missing = said.getvalue().strip().splitlines()
            return Trial(str(device), False, missing[0] if missing else _NO_CUDA)
        session.run(None, {"x": np.ones(4, np.float32)})
    except FAILURES as error:
        return Trial(str(device), False, str(error).strip().splitlines()[0])
    return Trial(str(device), True, f"ran a graph on {provider}")


_NO_CUDA = "onnxruntime cannot load its CUDA libraries: install tfcheck[cuda]"


def _sample() -> bytes:
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Add", ["x", "x"], ["y"])],
        "sample",
        [onnx.helper.make_tensor_value_info("x", kind, [4])],
        [onnx.helper.make_tensor_value_info("y", kind, [4])],
    )
    opset = onnx.helper.make_opsetid("", 21)
    serialized: bytes = onnx.helper.make_model(
        graph, opset_imports=[opset], ir_version=10
    ).SerializeToString()
    return serialized
