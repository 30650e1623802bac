"""When, with which version and by which command a run was made: from its folder, and nothing where that is unknown."""

from __future__ import annotations

import json
from pathlib import Path

from airwire.inputs import read_text

_DATE_LETTERS = len("2026-01-02T03:04")


def run_facts(run_folder: str | None) -> list[str]:
    """Date, version and command of a run, as far as its folder tells them."""
    if run_folder is None:
        return []
    try:
        known = json.loads(read_text(Path(run_folder) / "environment.json"))
    except (OSError, ValueError):
        return []
    if not isinstance(known, dict):
        return []
    started, version, command = (known.get(name) for name in ("started", "airwire", "command"))
    date = f"{started[:_DATE_LETTERS].replace('T', ' ')} UTC" if isinstance(started, str) else None
    facts = (date, f"Airwire {version}" if version else None, f"$ {command}" if command else None)
    return [fact for fact in facts if fact]
