"""Which device sessions run on: the `TFCHECK_DEVICE` variable, and what the machine has.

`auto` (the default) takes the GPU when one is there and onnxruntime can use it, `cpu`, `cuda` and
`cuda:1` ask for one.
"""

from __future__ import annotations

import ctypes
import functools
import os
from dataclasses import dataclass
from typing import Final

from tfcheck_runtime.errors import InvalidArgumentError

VARIABLE: Final = "TFCHECK_DEVICE"


@dataclass(frozen=True, slots=True)
class Device:
    """Where sessions run."""

    kind: str
    """`cpu` or `cuda`."""
    index: int = 0

    def __str__(self) -> str:
        return self.kind if self.kind == "cpu" else f"{self.kind}:{self.index}"


@dataclass(frozen=True, slots=True)
class Request:
    """What the environment asks for; `required` when the user named it."""

    device: Device
    required: bool


def requested_device() -> Request:
    """The device that `TFCHECK_DEVICE` names; for `auto` the first GPU if there is one.

    Raises:
        InvalidArgumentError: the variable holds something else.
    """
    text = os.environ.get(VARIABLE, "").strip().lower() or "auto"
    if text == "auto":
        return Request(Device("cuda" if has_gpu() else "cpu"), required=False)
    kind, _, index = text.partition(":")
    if text == "cpu":
        return Request(Device("cpu"), required=True)
    if kind == "cuda" and (index or "0").isdecimal():
        return Request(Device("cuda", int(index or "0")), required=True)
    raise InvalidArgumentError(
        None, None, f"{VARIABLE} is {text!r}; expected auto, cpu, cuda or cuda:N"
    )


GPU_DRIVER: Final = "libcuda.so.1"


@functools.cache
def gpu_count() -> int | None:
    """How many GPUs the NVIDIA driver reports; None without a driver.

    Asking it is much cheaper than loading onnxruntime's CUDA.
    """
    try:
        driver = ctypes.CDLL(GPU_DRIVER)
    except OSError:
        return None
    count = ctypes.c_int(0)
    works = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    return count.value if works else 0


def has_gpu() -> bool:
    """Whether there is a GPU."""
    return bool(gpu_count())
