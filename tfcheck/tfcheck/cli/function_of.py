"""Runs the script of `SCRIPT:FUNCTION`, for the verbs that then look at the Function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfcheck.cli.output import talk
from tfcheck.errors import ConfigError
from tfcheck.profile.embedded import install, require_runtime

if TYPE_CHECKING:  # the runtime is loaded by those who run a script only
    from tfcheck.profile.collect import Collected


def collected_function(verb: str, target: str, arguments: Sequence[str]) -> tuple[Collected, str]:
    """Run the script of `target` on the embedded runtime; what it did, and the Function's name.

    Raises:
        ConfigError: `target` is no `SCRIPT:FUNCTION`.
        InputError: there is no such script.
        MissingExtraError: the runtime is not installed.
    """
    script, separator, name = target.rpartition(":")
    if not separator or not name:
        raise ConfigError(f"expected SCRIPT:FUNCTION, such as train.py:predict, not {target}")
    require_runtime(verb)
    install()
    # The runtime's packages are needed from here on.
    from tfcheck.profile.collect import collect
    from tfcheck.profile.program import load_script

    collected = collect(load_script(script, arguments))
    if collected.outcome.status:
        talk(f"warning: {script} ended with exit {collected.outcome.status}")
    return collected, name
