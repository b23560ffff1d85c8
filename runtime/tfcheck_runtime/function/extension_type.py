"""`tf.experimental.ExtensionType`: immutable objects with typed fields that Functions understand.

Follows https://www.tensorflow.org/guide/extension_type.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, ClassVar, Final

from tfcheck_runtime.function.fields import converted, describe
from tfcheck_runtime.ops.array.quantifiers import reduce_all
from tfcheck_runtime.specs import nest
from tfcheck_runtime.values.tensor import Tensor, is_tensor

_OPEN: Final = "_under_construction"


class ExtensionType:
    """Base of classes whose annotated attributes are fields.

    A constructor that takes the fields is made unless the class has its own; afterwards
    `__validate__` is called and nothing can be changed.
    """

    __tf_fields__: ClassVar[tuple[str, ...]] = ()
    _annotations: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        hints = {n: h for n, h in typing.get_type_hints(cls).items() if not _is_class_variable(h)}
        for name, hint in hints.items():
            describe(hint, name)  # refuses what no field can be
        cls.__tf_fields__, cls._annotations = tuple(hints), hints
        own = cls.__dict__.get("__init__")
        cls.__init__ = _finishing(own or _constructor(cls))  # type: ignore[method-assign]

    def __validate__(self) -> None:
        """Check that the fields fit each other; subclasses override it."""

    def __setattr__(self, name: str, value: object) -> None:
        self._check_open(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._check_open(name)
        object.__delattr__(self, name)

    def _check_open(self, name: str) -> None:
        if _OPEN not in self.__dict__:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
            )

    def __eq__(self, other: object) -> Any:  # a boolean tensor, as tensors compare
        if type(self) is not type(other):
            return False
        pairs = [(getattr(self, f), getattr(other, f)) for f in self.__tf_fields__]
        return functools.reduce(_both, (_equal(a, b) for a, b in pairs), True)

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return ~equal if isinstance(equal, Tensor) else not equal

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: {type(self).__name__!r}")

    def __repr__(self) -> str:
        inside = ", ".join(f"{f}={getattr(self, f)!r}" for f in self.__tf_fields__)
        return f"{type(self).__name__}({inside})"

    # How branches, loops and results of Functions see it: by the fields with tensors inside.

    def __tf_components__(self) -> dict[str, Any]:
        fields = {f: getattr(self, f) for f in self.__tf_fields__}
        return {f: v for f, v in fields.items() if _holds_tensors(v)}

    def __tf_from_components__(self, components: Mapping[str, Any]) -> ExtensionType:
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__, **components)
        return made


def _is_class_variable(hint: Any) -> bool:
    return typing.get_origin(hint) is ClassVar


def _holds_tensors(value: Any) -> bool:
    return any(is_tensor(leaf) for leaf in nest.flatten(value, expand_composites=True))


def _constructor(cls: type[ExtensionType]) -> Callable[..., None]:
    parameters = [
        Parameter(f, Parameter.POSITIONAL_OR_KEYWORD, default=getattr(cls, f, Parameter.empty))
        for f in cls.__tf_fields__
    ]
    signature = inspect.Signature(parameters)

    def __init__(self: ExtensionType, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    return __init__


def _finishing(initialise: Callable[..., None]) -> Callable[..., None]:
    """A constructor that, done, converts and checks the fields and closes the object."""

    @functools.wraps(initialise)
    def __init__(self: ExtensionType, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if _OPEN in self.__dict__:  # called by the constructor of a subclass
            initialise(self, *args, **kwargs)
            return
        self.__dict__[_OPEN] = True
        initialise(self, *args, **kwargs)
        for name, hint in self._annotations.items():
            if name not in self.__dict__:
                raise AttributeError(f"the constructor left the field {name!r} without a value")
            self.__dict__[name] = converted(self.__dict__[name], hint, name)
        self.__validate__()
        del self.__dict__[_OPEN]

    return __init__


def _both(a: Any, b: Any) -> Any:
    if isinstance(a, bool):
        return b if a else False
    return a if b is True else a & b


def _equal(a: Any, b: Any) -> Any:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        same = a.dtype is b.dtype and a.static_shape == b.static_shape
        return reduce_all(a == b) if same else False
    if nest.is_nested(a) and nest.is_nested(b) and len(a) == len(b):
        pairs = zip(nest.flatten(a), nest.flatten(b), strict=True)
        return functools.reduce(_both, (_equal(x, y) for x, y in pairs), True)
    return a == b
