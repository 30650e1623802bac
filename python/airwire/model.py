"""What an analysis consists of: captures with their outcomes, statistics, findings and samples.

Everything that comes after the measurement (explain, report, the command line) works on these types and never
asks whether a board, a model or a capture file stood behind them. Times are whole picoseconds (``_ps``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal

from typing_extensions import TypeVar

from airwire.losses import Sent, sent_of
from airwire.shown import Shown

if TYPE_CHECKING:
    import polars as pl
    from typing_extensions import TypeIs

    from airwire.address.row import AddressRow
    from airwire.board.row import BoardRow
    from airwire.bounds import Bound
    from airwire.kinds import FindingKind, Pairing
    from airwire.link.model import LinkRow, PublishedMedian


@dataclass(frozen=True, slots=True)
class CaptureFile:
    """A capture of a logic analyser: nothing is known of what made its edges."""

    kind: ClassVar[Literal["capture"]] = "capture"
    clock_hz: ClassVar[None] = None
    flash_bytes: ClassVar[None] = None
    ram_bytes: ClassVar[None] = None
    unit: ClassVar[str] = "ps"
    figure: ClassVar[None] = None
    trigger: ClassVar[None] = None
    simulated: ClassVar[bool] = False
    """Whether it ran in virtual time, where nothing warms up and nothing else is on the air."""
    may_repeat: ClassVar[bool] = True
    """Whether messages may have been sent again."""
    has_characters: ClassVar[bool] = True
    """Whether an asynchronous serial line may be on the way."""

    @property
    def facts(self) -> Mapping[str, str]:
        """Nothing that two captures could differ in is known."""
        return {}

    @property
    def spans(self) -> pl.DataFrame:
        """An empty frame: what happened between the edges is not known."""
        import polars as pl

        return pl.DataFrame()


Target = TypeVar(
    "Target",
    bound="CaptureFile | LinkRow | BoardRow | AddressRow",
    default="CaptureFile | LinkRow | BoardRow | AddressRow",
    covariant=True,
)
"""What was measured."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that Airwire says of a run, with its evidence and a next step.

    ``confidence`` runs from 0 to 1. ``evidence`` holds the figures behind the sentence (numbers, or lists of numbers),
    keyed by names that carry their unit.
    """

    kind: FindingKind
    confidence: float
    sentence: str
    next_step: str
    period_ps: int | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a statistic from the seeded moving-block bootstrap."""

    low_ps: float
    high_ps: float
    confidence: float
    effective_n: float
    note: str | None = None
    """Set where the interval says less than it seems: ``this phase only``."""


@dataclass(frozen=True)
class Capture(Shown, Generic[Target]):
    """One analysed capture, or a row of the virtual bench: what became of every edge, and what the latencies say.

    ``target`` is what was measured: ``match capture.target`` tells which. A function for rows of boards takes
    ``Capture[BoardRow]``; :func:`rows_of_links` and :func:`rows_of_boards` choose.

    ``outcomes`` counts triggers (``paired``, ``missed``, ``glitch``, ``overlapped``) and done edges (``late``,
    ``duplicate``, ``spurious``). ``latency_ps`` holds ``n``, ``min``, ``p1``, ``p5``, ``p25``, ``p50``, ``p75``,
    ``p95``, ``p99``, ``p99_9``, ``max``, ``mean``, ``std`` and ``iqr`` (percentiles of type 7), or is ``None``
    where nothing was paired.
    """

    path: str
    group: str
    payload_bytes: int | None
    triggers: int
    outcomes: Mapping[str, int]
    latency_ps: Mapping[str, float] | None
    median_interval: Interval | None
    upper_quartile_interval: Interval | None
    findings: Sequence[Finding]
    load_samples: Callable[[], pl.DataFrame]
    """Gives :attr:`samples`; called once, when they are first asked for."""
    target: Target
    """A capture file; or the modelled link, its settings, its stages and what they took; or the virtual board, its
    firmware, its figure, and what others published."""
    bounds: Sequence[Bound] = ()
    """What figures of a row are to keep, where its suite says it."""
    unfinished: int = 0
    """How many of the last messages were sent so late that the recording ended before they could have arrived."""

    @property
    def name(self) -> str:
        """The path's last two parts: ``sik/12B-250ms-trigger.csv``."""
        return "/".join(self.path.replace("\\", "/").split("/")[-2:])

    @property
    def messages(self) -> int:
        """How many were sent: a second edge of one trigger, a glitch, is none, and the unfinished do not count."""
        return self._sent.messages

    @property
    def lost(self) -> int:
        """How many of these did not arrive."""
        return self._sent.lost

    @property
    def loss(self) -> float:
        """The share of them; 0 where none was sent."""
        return self._sent.loss

    @property
    def _sent(self) -> Sent:
        return sent_of(self.outcomes, self.unfinished)

    def statistic(self, name: str) -> float:
        """One of :attr:`latency_ps`. Raises ``AirwireError`` where nothing was paired.

        >>> capture, = airwire.simulate([("uart", 12, {})], samples=100)
        >>> capture.statistic("p50") == capture.latency_ps["p50"]
        True
        """
        if self.latency_ps is None:
            from airwire._core import AirwireError

            raise AirwireError(f"{self.path}: no message was paired, so that it has no latency")
        if name not in self.latency_ps:
            from airwire._core import AirwireError

            raise AirwireError(f"there is no statistic {name!r}; there are {', '.join(self.latency_ps)}")
        return self.latency_ps[name]

    def __repr__(self) -> str:
        from airwire._core import format_time

        median = "" if self.latency_ps is None else f", median {format_time(round(self.latency_ps['p50']))}"
        payload = "" if self.payload_bytes is None else f", {self.payload_bytes} B"
        return f"Capture({self.path!r}{payload}, {self.outcomes['paired']} of {self.triggers} paired{median})"

    @cached_property
    def samples(self) -> pl.DataFrame:
        """One row per trigger, among them ``index``, ``trigger_ps``, ``done_ps``, ``latency_ps``, ``outcome``."""
        return self.load_samples()


