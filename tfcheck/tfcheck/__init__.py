"""Finds what will retrace, freeze, leak or break in `tf.function` code."""

import importlib

try:
    from tfcheck._version import __version__ as __version__
except ImportError:  # sources that nobody built: only the build asks git for the tag
    __version__ = "0.0"


def load_ipython_extension(shell: object) -> None:
    """Called by IPython for `%load_ext tfcheck`: adds `%tflint` and `%%tfprofile`."""
    # Notebooks only: nothing else that imports this package is to load the runtime's tools.
    importlib.import_module("tfcheck.notebook").load(shell)
