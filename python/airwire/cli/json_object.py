"""What every ``--json`` object has in common: it is defined once, as a class, and its JSON Schema comes from there."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, cast, get_type_hints

import msgspec

from airwire.cli.output import print_json, whole
from airwire.link.model import Change, Waterfall
from airwire.stage import Stage

Number = int | float
"""A whole number is written as an integer."""


class Output(msgspec.Struct, tag_field="schema", kw_only=True):
    """The result of a command: one JSON object that begins with its schema."""

    command: ClassVar[str]


class StageObject(msgspec.Struct):
    """A named share of a message's time."""

    name: str
    kind: str
    ps: Number


class WaterfallObject(msgspec.Struct):
    """Where the time goes near a percentile."""

    percentile: int
    latency_ps: Number
    messages: int
    stages: Sequence[StageObject]


class ChangeObject(msgspec.Struct):
    """What another value of one setting would bring: each figure before and after."""

    setting: str
    before: str
    after: str
    median_ps: tuple[Number, Number]
    p95_ps: tuple[Number, Number]
    loss: tuple[float, float]
    sentence: str


def print_object(output: Output) -> None:
    """Print the result of a command."""
    print_json(output.command, msgspec.to_builtins(output))


def output_like(command: str, source: type, fields: Iterable[str] | None = None, **more: Any) -> type[Output]:
    """The output of a command that has the fields of a dataclass, or some of them, and perhaps more."""
    types = get_type_hints(source)
    names = [one.name for one in dataclasses.fields(source)] if fields is None else list(fields)
    made = msgspec.defstruct(
        "".join(part.capitalize() for part in command.split("-")) + "Output",
        [*((name, types[name]) for name in names), *more.items()],
        bases=(Output,),
        namespace={"command": command, "__doc__": source.__doc__},
        tag=f"airwire.{command}/1",
        kw_only=True,
    )
    return cast("type[Output]", made)


def filled(output: type[Output], source: Any, **more: Any) -> Output:
    """Such an output with the values of its dataclass."""
    names = [name for name in output.__struct_fields__ if name not in more]
    return output(**{name: getattr(source, name) for name in names}, **more)


def filled_from(output: type[Output], content: Mapping[str, Any]) -> Output:
    """Such an output with content that is checked."""
    return msgspec.convert({"schema": output.__struct_config__.tag, **content}, output)


def stages_of(stages: Sequence[Stage]) -> list[StageObject]:
    """Stages as JSON has them."""
    return [StageObject(stage.name, stage.cause, whole(stage.ps)) for stage in stages]


def waterfalls_of(waterfalls: Sequence[Waterfall]) -> list[WaterfallObject]:
    """Waterfalls as JSON has them."""
    return [
        WaterfallObject(one.percentile, whole(one.latency_ps), one.messages, stages_of(one.stages))
        for one in waterfalls
    ]


def changes_of(changes: Sequence[Change]) -> list[ChangeObject]:
    """Changes as JSON has them."""
    return [
        ChangeObject(
            setting=change.setting,
            before=change.before,
            after=change.after,
            median_ps=both(change.median_ps),
            p95_ps=both(change.p95_ps),
            loss=change.loss,
            sentence=change.sentence,
        )
        for change in changes
    ]


def both(pair: tuple[float, float]) -> tuple[Number, Number]:
    """Two figures."""
    return whole(pair[0]), whole(pair[1])
