"""What is said of a suite's rows that ran firmware on a virtual board: the figure, what others published, and the row
that it is compared with. Figures are kept in the unit of their quantity: ``messages/s``, ``requests/s``, ``bit/s`` or
``ps``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from airwire.board.energy import BoardEnergy
from airwire.kinds import ComparedAs, Measure, Sender, Stack, Statistic

if TYPE_CHECKING:
    import polars as pl


BULK: Measure = "bulk"
"""What rows measure that transfer as much as they can."""
UNITS: Mapping[Measure, str] = {"messages": "messages/s", "requests": "requests/s", BULK: "bit/s"}
"""Of figures by what they measure; all others are times."""
_DIGEST_LETTERS = 8


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured of a row."""

    value: float
    interval: tuple[float, float] | None
    """95 %: of batch means for rates, of the moving-block bootstrap for a median; ``None`` for few messages."""
    unit: str
    n: int
    statistic: Statistic | None = None
    """Of latencies."""


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """What is told of a row's latencies."""

    median: Figure
    mean: Figure
    least_ps: int | float
    most_ps: int | float
    connect_ps: float | None
    """The mean time until the connection is there; ``None`` where not every message opens one."""
    processing_ps: float | None
    """The mean time from then on."""


@dataclass(frozen=True, slots=True)
class Times:
    """What was published of a row as how many times another one."""

    run: str
    published: float
    measured: float | None
    """``None`` where the other row was not run."""


@dataclass(frozen=True, slots=True)
class Published:
    """What others measured."""

    value: float | None
    """``None`` for a range."""
    unit: str
    in_unit: float | None
    """In the unit of the row's figure; a ratio where ratios are compared."""
    source: str
    note: str | None
    compare: ComparedAs
    """``ratio`` is to the row that this one is compared with."""
    measured_share: float | None
    """The row's figure, or its ratio, divided by the published one: 1 within a range."""
    least: float | None = None
    """Of a range; ``None`` for one that has only a most."""
    most: float | None = None
    range_in_unit: tuple[float | None, float] | None = None
    statistic: Statistic | None = None
    """Of latencies, where the publication says it."""
    connect_ps: float | None = None
    """Of a latency, the part until the connection is there."""
    processing_ps: float | None = None
    times: Times | None = None

    @property
    def is_of_single_messages(self) -> bool:
        """Whether it is a range of latencies that is none of means or medians."""
        return self.compare != "ratio" and self.statistic is None and self.range_in_unit is not None


@dataclass(frozen=True, slots=True)
class SameBut:
    """The row that another is compared with, and the one thing in which they differ."""

    run: str
    what: str
    here: str | None
    there: str | None
    figure: Figure | None


@dataclass(frozen=True, slots=True)
class Peer:
    """A second board at the other end of the wire, in the place of the PC."""

    board: str
    firmware: str
    firmware_sha256: str
    settings: Mapping[str, str]
    """All settings of its image as they were in force."""
    ended: str
    counts: Mapping[str, float]
    """What was counted on it, by name."""
    evidence: Mapping[str, float | None]
    """What was seen of it while messages were traced, by name, as of the board."""
    flash_bytes: int | None = None
    """From the beginning of the flash to the last byte of its image."""
    ram_bytes: int | None = None
    """The sections of its image's ELF that lie in RAM; ``None`` of files that do not say it."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """What was seen of a bulk transfer while some of its intervals were traced."""

    sender: Sender
    stack: Stack
    """Whose TCP the board has."""
    payload_bits_per_second: float
    segment_bytes: int | None
    """The longest segment's payload."""
    window_bytes: int | None
    """The most that the receiver offered."""
    under_way_bytes: int | None
    """The most that was not acknowledged at a time."""
    round_trip_ps: int | None
    """From a segment to its acknowledgement at the sender."""
    window_full_share: float | None
    """The share of the time in which what the sender sent next did not fit the window."""
    repeated_segments: int
    limits: Mapping[str, float] | None
    """Shares of the time in which the PC's TCP could not send: ``receive_window``, ``congestion_window``,
    ``send_buffer``, ``application``; ``None`` where the board sends."""
    cable_share: float
    """The share of the time in which data is on the board's cable."""
    bus_share: float | None
    """The share of the time in which SPI moves something; ``None`` without SPI, as are those that follow."""
    bus_bytes_per_payload_byte: float | None
    bus_ceiling_bits_per_second: float | None
    """The payload that SPI carries at most at its clock, with as many bytes for each."""


