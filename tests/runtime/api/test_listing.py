"""The generated page of what the runtime has."""

from pathlib import Path

from tfcheck_runtime.api.listing import page

PAGE = Path(__file__).parents[3] / "docs" / "ops.md"


def test_the_page_of_names_and_ops_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
