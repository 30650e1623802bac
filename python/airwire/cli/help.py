"""What ``--help``, ``-h`` and ``airwire help`` print of commands: each with its whole summary, in groups.

typer has groups only with its markup on, and cuts summaries otherwise. The summary of a command is the first paragraph
of its docstring, short enough for a line of 80 columns.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from airwire.cli import completion
from airwire.cli.summaries import summary

# As wide as the terminal, but no line is longer than one that is read with ease.
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 120}
"""Settings of the outermost parser, which those of its commands inherit."""
SIMULATE, BOARDS, MEASURE, FILES = "Simulate", "Boards", "Measure", "Files and help"
_IN_ORDER = (SIMULATE, BOARDS, MEASURE, FILES)


class GroupedCommands(TyperGroup):
    """Commands by their ``rich_help_panel``, in each in the order in which they were declared."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names; to ask for one loads it."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group."""
        shown = [(name, command) for name, command in self.commands.items() if not command.hidden]
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _IN_ORDER}
        for name, command in shown:
            heading = getattr(command, "rich_help_panel", None) or "Commands"
            sections.setdefault(heading, []).append((name, summary(command)))
        # One column for all sections.
        widest = max((len(name) for name, _ in shown), default=0)
        for heading, rows in sections.items():
            if not rows:
                continue
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), text) for name, text in rows])


def help_(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND",
            autocompletion=completion.command_names,
            help="The command, such as run, or board run.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print what --help prints, of all commands or of one.

    Example: airwire help board run
    """
    at = ctx.find_root()
    for name in names or ():
        group = at.command
        if not isinstance(group, TyperGroup):
            raise typer.BadParameter(f"{at.command_path} has no commands; leave {name} out", param_hint="COMMAND")
        _, command, _ = group.resolve_command(at, [name])
        assert command is not None, "an unknown command is an error of its own"
        at = type(at)(command, info_name=name, parent=at)
    typer.echo(at.get_help())
