"""Commands that are loaded when they are asked for: a call pays for its own command alone, and so does each completion.

A command stands in a table by its name, with where it is. Typer would load and build all of them before it looks at the
first word.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.models import CommandInfo

from airwire.cli.help import GroupedCommands


@dataclass(frozen=True)
class Declared:
    """A command, or a group of commands, that nobody has asked for yet.

    ``function`` is the name of a function, or of a ``Typer``, in ``module``. ``parsed_by`` is the name of the class of
    its parser there, where it has one of its own.
    """

    name: str
    panel: str
    module: str
    function: str
    parsed_by: str | None = None

    def load(self) -> Any:
        """Build its parser."""
        module = import_module(self.module)
        found = getattr(module, self.function)
        if isinstance(found, typer.Typer):
            group = typer.main.get_group(found)
            group.rich_help_panel = self.panel
            return group
        from airwire.cli.paths import CheckedCommand

        parser = getattr(module, self.parsed_by) if self.parsed_by else CheckedCommand
        declared = CommandInfo(self.name, cls=parser, callback=found, rich_help_panel=self.panel)
        return typer.main.get_command_from_info(declared, pretty_exceptions_short=True, rich_markup_mode=None)


class _Commands(UserDict[str, Any]):
    """Parsers by the names of their commands, each built at its first use."""

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        if isinstance(found, Declared):
            found = self[name] = found.load()
        return found


def commands_of(table: Iterable[Declared]) -> type[GroupedCommands]:
    """The class of a group that has the commands of a table."""
    declared = tuple(table)

    class Commands(GroupedCommands):
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings | {"commands": _Commands({one.name: one for one in declared})})

    return Commands
