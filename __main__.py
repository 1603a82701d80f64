"""``python -m roofwatch``."""

import sys

from roofwatch.cli import main

if __name__ == "__main__":
    sys.exit(main())
