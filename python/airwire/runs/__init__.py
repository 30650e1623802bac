"""Runs: suites and predictions on the virtual bench, run folders back in, choices and the models' errors."""
