"""The exceptions that TensorFlow users catch, by TensorFlow's names.

Follows https://www.tensorflow.org/api_docs/python/tf/errors: an `OpError` carries the node and
op that failed, and a numeric code.
"""

from __future__ import annotations


class OpError(Exception):
    """An op failed while it ran: `message`, `error_code`, and the `node_def` and `op` if known."""

    code = 2

    def __init__(self, node_def: object, op: object, message: str, *details: object) -> None:
        super().__init__(node_def, op, message, *details)
        self.node_def = node_def
        self.op = op
        self.message = message

    @property
    def error_code(self) -> int:
        """The canonical status code."""
        return self.code

    def __str__(self) -> str:
        return self.message


class CancelledError(OpError):
    """The operation was cancelled."""

    code = 1


class UnknownError(OpError):
    """An error of no other kind, such as one raised by a Python function in a graph."""

    code = 2


class InvalidArgumentError(OpError):
    """An op received an argument it cannot use."""

    code = 3


class DeadlineExceededError(OpError):
    """A deadline passed before the operation ended."""

    code = 4


class NotFoundError(OpError):
    """Something the op asked for does not exist."""

    code = 5


class AlreadyExistsError(OpError):
    """Something the op wanted to create exists already."""

    code = 6


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    code = 7


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    code = 8


class FailedPreconditionError(OpError):
    """The system is not in the state the op needs, such as an uninitialised variable."""

    code = 9


class AbortedError(OpError):
    """The operation was aborted."""

    code = 10


class OutOfRangeError(OpError):
    """An iterator ended, or an index lies outside what is valid."""

    code = 11


class UnimplementedError(OpError):
    """The op has no implementation for these arguments."""

    code = 12


class InternalError(OpError):
    """A fault inside the runtime."""

    code = 13


class UnavailableError(OpError):
    """The runtime is not available."""

    code = 14


class DataLossError(OpError):
    """Data was lost or corrupted."""

    code = 15


class UnauthenticatedError(OpError):
    """The caller is not authenticated."""

    code = 16


class InaccessibleTensorError(ValueError):
    """A graph tensor is used outside the branch or loop body that made it."""


class OperatorNotAllowedInGraphError(TypeError):
    """A graph tensor is used where Python needs a value, such as `if t:` without AutoGraph."""


class StagingError(Exception):
    """An error while AutoGraph converted or traced user code, told on the user's lines."""


class MissingNameError(NotImplementedError, AttributeError):
    """A `tf.*` name this runtime lacks.

    Also an `AttributeError`, so that `hasattr(tf, name)` answers False.
    """


def invalid_argument(message: str, op_type: str | None = None) -> InvalidArgumentError:
    """The error of an op's kernel: the message with TensorFlow's `[Op:Type]` mark."""
    mark = f" [Op:{op_type}]" if op_type else ""
    return InvalidArgumentError(None, None, message + mark)
