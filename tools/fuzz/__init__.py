"""A coverage-guided fuzzer of everything that reads bytes from outside; see README.md."""
