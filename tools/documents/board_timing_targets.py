"""Published timings of the RP2040, from ``board-timing.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).resolve().with_name("board-timing.toml")
_TINY = 1e-9
"""What arithmetic may add to a limit."""


@dataclass(frozen=True)
class Target:
    """A published timing, with what is needed to run the same again, and how far ours may be off."""

    key: str
    what: str
    source: str
    conditions: str
    published: float
    unit: str
    allowed: str
    bound: bool = False
    remark: str = "-"

    @property
    def limit(self) -> float:
        """How far ours may be off, in ``unit``."""
        if self.allowed == "exact":
            return 0.0
        number, what = self.allowed.split()
        return self.published * float(number) / 100 if what == "%" else float(number)

    def is_met(self, ours: float) -> bool:
        """Whether a measurement keeps the limit; a bound may not be undercut."""
        below = 0.0 if self.bound else self.limit
        return self.published - below - _TINY <= ours <= self.published + self.limit + _TINY


TARGETS: tuple[Target, ...] = tuple(
    Target(**timing) for timing in tomllib.loads(_FILE.read_text(encoding="utf-8"))["timing"]
)
