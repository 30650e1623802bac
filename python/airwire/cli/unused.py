"""An option that a user gives is used, or refused: none does nothing in silence.

What an option goes with is known by the command, once it knows what it works on. What the user gave, and what stands
there by default, only the parser can tell apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import typer

_given: ContextVar[frozenset[str]] = ContextVar("options that the command line gives")
_ON_COMMAND_LINE = "COMMANDLINE"


def note_given(ctx: Any) -> None:
    """Keep which options the command line gives, each by its first spelling."""
    sources = ((one, ctx.get_parameter_source(one.name)) for one in ctx.command.params)
    _given.set(
        frozenset(one.opts[0] for one, source in sources if source is not None and source.name == _ON_COMMAND_LINE)
    )


def refuse_unused(options: Sequence[str], why: str) -> None:
    """Refuse the first of these options that the user gave; ``why`` says what it has no use for, and what to do."""
    given = _given.get(frozenset())
    for option in options:
        if option in given:
            raise typer.BadParameter(why, param_hint=option)
