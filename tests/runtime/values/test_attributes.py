"""What libraries hang on tensors."""

from __future__ import annotations

from typing import Any

import tfcheck_runtime as tf


def test_tensors_keep_attributes_in_eager_code_and_in_graphs() -> None:
    def named(x: Any) -> Any:
        y = tf.nn.softmax(x)
        y._logits = x
        return y._logits

    x = tf.constant([1.0, 2.0])

    assert named(x) is x
    assert tf.function(named)(x).numpy().tolist() == [1.0, 2.0]
