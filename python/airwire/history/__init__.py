"""The history of runs: a data base in one file, trends of a row's figures, and the first run that went bad.

``records.py`` says what is kept of a run and reads it from run folders and JSON, ``store.py`` keeps it, ``trends.py``
compares a row over time, and ``bisection.py`` finds the first bad one among runs and images that are at hand.
"""
