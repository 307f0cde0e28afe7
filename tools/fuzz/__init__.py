"""A coverage-guided fuzzer of everything that reads bytes from outside; README.md says how to run it."""
