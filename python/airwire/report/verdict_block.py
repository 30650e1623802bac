"""What else there is to say of a row than the line of its verdict."""

from __future__ import annotations

from airwire.explain.verdict import Verdict
from airwire.report.html import sentence


def verdict_details(verdict: Verdict | None) -> str:
    """A sentence each line; nothing where the line says it all."""
    if verdict is None or not verdict.details:
        return ""
    items = "".join(f"<li>{sentence(said)}</li>" for said in verdict.details)
    return f"<ul class='why'>{items}</ul>"
