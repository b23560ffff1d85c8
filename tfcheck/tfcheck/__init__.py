"""Finds what will retrace, freeze, leak or break in `tf.function` code."""

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """Called by IPython for `%load_ext tfcheck`: adds `%tflint` and `%%tfprofile`."""
    from tfcheck.notebook import load  # notebooks only

    load(shell)
