"""Settings searched on the virtual bench for what a user wants, and the change written as a file."""

from __future__ import annotations

from airwire.tune.answer import Tuning, tune_settings
from airwire.tune.worth import Worth

__all__ = ["Tuning", "Worth", "tune_settings"]
