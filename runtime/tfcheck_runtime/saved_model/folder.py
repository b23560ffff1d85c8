"""The folder of a saved model: its parts, its manifest, and how it is put in place at once.

`docs/saved-models.md` describes the format.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tfcheck_runtime.errors import FailedPreconditionError
from tfcheck_runtime.saved_model.tags import (
    ASSETS_DIRECTORY,
    SAVED_MODEL_FILENAME_PB,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)

FORMAT: Final = "tfcheck-saved-model"
VERSION: Final = 1
MANIFEST: Final = "saved_model.json"
ASSETS: Final = ASSETS_DIRECTORY
ONNX: Final = "onnx"
VARIABLES: Final = f"{VARIABLES_DIRECTORY}/{VARIABLES_FILENAME}"
CONSTANTS: Final = f"{VARIABLES_DIRECTORY}/constants"
_PARTS: Final = (MANIFEST, ASSETS, ONNX, VARIABLES_DIRECTORY)
"""What of a folder belongs to a saved model; anything else in it is left alone."""


def contains_saved_model(export_dir: object) -> bool:
    """Whether a folder holds a model that this runtime saved.

    https://www.tensorflow.org/api_docs/python/tf/saved_model/contains_saved_model
    """
    return Path(os.fspath(export_dir), MANIFEST).is_file()  # type: ignore[call-overload]  # a path


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """An empty folder that takes the place of `folder` when all went well, else is removed.

    Raises:
        FailedPreconditionError: `folder` is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise FailedPreconditionError(None, None, f"{folder} is not a directory")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    shutil.rmtree(made, ignore_errors=True)  # of a process of the same number that was killed
    made.mkdir()
    try:
        yield made
        _put_in_place(made, folder)
    except BaseException:
        shutil.rmtree(made)
        raise


def _put_in_place(made: Path, folder: Path) -> None:
    if not folder.exists():
        made.rename(folder)
        return
    old = folder.with_name(f"{folder.name}.{os.getpid()}.old")
    folder.rename(old)
    try:
        made.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    for entry in old.iterdir():
        if entry.name not in _PARTS:
            entry.rename(folder / entry.name)
    shutil.rmtree(old)


def write_manifest(folder: Path, content: dict[str, Any]) -> None:
    """Write the manifest: `content` behind format and version."""
    whole = {"format": FORMAT, "version": VERSION, **content}
    text = json.dumps(whole, indent=1, allow_nan=False)
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder.

    Raises:
        OSError: there is none, or it is damaged, of another kind, or of another version.
    """
    file = folder / MANIFEST
    if not file.is_file():
        raise OSError(_missing(folder))
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise damaged(folder, error) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise damaged(folder, f"expected the format {FORMAT!r}")
    if manifest.get("version") != VERSION:
        raise OSError(
            f"{file} is of version {manifest.get('version')}, and this runtime reads version"
            f" {VERSION}: load it with the tfcheck that saved it, or save it again"
        )
    return manifest


def _missing(folder: Path) -> str:
    text = f"SavedModel file does not exist at: {folder}/{MANIFEST}"
    if (folder / SAVED_MODEL_FILENAME_PB).is_file():
        text += (
            f". {folder}/{SAVED_MODEL_FILENAME_PB} is TensorFlow's own, which the embedded runtime"
            " does not read: run the script on TensorFlow, or save the model with this runtime"
        )
    return text


def damaged(folder: Path, reason: object) -> OSError:
    """The error for a folder whose parts do not fit together."""
    return OSError(
        f"Cannot parse file {folder / MANIFEST}: {reason}. The saved model is damaged or was"
        " changed by hand; save it again"
    )
