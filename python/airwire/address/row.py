"""What is said of a row that measured a board at an address: its figure, and what this computer takes by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from airwire.board.row import UNITS, Figure, LatencyFigures, Published, SameBut
from airwire.kinds import ArrivalClock, Measure

if TYPE_CHECKING:
    import polars as pl

MOSTLY_OWN = 0.5
"""From this share of the figure on, it is more about this computer than about the board."""


@dataclass(frozen=True, slots=True)
class OwnFloor:
    """What this computer takes for the same load by itself, over its loopback interface."""

    figure: float
    """In the unit of the row's figure."""
    median_ps: float | None
    """Of its messages; ``None`` where messages are not measured."""
    p99_ps: float | None
    n: int
    share: float | None
    """How much of the row's figure this computer itself can explain: 1 where the board is as fast as loopback."""

    @property
    def is_most(self) -> bool:
        """Whether the row says more of this computer than of the board."""
        return self.share is not None and self.share >= MOSTLY_OWN


@dataclass(frozen=True)
class AddressRow:
    """The board at an address behind a row of a run."""

    kind: ClassVar[Literal["address"]] = "address"
    simulated: ClassVar[bool] = False
    clock_hz: ClassVar[None] = None
    flash_bytes: ClassVar[None] = None
    ram_bytes: ClassVar[None] = None
    trigger: ClassVar[None] = None
    may_repeat: ClassVar[bool] = True
    has_characters: ClassVar[bool] = False
    title: str
    address: str
    """As the suite has it."""
    resolved: str | None
    """The IPv4 address that it stood for."""
    traffic: str
    """The client that asked the board, or the server that it called."""
    measure: Measure
    figure: Figure | None
    published: Published | None
    same_but: SameBut | None
    skip: int
    end_ps: int
    ended: str
    """What the client or the server says of the run, in a line."""
    problem: str | None
    """Why there is no figure, or why the run ended before its time."""
    arrival_clock: ArrivalClock
    """Who read the clock when something arrived; what is sent is stamped by the program."""
    floor: OwnFloor | None
    counts: Mapping[str, int]
    """What the client or the server counted, by name."""
    load_spans: Callable[[], pl.DataFrame]
    """Gives :attr:`spans`; called once, when they are first asked for."""
    latency: LatencyFigures | None = None
    """Median and mean, in rows that measure latencies."""

    @property
    def unit(self) -> str:
        """Of the figure."""
        return UNITS.get(self.measure, "ps")

    @property
    def facts(self) -> Mapping[str, str]:
        """In what it may differ from another."""
        return {"address": self.address, "traffic": self.traffic}

    @cached_property
    def spans(self) -> pl.DataFrame:
        """Where the time of messages went, as far as that is known from outside; an empty frame where it is not."""
        return self.load_spans()
