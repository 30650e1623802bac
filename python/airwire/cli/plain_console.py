"""rich's console for text of others: colours and layout are sent, control characters in the text are shown."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console
from rich.segment import Segment

from airwire.cli.plain import plain, sent_to


class PlainConsole(Console):
    """A console on standard output, or on standard error with ``stderr``."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        stream = sent_to(sys.stderr if stderr else sys.stdout)
        super().__init__(file=stream, stderr=stderr, width=width, highlight=False)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        shown = (one if one.control else Segment(plain(one.text), one.style) for one in buffer)
        return super()._render_buffer(shown)
