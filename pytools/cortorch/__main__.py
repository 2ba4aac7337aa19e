"""`python -m cortorch` is `cortorch`."""

import sys

from cortorch.cli import main

sys.exit(main())
