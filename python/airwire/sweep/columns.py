"""The columns of a sweep's data set: what a point is, the value of each axis, and its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airwire.sweep.plan import Plan
from airwire.sweep.point import LATENCIES, Outcome

if TYPE_CHECKING:
    import polars as pl

IDENTITY = ("index", "point", "entry", "row", "seed")
_NUMBERS = (*(f"{name}_ps" for name in LATENCIES), "figure", "figure_low", "figure_high", "energy_j")
_TEXTS = ("figure_unit", "firmware_sha256", "problem")
_WHOLE = ("messages", "lost")
FIGURES = (*_WHOLE, *_NUMBERS, *_TEXTS, "bounds_hold")


def axis_column(name: str) -> str:
    """The column of an axis: its name, unless another column is called so."""
    return f"{name}_" if name in IDENTITY or name in FIGURES else name


class Columns:
    """The columns of one plan. An axis is a number where all its values are, else a text."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        found: dict[str, set[str]] = {name: set() for name in plan.axes}
        for _, values in plan.variants:
            for name, value in values.items():
                found[name].add(value)
        self._kinds = {name: _kind_of(values) for name, values in found.items()}

    def schema(self) -> dict[str, Any]:
        """Names and types, in the order of the data set."""
        import polars as pl

        types: Mapping[type, Any] = {int: pl.Int64, float: pl.Float64, str: pl.String}
        return {
            "index": pl.Int64,
            "point": pl.String,
            "entry": pl.String,
            "row": pl.String,
            **{axis_column(name): types[kind] for name, kind in self._kinds.items()},
            "seed": pl.Int64,
            **dict.fromkeys(_WHOLE, pl.Int64),
            **dict.fromkeys(_NUMBERS, pl.Float64),
            **dict.fromkeys(_TEXTS, pl.String),
            "bounds_hold": pl.Boolean,
        }

    def line(self, outcome: Outcome) -> dict[str, Any]:
        """What the data set says of a point."""
        entry, values, seed = self._plan.at(outcome.number)
        axes = {axis_column(name): self._kinds[name](value) for name, value in values.items()}
        figures = outcome.figures or {}
        return {
            "index": outcome.number,
            "point": self._plan.digest_at(outcome.number),
            "entry": entry.name,
            **axes,
            "seed": seed,
            **figures,
        }

    def frame(self, lines: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
        """Lines as a table, in the order of their points."""
        import polars as pl

        schema = self.schema()
        ordered = sorted(lines, key=lambda line: line["index"])
        columns = {name: [line.get(name) for line in ordered] for name in schema}
        return pl.DataFrame(columns, schema=schema)


def _kind_of(values: set[str]) -> type:
    for kind in (int, float):
        try:
            for value in values:
                kind(value)
        except ValueError:
            continue
        return kind
    return str
