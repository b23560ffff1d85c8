"""What libraries ask of TensorFlow's eager context.

Follows `tensorflow.python.eager.context`.
"""

from __future__ import annotations

from typing import Final

from tfcheck_runtime.values.scopes import executing_eagerly


class Context:
    """The state of eager execution, of which there is one per process."""

    def executing_eagerly(self) -> bool:
        """Whether ops run at once here, rather than go to a graph."""
        return executing_eagerly()

    def clear_kernel_cache(self) -> None:
        """Forget prepared kernels: eager ops are NumPy calls, none is kept."""


_CONTEXT: Final = Context()


def context() -> Context:
    """The eager context."""
    return _CONTEXT


def async_wait() -> None:
    """Wait for ops that run asynchronously: none do."""
