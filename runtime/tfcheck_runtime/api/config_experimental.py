"""`tf.config.experimental`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.execute.configuration import (
    LogicalDeviceConfiguration as VirtualDeviceConfiguration,
    get_logical_device_configuration as get_virtual_device_configuration,
    get_memory_growth as get_memory_growth,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    set_logical_device_configuration as set_virtual_device_configuration,
    set_memory_growth as set_memory_growth,
)
from tfcheck_runtime.function.function import (
    run_functions_eagerly as run_functions_eagerly,
)
from tfcheck_runtime.ops.random.seeds import (
    enable_op_determinism as enable_op_determinism,
)

__getattr__ = _lacking("tf.config.experimental", globals())
