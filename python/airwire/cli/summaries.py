"""What a command is, in a line."""

from __future__ import annotations

from typing import Any


def summary(command: Any) -> str:
    """The first paragraph of what a command says of itself."""
    return " ".join((command.help or "").split("\n\n")[0].split())
