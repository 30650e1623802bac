"""What is said of links: their settings and budgets, where the time of a run goes, what a change would bring.

The types behind ``airwire links``, ``link``, ``explain``, ``choose`` and ``validate``. Times are picoseconds (``_ps``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from airwire.kinds import LedgerMode, Understanding
from airwire.link.energy import Energy
from airwire.shown import Shown
from airwire.stage import Stage

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a link."""

    name: str
    takes: str
    """What values it takes, in words."""
    default: str
    help: str
    alternatives: Sequence[str]
    """Values worth trying instead; empty where the site or the board gives the setting."""


ConstantValue = str | int | float | Sequence[str | int | float]


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of a link's model, with where it comes from."""

    name: str
    value: ConstantValue
    """With its unit; a list for quantiles and shares."""
    meaning: str
    source: str | None
    """The document and its section."""
    fitted: str | None
    """On which capture, payload and statistic it was fitted, if it was."""


@dataclass(frozen=True, slots=True)
class GatePeriod:
    """A gate of a link, with the period at which it opens."""

    name: str
    period_ps: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link that the virtual bench knows."""

    name: str
    title: str
    max_payload_bytes: int
    settings: Sequence[Setting]
    constants: Sequence[Constant]
    gates: Sequence[GatePeriod]


@dataclass(frozen=True, slots=True)
class LinkBudget:
    """The mean time of each stage for a delivered message, on an idle link whose clock phases are unknown."""

    link: str
    title: str
    payload_bytes: int
    settings: Mapping[str, str]
    total_ps: float
    loss: float
    """The share of messages that are lost."""
    stages: Sequence[Stage]
    gates: Sequence[GatePeriod]
    energy: Energy | None
    """What a message takes of the sender's battery; ``None`` where the currents of its radio are not known."""


@dataclass(frozen=True, slots=True)
class PublishedMedian:
    """What others measured of a link with these settings and this payload."""

    median_ps: int
    source: str
    note: str | None
    """What is to be known of it, such as in what its setup differs."""


@dataclass(frozen=True)
class LinkRow:
    """The modelled link behind a row of a run."""

    kind: ClassVar[Literal["link"]] = "link"
    clock_hz: ClassVar[None] = None
    flash_bytes: ClassVar[None] = None
    ram_bytes: ClassVar[None] = None
    """A link is modelled to the picosecond: no processor's cycle is the step of its times."""
    unit: ClassVar[str] = "ps"
    """Of the figure by which rows are compared."""
    figure: ClassVar[None] = None
    """A link has no figure beside its latencies."""
    simulated: ClassVar[bool] = True
    name: str
    title: str
    settings: Mapping[str, str]
    trigger: str
    """The schedule of the triggers, in a phrase."""
    longest_queue: int
    """How many messages waited behind one another at most."""
    budget: Sequence[Stage]
    load_spans: Callable[[], pl.DataFrame]
    """Gives :attr:`spans`; called once, when they are first asked for."""
    published: PublishedMedian | None = None
    """What others measured, where the suite says it."""
    energy: Energy | None = None
    """What a message takes of the sender's battery; ``None`` where the currents of its radio are not known."""
    every_ps: int | None = None
    """How far apart the messages were on average; ``None`` of a single one."""

    @property
    def energy_j(self) -> float | None:
        """What a message of this row takes with the time until the next one."""
        return None if self.energy is None or self.every_ps is None else self.energy.with_interval_j(self.every_ps)

    @property
    def facts(self) -> Mapping[str, str]:
        """In what it may differ from another: the link and its settings; the schedule often follows from them."""
        return {"link": self.name, **self.settings}

    @property
    def may_repeat(self) -> bool:
        """Whether the link sends again what was lost."""
        return any("retr" in name for name in self.settings) or any(stage.cause == "retry" for stage in self.budget)

    @property
    def has_characters(self) -> bool:
        """Whether an asynchronous serial line is on the way."""
        return any("baud" in name for name in self.settings)

    @cached_property
    def spans(self) -> pl.DataFrame:
        """What the first messages went through: ``index``, ``cause``, ``site``, ``subject``, ``detail`` ..."""
        return self.load_spans()


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Where the time goes of the messages nearest to one percentile."""

    percentile: int
    latency_ps: float
    """The percentile of all messages."""
    messages: int
    """How many messages near it the stages are the mean of."""
    stages: Sequence[Stage]

    @property
    def total_ps(self) -> float:
        """The sum of the stages."""
        return sum(stage.ps for stage in self.stages)


@dataclass(frozen=True, slots=True)
class Change:
    """What another value of one setting would bring, from a run of the model with it."""

    setting: str
    before: str
    after: str
    median_ps: tuple[float, float]
    """The median before and after."""
    p95_ps: tuple[float, float]
    loss: tuple[float, float]
    sentence: str

    @property
    def gain(self) -> float:
        """The share of the latency that it saves, at the median and p95 alike."""
        return sum(1 - after / before for before, after in (self.median_ps, self.p95_ps) if before > 0) / 2


@dataclass(frozen=True, slots=True)
class FittedGate:
    """A gate's phase and drift as they were in a capture."""

    gate: str
    period_ps: int
    phase_ps: int
    drift_ppb: int


