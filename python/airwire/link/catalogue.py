"""The links that the virtual bench knows, and their budgets in closed form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from airwire import _core
from airwire.link.energy import Energy
from airwire.link.model import Constant, GatePeriod, Link, LinkBudget, Setting
from airwire.stage import link_stage
from airwire.values import Settings, check_numbers, setting_texts


def links() -> list[Link]:
    """All links that the virtual bench knows, with settings, constants and gates.

    >>> {link.name for link in airwire.links()} >= {"lora"}
    True
    """
    return [_link(raw) for raw in json.loads(_core.links())]


def link_budget(name: str, payload_bytes: int, settings: Settings | None = None) -> LinkBudget:
    """The mean time of each stage of a link, in closed form, on an idle link whose clock phases are unknown.

    Raises ``AirwireError`` for an unknown link, a setting that it does not have or take, or a payload that it does
    not carry.

    >>> "air" in {stage.kind for stage in airwire.link_budget("lora", 128, {"sf": 9}).stages}
    True
    """
    check_numbers(payload_bytes=payload_bytes)
    raw = json.loads(_core.link_budget(name, payload_bytes, setting_texts(settings or {})))
    stages = [link_stage(stage) for stage in raw.pop("stages")]
    gates = [GatePeriod(**gate) for gate in raw.pop("gates")]
    energy = raw.pop("energy")
    return LinkBudget(stages=stages, gates=gates, energy=None if energy is None else Energy(**energy), **raw)


def suite_schema() -> dict[str, Any]:
    """The JSON Schema of suites, for editors: fields, links, and the settings that each takes."""
    schema: dict[str, Any] = json.loads(_core.suite_schema())
    return schema


def _link(raw: Mapping[str, Any]) -> Link:
    return Link(
        name=raw["name"],
        title=raw["title"],
        max_payload_bytes=raw["max_payload_bytes"],
        settings=[Setting(**setting) for setting in raw["settings"]],
        constants=[Constant(**constant) for constant in raw["constants"]],
        gates=[GatePeriod(**gate) for gate in raw["gates"]],
    )
