"""`tf.config`, as far as the runtime has it."""

from __future__ import annotations

from tfcheck_runtime.api import (
    config_experimental as experimental,
    config_optimizer as optimizer,
    config_threading as threading,
)
from tfcheck_runtime.api.missing import lacking as _lacking
from tfcheck_runtime.distribute.cluster import (
    experimental_connect_to_cluster as experimental_connect_to_cluster,
)
from tfcheck_runtime.execute.configuration import (
    LogicalDevice as LogicalDevice,
    LogicalDeviceConfiguration as LogicalDeviceConfiguration,
    PhysicalDevice as PhysicalDevice,
    get_logical_device_configuration as get_logical_device_configuration,
    get_soft_device_placement as get_soft_device_placement,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    set_logical_device_configuration as set_logical_device_configuration,
    set_soft_device_placement as set_soft_device_placement,
    set_visible_devices as set_visible_devices,
)
from tfcheck_runtime.function.function import (
    functions_run_eagerly as experimental_functions_run_eagerly,
    functions_run_eagerly as functions_run_eagerly,
    run_functions_eagerly as experimental_run_functions_eagerly,
    run_functions_eagerly as run_functions_eagerly,
)

__getattr__ = _lacking("tf.config", globals())
