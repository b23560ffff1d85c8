"""Records what the calls of the op tables do under real TensorFlow.

    python tests/runtime/ops/record.py --tensorflow PYTHON [FAMILY...]

PYTHON is an interpreter that has TensorFlow. Each `fixtures/ops/FAMILY.toml` gets a
`FAMILY.json` beside it: per row its text, the eager result, and the static shapes in Functions
of known and of unknown shapes; a string stands for an exception.

    python tests/runtime/ops/record.py --open

writes `open.json`: the rows where this runtime does not do the same yet, so that the test finds
both a new difference and one that is gone.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

import op_calls
import tensorflow_interpreter


def main(arguments: list[str] | None = None) -> int:
    """Record all tables, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow", metavar="PYTHON")
    parser.add_argument("--open", action="store_true", dest="differing")
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    options = parser.parse_args(arguments)
    if options.differing:
        return record_open()
    families = options.families or op_calls.families()
    if options.tensorflow is not None:
        return tensorflow_interpreter.run_again(options.tensorflow, __file__, families)
    for family in families:
        print(f"{family}: {record(family)} rows")
    return 0


def record(family: str) -> int:
    """Write the outcomes of a table's rows; how many there are."""
    import tensorflow as tf

    warnings.simplefilter("ignore")
    tf.get_logger().setLevel("ERROR")
    table = op_calls.rows(family)
    lines = [json.dumps([str(row), *op_calls.outcome(tf, row)], separators=(",", ":"))
             for row in table]  # fmt: skip
    target = op_calls.TABLES / f"{family}.json"
    target.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    return len(table)


def record_open() -> int:
    """Write the rows that differ from the record, by family and mode."""
    import tfcheck_runtime

    found = {
        f"{family} {mode}": [str(row) for row in op_calls.differing(tfcheck_runtime, family, mode)]
        for family in op_calls.families()
        for mode in op_calls.MODES
    }
    text = json.dumps(found, indent=0) + "\n"
    (op_calls.TABLES / "open.json").write_text(text, encoding="utf-8")
    print(f"{sum(map(len, found.values()))} differences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
