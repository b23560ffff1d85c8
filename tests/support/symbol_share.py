"""How much of what code bases use of `tf.*` the runtime has.

    python tests/support/symbol_share.py USAGE.tsv [--missing N]

USAGE.tsv has a row per symbol with the columns `symbol`, `in_tf_2_21`, and counts of uses and of
repositories. Names under `tf.keras` and `tf.compat.v1` are left out, and names that TensorFlow
itself has no more.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import tfcheck_runtime

Row = dict[str, str]
COLUMNS = ("uses_in_traced", "uses_in_tf_function", "uses_anywhere", "repos_anywhere")
OUTSIDE = ("tf.keras", "tf.compat.v1")


def main() -> None:
    """Print the share of each count, and the symbols that are missing, the most used first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("usage", type=Path)
    parser.add_argument("--missing", type=int, default=0, metavar="N")
    options = parser.parse_args()
    rows = counted(options.usage)
    absent = [row for row in rows if not has(row["symbol"])]
    print(f"{len(rows) - len(absent)} of {len(rows)} symbols")
    for column in COLUMNS:
        print(f"{share(rows, column):6.2%} by {column}")
    for row in absent[: options.missing]:
        print(row["symbol"], *(row[column] for column in COLUMNS))


def counted(path: Path) -> list[Row]:
    """The rows that count."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [r for r in rows if r["in_tf_2_21"] == "yes" and not r["symbol"].startswith(OUTSIDE)]


def share(rows: Sequence[Row], column: str) -> float:
    """The part of the uses in a column that is of symbols the runtime has."""
    had = sum(int(row[column] or 0) for row in rows if has(row["symbol"]))
    return had / sum(int(row[column] or 0) for row in rows)


def has(symbol: str) -> bool:
    """Whether the runtime has a symbol such as `tf.math.log`."""
    value: object = tfcheck_runtime
    for name in symbol.split(".")[1:]:
        if not hasattr(value, name):
            return False
        value = getattr(value, name)
    return True


if __name__ == "__main__":
    main()
