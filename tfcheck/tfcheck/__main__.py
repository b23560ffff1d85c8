"""`python -m tfcheck`."""

import sys

from tfcheck.cli.main import main

if __name__ == "__main__":  # worker processes that are spawned import this, too
    sys.exit(main())
