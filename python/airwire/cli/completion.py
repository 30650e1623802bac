"""What a shell offers while a command is written, from the same declarations that the commands read.

Parameters name one of these functions as their ``autocompletion``; typer's own mechanism calls it (``airwire
--install-completion``). What cannot be read, such as an image that is not there, offers nothing: a shell has no place
for an error. ``prepare`` mends what bash does to ``NAME=VALUE`` before typer sees it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, MutableMapping
from pathlib import Path
from typing import Any

import typer

Offer = tuple[str, str]
"""A whole word, and what it means."""
_Completer = Callable[[typer.Context, str], list[Offer]]
_SEPARATORS = "=:"
_before = ""
"""What bash holds for words of their own before the one that it completes: ``sf=`` of ``sf=9``."""


def prepare(environment: MutableMapping[str, str] = os.environ) -> None:
    """Where a shell asks for a completion: make it fit for typer's mechanism."""
    global _before
    _before = ""
    asked = environment.get("_AIRWIRE_COMPLETE", "")
    if asked.startswith("complete_"):
        # What a candidate means stays in one line; fish would take a second one for a candidate.
        environment["COLUMNS"] = "1000"
    if asked == "complete_bash":
        _before = _join_words(environment)


def _join_words(environment: MutableMapping[str, str]) -> str:
    """Put words together again that bash has parted at ``=`` and ``:``.

    Bash completes only what follows the last of these signs. That is left as the last word, and what stands before it
    is given back.
    """
    text, at = environment.get("COMP_WORDS", ""), int(environment.get("COMP_CWORD", "0"))
    raw = text.split("\n" if "\n" in text else " ")[: at + 1]
    raw += [""] * (at + 1 - len(raw))
    words: list[str] = []
    for place, word in enumerate(raw):
        behind = place > 1 and _is_separator(raw[place - 1]) and word != ""
        if words and (_is_separator(word) or behind) and (words[-1][:1] != "-" or word[:1] != ":"):
            words[-1] += word
        else:
            words.append(word)
    piece = "" if _is_separator(raw[at]) else raw[at]
    whole = words.pop()
    if whole.startswith("--") and "=" in whole:
        option, _, whole = whole.partition("=")
        words.append(option)
    environment["COMP_WORDS"] = "\n".join([*words, piece])
    environment["COMP_CWORD"] = str(len(words))
    return whole[: len(whole) - len(piece)].lstrip("\"'")


def _is_separator(word: str) -> bool:
    return word != "" and not word.strip(_SEPARATORS)


def _offers(complete: Callable[[typer.Context, str], Iterable[Offer]]) -> _Completer:
    """A function that gives whole words for what is written so far, as typer calls it."""

    def offer(ctx: typer.Context, incomplete: str) -> list[Offer]:
        from airwire._core import AirwireError

        typed = _before + incomplete
        try:
            found = [(text, meaning) for text, meaning in complete(ctx, typed) if text.startswith(typed)]
        except (AirwireError, OSError):
            return []
        return [(text.removeprefix(_before), meaning) for text, meaning in found]

    return offer


def _given(ctx: typer.Context, *names: str) -> Any:
    """The first of these parameters that the command line gives.

    Behind an option whose value is being written the parser has given up, and arguments are left over in their order.
    """
    arguments = [one.name for one in ctx.command.params if one.param_type_name == "argument"]
    left_over = dict(zip(arguments, ctx.args, strict=False))
    return next((ctx.params.get(name) or left_over.get(name) for name in names if name in ctx.params), None)


