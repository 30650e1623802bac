"""How the causes of stages look: a colour each, the same in every figure. Names stand beside the bars as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from airwire.kinds import Cause
from airwire.link.model import Waterfall
from airwire.report.spec import LegendEntry, Spec

KINDS: Mapping[Cause, tuple[str, str]] = {
    "queue": ("var(--series14)", "waiting behind earlier messages"),
    "cpu": ("var(--series7)", "processor and firmware"),
    "bus": ("var(--series6)", "wire between chips"),
    "gate": ("var(--series2)", "waiting for a gate"),
    "air": ("var(--series1)", "on the air"),
    "protocol": ("var(--series3)", "what the protocol demands"),
    "retry": ("var(--series4)", "doing again what failed"),
    "wire": ("var(--series12)", "frames on the network's wire"),
    "delay": ("var(--series11)", "on the way, beside the frames themselves"),
    "window": ("var(--series10)", "waiting for a window or an acknowledgement"),
    "pc": ("var(--series8)", "the PC at the other end"),
    "chip": ("var(--series5)", "the network chip at work"),
    "sleep": ("var(--series9)", "asleep until something happens"),
    "console": ("var(--series13)", "waiting for the console"),
    "empirical": ("var(--unknown)", "fitted to measurements, not understood"),
}


def by_kind(kinds: Sequence[Cause]) -> Spec:
    """The colour channel of a stage's kind; ``kinds`` are those of the whole figure."""
    scale = {"domain": list(kinds), "range": [KINDS[kind][0] for kind in kinds]}
    return {"field": "kind", "type": "nominal", "title": "kind of stage", "scale": scale}


def kinds_of(found: Iterable[Waterfall]) -> list[Cause]:
    """The kinds that occur, always in the same order."""
    present = {stage.cause for waterfall in found for stage in waterfall.stages}
    return [kind for kind in KINDS if kind in present]


def kind_legend(kinds: Iterable[Cause]) -> list[LegendEntry]:
    """A legend of the kinds that occur."""
    return [LegendEntry(f"{kind}: {KINDS[kind][1]}", KINDS[kind][0], "square") for kind in kinds]
