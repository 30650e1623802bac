"""What the compiled module offers to the package; people import `airwire` instead."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypedDict

__version__: str
RUN_SCHEMA: str

class AirwireError(Exception): ...

class RawFinding(TypedDict):
    kind: str
    confidence: float
    period_ps: int | None
    evidence: dict[str, float | list[float]]

class RawIntervals(TypedDict):
    median_ps: tuple[float, float]
    upper_quartile_ps: tuple[float, float]
    confidence: float
    effective_n: float

class RawStatistics(TypedDict):
    latency: dict[str, float] | None
    intervals: RawIntervals | None
    findings: list[RawFinding]

class RawComparison(TypedDict):
    median_a_ps: float
    median_b_ps: float
    shift_ps: float
    shift_interval_ps: tuple[float, float] | None
    a_beats_b: float
    ks: float
    ks_with_floor: float
    floor_ps: int
    wasserstein_ps: float
    effective_n: tuple[float, float]

class RawStage(TypedDict):
    name: str
    kind: str
    ps: float

class Table:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __len__(self) -> int: ...

class CaptureResult:
    @property
    def path(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def payload_bytes(self) -> int | None: ...
    @property
    def format(self) -> str: ...
    @property
    def start(self) -> str | None: ...
    @property
    def end_ps(self) -> int: ...
    @property
    def glitch_ps(self) -> int: ...
    @property
    def triggers(self) -> int: ...
    @property
    def outcomes(self) -> dict[str, int]: ...
    @property
    def latency(self) -> dict[str, float] | None: ...
    @property
    def intervals(self) -> RawIntervals | None: ...
    @property
    def findings(self) -> list[RawFinding]: ...
    def samples(self) -> Table: ...

class AnalysisResult:
    @property
    def captures(self) -> list[CaptureResult]: ...
    @property
    def errors(self) -> list[tuple[str, str]]: ...
    @property
    def interrupted(self) -> bool: ...
    @property
    def run_folder(self) -> str | None: ...

def analyze(
    paths: Sequence[str | PathLike[str]],
    *,
    trigger: str,
    done: str,
    pairing: str,
    glitch_ps: int | None,
    min_latency_ps: int,
    max_latency_ps: int | None,
    payload_bytes: int | None,
    seed: int,
    intervals: bool,
    findings: bool,
    gate_ps: int | None,
    out: str | PathLike[str] | None,
    environment: str,
    progress: Callable[[int, int], Any] | None,
) -> AnalysisResult: ...
def statistics(
    trigger_ps: Sequence[int],
    latency_ps: Sequence[int],
    sent_ps: Sequence[int],
    *,
    end_ps: int,
    seed: int,
    intervals: bool,
    findings: bool,
    gate_ps: int | None = None,
) -> RawStatistics: ...
def compare(a: Sequence[int], b: Sequence[int], seed: int) -> RawComparison | None: ...
def read_edges(path: str | PathLike[str], channels: Sequence[str]) -> tuple[Table, str | None, int]: ...
def convert(
    source: str | PathLike[str],
    destination: str | PathLike[str],
    channels: Sequence[str],
    overwrite: bool,
    progress: Callable[[int], Any] | None,
) -> None: ...
def ecdf(latency_ps: Sequence[int]) -> tuple[list[int], list[float]]: ...
def parse_time_ps(text: str) -> int: ...
def parse_bytes(text: str) -> int: ...
def format_time(ps: int) -> str: ...
def links() -> str: ...
def suite_schema() -> str: ...
def link_budget(name: str, payload_bytes: int, settings: dict[str, str]) -> str: ...

class RowResult:
    @property
    def run(self) -> str: ...
    @property
    def entry(self) -> str: ...
    @property
    def link(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def payload_bytes(self) -> int: ...
    @property
    def settings(self) -> dict[str, str]: ...
    @property
    def trigger(self) -> str: ...
    @property
    def outcomes(self) -> dict[str, int]: ...
    @property
    def latency(self) -> dict[str, float] | None: ...
    @property
    def intervals(self) -> RawIntervals | None: ...
    @property
    def findings(self) -> list[RawFinding]: ...
    @property
    def longest_queue(self) -> int: ...
    @property
    def end_ps(self) -> int: ...
    @property
    def budget(self) -> list[RawStage]: ...
    def samples(self) -> Table: ...
    def spans(self) -> Table: ...

class SuiteResult:
    @property
    def suite(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def rows(self) -> list[RowResult]: ...
    @property
    def interrupted(self) -> bool: ...
    @property
    def run_folder(self) -> str | PathLike[str] | None: ...
    @property
    def errors(self) -> list[tuple[str, str]]: ...

def run_suite(
    path: str,
    *,
    samples: int | None,
    seed: int | None,
    only: list[str],
    workers: int | None,
    captures: bool,
    intervals: bool,
    findings: bool,
    out: str,
    environment: str,
    progress: Callable[[int, int], Any] | None,
) -> SuiteResult: ...
def simulate(
    requests: list[tuple[str, int, dict[str, str]]],
    *,
    samples: int,
    seed: int,
    spans: int,
    trigger: dict[str, str] | None,
    workers: int | None,
) -> list[RowResult]: ...
def validate(
    folder: str,
    *,
    only: list[str],
    seed: int,
    workers: int | None,
    progress: Callable[[int, int], Any] | None,
) -> str: ...
def explain_capture(
    path: str,
    link: str,
    payload_bytes: int | None,
    settings: dict[str, str],
    *,
    trigger: str,
    done: str,
    seed: int,
) -> str: ...
