"""What is said of a suite's rows that ran firmware on a virtual board: the figure, what others published, and the row
that it is compared with. Figures are kept in the unit of their quantity: ``messages/s``, ``requests/s``, ``bit/s`` or
``ps``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


BULK = "bulk"
"""What rows measure that transfer as much as they can."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured of a row."""

    value: float
    interval: tuple[float, float] | None
    """95 %: of batch means for rates, of the moving-block bootstrap for a median; ``None`` for few messages."""
    unit: str
    n: int


@dataclass(frozen=True, slots=True)
class Published:
    """What others measured."""

    value: float
    unit: str
    in_unit: float
    """In the unit of the row's figure; a ratio where ratios are compared."""
    source: str
    note: str | None
    compare: str
    """``absolute``, ``ratio`` (to the row that this one is compared with) or ``mechanism``."""
    measured_share: float | None
    """The row's figure, or its ratio, divided by the published one."""


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


@dataclass(frozen=True, slots=True)
class Bulk:
    """What was seen of a bulk transfer while some of its intervals were traced."""

    sender: str
    """``board`` or ``pc``."""
    stack: str
    """Whose TCP the board has: that of its ``chip``, or the ``firmware``'s."""
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
    measure: str
    """``messages``, ``requests``, ``latency`` or ``bulk``."""
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
    bulk: Bulk | None = None
    """What was seen of a bulk transfer, in rows that measure one."""
    peer: Peer | None = None
    """The board in the place of the PC, in rows that have one."""

    @cached_property
    def spans(self) -> pl.DataFrame:
        """Where the time of traced messages went: ``index``, ``stage``, ``kind``, ``start_ps``, ``end_ps`` ..."""
        return self.load_spans()


def board_row_of(entry: Mapping[str, Any], load_spans: Callable[[], pl.DataFrame]) -> BoardRow:
    """A row from its entry in a manifest."""
    same_but, published = entry["same_but"], entry["published"]
    return BoardRow(
        title=entry["title"],
        board=entry["board"],
        firmware=entry["firmware"]["name"],
        firmware_sha256=entry["firmware"]["sha256"],
        settings=entry["settings"],
        network=entry["network"],
        traffic=entry["traffic"],
        of=entry["of"],
        measure=entry["measure"],
        figure=_figure(entry["figure"]),
        published=None if published is None else Published(**published),
        same_but=None if same_but is None else SameBut(**{**same_but, "figure": _figure(same_but["figure"])}),
        skip=entry["skip"],
        end_ps=entry["end_ps"],
        ended=entry["ended"],
        problem=entry["problem"],
        counts=entry["counts"],
        evidence=entry["evidence"] or {},
        notes=entry["notes"],
        load_spans=load_spans,
        # Run folders of before have no such fields.
        bulk=_bulk(entry.get("bulk")),
        peer=_peer(entry.get("peer")),
    )


def _bulk(raw: Mapping[str, Any] | None) -> Bulk | None:
    return None if raw is None else Bulk(**raw)


def _peer(raw: Mapping[str, Any] | None) -> Peer | None:
    if raw is None:
        return None
    return Peer(
        board=raw["board"],
        firmware=raw["firmware"]["name"],
        firmware_sha256=raw["firmware"]["sha256"],
        settings=raw["settings"],
        ended=raw["ended"],
        counts=raw["counts"],
        evidence=raw["evidence"] or {},
    )


def _figure(raw: Mapping[str, Any] | None) -> Figure | None:
    if raw is None:
        return None
    interval = raw["interval"]
    return Figure(raw["value"], None if interval is None else (interval[0], interval[1]), raw["unit"], raw["n"])
