"""Runs exported models, in onnxruntime and in the reference evaluator that comes with ONNX."""

from __future__ import annotations

from collections.abc import Mapping

import onnx
from onnx.reference import ReferenceEvaluator

from tfcheck_runtime.execute.session import FAILURES, open_session
from tfcheck_runtime.op import Array


class ModelError(Exception):
    """A model could not be run on some inputs."""


def run_onnxruntime(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> list[Array]:
    """The outputs of a model on the device that graphs run on.

    Raises:
        ModelError: onnxruntime fails on these inputs.
        InternalError: it refuses the model.
    """
    run = open_session(model.SerializeToString(), parallel=True)
    try:
        return run([each.name for each in model.graph.output], feeds, None)
    except FAILURES as error:
        raise ModelError(str(error).strip().splitlines()[0]) from error


def run_reference(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> list[Array]:
    """The outputs of a model in pure NumPy (https://onnx.ai/onnx/api/reference.html).

    Raises:
        ModelError: the evaluator lacks an op, or fails on these inputs.
    """
    try:
        return list(ReferenceEvaluator(model).run(None, dict(feeds)))
    # It raises whatever NumPy, and its own many ops, raise.
    except Exception as error:
        raise ModelError(f"{type(error).__name__}: {error}".splitlines()[0]) from error
