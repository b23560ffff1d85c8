"""`tf.config`: devices divided, options remembered, in a process of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tfcheck_runtime as tf

DIVIDED = """
import tfcheck_runtime as tf
(cpu,) = tf.config.list_physical_devices("CPU")
two = [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()]
print(tf.config.get_logical_device_configuration(cpu))
try:
    limited = tf.config.experimental.VirtualDeviceConfiguration(memory_limit=10)
    tf.config.set_logical_device_configuration(cpu, [limited])
except ValueError as error:
    print(error)
tf.config.set_logical_device_configuration(cpu, two)
print([device.name for device in tf.config.list_logical_devices("CPU")])
with tf.device("/CPU:1"):
    print(tf.constant(1).numpy())
tf.config.set_logical_device_configuration(cpu, two)
try:
    tf.config.set_logical_device_configuration(cpu, two[:1])
except RuntimeError as error:
    print(error)
"""


def test_a_device_is_divided_before_it_is_listed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DIVIDED], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines() == [
        "None",
        "Setting memory limit on CPU virtual devices is currently not supported",
        "['/device:CPU:0', '/device:CPU:1']",
        "1",
        "Virtual devices cannot be modified after being initialized",
    ]


def test_an_unknown_device_cannot_be_divided() -> None:
    device = tf.config.PhysicalDevice("/physical_device:TPU:0", "TPU")

    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_logical_device_configuration(device, [])


def test_options_of_the_optimiser_are_remembered() -> None:
    before = tf.config.optimizer.get_experimental_options()
    tf.config.optimizer.set_experimental_options({"constant_folding": False, "unknown": True})

    assert before == {"disable_model_pruning": False, "disable_meta_optimizer": False}
    assert tf.config.optimizer.get_experimental_options() == {**before, "constant_folding": False}
