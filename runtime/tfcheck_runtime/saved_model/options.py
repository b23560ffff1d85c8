"""`tf.saved_model.SaveOptions` and `LoadOptions`.

Follows https://www.tensorflow.org/api_docs/python/tf/saved_model/SaveOptions and
https://www.tensorflow.org/api_docs/python/tf/saved_model/LoadOptions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class SaveOptions:
    """How to save. All but `extra_tags` is about TensorFlow's files, and without effect here."""

    namespace_whitelist: Sequence[str] | None = None
    save_debug_info: bool = False
    function_aliases: Mapping[str, Any] | None = None
    experimental_debug_stripper: bool = False
    experimental_io_device: str | None = None
    experimental_variable_policy: object = None
    experimental_custom_gradients: bool = True
    experimental_image_format: bool = False
    experimental_skip_saver: bool = False
    experimental_sharding_callback: object = None
    extra_tags: Sequence[str] | None = None


@dataclass(slots=True)
class LoadOptions:
    """How to load.

    With `allow_partial_checkpoint`, variables whose values are missing stay without one; with
    `experimental_skip_checkpoint`, all do. The other settings are without effect here.
    """

    allow_partial_checkpoint: bool = False
    experimental_io_device: str | None = None
    experimental_skip_checkpoint: bool = False
    experimental_variable_policy: object = None
    experimental_load_function_aliases: bool = False
