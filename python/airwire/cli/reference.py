"""The reference page of the command line, made of the very objects that parse it.

``python -m airwire.cli.reference`` prints ``docs/reference/cli.md``; a test fails when that file is stale.
Leaves out the options that typer adds to every program (``--help``, completion).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

HEADER = """\
# Command line

<!-- Made by `python -m airwire.cli.reference > docs/reference/cli.md`; do not edit by hand. -->

Times carry a unit (`500us`, `10ms`, `1.5s`), sizes too (`12B`, `1KiB`). Exit codes are in
[exit-codes.md](exit-codes.md), the output of `--json` in [json.md](json.md), what a command may overwrite in
[outputs.md](outputs.md).
"""
# The completion of shells is typer's own and the same in every program.
_OF_EVERY_PROGRAM = frozenset({"--help", "--install-completion", "--show-completion"})


def reference_page() -> str:
    """The page in Markdown."""
    import typer

    from airwire.cli import app

    root = typer.main.get_command(app)
    return "\n".join([HEADER, *_lines(root, "airwire")]).rstrip() + "\n"


def _lines(command: Any, name: str) -> Iterator[str]:
    """The section of a command, then those of its subcommands in the order of ``--help``."""
    yield from [f"## {name}", ""]
    parameters = [p for p in command.params if not (_OF_EVERY_PROGRAM & set(p.opts) or p.hidden)]
    yield from ["```text", _usage(name, command, parameters), "```", ""]
    yield from [inspect.cleandoc(command.help or ""), ""]
    if parameters:
        yield from ["| option | meaning | default |", "|---|---|---|"]
        yield from (_row(parameter) for parameter in parameters)
        yield ""
    for subcommand in getattr(command, "commands", {}).values():
        yield from _lines(subcommand, f"{name} {subcommand.name}")


def _usage(name: str, command: Any, parameters: list[Any]) -> str:
    words = [name]
    if any(_is_option(parameter) for parameter in parameters):
        words.append("[OPTIONS]")
    words += [str(parameter.metavar) for parameter in parameters if not _is_option(parameter)]
    if getattr(command, "commands", None):
        words += ["COMMAND", "..."]
    return " ".join(words)


def _row(parameter: Any) -> str:
    names = f"`{parameter.metavar}`"
    if _is_option(parameter):
        value = f" {parameter.metavar}" if parameter.metavar else ""
        names = ", ".join(f"`{option}{value}`" for option in [*parameter.opts, *parameter.secondary_opts])
    meaning = " ".join(str(parameter.help or "").split()).replace("|", "\\|").replace("<", "&lt;")
    if getattr(parameter, "multiple", False):
        meaning += " May be given several times."
    return f"| {names} | {meaning} | {_default(parameter)} |"


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    if parameter.default is None:
        return ""
    if parameter.secondary_opts:
        return f"`{(parameter.opts if parameter.default else parameter.secondary_opts)[0]}`"
    return "" if parameter.default is False else f"`{parameter.default}`"


def _is_option(parameter: Any) -> bool:
    return bool(parameter.opts) and str(parameter.opts[0]).startswith("-")


if __name__ == "__main__":
    print(reference_page(), end="")
