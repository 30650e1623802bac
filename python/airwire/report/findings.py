"""The findings as sentences at the top of the page and in each capture's section.

Grouped by kind, the most confident first; where there are many, the top of each group and the rest on demand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airwire.report.html import sentence, text
from airwire.report.samples import CaptureView, shows_rows

if TYPE_CHECKING:
    from airwire.model import Finding

ALL_SHOWN_UP_TO = 20
SHOWN_PER_KIND = 3

_KINDS = {
    "gate": ("Gate", "Gates", "messages pass only at certain times"),
    "frozen_phase": ("Frozen phase", "Frozen phases", "the run saw one sliver of a gate only"),
    "phase_coverage": ("Phase coverage", "Phase coverage", "the triggers met some phases of a gate only"),
    "comb": ("Comb", "Combs", "latencies are spaced by a retry quantum"),
    "steps": ("Steps", "Steps", "latency sits on several levels"),
    "drift": ("Drift", "Drift", "latency moves with time"),
    "bursts": ("Bursts", "Bursts", "slow samples come together"),
    "loss_as_latency": (
        "Loss that looks like latency",
        "Losses that look like latency",
        "lost messages that read as late ones",
    ),
}
_LEVELS = ((0.9, "high"), (0.6, "medium"), (0.0, "low"))

Found = tuple[CaptureView, "Finding"]


def findings_section(views: Sequence[CaptureView]) -> str:
    """Every finding of the analysis, or the sentence that there is none."""
    found = [(view, finding) for view in views for finding in view.capture.findings]
    if not found:
        nothing = "No gate, comb, step, drift or burst stood out."
        return f"<section id='findings'><h2>Findings</h2><p>{nothing}</p></section>"
    kinds = _sorted_kinds(found)
    short = len(found) > ALL_SHOWN_UP_TO
    links = "".join(
        f"<li><a href='#findings-{place}'>{text(kind_title(kind, plural=True))}</a> {len(members)}</li>"
        for place, (kind, members) in enumerate(kinds)
    )
    summary = f"<ul class='kinds' aria-label='Kinds of finding'>{links}</ul>" if len(kinds) > 1 else ""
    groups = "".join(_kind_group(kind, members, place, short=short) for place, (kind, members) in enumerate(kinds))
    if shows_rows(views):
        # Verdicts say more of rows; findings are what the latencies alone would tell.
        heading = f"<summary><h2>Findings ({len(found)})</h2></summary>"
        return f"<details class='more' id='findings'>{heading}{summary}{groups}</details>"
    return f"<section id='findings'><h2>Findings</h2>{summary}{groups}</section>"


def kind_title(kind: str, *, plural: bool) -> str:
    """The name of a kind of finding; a kind that is not known is spelled out."""
    return _KINDS[kind][int(plural)] if kind in _KINDS else kind.replace("_", " ").capitalize()


def _sorted_kinds(found: Sequence[Found]) -> list[tuple[str, list[Found]]]:
    kinds: dict[str, list[Found]] = {kind: [] for kind in _KINDS}
    for view, finding in found:
        kinds.setdefault(finding.kind, []).append((view, finding))
    present = [(kind, sorted(members, key=_confidence_first)) for kind, members in kinds.items() if members]
    return sorted(present, key=lambda group: -group[1][0][1].confidence)


def _confidence_first(found: Found) -> float:
    return -found[1].confidence


def _kind_group(kind: str, members: Sequence[Found], place: int, *, short: bool) -> str:
    meaning = f" <span class='meaning'>{text(_KINDS[kind][2])}</span>" if kind in _KINDS else ""
    heading = f"<h3 id='findings-{place}'>{text(kind_title(kind, plural=True))} ({len(members)}){meaning}</h3>"
    shown = SHOWN_PER_KIND if short and len(members) > SHOWN_PER_KIND + 1 else len(members)
    top = "".join(_item(view, finding) for view, finding in members[:shown])
    rest = "".join(_item(view, finding) for view, finding in members[shown:])
    more = (
        f"<details class='more'><summary>{len(members) - shown} more, {len(members)} in all</summary>"
        f"<ul class='findings'>{rest}</ul></details>"
        if rest
        else ""
    )
    return f"{heading}<ul class='findings'>{top}</ul>{more}"


def _item(view: CaptureView, finding: Finding) -> str:
    link = f"<a href='#{view.anchor}'>{text(view.label)}</a>"
    return f"<li>{badge(finding.confidence)}<p>{link} {sentence(finding.sentence)}{_next_step(finding)}</p></li>"


def capture_findings(findings: Sequence[Finding]) -> str:
    """The findings of one capture, without naming it again."""
    if not findings:
        return ""
    ordered = sorted(findings, key=lambda finding: -finding.confidence)
    items = "".join(
        f"<li>{badge(finding.confidence)}<p><b>{text(kind_title(finding.kind, plural=False))}:</b> "
        f"{sentence(finding.sentence)}{_next_step(finding)}</p></li>"
        for finding in ordered
    )
    return f"<ul class='findings'>{items}</ul>"


def _next_step(finding: Finding) -> str:
    return f" <span class='next'>{sentence(finding.next_step)}</span>" if finding.next_step else ""


def badge(confidence: float) -> str:
    """The confidence as a percentage with a word, and a bar for the eye."""
    bounded = min(max(confidence, 0.0), 1.0)
    level = next(word for bound, word in _LEVELS if bounded >= bound)
    percent = min(round(bounded * 100), 99) if bounded < 1 else 100
    return (
        f"<span class='badge {level}' title='confidence {percent} %: {level}'>"
        f"<span class='visually-hidden'>confidence </span>{percent} %"
        f"<i style='width:{percent}%'></i></span>"
    )
