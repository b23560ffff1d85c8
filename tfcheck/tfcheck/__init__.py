"""Finds what will retrace, freeze, leak or break in `tf.function` code."""

import importlib

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """Called by IPython for `%load_ext tfcheck`: adds `%tflint` and `%%tfprofile`."""
    # Notebooks only: nothing else that imports this package is to load the runtime's tools.
    importlib.import_module("tfcheck.notebook").load(shell)