@dataclass(frozen=True)
class BoardRow:
    """The board behind a row of a run."""

    kind: ClassVar[Literal["board"]] = "board"
    simulated: ClassVar[bool] = True
    title: str
    board: str
    firmware: str
    firmware_sha256: str
    settings: Mapping[str, str]
    """All settings of the image as they were in force."""
    network: str
    traffic: Sequence[str]
    of: str | None
    """The client or server whose messages the samples are."""
    measure: Measure
    figure: Figure | None
    published: Published | None
    same_but: SameBut | None
    skip: int
    end_ps: int
    ended: str
    problem: str | None
    """Why there is no figure, or how the firmware failed."""
    counts: Mapping[str, float]
    """What was counted on the board, by name."""
    evidence: Mapping[str, float | None]
    """What was seen while messages were traced, by name: SCK, the poll period, the share of waits for the flash."""
    notes: Sequence[str]
    load_spans: Callable[[], pl.DataFrame]
    """Gives :attr:`spans`; called once, when they are first asked for."""
    latency: LatencyFigures | None = None
    """Median and mean, in rows that measure latencies."""
    bulk: Bulk | None = None
    """What was seen of a bulk transfer, in rows that measure one."""
    peer: Peer | None = None
    """The board in the place of the PC, in rows that have one."""
    lines: Sequence[str] = ()
    """The serial lines to it, in rows that have them."""
    trigger: str | None = None
    """Which edges are messages to the peer, in rows whose messages are edges."""
    energy: BoardEnergy | None = None
    """What messages took of its supply; ``None`` where none was looked at."""
    flash_bytes: int | None = None
    """From the beginning of the flash to the last byte of the image; ``None`` in run folders that do not say it."""
    ram_bytes: int | None = None
    """The sections of the image's ELF that lie in RAM; ``None`` of files that do not say it as well."""

    @property
    def energy_j(self) -> float | None:
        """What a message of this row takes with the time until the next one; of a bulk transfer a kilobyte."""
        return None if self.energy is None else self.energy.message_j

    @property
    def may_repeat(self) -> bool:
        """Whether TCP may have sent something again; other lines of a board have no retries."""
        return self.bulk is not None and self.bulk.repeated_segments > 0

    @property
    def has_characters(self) -> bool:
        """Whether an asynchronous serial line is on the way."""
        return bool(self.lines)

    @property
    def clock_hz(self) -> int | None:
        """The processor's clock, whose cycle is the step of all that the board does."""
        hertz = self.counts.get("clk_sys_hz")
        return int(hertz) if hertz else None

    @property
    def unit(self) -> str:
        """Of the figure."""
        return UNITS.get(self.measure, "ps")

    @property
    def facts(self) -> Mapping[str, str]:
        """In what it may differ from another: board, image with settings, network, traffic, and the same of a peer."""
        own = {
            "board": self.board,
            **_image("", self),
            "network": self.network,
            "traffic": "; ".join(self.traffic),
            "lines": "; ".join(self.lines),
            "trigger": self.trigger or "",
        }
        peer = {} if self.peer is None else {"peer.board": self.peer.board, **_image("peer.", self.peer)}
        return {**own, **peer}

    @cached_property
    def spans(self) -> pl.DataFrame:
        """Where the time of traced messages went: ``index``, ``cause``, ``site``, ``subject``, ``detail`` ..."""
        return self.load_spans()


def _image(prefix: str, board: BoardRow | Peer) -> dict[str, str]:
    """The image by its name and the beginning of its digest, and its settings."""
    settings = {f"{prefix}{name}": text for name, text in board.settings.items()}
    return {f"{prefix}firmware": f"{board.firmware} ({board.firmware_sha256[:_DIGEST_LETTERS]})", **settings}
