"""The optional parts of TensorFlow's AutoGraph, which programs name when they ask for them."""

from __future__ import annotations

import enum
from collections.abc import Iterable


class Feature(enum.Enum):
    """What `experimental_autograph_options` of `tf.function` takes.

    See https://www.tensorflow.org/api_docs/python/tf/autograph/experimental/Feature. None of them
    changes what is converted here: `assert` on a tensor and lists that grow in a tensor loop are
    errors with and without them.
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def check(cls, options: object) -> None:
        """Check what `experimental_autograph_options` was given.

        Raises:
            TypeError: it is neither a feature nor several.
        """
        given = (options,) if options is None or isinstance(options, cls) else options
        if not isinstance(given, Iterable) or any(
            o is not None and not isinstance(o, cls) for o in given
        ):
            raise TypeError(
                "experimental_autograph_options takes tf.autograph.experimental.Feature values,"
                f" got {options!r}"
            )

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Feature | tuple[Feature, ...]) -> tuple[Feature, ...]:
        """Every feature but those."""
        excluded = exclude if isinstance(exclude, tuple | list | set) else (exclude,)
        return tuple(set(cls.all()) - {*excluded, cls.ALL})
