"""Profiles a cell of a notebook, which the notebook's own shell runs."""

from __future__ import annotations

from collections.abc import Callable

from tfcheck.profile.model import Profile
from tfcheck.profile.profiling import Limits, Tools, profile_program
from tfcheck.profile.program import Outcome, Program
from tfcheck.profile.script_traceback import places_of


def profile_cell(
    run: Callable[[], BaseException | None], *, number: int, tools: Tools, limits: Limits
) -> Profile:
    """Run a cell and say what its Functions cost.

    `run` runs it, shows what it raises, and returns that.
    """

    def outcome() -> Outcome:
        error = run()
        if error is None:
            return Outcome(0, None)
        return Outcome(1, f"{type(error).__name__}: {error}", places=places_of(error))

    program = Program(
        name=f"cell [{number}]",
        file=f"<cell {number}>",
        load=lambda: None,
        argv=(),
        path_entry="",
        spec=None,
        runner=outcome,
    )
    # A cell that ends the process ends the notebook, too: there is nobody left to tell.
    return profile_program(program, tools=tools, limits=limits, cut_short=lambda _: 1).profile
