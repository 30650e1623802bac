"""A stage of a message's way: what the time is spent on, whose time it is, and what it is about.

The codes are those of the core, as run folders hold them; ``docs/reference/run-folder.md`` says what each means.
Whatever is decided about a stage is decided by them: its name is for people alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airwire.kinds import Cause, Site, Subject


@dataclass(frozen=True, slots=True)
class Stage:
    """A share of a message's time, under a name for people."""

    name: str
    cause: Cause
    ps: float
    site: Site = "link"
    subject: Subject | None = "part"
    detail: str | None = None
    """Which one of the subject's sort: a register, a command, a function, an end, or a link's own name for the part."""

    @property
    def kind(self) -> Cause:
        """The cause, by the name that JSON has for it."""
        return self.cause


def link_stage(entry: Mapping[str, Any]) -> Stage:
    """A part of a link from its entry in a manifest or in the core's answer; the link gives it its name."""
    return Stage(entry["detail"], entry["cause"], entry["ps"], entry["site"], entry["subject"], entry["detail"])
