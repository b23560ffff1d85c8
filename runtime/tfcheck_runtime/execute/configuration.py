"""What `tf.config` says about devices and threads, and lets scripts set.

Follows https://www.tensorflow.org/api_docs/python/tf/config.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tfcheck_runtime.execute.device import has_gpu


@dataclass(frozen=True, slots=True)
class PhysicalDevice:
    """A device of the machine."""

    name: str
    device_type: str


@dataclass(frozen=True, slots=True)
class LogicalDevice:
    """A device as graphs see it."""

    name: str
    device_type: str


@dataclass(frozen=True, slots=True)
class LogicalDeviceConfiguration:
    """How to make a logical device of a physical one; the memory limit is in MB."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


@dataclass(slots=True)
class _Settings:
    intra_op_threads: int = 0
    inter_op_threads: int = 0
    jit: bool | str = ""
    soft_placement: bool = True
    optimizer_options: dict[str, object] = field(default_factory=dict)
    logical: dict[str, list[LogicalDeviceConfiguration]] = field(default_factory=dict)
    listed: bool = False


_settings = _Settings()


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that exist, of one type if named (`CPU`, `GPU`)."""
    kinds = ["CPU", "GPU"] if has_gpu() else ["CPU"]
    return [
        PhysicalDevice(f"/physical_device:{kind}:0", kind)
        for kind in kinds
        if device_type in (None, kind)
    ]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices graphs can name, of one type if named; several where one was divided."""
    _settings.listed = True
    return [
        LogicalDevice(f"/device:{device.device_type}:{index}", device.device_type)
        for device in list_physical_devices(device_type)
        for index in range(len(_settings.logical.get(device.name, "1")))
    ]


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Divide a device into logical ones, which share it here too; a GPU's limit is not enforced.

    Raises:
        ValueError: there is no such device, or a memory limit is set for a CPU.
        RuntimeError: the logical devices have been listed already.
    """
    _check_known(device)
    chosen = list(logical_devices)
    if _settings.listed and _settings.logical.get(device.name) != chosen:
        raise RuntimeError("Virtual devices cannot be modified after being initialized")
    if device.device_type == "CPU" and any(c.memory_limit is not None for c in chosen):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    _settings.logical[device.name] = chosen


def get_logical_device_configuration(
    device: PhysicalDevice,
) -> list[LogicalDeviceConfiguration] | None:
    """How a device was divided, or None.

    Raises:
        ValueError: there is no such device.
    """
    _check_known(device)
    return _settings.logical.get(device.name)


def _check_known(device: PhysicalDevice) -> None:
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices in use: all, since `TFCHECK_DEVICE` chooses among them."""
    return list_physical_devices(device_type)


def set_visible_devices(devices: object, device_type: str | None = None) -> None:
    """Choose devices.

    Raises:
        NotImplementedError: it would hide a device that exists; `TFCHECK_DEVICE` does that.
    """
    chosen = devices if isinstance(devices, list | tuple) else [devices]
    hidden = [d.name for d in list_physical_devices(device_type) if d not in chosen]
    if hidden:
        raise NotImplementedError(
            f"tf.config.set_visible_devices cannot hide {', '.join(hidden)} in the embedded"
            " runtime; set TFCHECK_DEVICE=cpu before the run instead"
        )


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Accepted for any device: the runtime always takes memory as it needs it.

    Raises:
        ValueError: there is no such device.
    """
    _check_known(device)


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Whether memory is taken as needed: always."""
    set_memory_growth(device, True)
    return True


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """How many threads one op may use, in sessions built from now on; 0 lets the runtime choose."""
    _settings.intra_op_threads = int(num_threads)


def get_intra_op_parallelism_threads() -> int:
    """How many threads one op may use; 0 if the runtime chooses."""
    return _settings.intra_op_threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Remembered only: the ops of a graph run one after another here."""
    _settings.inter_op_threads = int(num_threads)


def get_inter_op_parallelism_threads() -> int:
    """What was set."""
    return _settings.inter_op_threads


def set_jit(enabled: bool | str) -> None:
    """Remembered only: onnxruntime compiles every graph, XLA is not used."""
    _settings.jit = enabled


def get_jit() -> bool | str:
    """What was set."""
    return _settings.jit


def set_soft_device_placement(enabled: bool) -> None:
    """Remembered only: ops without a GPU kernel always run on the CPU."""
    _settings.soft_placement = bool(enabled)


def get_soft_device_placement() -> bool:
    """What was set."""
    return _settings.soft_placement


_OPTIMIZER_OPTIONS: Final = frozenset(
    {
        "layout_optimizer", "constant_folding", "shape_optimization", "remapping",
        "arithmetic_optimization", "dependency_optimization", "loop_optimization",
        "function_optimization", "debug_stripper", "disable_model_pruning",
        "scoped_allocator_optimization", "pin_to_host_optimization", "implementation_selector",
        "auto_mixed_precision", "disable_meta_optimizer", "min_graph_nodes",
        "use_plugin_optimizers", "auto_mixed_precision_onednn_bfloat16", "auto_mixed_precision_mkl",
    }
)  # fmt: skip


def set_experimental_options(options: Mapping[str, object]) -> None:
    """Remembered only: onnxruntime optimises every graph, TensorFlow's optimisers are not here.

    https://www.tensorflow.org/api_docs/python/tf/config/optimizer/set_experimental_options
    """
    _settings.optimizer_options.update(
        {name: value for name, value in options.items() if name in _OPTIMIZER_OPTIONS}
    )


def get_experimental_options() -> dict[str, object]:
    """What was set, and what holds for TensorFlow unless it is set."""
    return {
        "disable_model_pruning": False,
        "disable_meta_optimizer": False,
        **_settings.optimizer_options,
    }
