"""Each capture made ready to be drawn once: a label that is unique, and its samples as plain lists.

Everything in the report that touches a data frame is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Generic

from airwire.explain.verdicts import verdict_of
from airwire.model import Capture, Target, is_of_address, is_of_board, is_of_link, published_median
from airwire.report.row_facts import RowFacts, facts_of, told_of

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from airwire.board.row import BoardRow
    from airwire.explain.verdict import Verdict
    from airwire.link.model import LinkRow, Waterfall
    from airwire.model import Analysis


@dataclass(frozen=True)
class CaptureView(Generic[Target]):
    """A capture with its label, and its triggers split into the paired and the others."""

    capture: Capture[Target]
    label: str
    anchor: str
    index: list[int]
    trigger_ps: list[int]
    done_ps: list[int | None]
    latency_ps: list[int]
    unpaired: list[tuple[int, str]]

    @cached_property
    def ordered_ps(self) -> list[int]:
        """The latencies in ascending order."""
        return sorted(self.latency_ps)

    @cached_property
    def waterfalls(self) -> list[Waterfall]:
        """Where the time goes at the median and at p95; empty where no stages are known."""
        from airwire.explain.waterfall import waterfalls

        return waterfalls(self.capture)

    @cached_property
    def verdict(self) -> Verdict | None:
        """What takes most of its time; ``None`` for a capture file."""
        return verdict_of(self.capture)

    @cached_property
    def facts(self) -> RowFacts:
        """Its figures as text; none for a capture file."""
        return facts_of(self.capture)

    @property
    def published_ps(self) -> float | None:
        """The median that others published of a link."""
        published = published_median(self.capture)
        return None if published is None else published.median_ps

    @property
    def told(self) -> str:
        """What ran, with its settings: a link and its triggers, or firmware on a board and its traffic."""
        return told_of(self.capture)

    @property
    def is_bulk(self) -> bool:
        """Whether its samples are intervals of a transfer, whose lengths say nothing."""
        return self.capture.target.unit == "bit/s"

    @cached_property
    def bits_per_second(self) -> list[float]:
        """Of a bulk transfer the rate in each interval."""
        payloads = self.capture.samples.filter(self.capture.samples["outcome"] == "paired")["payload_bytes"].to_list()
        return [8e12 * size / ps for size, ps in zip(payloads, self.latency_ps, strict=True) if ps > 0]

    @property
    def short_label(self) -> str:
        """The label without what it repeats of the group: ``a.csv`` for ``logs/a.csv`` in ``radio/logs``."""
        group, parts = self.capture.group.split("/"), self.label.split("/")
        for shared in range(min(len(group), len(parts) - 1), 0, -1):
            if group[-shared:] == parts[:shared]:
                return "/".join(parts[shared:])
        return self.label

    @property
    def payload(self) -> str:
        """The payload as text: ``12 B``."""
        return payload_text(self.capture.payload_bytes)

    @property
    def statistics(self) -> dict[str, float]:
        """The latency statistics, empty where nothing was paired."""
        return dict(self.capture.latency_ps or {})

    @property
    def median_ps(self) -> float:
        """The median, from the samples where the statistics lack it."""
        return self.statistics.get("p50", float(self.ordered_ps[len(self.ordered_ps) // 2]))


def shows_link(view: CaptureView) -> TypeIs[CaptureView[LinkRow]]:
    """Whether a link was modelled."""
    return is_of_link(view.capture)


def shows_board(view: CaptureView) -> TypeIs[CaptureView[BoardRow]]:
    """Whether a board was run."""
    return is_of_board(view.capture)


def shows_rows(views: Sequence[CaptureView]) -> bool:
    """Whether a suite was run: its rows have verdicts."""
    return bool(views_of_links(views) or views_of_boards(views) or views_of_addresses(views))


def views_of_links(views: Sequence[CaptureView]) -> list[CaptureView[LinkRow]]:
    """Those of modelled links."""
    return [view for view in views if shows_link(view)]


def views_of_boards(views: Sequence[CaptureView]) -> list[CaptureView[BoardRow]]:
    """Those of boards."""
    return [view for view in views if shows_board(view)]


def views_of_addresses(views: Sequence[CaptureView]) -> list[CaptureView]:
    """Those of boards at addresses."""
    return [view for view in views if is_of_address(view.capture)]


def views_without_boards(views: Sequence[CaptureView]) -> list[CaptureView]:
    """Those of links and of capture files."""
    return [view for view in views if not shows_board(view)]


def payload_text(payload_bytes: int | None) -> str:
    """A payload as text, with a word for the unknown one."""
    return "unknown" if payload_bytes is None else f"{payload_bytes} B"


def payload_order(payload_bytes: int | None) -> tuple[bool, int]:
    """Sort key of payloads: ascending, the unknown one last."""
    return (payload_bytes is None, payload_bytes or 0)


def views_of(analysis: Analysis) -> list[CaptureView]:
    """All captures of the analysis, groups in order of first appearance, captures in the order given."""
    labels = unique_labels(analysis.captures)
    groups = {group: place for place, group in enumerate(dict.fromkeys(c.group for c in analysis.captures))}
    order = sorted(range(len(labels)), key=lambda place: groups[analysis.captures[place].group])
    return [_view_of(analysis.captures[place], labels[place], f"c{number}") for number, place in enumerate(order, 1)]


def by_group(views: Sequence[CaptureView]) -> Iterator[tuple[str, list[CaptureView]]]:
    """The views group by group."""
    for group, members in groupby(views, key=lambda view: view.capture.group):
        yield group, list(members)


def each_is_a_group(views: Sequence[CaptureView]) -> bool:
    """Whether groups say nothing that the captures do not: rows of boards, each of which is an entry of its suite."""
    return all(view.capture.path == view.capture.group for view in views)


def drawable(views: Sequence[CaptureView]) -> list[CaptureView]:
    """The views that have at least one latency to draw; the intervals of a bulk transfer are none."""
    return [view for view in views if view.latency_ps and not view.is_bulk]


def unique_labels(captures: Sequence[Capture]) -> list[str]:
    """The shortest path endings, two components at least, that tell the captures apart."""
    parts = [capture.path.replace("\\", "/").split("/") for capture in captures]
    depth = [2] * len(parts)
    for _ in range(max((len(part) for part in parts), default=0)):
        labels = ["/".join(part[-length:]) for part, length in zip(parts, depth, strict=True)]
        shared = {label for label in labels if labels.count(label) > 1} if len(set(labels)) < len(labels) else set()
        if not shared:
            return labels
        depth = [length + (label in shared) for length, label in zip(depth, labels, strict=True)]
    return _numbered(["/".join(part) for part in parts])


def _numbered(labels: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    numbered = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        numbered.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return numbered


def _view_of(capture: Capture, label: str, anchor: str) -> CaptureView:
    columns = [_column(capture, name) for name in ("index", "trigger_ps", "done_ps", "latency_ps")]
    outcomes = capture.samples.get_column("outcome").to_list()
    rows = list(zip(*columns, strict=True))
    paired = [row for row in rows if row[3] is not None and row[1] is not None]
    unpaired = [
        (row[1], str(outcome))
        for row, outcome in zip(rows, outcomes, strict=True)
        if row[3] is None and row[1] is not None
    ]
    return CaptureView(
        capture=capture,
        label=label,
        anchor=anchor,
        index=[row[0] or 0 for row in paired],
        trigger_ps=[row[1] for row in paired if row[1] is not None],
        done_ps=[row[2] for row in paired],
        latency_ps=[row[3] for row in paired if row[3] is not None],
        unpaired=unpaired,
    )


def _column(capture: Capture, name: str) -> list[int | None]:
    return [None if value is None else int(value) for value in capture.samples.get_column(name).to_list()]
