"""The documentation site: Sphinx reads the same Markdown that a repository's browser shows. ``make site`` builds it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import airwire

_DOCS = Path(__file__).resolve().parent
_LINK = re.compile(r"\[([^\]\[]+)\]\(((?:\.\./)+[^)\s]+)\)")

project = "Airwire"
release = airwire.__version__
copyright = "the authors of Airwire"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Airwire {release}"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
# Anchors as the repository's browser makes them, so that one link serves both.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = [
    # Output of commands is shown as it is; a lexer need not know it.
    "misc.highlighting_failure",
]


def _out_of_the_site(app: Any, page: str, source: list[str]) -> None:
    """Name files of the repository in the place of links to them: the site has documents alone."""
    folder = (_DOCS / page).parent

    def named(link: re.Match[str]) -> str:
        target = (folder / link[2].partition("#")[0]).resolve()
        if target.is_relative_to(_DOCS):
            return link[0]
        return f"{link[1]} (`{target.relative_to(_DOCS.parent)}`)"

    source[0] = _LINK.sub(named, source[0])


def setup(app: Any) -> None:
    """Tell Sphinx of what is done with links."""
    app.connect("source-read", _out_of_the_site)
