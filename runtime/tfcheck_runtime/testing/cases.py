"""`tf.test`: a test case with assertions on tensors.

https://www.tensorflow.org/api_docs/python/tf/test
"""

from __future__ import annotations

import random
import tempfile
import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfcheck_runtime.errors import OpError
from tfcheck_runtime.ops.random.seeds import set_seed
from tfcheck_runtime.specs import nest
from tfcheck_runtime.values.tensor import is_tensor


class TestCase(unittest.TestCase):
    """A test case that compares tensors, arrays and structures of these."""

    __test__ = False  # a base class, which pytest must not collect

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__test__ = True

    def setUp(self) -> None:
        """Seed Python's, NumPy's and the runtime's random numbers, as TensorFlow does."""
        super().setUp()
        random.seed(87654321)
        np.random.seed(87654321)
        set_seed(87654321)

    def evaluate(self, tensors: Any) -> Any:
        """A structure with arrays in place of tensors."""
        return nest.map_structure(lambda t: t.numpy() if is_tensor(t) else t, tensors)

    def get_temp_dir(self) -> str:
        """A folder that goes away with the test."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Shapes and all elements are equal; NaN equals itself."""
        left, right = self._array(a), self._array(b)
        self.assertEqual(left.shape, right.shape, msg)
        if left.dtype.kind in "fc" and right.dtype.kind in "fc":
            np.testing.assert_array_equal(left, right, msg or "")
            return
        self.assertEqual(_text(left.tolist()), _text(right.tolist()), msg)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Structures agree and their numbers are close; halves are compared less strictly."""
        if isinstance(a, Mapping):
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
            return
        if isinstance(a, list | tuple) and any(np.ndim(self._array(x)) for x in a):
            self.assertEqual(len(a), len(b), msg)
            for x, y in zip(a, b, strict=True):
                self.assertAllClose(x, y, rtol, atol, msg)
            return
        left, right = self._array(a), self._array(b)
        self.assertEqual(left.shape, right.shape, msg)
        if any(v.dtype.itemsize <= 2 and v.dtype.kind in "fV" for v in (left, right)):
            rtol, atol = max(rtol, 1e-3), max(atol, 1e-3)
            left, right = left.astype(np.float32), right.astype(np.float32)
        np.testing.assert_allclose(left, right, rtol, atol, err_msg=msg or "")

    def assertAllCloseAccordingToType(self, a: Any, b: Any, **tolerances: Any) -> None:
        """`assertAllClose`, as strict as the type of the numbers allows."""
        kept = {k: v for k, v in tolerances.items() if k in ("rtol", "atol", "msg")}
        self.assertAllClose(a, b, **kept)

    def assertNotAllClose(self, a: Any, b: Any, **tolerances: Any) -> None:
        """Some numbers are not close."""
        with self.assertRaises(AssertionError):
            self.assertAllClose(a, b, **tolerances)

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Some elements differ."""
        with self.assertRaises(AssertionError):
            self.assertAllEqual(a, b, msg)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater than a number."""
        self.assertGreater(self._array(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """All elements are less than a number."""
        self.assertLess(self._array(a).max(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """No element is less than a number."""
        self.assertGreaterEqual(self._array(a).min(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """No element is greater than a number."""
        self.assertLessEqual(self._array(a).max(), comparison_target)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """All elements are among some."""
        self.assertLessEqual(set(self._array(target).reshape(-1).tolist()), set(expected_set))

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Two numbers differ by at most `err`."""
        self.assertLessEqual(abs(f1 - f2), err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Shapes are equal."""
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """The type is as expected."""
        self.assertEqual(self._array(target).dtype, np.dtype(expected_dtype))

    @contextmanager
    def assertRaisesOpError(self, expected: str | Callable[[Exception], bool]) -> Iterator[None]:
        """An `OpError` with a message that matches is raised inside."""
        with self.assertRaises(OpError) as caught:
            yield
        if callable(expected):
            self.assertTrue(expected(caught.exception))
        else:
            self.assertRegex(str(caught.exception), expected)

    @contextmanager
    def cached_session(self, *arguments: object, **options: object) -> Iterator[None]:
        """Nothing: there are no sessions here."""
        yield

    session = cached_session

    def _array(self, value: Any) -> np.ndarray[Any, Any]:
        evaluated = self.evaluate(value)
        if isinstance(evaluated, Sequence) and not isinstance(evaluated, str | bytes):
            return np.array(evaluated)
        return np.asarray(evaluated)


def _text(elements: Any) -> Any:
    """Strings as bytes, so that both compare."""
    if isinstance(elements, list):
        return [_text(e) for e in elements]
    return elements.encode() if isinstance(elements, str) else elements


def main(argv: list[str] | None = None) -> None:
    """Run the tests of the program."""
    unittest.main(argv=argv)


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether ops run on a GPU: eager code here runs on NumPy.

    https://www.tensorflow.org/api_docs/python/tf/test/is_gpu_available
    """
    del cuda_only, min_cuda_compute_capability
    return False


def is_built_with_cuda() -> bool:
    """Whether eager code can run on a GPU: it cannot."""
    return False


is_built_with_gpu_support = is_built_with_rocm = is_built_with_xla = is_built_with_cuda


def gpu_device_name() -> str:
    """The name of the GPU that ops run on: none."""
    return ""
