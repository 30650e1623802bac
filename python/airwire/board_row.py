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
    statistic: str | None = None
    """``median`` or ``mean`` of latencies."""


@dataclass(frozen=True, slots=True)
class Latency:
    """What is told of a row's latencies."""

    median: Figure
    mean: Figure
    least_ps: float
    most_ps: float
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
    compare: str
    """``absolute``, ``ratio`` (to the row that this one is compared with) or ``mechanism``."""
    measured_share: float | None
    """The row's figure, or its ratio, divided by the published one: 1 within a range."""
    least: float | None = None
    """Of a range; ``None`` for one that has only a most."""
    most: float | None = None
    range_in_unit: tuple[float | None, float] | None = None
    statistic: str | None = None
    """``median`` or ``mean`` of latencies, where the publication says it."""
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
    latency: Latency | None = None
    """Median and mean, in rows that measure latencies."""
    bulk: Bulk | None = None
    """What was seen of a bulk transfer, in rows that measure one."""
    peer: Peer | None = None
    """The board in the place of the PC, in rows that have one."""
    trigger: str | None = None
    """Which edges are messages to the peer, in rows whose messages are edges."""

    @property
    def clock_hz(self) -> int | None:
        """The processor's clock, whose cycle is the step of all that the board does."""
        hertz = self.counts.get("clk_sys_hz")
        return int(hertz) if hertz else None

    @cached_property
    def spans(self) -> pl.DataFrame:
        """Where the time of traced messages went: ``index``, ``cause``, ``site``, ``subject``, ``detail`` ..."""
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
        published=_published(published),
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
        latency=_latency(entry.get("latency")),
        bulk=_bulk(entry.get("bulk")),
        peer=_peer(entry.get("peer")),
        trigger=entry.get("trigger"),
    )


def _published(raw: Mapping[str, Any] | None) -> Published | None:
    if raw is None:
        return None
    ends, times = raw.get("range_in_unit"), raw.get("times")
    named = {name: value for name, value in raw.items() if name not in ("from", "to", "range_in_unit", "times")}
    return Published(
        **named,
        times=None if times is None else Times(**times),
        least=raw.get("from"),
        most=raw.get("to"),
        range_in_unit=None if ends is None else (ends[0], ends[1]),
    )


def _latency(raw: Mapping[str, Any] | None) -> Latency | None:
    if raw is None:
        return None
    median, mean = _figure(raw["median"]), _figure(raw["mean"])
    assert median is not None and mean is not None, "the manifest was checked"
    times = {name: raw[name] for name in ("least_ps", "most_ps", "connect_ps", "processing_ps")}
    return Latency(median, mean, **times)


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
    bounds = None if interval is None else (interval[0], interval[1])
    return Figure(raw["value"], bounds, raw["unit"], raw["n"], raw.get("statistic"))
