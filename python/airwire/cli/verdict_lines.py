"""Verdicts on a terminal, coloured by meaning: red is what is slow, green what agrees or gets better.

Rich leaves colours out where ``NO_COLOR`` is set, and where nobody looks.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from airwire.explain.agreement import AGREEMENT
from airwire.explain.quantities import percent
from airwire.explain.verdict import NO_FIGURE, NOTHING_STANDS_OUT, Verdict

SLOW = "red"
BETTER = "green"
AGREES = "green"
DIFFERS = "yellow"


def verdict_text(verdict: Verdict) -> Text:
    """The line of a verdict: its cause in red where the change helps, and the gain in green."""
    text = Text(verdict.line)
    if verdict.kind == NO_FIGURE:
        text.stylize(SLOW)
    elif verdict.kind != NOTHING_STANDS_OUT and verdict.gain is not None:
        text.stylize(SLOW, 0, len(f"{percent(verdict.share)} {verdict.cause}"))
        text.stylize(BETTER, len(text) - len(verdict.gain.text))
    return text


def print_verdict(out: Console, verdict: Verdict) -> None:
    """The line, then every detail on a line of its own."""
    print_indented(out, verdict_text(verdict), 2)
    for detail in verdict.details:
        print_indented(out, Text(detail, style="dim"), 4)


def print_indented(out: Console, text: Text, indent: int, *, hanging: bool = False) -> None:
    """A text in lines that begin so far from the edge; where it hangs, the first one begins at the edge."""
    for place, line in enumerate(text.wrap(out, max(1, out.width - indent))):
        line.rstrip()
        margin = 0 if hanging and place == 0 else indent
        out.print(Text(" " * margin).append_text(line))


def ratio_style(ratio: float | None) -> str:
    """The colour of a measured figure divided by a published one."""
    if ratio is None:
        return ""
    return AGREES if abs(ratio - 1) <= AGREEMENT else DIFFERS


def cut(text: Text | str, width: int) -> Text:
    """What fits a line, with dots where more was there."""
    whole = Text(text) if isinstance(text, str) else text.copy()
    whole.truncate(max(1, width), overflow="ellipsis")
    return whole
