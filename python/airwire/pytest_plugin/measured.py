"""Rows that a test has measured, and their figures, which compare with limits as people write them: ``"5 ms"``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING

from airwire import _core
from airwire.explain.bounds import amount, bounds_of, broken_sentence, cause_near
from airwire.explain.quantities import percent, table_time
from airwire.explain.waterfall import waterfalls
from airwire.model import Analysis, Capture
from airwire.runs.compared_runs import chosen_row

if TYPE_CHECKING:
    from airwire.kinds import Relation

Limit = str | int | float
"""A limit with its unit, or a number in the unit in which the figure is kept (picoseconds, bytes, a share of 1)."""
_RELATIONS = {"<=": le, "<": lt, ">=": ge, ">": gt}
_LATENCIES = {"median": "p50", "p50": "p50", "p75": "p75", "p95": "p95", "p99": "p99", "max": "max", "mean": "mean"}
_RATES = {"messages_per_second": "messages", "requests_per_second": "requests", "bits_per_second": "bulk"}
_TAIL = ("p95", "p99", "max")
# pytest shows eight lines and 640 characters unless it is told to show all.
_MOST_STAGES = 4
_CAUSE_CHARACTERS = 160
_NAME_CHARACTERS = 34
_BAR_CHARACTERS = 16


@dataclass(frozen=True, eq=False)
class Measured:
    """A figure of a row. Compared with a limit, such as ``row.p95 <= "5 ms"``, it says why where it fails."""

    row: Row
    name: str
    unit: str
    value: float | None
    """``None`` where no message was answered: no comparison holds then."""

    def __le__(self, limit: Limit) -> bool:
        """Whether the figure is at most the limit."""
        return self._keeps("<=", limit)

    def __lt__(self, limit: Limit) -> bool:
        """Whether the figure is below the limit."""
        return self._keeps("<", limit)

    def __ge__(self, limit: Limit) -> bool:
        """Whether the figure is at least the limit."""
        return self._keeps(">=", limit)

    def __gt__(self, limit: Limit) -> bool:
        """Whether the figure is above the limit."""
        return self._keeps(">", limit)

    def __eq__(self, limit: object) -> bool:
        """Refuse to say whether two measured times are the same: a limit as text would never be equal."""
        raise _core.AirwireError(f"{self._what} is compared by <=, <, >= or > with a limit, such as <= '5 ms'")

    def __bool__(self) -> bool:
        """Refuse to be true or false by itself: an assertion without a limit would always hold."""
        raise _core.AirwireError(f"{self._what} is no yes or no; compare it with a limit, such as <= '5 ms'")

    __hash__ = None  # type: ignore[assignment]  # No figure is the key of anything.

    @property
    def _what(self) -> str:
        return f"{self.name} of {self.row.name}"

    def __float__(self) -> float:
        """The figure in its unit."""
        if self.value is None:
            raise _core.AirwireError(f"{self.row.name}: has no {self.name}, because no message was answered")
        return self.value

    def __repr__(self) -> str:
        """The figure with its unit, as an assertion shows it."""
        return "nothing" if self.value is None else amount(self.value, self.unit)

    def _keeps(self, relation: Relation, limit: Limit) -> bool:
        if isinstance(limit, str):
            _, bound, _ = _core.parse_bound(self.name, f"{relation} {limit}")
        else:
            bound = limit
        return self.value is not None and bool(_RELATIONS[relation](self.value, bound))

    def explanation(self, relation: str, limit: object) -> list[str]:
        """What a failed assertion shows: figure and limit, the cause, and the stages that take most."""
        percentile = 95 if self.name in _TAIL else 50
        first = f"{self.name} of {self.row.name} is {self!r}, which is not {relation} {limit}"
        if self.unit in ("B", "1"):
            return [first]
        cause = cause_near(self.row.capture, percentile)
        return [first, *([_cut(cause, _CAUSE_CHARACTERS)] if cause else []), *self.row.waterfall_lines(percentile)]


@dataclass(frozen=True, eq=False)
class Row:
    """A row that was measured: a link, or firmware on a board."""

    capture: Capture

    @property
    def name(self) -> str:
        """The row's name."""
        return self.capture.path

    @property
    def median(self) -> Measured:
        """Half of the messages take no longer."""
        return self._latency("median")

    @property
    def p50(self) -> Measured:
        """The median under its other name."""
        return self._latency("p50")

    @property
    def p75(self) -> Measured:
        """Three quarters of the messages take no longer."""
        return self._latency("p75")

    @property
    def p95(self) -> Measured:
        """95 % of the messages take no longer."""
        return self._latency("p95")

    @property
    def p99(self) -> Measured:
        """99 % of the messages take no longer."""
        return self._latency("p99")

    @property
    def max(self) -> Measured:
        """The longest message."""
        return self._latency("max")

    @property
    def mean(self) -> Measured:
        """The sum of all latencies by their number."""
        return self._latency("mean")

    @property
    def loss(self) -> Measured:
        """The share of messages without an answer."""
        capture = self.capture
        return Measured(self, "loss", "1", capture.loss if capture.messages else None)

    @property
    def flash(self) -> Measured:
        """From the beginning of the flash to the last byte of the image."""
        return self._size("flash")

    @property
    def ram(self) -> Measured:
        """What the sections of the image's ELF take of RAM."""
        return self._size("ram")

    @property
    def messages_per_second(self) -> Measured:
        """The figure of firmware that was measured in messages."""
        return self._rate("messages_per_second")

    @property
    def requests_per_second(self) -> Measured:
        """The figure of firmware that was measured in requests."""
        return self._rate("requests_per_second")

    @property
    def bits_per_second(self) -> Measured:
        """The figure of firmware that was measured in bulk."""
        return self._rate("bits_per_second")

    def waterfall_lines(self, percentile: int = 50) -> list[str]:
        """Where the time of messages near a percentile goes: a line for each of the longest stages."""
        found = waterfalls(self.capture, (percentile,))
        if not found or not found[0].total_ps:
            return []
        total = found[0].total_ps
        stages = sorted(found[0].stages, key=lambda stage: -stage.ps)
        lines = [(stage.name, stage.ps) for stage in stages[:_MOST_STAGES]]
        if stages[_MOST_STAGES:]:
            lines.append((f"{len(stages) - _MOST_STAGES} more", sum(stage.ps for stage in stages[_MOST_STAGES:])))
        return [_line(name, ps, total) for name, ps in lines]

    def _latency(self, name: str) -> Measured:
        if self.capture.target.unit == "bit/s":
            raise _core.AirwireError(f"{self.name}: measures bulk, whose intervals have no {name}")
        latency = self.capture.latency_ps
        return Measured(self, name, "ps", None if latency is None else latency[_LATENCIES[name]])

    def _size(self, name: str) -> Measured:
        target = self.capture.target
        size = target.flash_bytes if name == "flash" else target.ram_bytes
        if size is None:
            raise _core.AirwireError(f"{self.name}: has no {name}, which needs firmware on a virtual board, by its ELF")
        return Measured(self, name, "B", float(size))

    def _rate(self, name: str) -> Measured:
        unit = {"bulk": "bit/s"}.get(_RATES[name], f"{_RATES[name]}/s")
        if self.capture.target.unit != unit:
            raise _core.AirwireError(f'{self.name}: has no {name}, which needs firmware and measure = "{_RATES[name]}"')
        figure = self.capture.target.figure
        return Measured(self, name, unit, None if figure is None else figure.value)


