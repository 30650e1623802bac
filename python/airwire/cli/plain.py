"""Text of others on a terminal: file names, channels, boards, symbols, settings and options may hold anything.

A terminal obeys what it is sent. So everything that is printed goes through a stream that shows control characters
instead of sending them, in the notation of string literals; what is ours to send (colours, lines that are written anew)
passes by it. A complaint is a line, whatever it speaks of.
"""

from __future__ import annotations

import io
import re
from typing import TextIO

# C0 but for line break and tab, DEL and C1, what ends a line or changes the direction of text, and bytes that are none.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAK = re.compile(r"[\n\t]")
_MOST_LETTERS = 1200
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e"}


def plain(text: str) -> str:
    """A text that moves no cursor and changes no colour; its lines stay lines."""
    return _CONTROL.sub(_escaped, text)


def one_line(text: str) -> str:
    """The same in one line, and with its middle left out where it is very long."""
    line = _BREAK.sub(_escaped, plain(text))
    if len(line) <= _MOST_LETTERS:
        return line
    kept = _MOST_LETTERS // 2
    return f"{line[:kept]} ... ({len(line) - 2 * kept} characters) ... {line[-kept:]}"


def in_json(text: str) -> str:
    """JSON that holds no control character; what reads it finds the same."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _SHORT.get(found[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


class PlainStream(io.TextIOWrapper):
    """A stream that shows control characters. ``sent`` is the one before it, for what a terminal is to obey."""

    def __init__(self, before: io.TextIOWrapper) -> None:
        # Both write through to one buffer, so that what is printed keeps its order.
        before.reconfigure(errors="backslashreplace", write_through=True)
        super().__init__(
            before.buffer,
            encoding=before.encoding,
            errors="backslashreplace",
            line_buffering=before.line_buffering,
            write_through=True,
        )
        self.sent = before

    def write(self, text: str) -> int:
        """Write a text as :func:`plain` has it."""
        super().write(plain(text))
        return len(text)


def sent_to(stream: TextIO) -> TextIO:
    """The stream whose terminal obeys what is written."""
    return stream.sent if isinstance(stream, PlainStream) else stream
