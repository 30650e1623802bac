"""A verdict on the page: its line, and the details folded under it."""

from __future__ import annotations

from airwire.explain.verdict import Verdict
from airwire.report.html import text


def verdict_block(verdict: Verdict) -> str:
    """The line, and a fold with a sentence each line; no fold where there is nothing else to say."""
    line = f"<p class='verdict'>{text(verdict.line)}.</p>"
    if not verdict.details:
        return line
    items = "".join(f"<li>{text(sentence)}</li>" for sentence in verdict.details)
    return f"{line}<details class='why'><summary>Details</summary><ul>{items}</ul></details>"
