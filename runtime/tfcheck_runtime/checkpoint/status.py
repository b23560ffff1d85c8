"""What restoring a checkpoint gives back: assertions on how complete it was."""

from __future__ import annotations

from typing import NoReturn, Self

from tfcheck_runtime.checkpoint.restoring import Restoration


class CheckpointLoadStatus:
    """How a checkpoint and the program's objects fitted."""

    def __init__(self, restoration: Restoration) -> None:
        self._restoration = restoration

    def assert_consumed(self) -> Self:
        """Check that every saved value found its object, and every object its value.

        Raises:
            AssertionError: one did not.
        """
        self.assert_existing_objects_matched()
        unused = self._restoration.unused()
        if unused:
            raise AssertionError(
                f"Unresolved object in checkpoint {'; '.join(unused)}. The program has no object of"
                " this name; use `expect_partial()` if that is intended"
            )
        return self

    def assert_existing_objects_matched(self) -> Self:
        """Check that every object of the program that holds a value found one.

        Raises:
            AssertionError: one did not.
        """
        unmatched = self._restoration.unmatched()
        if unmatched:
            raise AssertionError(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed values,"
                " likely due to changes in the Python program. Showing"
                f" {len(unmatched[:10])} of {len(unmatched)} unmatched objects: {unmatched[:10]}"
            )
        return self

    def assert_nontrivial_match(self) -> Self:
        """Check that something was restored.

        Raises:
            AssertionError: nothing was.
        """
        if not self._restoration.restored:
            raise AssertionError(
                "Nothing to load: no object of the program has the name of a saved one."
            )
        return self

    def expect_partial(self) -> Self:
        """Say that saved values without an object are no mistake."""
        return self

    def initialize_or_restore(self, session: object = None) -> None:
        """Nothing is left to do: values were restored at once."""

    def run_restore_ops(self, session: object = None) -> None:
        """Nothing is left to do: values were restored at once."""


class InitializationOnlyStatus:
    """What restoring from nothing gives back."""

    def assert_consumed(self) -> NoReturn:
        """Refuse.

        Raises:
            AssertionError: always.
        """
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self) -> Self:
        """Nothing is restored anyway."""
        return self

    def initialize_or_restore(self, session: object = None) -> None:
        """Variables have their initial values already."""

    def run_restore_ops(self, session: object = None) -> NoReturn:
        """Refuse.

        Raises:
            AssertionError: always.
        """
        self.assert_consumed()
