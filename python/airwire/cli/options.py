"""Options that several commands share, each declared once: the parser, ``--help``, completion and the reference
page all come from here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from airwire.cli import completion
from airwire.cli.paths import CAPTURES, FIGURES, Reads, Writes, everything
from airwire.kinds import PAIRING_RULES, PairingRule

MAX_SEED = 2**63 - 1
MAX_WORKERS = 1024
MAX_SAMPLES = 100_000_000


def _quantity(parser: str, text: str | None) -> int | None:
    """A quantity with its unit through the core's ``parser``, which is loaded only when a quantity is given."""
    if text is None:
        return None
    from airwire import _core

    try:
        quantity: int = getattr(_core, parser)(text)
    except _core.AirwireError as error:
        raise typer.BadParameter(str(error)) from None
    return quantity


def time_option(text: str | int | None) -> int | None:
    """A time in picoseconds; a default comes as a number already."""
    return text if isinstance(text, int) else _quantity("parse_time_ps", text)


def past_time(text: str | int | None) -> int | None:
    """A time for something to last, which is more than none."""
    time_ps = time_option(text)
    if time_ps is not None and time_ps <= 0:
        raise typer.BadParameter(f"{text} is no time for anything to happen in; give more, such as 2s")
    return time_ps


def _time(text: str | None) -> int | None:
    return _quantity("parse_time_ps", text)


def sample_rate(text: str | None) -> int | None:
    """A sample rate in hertz."""
    if text is None:
        return None
    from airwire import _core
    from airwire.values import parse_rate

    try:
        return parse_rate(text)
    except _core.AirwireError as error:
        raise typer.BadParameter(str(error)) from None


def _size(text: str | None) -> int | None:
    return _quantity("parse_bytes", text)


def _required_size(text: str | int) -> int:
    """A size; the default comes as a number already."""
    return text if isinstance(text, int) else int(_quantity("parse_bytes", text) or 0)


def pairing_rule(text: str) -> PairingRule:
    """The pairing rule of a name."""
    for rule in PAIRING_RULES:
        if rule == text:
            return rule
    from airwire._core import name_hint

    raise typer.BadParameter(f"there is no pairing rule `{text}`; {name_hint(text, list(PAIRING_RULES))}")


def share(text: str | float | None) -> float | None:
    """A share as ``0.1%`` or ``0.001``; a default comes as a number already."""
    if text is None or isinstance(text, float):
        return text
    number, percent = (text[:-1], 0.01) if text.endswith("%") else (text, 1.0)
    try:
        value = float(number) * percent
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"`{text}` is no share; write it as 0.1% or 0.001")
    return value


def growth(text: str | float | None) -> float | None:
    """A share by which something gets worse, which may be more than 100%; a default comes as a number already."""
    if text is None or isinstance(text, float):
        return text
    from airwire._core import AirwireError
    from airwire.values import parse_growth

    try:
        return parse_growth(text)
    except AirwireError as error:
        raise typer.BadParameter(str(error)) from None


def _assignment(text: str) -> str:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise typer.BadParameter(f"`{text}` is no setting; write it as NAME=VALUE, for example sf=9")
    return text


_BOUND = re.compile(r"\s*+([^<>=\s]++)\s*+=?\s*+([<>].*)", re.DOTALL)


def bounds_of(bounds: Sequence[str] | None) -> dict[str, str]:
    """The bounds that were given with ``--bound``: ``p95=<= 5 ms``, or ``p95<=5ms`` as ``airwire tune`` takes them."""
    taken_apart = [(bound, _BOUND.fullmatch(bound)) for bound in bounds or ()]
    return settings_of([f"{found[1]}={found[2]}" if found else bound for bound, found in taken_apart])


def settings_of(assignments: Sequence[str] | None) -> dict[str, str]:
    """The settings that were given with ``--set``, or the bounds with ``--bound``, each once."""
    found: dict[str, str] = {}
    for name, _, value in (assignment.partition("=") for assignment in assignments or ()):
        if found.setdefault(name.strip(), value.strip()) != value.strip():
            raise typer.BadParameter(f"{name.strip()} is given twice, as {found[name.strip()]} and as {value.strip()}")
    return found


