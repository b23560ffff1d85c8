"""`python -m tfcheck`."""

import sys

from tfcheck.cli.main import main

sys.exit(main())
