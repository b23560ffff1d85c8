"""Names of `tf` that are loaded when a program first uses them."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Final

from tfcheck_runtime.api import importing

LATER: Final = {
    "keras": "",
    "initializers": ".initializers",
    "losses": ".losses",
    "metrics": ".metrics",
    "optimizers": ".optimizers",
}
"""Names of `tf` that are Keras's, and where it keeps them."""


def load(name: str) -> ModuleType:
    """The module behind one of `LATER`.

    `tf.keras` is the package `keras`, version 3 or later, as it is on PyPI. It is written against
    TensorFlow: from its first use on, `import tensorflow` gives this runtime.

    Raises:
        ImportError: the package is not installed, or older.
    """
    importing.install()
    try:
        return importlib.import_module(f"keras._tf_keras.keras{LATER[name]}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "keras":
            raise
        found = "is not installed" if error.name == "keras" else "is older than version 3"
        raise ImportError(
            f"tf.{name} is of the package `keras`, which {found}: pip install 'keras>=3'",
            name="keras",
        ) from None