@_offers
def link_names(_ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """The links that there are."""
    from airwire.link.catalogue import links

    return [(link.name, link.title) for link in links()]


@_offers
def link_settings(ctx: typer.Context, typed: str) -> Iterable[Offer]:
    """Settings of the link that the command line names, with their values."""
    from airwire import _core

    link = _given(ctx, "name", "link", "target")
    return _core.complete_link(link, typed) if link else []


@_offers
def image_settings(ctx: typer.Context, typed: str) -> Iterable[Offer]:
    """Settings of the image that the command line names, with their values."""
    from airwire import _core

    image = _given(ctx, "image")
    return _core.complete_image(image, _given(ctx, "symbols"), typed) if image else []


@_offers
def entries(ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """Entries and links of the suite, or of the run folder, that the command line names.

    A blank would end the word in a shell, so that names with one are left out.
    """
    from airwire import _core
    from airwire.runs.manifest import read_manifest
    from airwire.runs.packaged import find_suite

    suite, run = _given(ctx, "suite", "target"), _given(ctx, "path", "a")
    known = _core.suite_entries(find_suite(suite)) if suite else []
    if run:
        known = [(name, "") for name in dict.fromkeys(entry.variant for entry in read_manifest(Path(run))[1])]
    return [offer for offer in known if " " not in offer[0]]


@_offers
def axes(ctx: typer.Context, typed: str) -> Iterable[Offer]:
    """The fields of the suite's entries that an axis may name."""
    from airwire.sweep.running import fields_of

    suite = _given(ctx, "suite")
    return [] if not suite or "=" in typed else [(f"{name}=", takes) for name, takes in fields_of(suite).items()]


@_offers
def rows_of_runs(_ctx: typer.Context, typed: str) -> Iterable[Offer]:
    """``RUN:ROW`` for each row of the run folder before the colon, without those whose names have a blank.

    Before it is there a shell offers folders of its own accord.
    """
    from airwire.runs.manifest import read_manifest

    folder, colon, _ = typed.partition(":")
    rows = read_manifest(Path(folder))[1] if colon else []
    return [(f"{folder}:{row.run}", "") for row in rows if " " not in row.run]


@_offers
def rows_of_history(ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """The rows of the data base, without those whose names have a blank."""
    from airwire.history.store import DEFAULT, History

    with History(Path(_given(ctx, "database") or DEFAULT)) as history:
        return [(row, "") for row in history.rows() if " " not in row]


@_offers
def metrics(_ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """The figures that a history keeps of a row."""
    from airwire.history.records import METRICS

    return [(name, "") for name in METRICS]


@_offers
def suites(_ctx: typer.Context, typed: str) -> Iterable[Offer]:
    """The suites of the package, and TOML files; where neither fits, a shell offers files of its own accord."""
    from airwire.runs.packaged import suite_names

    folder = typed[: typed.rfind("/") + 1]
    files = sorted(file.name for file in Path(folder).glob("*.toml"))
    return [*((name, "comes with Airwire") for name in suite_names()), *((f"{folder}{file}", "") for file in files)]


@_offers
def tune_targets(_ctx: typer.Context, typed: str) -> Iterable[Offer]:
    """Links, and suites of the package; of images a shell offers files of its own accord."""
    from airwire.link.catalogue import links
    from airwire.runs.packaged import suite_names

    named = [(link.name, link.title) for link in links()]
    return [] if "/" in typed else [*named, *((name, "a suite that comes with Airwire") for name in suite_names())]


@_offers
def tune_goals(_ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """The figures of a search, each with the end that is better."""
    from airwire.tune.metrics import METRICS

    return [(metric.name, f"{metric.better}: {metric.meaning}") for metric in METRICS.values()]


@_offers
def board_names(_ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """The boards that Airwire brings along."""
    from airwire.board import board_names, describe_board

    return [(name, describe_board(name).title) for name in board_names()]


@_offers
def traffic(_ctx: typer.Context, typed: str) -> Iterable[Offer]:
    """A client or a server of the PC with its options."""
    from airwire import _core

    return _core.complete_traffic(typed)


@_offers
def impairments(_ctx: typer.Context, typed: str) -> Iterable[Offer]:
    """What may happen to frames, with commas between."""
    from airwire import _core

    return _core.complete_impairments(typed)


@_offers
def pairing_rules(_ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """The rules by which edges are paired."""
    from airwire.kinds import PAIRING_RULES

    return [(rule, "") for rule in PAIRING_RULES]


@_offers
def loss_sites(_ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """Kinds of places where radios stand."""
    from airwire.runs.selection import SITES

    return [(site, "") for site in SITES]


@_offers
def instruments(_ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """The kinds of instruments; what stands behind the colon is for the user to say."""
    from airwire.instruments.catalogue import KINDS

    return [(f"{kind.name}:" if kind.place else kind.name, kind.title) for kind in KINDS]


@_offers
def command_names(ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """The commands below those that were named already."""
    from airwire.cli.summaries import summary

    command: Any = ctx.find_root().command
    for name in [*(ctx.params.get("names") or ()), *ctx.args]:
        command = getattr(command, "commands", {}).get(name)
    below = getattr(command, "commands", {})
    return [(name, summary(one)) for name, one in below.items() if not one.hidden]


@_offers
def schema_names(_ctx: typer.Context, _typed: str) -> Iterable[Offer]:
    """The schemas that there are."""
    from airwire.cli.schemas import NAMES

    return [(name, "") for name in NAMES]