@dataclass(frozen=True, eq=False)
class SuiteRun(Mapping[str, Row]):
    """A suite that was run: its rows by their names, and its bounds."""

    analysis: Analysis

    def __getitem__(self, name: str) -> Row:
        """A row by its name, or by that of an entry that has one row. Raises ``AirwireError`` where there is none."""
        return Row(chosen_row(self.analysis, name))

    def __iter__(self) -> Iterator[str]:
        """The names of all rows."""
        return (row.path for row in self.analysis.captures)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.analysis.captures)

    @property
    def broken(self) -> list[str]:
        """A sentence for each bound of the suite that is broken, with the figure and the cause."""
        return [broken_sentence(row, bound) for row, bound in bounds_of(self.analysis) if not bound.holds]

    def check(self) -> None:
        """Fail where a bound of the suite is broken, with the waterfall of each such row."""
        __tracebackhide__ = True
        broken = [(row, bound) for row, bound in bounds_of(self.analysis) if not bound.holds]
        if broken:
            rows = dict.fromkeys(row.path for row, _ in broken)
            lines = self.broken
            for name in rows:
                lines += [f"{name}, near its median:", *self[name].waterfall_lines()]
            raise AssertionError("\n".join(lines))


def _line(name: str, ps: float, total: float) -> str:
    share = ps / total
    bar = "#" * round(_BAR_CHARACTERS * share)
    return (
        f"  {_cut(name, _NAME_CHARACTERS):<{_NAME_CHARACTERS}} {table_time(ps):>9} {percent(share):>6}  {bar}".rstrip()
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
