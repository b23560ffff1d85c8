"""Times workloads for `runtime_speed.py`, which tells it over a pipe what to run next.

python tests/bench/worker.py tfcheck|tensorflow
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from workloads import WORKLOADS, Workload


def main() -> None:
    """Answer requests, one JSON object a line: `load` a workload, `run` it some times."""
    answers, sys.stdout = sys.stdout, sys.stderr
    tf = importlib.import_module("tfcheck_runtime" if sys.argv[1] == "tfcheck" else "tensorflow")
    calls: dict[str, Callable[[], object]] = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = _answer(tf, request, calls)
        except Exception as error:  # whatever TensorFlow raises: the table says it
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _answer(
    tf: Any, request: dict[str, Any], calls: dict[str, Callable[[], object]]
) -> dict[str, Any]:
    if "load" in request:
        calls.clear()
        made = WORKLOADS[request["load"]](tf, request["options"])
        made.call()
        calls["function"] = made.call
        if request["raw"] and made.model is not None:
            calls["raw"] = _raw(made)
            calls["raw"]()
        return {"calls": list(calls)}
    call = calls[request["run"]]
    gc.collect()
    start = time.perf_counter()
    for _ in range(request["times"]):
        call()
    return {"seconds": (time.perf_counter() - start) / request["times"]}


def _raw(made: Workload) -> Callable[[], object]:
    """The same computation as one onnxruntime session and nothing around it."""
    import onnxruntime

    function, arguments = made.model or (None, ())
    concrete = function.get_concrete_function(*arguments)
    model = concrete.to_onnx()
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [each.name for each in session.get_inputs()]
    arrays = [np.asarray(each.numpy()) for each in function.inputs_of_call(*arguments)]
    feeds = dict(zip((each.node.name for each in concrete.graph.inputs), arrays, strict=True))
    feeds = {name: feeds[name] for name in names}
    return lambda: session.run(None, feeds)


if __name__ == "__main__":
    main()
