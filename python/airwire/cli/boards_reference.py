"""The reference page of boards: the fields of board files, the kinds of chips, and the boards that come along.

``python -m airwire.cli.boards_reference`` prints ``docs/reference/boards.md``; a test fails when that file is stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airwire.board.model import BoardDescription, ChipField, ChipKind, Microcontroller

HEADER = """\
# Boards

<!-- Made by `python -m airwire.cli.boards_reference > docs/reference/boards.md`; do not edit by hand. -->

A board file is TOML. `airwire board check FILE` reads one and names file, line and field of what is wrong;
`airwire schema board` prints the JSON Schema for editors. [Run a firmware image on a virtual
board](../how-to/run-a-board.md) shows one in use.
"""


def _each(mcus: list[Microcontroller], value: Callable[[Microcontroller], str]) -> str:
    """What holds for every microcontroller; where they differ, each with its name."""
    values = {mcu.name: value(mcu) for mcu in mcus}
    if len(set(values.values())) == 1:
        return values[mcus[0].name]
    return "; ".join(f"{text} with the {name}" for name, text in values.items())


def boards_page() -> str:
    """The page in Markdown."""
    from airwire import board

    pins = _each(board.microcontrollers(), lambda mcu: f"`{mcu.first_pin}` to `{mcu.last_pin}`")
    lines = [HEADER, "## Fields", "", *_table(board.board_fields())]
    lines += ["", f"Pins without a name are {pins}, which always work beside a name.", ""]
    lines += ["## Kinds of chips", ""]
    for kind in board.chip_kinds():
        lines += _kind(kind)
    lines += ["## Boards that come along", ""]
    for name in board.board_names():
        lines += _board(board.describe_board(name))
    return "\n".join(lines).rstrip() + "\n"


def _kind(kind: ChipKind) -> Iterator[str]:
    yield from [f"### {kind.name}", "", f"{kind.help[0].upper()}{kind.help[1:]}.", ""]
    yield from _table(kind.fields) if kind.fields else ["It has no fields."]
    # A chip that may be without an SPI port is usually on one, and a PHY that may give the clock usually takes it.
    usual = "spi" if any(field.name == "spi" for field in kind.fields) else "clock"
    shown = [field for field in kind.fields if field.required or field.default or field.name == usual]
    example = (f"{field.name} = {field.example}" for field in shown)
    yield from ["", "```toml", "[chips.example]", f'kind = "{kind.name}"', *example, "```", ""]


def _table(fields: Sequence[ChipField]) -> Iterator[str]:
    yield from ["| field | takes | default | meaning |", "|---|---|---|---|"]
    for field in fields:
        default = "required" if field.required else f"`{field.default}`" if field.default is not None else ""
        yield f"| `{field.name}` | {field.takes} | {default} | {field.help} |"


def _board(board: BoardDescription) -> Iterator[str]:
    yield from [f"### {board.name}", "", f"{board.title}. Crystal {board.crystal_hz / 1e6:g} MHz.", ""]
    yield from ["| pin | GPIO |", "|---|--:|"]
    yield from (f"| {pin.name} | {pin.gpio} |" for pin in board.pins)
    chips = ", ".join(f"{chip.name} (`{chip.kind}`)" for chip in board.chips)
    yield from ["", f"Chips: {chips}.", ""]


if __name__ == "__main__":
    print(boards_page(), end="")
