"""Settings searched on the virtual bench for what a user wants, and the change written as a file."""

from __future__ import annotations

from airwire.tune.answer import Tuning, tune
from airwire.tune.worth import Worth

__all__ = ["Tuning", "Worth", "tune"]
