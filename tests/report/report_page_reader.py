"""Reads a report page back with the standard library's HTML parser, as an independent oracle."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

LOADING = ("src", "href", "data", "poster", "srcset", "action", "xlink:href")


@dataclass
class Page(HTMLParser):
    """What the tests ask of a page: links, ids, text in order, and the JSON that its scripts hold."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    scripts: dict[str, str] = field(default_factory=dict)
    chart_labels: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._script: str | None = None
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values[name] for name in LOADING if name in values]
        if values.get("class") == "chart":
            self.chart_labels.append(values.get("aria-label", ""))
        if tag == "script":
            self._script = values.get("id", f"script {len(self.scripts)}")
            self.scripts[self._script] = ""
        self._style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._script = None
        self._style = False

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts[self._script] += data
        elif not self._style and data.strip():
            self.words.append(data.strip())

    @property
    def text(self) -> str:
        """The visible text in order."""
        return " ".join(self.words)

    @property
    def figures(self) -> dict[str, list[dict[str, Any]]]:
        """The panels of every figure by the figure's key."""
        return {
            name.removeprefix("data-"): json.loads(zlib.decompress(base64.b64decode(content)))
            for name, content in self.scripts.items()
            if name.startswith("data-")
        }


def read(path: Path) -> Page:
    """The page at ``path``."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page
