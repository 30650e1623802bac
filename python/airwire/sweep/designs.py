"""Which combinations of values a sweep runs: every one, a Latin hypercube, or those of a list."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random

from airwire import _core
from airwire.inputs import read_text
from airwire.sweep.axes import MOST_POINTS, Axis

Values = Mapping[str, str]
ENTRY, SEED = "entry", "seed"
"""Columns of a list that are no axes."""


def grid(axes: Sequence[Axis]) -> Iterator[Values]:
    """Every combination, the last axis varying fastest."""
    names = [axis.name for axis in axes]
    for values in product(*(axis.values for axis in axes)):
        yield dict(zip(names, values, strict=True))


def size_of(axes: Sequence[Axis]) -> int:
    """How many combinations there are."""
    size = 1
    for axis in axes:
        size *= len(axis.values)
    return size


def latin(axes: Sequence[Axis], points: int, seed: int) -> Iterator[Values]:
    """A Latin hypercube: each axis is cut into as many equal parts as there are points, and each part is met once.

    Values of a list are met equally often, as far as the number of points goes.
    """
    # Only `random()` is promised to give the same numbers in every version of Python.
    random = Random(seed)
    columns = []
    for axis in axes:
        order = sorted(range(points), key=lambda _: random.random())
        shares = [(place + random.random()) / points for place in order]
        columns.append([_value(axis, share) for share in shares])
    for values in zip(*columns, strict=True):
        yield {axis.name: value for axis, value in zip(axes, values, strict=True)}


def _value(axis: Axis, share: float) -> str:
    return axis.range.at(share) if axis.range else axis.values[int(share * len(axis.values))]


def read_list(path: Path) -> list[Values]:
    """The runs of a CSV file: a column for each axis, and perhaps ``entry`` and ``seed``; an empty cell leaves it be.

    Raises ``AirwireError`` with the line for what is none.
    """
    try:
        # Excel begins a file with a mark of the order of bytes, which is no part of the first name.
        text = read_text(path).removeprefix("\ufeff")
        lines = [line for line in csv.reader(text.splitlines()) if line]
    except OSError as error:
        raise _core.AirwireError(f"{path}: {error.strerror}; name a CSV file with a line for each run") from None
    except (ValueError, csv.Error):
        raise _core.AirwireError(f"{path}: is no CSV file; write a line of names and a line for each run") from None
    names = [name.strip() for name in lines[0]] if lines else []
    if len(lines) < 2 or "" in names:
        raise _core.AirwireError(
            f"{path}: has no runs; write a line of names, such as sf,payload, and one for each run"
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _core.AirwireError(f"{path}: has two columns {twice}; give each once")
    if len(lines) - 1 > MOST_POINTS:
        raise _core.AirwireError(f"{path}: has {len(lines) - 1} runs, and {MOST_POINTS} is the most; split it")
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(names):
            raise _core.AirwireError(f"{path}: run {number - 1} has {len(line)} values for {len(names)} columns")
    return [{name: cell.strip() for name, cell in zip(names, line, strict=True) if cell.strip()} for line in lines[1:]]
