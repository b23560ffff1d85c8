"""Choosing the device that sessions run on."""

import pytest

from tfcheck_runtime.errors import InvalidArgumentError, UnavailableError
from tfcheck_runtime.execute import device
from tfcheck_runtime.execute.device import Device, Request, requested_device
from tfcheck_runtime.ops.math.arithmetic import add


@pytest.mark.parametrize(
    ("value", "request_"),
    [
        ("cpu", Request(Device("cpu"), required=True)),
        ("CUDA", Request(Device("cuda", 0), required=True)),
        ("cuda:1", Request(Device("cuda", 1), required=True)),
    ],
)
def test_the_variable_names_a_device(monkeypatch, value, request_):
    monkeypatch.setenv("TFCHECK_DEVICE", value)

    assert requested_device() == request_


@pytest.mark.parametrize(("gpu", "kind"), [(True, "cuda"), (False, "cpu")])
@pytest.mark.parametrize("value", ["auto", ""])
def test_auto_takes_a_gpu_if_there_is_one(monkeypatch, value, gpu, kind):
    monkeypatch.setenv("TFCHECK_DEVICE", value)
    monkeypatch.setattr(device, "has_gpu", lambda: gpu)

    assert requested_device() == Request(Device(kind), required=False)


def test_an_unknown_device_is_refused(monkeypatch):
    monkeypatch.setenv("TFCHECK_DEVICE", "tpu")

    with pytest.raises(InvalidArgumentError) as caught:
        requested_device()

    assert str(caught.value) == "TFCHECK_DEVICE is 'tpu'; expected auto, cpu, cuda or cuda:N"


@pytest.mark.skipif(device.has_gpu(), reason="needs a machine without GPU")
def test_asking_for_a_gpu_that_cannot_be_used_is_an_error(
    monkeypatch, build_graph, floats, executable
):
    monkeypatch.setenv("TFCHECK_DEVICE", "cuda:1")
    graph = build_graph(lambda x: add(x, 1.0), floats)

    with pytest.raises(UnavailableError) as caught:
        executable(graph)

    assert str(caught.value) == (
        "TFCHECK_DEVICE=cuda:1 but onnxruntime cannot use the GPU: install tfcheck[cuda], or set"
        " it to cpu"
    )
