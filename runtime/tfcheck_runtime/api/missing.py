"""What a namespace says of a name it lacks."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import NoReturn

from tfcheck_runtime.errors import MissingNameError
from tfcheck_runtime.site import user_site


def lacking(path: str, names: Mapping[str, object]) -> Callable[[str], NoReturn]:
    """A module's `__getattr__`: says which name is missing and the closest there is."""

    def refuse(name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        public = [n for n in names if not n.startswith("_")]
        close = difflib.get_close_matches(name, public, n=1, cutoff=0.75)
        hint = f"; the closest name is {path}.{close[0]}" if close else ""
        site = user_site()
        raise MissingNameError(
            f"{path}.{name} ({site.file}:{site.line}) is not in the embedded runtime{hint}"
        )

    return refuse