def is_of_link(capture: Capture) -> TypeIs[Capture[LinkRow]]:
    """Whether a link was modelled."""
    return capture.target.kind == "link"


def is_of_board(capture: Capture) -> TypeIs[Capture[BoardRow]]:
    """Whether a board was run."""
    return capture.target.kind == "board"


def rows_of_links(analysis: Analysis) -> list[Capture[LinkRow]]:
    """The rows of modelled links, in the order of the suite."""
    return [capture for capture in analysis.captures if is_of_link(capture)]


def rows_of_boards(analysis: Analysis) -> list[Capture[BoardRow]]:
    """The rows that ran on boards, in the order of the suite."""
    return [capture for capture in analysis.captures if is_of_board(capture)]


def is_of_address(capture: Capture) -> TypeIs[Capture[AddressRow]]:
    """Whether a board at an address was measured."""
    return capture.target.kind == "address"


def rows_of_addresses(analysis: Analysis) -> list[Capture[AddressRow]]:
    """The rows that measured boards at addresses, in the order of the suite."""
    return [capture for capture in analysis.captures if is_of_address(capture)]


def rows_with_figures(analysis: Analysis) -> list[Capture[BoardRow | AddressRow]]:
    """The rows of boards, virtual or real, in the order of the suite."""
    return [*rows_of_boards(analysis), *rows_of_addresses(analysis)]


def published_median(capture: Capture) -> PublishedMedian | None:
    """The median that others published of a row of a link."""
    return capture.target.published if is_of_link(capture) else None


@dataclass(frozen=True, slots=True)
class CaptureFailure:
    """A file of a batch that could not be analysed, with the one sentence that says why."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Analysis(Shown):
    """The result of analysing a batch of captures, or of running a suite: a capture for each of its rows."""

    captures: Sequence[Capture]
    errors: Sequence[CaptureFailure]
    pairing: Pairing
    seed: int
    interrupted: bool = False
    """Whether the analysis was stopped before all captures were done."""
    run_folder: str | None = None
    """The run folder that was written, if any."""
    suite: str | None = None
    """The name of the suite that was run, if one was."""

    def __repr__(self) -> str:
        noun = "row" if self.suite else "capture"
        parts = [f"{len(self.captures)} {noun}{'' if len(self.captures) == 1 else 's'}"]
        parts += [f"suite {self.suite!r}"] if self.suite else []
        parts += [f"{len(self.errors)} failed"] if self.errors else []
        parts += ["interrupted"] if self.interrupted else []
        parts += [f"in {self.run_folder!r}"] if self.run_folder else []
        return f"Analysis({', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class Edges:
    """The level changes of a capture: a frame of ``time_ps`` and one boolean column per channel."""

    frame: pl.DataFrame
    start: str | None
    """The absolute time of the start, RFC 3339, where the file has one."""
    end_ps: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the latencies of B differ from those of A."""

    a: str
    b: str
    median_a_ps: float
    median_b_ps: float
    shift_ps: float
    """Median of B minus median of A."""
    shift_interval_ps: tuple[float, float] | None
    """95 % interval of the shift; ``None`` below 8 messages on a side."""
    a_beats_b: float
    """The probability that a message of A is faster than one of B; ties count half."""
    ks: float
    ks_with_floor: float
    floor_ps: int
    wasserstein_ps: float
    effective_n: tuple[float, float]
    messages: tuple[int, int]
    """How many messages were sent in A and in B."""
    loss: tuple[float, float]
    """The share of them that was lost."""
    sentence: str