@dataclass(frozen=True, slots=True)
class QuantilePair:
    """A quantile of a capture beside that of the model."""

    p: float
    capture_ps: float
    model_ps: float


@dataclass(frozen=True, slots=True)
class CaptureExplanation:
    """How far the model of a link explains a capture, and where the time goes according to it."""

    path: str
    link: str
    payload_bytes: int
    settings: Mapping[str, str]
    sentence: str
    phases: Sequence[FittedGate]
    messages: int
    explained_share: float
    """The share of the latency that the model accounts for, with phases fitted to the capture."""
    left_over_ps: float
    median_ps: float
    model_median_ps: float
    p95_ps: float
    model_p95_ps: float
    ks: float
    stages: Sequence[Stage]
    """At the median of the model."""
    quantiles: Sequence[QuantilePair]
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a link must keep; ``None`` where it does not matter."""

    p50_ps: int | None = None
    p95_ps: int | None = None
    loss: float | None = None
    duty_cycle: float | None = None
    """The share of the time that a sender may be on the air, where the law limits it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A link with some settings, as the model predicts it."""

    link: str
    title: str
    changed: Mapping[str, str]
    """The settings that differ from the link's defaults."""
    median_ps: float | None
    """``None`` where every message was lost."""
    p95_ps: float | None
    loss: float
    margin: float
    """The share of the tightest bound that is left; negative where it is exceeded."""
    overloaded_by: int = 0
    """How many messages wait behind one another where they come faster than the link carries them; else 0."""
    duty: float | None = None
    """The share of the time that it is on the air, where the law limits that and the messages have an interval."""
    battery_s: float | None = None
    """How long the battery of the sender lasts; ``None`` without one, or where its radio's currents are not known."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A link that cannot keep the bounds: the nearest that it comes, and which stage is in the way."""

    link: str
    title: str
    sentence: str
    nearest: Candidate | None
    """``None`` where the link does not carry the payload at all."""


@dataclass(frozen=True, slots=True)
class Choice(Shown):
    """Which links and settings keep the bounds."""

    payload_bytes: int
    bounds: Bounds
    accepted: Sequence[Candidate]
    """The most margin first."""
    refused: Sequence[Refusal]
    samples: int
    seed: int
    every_ps: int | None = None
    """The interval of the messages; ``None`` where each has the link for itself."""
    site: str = "office"
    """Where the radios stand, which decides how often a frame is lost."""
    battery: str | None = None
    """The battery of the sender, such as ``2400mAh``."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row of the ledger where what was fitted on its capture is fitted on the link's other captures."""

    refitted: Sequence[str]
    """The constants that were fitted on this capture and are fitted on others here, or have another's value; none where
    it is blind or not judged."""
    untold: Sequence[str]
    """Those that no other capture tells."""
    median_error: float
    upper_quartile_error: float
    ks: float
    passes: bool | None
    """Whether the goals of its class are met, with half of untold constants and with one and a half times as much;
    ``None`` where the row is not judged."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """How far a model is from a capture. Errors are model over capture, minus one."""

    capture: str
    link: str
    variant: str
    payload_bytes: int
    understood: Understanding
    mode: LedgerMode
    median_error: float
    upper_quartile_error: float
    p95_error: float
    ks: float
    n: int
    n_eff: float
    phase_coverage: float
    fitted_physics: int
    fitted_phase: int
    lost: float
    lost_model: float
    passes: bool | None
    """Whether the goals of its class are met; ``None`` where the row is not judged."""
    leave_one_out: LeftOut


@dataclass(frozen=True, slots=True)
class Ledger:
    """The table of every model's error on real captures."""

    rows: Sequence[LedgerRow]
    errors: Sequence[tuple[str, str]]
    """Path and sentence of each capture that could not be used."""
    without_rule: Sequence[str]
    """Captures of which nothing says with which link they were made."""
    interrupted: bool