CapturePaths = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH...",
        help="Captures (Saleae CSV and .sal, sigrok .sr, VCD, PulseView CSV; also .gz, .xz, .zst) or folders of them.",
        show_default=False,
    ),
    Reads("capture", holds=CAPTURES),
]
Trigger = Annotated[
    str,
    typer.Option(metavar="CHANNEL", help="Channel whose rising edge sends a message: its number or its label."),
]
Done = Annotated[
    str,
    typer.Option(metavar="CHANNEL", help="Channel whose rising edge says that it arrived: its number or its label."),
]
Pairing = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        callback=pairing_rule,
        autocompletion=completion.pairing_rules,
        help="strict: the first done edge before the next trigger. fifo: done edges in the order of the triggers, for "
        "links slower than the trigger. published: the first later row with done high, as published figures have it.",
    ),
]
Glitch = Annotated[
    int | None,
    typer.Option(
        parser=_time,
        metavar="TIME",
        help="A trigger edge closer than this to the one before is a glitch, for example 1ms; 0s: none is. "
        "Default: a hundredth of the capture's typical trigger interval.",
        show_default=False,
    ),
]
MinLatency = Annotated[
    int | None,
    typer.Option(
        parser=_time,
        metavar="TIME",
        help="No completion comes sooner than this after its trigger, for example 500us. Default: none.",
        show_default=False,
    ),
]
MaxLatency = Annotated[
    int | None,
    typer.Option(
        parser=_time,
        metavar="TIME",
        help="With --pairing fifo: a trigger that has waited longer than this is missed. Default: none.",
        show_default=False,
    ),
]
Payload = Annotated[
    int | None,
    typer.Option(
        parser=_size,
        metavar="SIZE",
        help="Payload of every capture, for example 128B. Default: from the file's name (12B-fast.csv).",
        show_default=False,
    ),
]
Gate = Annotated[
    int | None,
    typer.Option(
        parser=_time,
        metavar="TIME",
        help="A gate period that you know of, for example 10ms for an OS tick: says how much of it was seen.",
        show_default=False,
    ),
]
LinkName = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        autocompletion=completion.link_names,
        help="A link, as airwire links has it.",
        show_default=False,
    ),
]
LinkPayload = Annotated[
    int,
    typer.Option("--payload", parser=_required_size, metavar="SIZE", help="Payload of a message, for example 128B."),
]
OwnPayload = Annotated[
    int | None,
    typer.Option(
        "--payload",
        parser=_size,
        metavar="SIZE",
        help="Payload of a message, for example 12B. Default: 128B, or the most that the link carries.",
        show_default=False,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        parser=_assignment,
        autocompletion=completion.link_settings,
        metavar="NAME=VALUE",
        help="A setting of the link, for example sf=9.",
        show_default=False,
    ),
]
FixedSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        parser=_assignment,
        autocompletion=completion.link_settings,
        metavar="NAME=VALUE",
        help="A setting of the link or the image that stays so, for example loss_site=office.",
        show_default=False,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="ENTRY",
        autocompletion=completion.entries,
        help="Only this entry, link or row of the suite.",
        show_default=False,
    ),
]
Suite = Annotated[
    Path,
    typer.Argument(
        metavar="SUITE",
        autocompletion=completion.suites,
        help="A suite: a TOML file, or the name of one that comes with Airwire, such as links.",
        show_default=False,
    ),
    Reads("suite"),
]
Samples = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MAX_SAMPLES,
        help="Messages of every row. Default: as the suite has it.",
        show_default=False,
    ),
]
ImagesFolder = Annotated[
    Path | None,
    typer.Option(
        "--firmware",
        metavar="FOLDER",
        help="Where the images of rows that run on boards are. Default: beside the suite, then build/firmware, "
        "then those that came with Airwire.",
        show_default=False,
    ),
    Reads("folder of images", holds=everything),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MAX_WORKERS,
        help="Threads; the result is the same for any. Default: all cores.",
        show_default=False,
    ),
]
LatencyBound = Annotated[
    int | None,
    typer.Option(parser=_time, metavar="TIME", help="No more than this, for example 20ms.", show_default=False),
]
LossBound = Annotated[
    float | None,
    typer.Option(parser=share, metavar="SHARE", help="Lose no more than this, for example 0.1%.", show_default=False),
]
Every = Annotated[
    int | None,
    typer.Option(
        parser=_time,
        metavar="TIME",
        help="How often a message comes, 10 % sooner or later, for example 100ms. Default: each has the link for "
        "itself.",
        show_default=False,
    ),
]
Battery = Annotated[
    str | None,
    typer.Option(
        metavar="CHARGE",
        help="Tell how long the sender's battery lasts, for example 2400mAh, where the currents of its radio are "
        "known. With --every.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, max=MAX_SEED, help="Seed of the bootstrap intervals.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")]
ReportFile = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Write a self-contained HTML report.", show_default=False),
    Writes("report", kinds=(".html",), makes_folders=True),
]
FiguresFolder = Annotated[
    Path | None,
    typer.Option("--figures", metavar="FOLDER", help="Write the report's figures as SVG and PNG.", show_default=False),
    Writes("figures", is_folder=True, holds=FIGURES, makes_folders=True),
]
