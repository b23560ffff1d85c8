"""Reads profiles that were saved as JSON."""

from __future__ import annotations

from pathlib import Path

from tfcheck.errors import InputError
from tfcheck.profile.model import Profile
from tfcheck.report.profile_load import load_profile


def read_profile(file: Path) -> Profile:
    """A profile that was saved as JSON.

    Raises:
        InputError: it cannot be read, or is none.
    """
    try:
        return load_profile(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
    except (InputError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from error
