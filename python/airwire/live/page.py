"""The page itself: its frame in HTML, its colours and words from those of the report, and the built assets."""

from __future__ import annotations

from functools import cache
from importlib import resources

from airwire import _core
from airwire.live.batch import OUTCOMES
from airwire.live.feed import COLUMNS, LONGEST_MARK
from airwire.report import theme, units
from airwire.report.html import script_json, text
from airwire.report.stage_colours import KINDS

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ASSETS = ("live.js", "live.css")
_FOLDER = resources.files("airwire.live") / "assets"
_COLOURS = {
    "ok": "var(--mark)",
    "lost": theme.OUTCOME_COLOURS["missed"],
    "late": theme.OUTCOME_COLOURS["late"],
    "wrong": "var(--series10)",
    "overlapped": theme.OUTCOME_COLOURS["overlapped"],
    "glitch": theme.OUTCOME_COLOURS["glitch"],
}


def check_assets() -> None:
    """Raises ``AirwireError`` where the page was not built."""
    if not all((_FOLDER / name).is_file() for name in ASSETS):
        raise _core.AirwireError("the live page is not built: run make web in the folder of Airwire's sources")


@cache
def asset(name: str) -> bytes:
    """A built file of the page."""
    return (_FOLDER / name).read_bytes()


def tokens() -> str:
    """The colours of the report, as custom properties."""
    return theme.css_tokens()


def page(title: str) -> str:
    """The frame, which the script fills."""
    config = {
        "columns": COLUMNS,
        "outcomes": [{"name": one, "colour": _COLOURS[one]} for one in OUTCOMES],
        "units": [{"symbol": one.symbol, "ps": one.ps} for one in units.UNITS],
        "causes": {cause: {"colour": colour, "words": words} for cause, (colour, words) in KINDS.items()},
        "series": list(theme.SERIES[:2]),
    }
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{text(title)} - live</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="tokens.css"><link rel="stylesheet" href="live.css"></head>
<body>
<a class="skip" href="#figures">Skip to the figures</a>
<header>
<h1 id="title">{text(title)}</h1>
<p id="state"><b id="badge">connecting</b> <span id="sentence"></span></p>
<form id="controls">
<button type="button" id="pause" aria-pressed="false">Pause</button>
<span class="marking"><label for="mark">Mark</label>
<input id="mark" maxlength="{LONGEST_MARK}" placeholder="moved the antenna" autocomplete="off">
<button type="submit">Set mark</button></span>
<button type="button" id="save">Save as report</button>
</form>
<p id="answer" role="status"></p>
</header>
<main>
<p id="headline" class="result">Nothing was measured yet.</p>
<p id="spoken" class="visually-hidden" role="status" aria-live="polite"></p>
<div id="charts"></div>
<section id="outcomes" aria-label="Outcomes"></section>
<section id="stages" aria-label="Stages" hidden></section>
<section id="figures" tabindex="-1"><h2>Figures</h2><div class="scroll"><table id="table"></table></div>
<p class="note">Up to two rows are shown above. Percentiles are within 0.1 % of those of the report.</p></section>
<section id="marks" hidden><h2>Marks</h2><ol id="notes"></ol></section>
</main>
<noscript><p>The live view needs JavaScript.</p></noscript>
<script type="application/json" id="config">{script_json(config)}</script>
<script type="module" src="live.js"></script>
</body></html>
"""
