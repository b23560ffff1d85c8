"""Where in the user's code an operator stands, for messages."""

from __future__ import annotations

import os

from tfcheck_runtime.site import user_site


def here() -> str:
    """The current line of user code as `file.py:12`."""
    site = user_site()
    return f"{os.path.basename(site.file)}:{site.line}"
