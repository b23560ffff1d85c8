"""onnxruntime sessions; nothing else in the runtime imports onnxruntime."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as native

from tfcheck_runtime.errors import InternalError, UnavailableError
from tfcheck_runtime.execute.configuration import get_intra_op_parallelism_threads
from tfcheck_runtime.execute.device import VARIABLE, Device, Request, requested_device
from tfcheck_runtime.op import Array

RunModel = Callable[[Sequence[str], Mapping[str, Array], None], list[Array]]
"""Takes names of outputs, inputs by name and no options; returns the outputs."""

FAILURES: Final = (
    native.EPFail,
    native.EngineError,
    native.Fail,
    native.InvalidArgument,
    native.InvalidGraph,
    native.InvalidProtobuf,
    native.NotImplemented,
    native.RuntimeException,
)
"""What onnxruntime raises when it cannot build or run a model."""

_SILENT: Final = 4
_MOST_THREADS: Final = 16
CUDA: Final = "CUDAExecutionProvider"
_CPU: Final = "CPUExecutionProvider"


def open_session(model: bytes, *, parallel: bool) -> RunModel:
    """The function that runs a model on the chosen device, on one CPU core unless `parallel`.

    Raises:
        InternalError: onnxruntime refuses the model.
        UnavailableError: the device that was asked for cannot be used.
    """
    request = requested_device()
    try:
        session = onnxruntime.InferenceSession(
            model, _options(parallel=parallel), providers=providers(request.device)
        )
    except FAILURES as error:
        raise InternalError(
            None, None, f"onnxruntime refused a model that tfcheck_runtime built: {error}"
        ) from error
    if request.device.kind == "cuda" and CUDA not in session.get_providers():
        _report_missing(request)
    if _recording is not None:
        _recording.append(session.end_profiling)
    # The public `run` checks the names of the inputs again: a quarter of a small graph's time.
    run: RunModel = session._sess.run
    return run


def _options(*, parallel: bool) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _SILENT
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    # Each session has its own threads: one pool for all would make every session that the user's
    # own code opens in this process fail.
    most = get_intra_op_parallelism_threads() or min(os.cpu_count() or 1, _MOST_THREADS)
    options.intra_op_num_threads = most if parallel else 1
    options.inter_op_num_threads = 1
    if _recording is not None:
        options.enable_profiling = True
        options.profile_file_prefix = os.path.join(_recording.folder, "session")
    return options


class _Recording(list[Callable[[], str]]):
    """What ends the records of sessions and names their files, which go to a folder."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder


_recording: _Recording | None = None


@contextlib.contextmanager
def recorded_sessions(folder: str) -> Iterator[Callable[[], list[str]]]:
    """Let sessions that are opened inside record each kernel they run, for one thread to use.

    Yields:
        What ends the records and returns their files, in onnxruntime's JSON.
    """
    global _recording
    before, _recording = _recording, _Recording(folder)
    ends = _recording
    try:
        yield lambda: [end() for end in ends]
    finally:
        _recording = before


def providers(device: Device) -> list[str | tuple[str, dict[str, str]]]:
    """What onnxruntime is asked to run on, the CPU last for what a GPU lacks."""
    if device.kind == "cpu":
        return [_CPU]
    _load_cuda()
    return [(CUDA, {"device_id": str(device.index)}), _CPU]


@functools.cache
def _load_cuda() -> None:
    # The loader prints what it does not find; what matters is said in _report_missing.
    with contextlib.redirect_stdout(io.StringIO()):
        onnxruntime.preload_dlls()


def _report_missing(request: Request) -> None:
    if request.required:
        raise UnavailableError(
            None,
            None,
            f"{VARIABLE}={request.device} but onnxruntime cannot use the GPU: install"
            " tfcheck[cuda], or set it to cpu",
        )
    _warn_once()


@functools.cache
def _warn_once() -> None:
    warnings.warn(
        "There is a GPU, but onnxruntime cannot use it, so graphs run on the CPU: install"
        f" tfcheck[cuda], or set {VARIABLE}=cpu",
        RuntimeWarning,
        stacklevel=2,
    )
