"""How deep the tests go: `make test-all` looks at each page in all looks, and takes none of the shortcuts."""

import os

DEEP = os.environ.get("LECTERN_TEST_DEPTH") == "all"
