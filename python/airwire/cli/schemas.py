"""The JSON Schema of every file that Airwire reads or writes and of every ``--json`` object, each by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from airwire.board.catalogue import board_schema
from airwire.board.network import network_schema
from airwire.cli.address_json import ProbeOutput, ServeOutput
from airwire.cli.board import objects
from airwire.cli.capture_json import CaptureOutput
from airwire.cli.compare_json import CompareRunsOutput
from airwire.cli.fsdata_json import FsdataOutput
from airwire.cli.history import output as history
from airwire.cli.json_object import Output
from airwire.cli.json_output import AnalyzeOutput, CompareOutput
from airwire.cli.link_json import (
    ChooseOutput,
    ExplainCaptureOutput,
    ExplainRunOutput,
    LinkOutput,
    LinksOutput,
    ValidateOutput,
)
from airwire.cli.run_json import RunOutput
from airwire.cli.sweep_json import SweepOutput
from airwire.cli.tune_json import TuneOutput
from airwire.cli.twin_json import TwinOutput
from airwire.cli.why_json import WhyOutput
from airwire.link.catalogue import suite_schema
from airwire.runs.manifest import Environment, manifest_schema

_FILES: Mapping[str, Callable[[], dict[str, Any]]] = {
    "suite": suite_schema,
    "board": board_schema,
    "network": network_schema,
    "manifest": manifest_schema,
    "environment": lambda: msgspec.json.schema(Environment),
}
_OUTPUTS: tuple[type[Output], ...] = (
    WhyOutput,
    RunOutput,
    SweepOutput,
    ProbeOutput,
    ServeOutput,
    TwinOutput,
    TuneOutput,
    ExplainRunOutput,
    ExplainCaptureOutput,
    ChooseOutput,
    LinksOutput,
    LinkOutput,
    ValidateOutput,
    AnalyzeOutput,
    CaptureOutput,
    CompareOutput,
    CompareRunsOutput,
    FsdataOutput,
    history.AddOutput,
    history.ListOutput,
    history.TrendOutput,
    history.FirstBadOutput,
    objects.BoardRunOutput,
    objects.BoardServeOutput,
    objects.BoardProfileOutput,
    objects.BoardSettingsOutput,
    objects.BoardListOutput,
    objects.BoardCheckOutput,
)
NAMES = (*_FILES, *dict.fromkeys(output.command for output in _OUTPUTS))
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of a file or of the output of a command."""
    if name in _FILES:
        content = _FILES[name]()
        return content if "$schema" in content else {"$schema": _DIALECT, **content}
    outputs = [output for output in _OUTPUTS if output.command == name]
    refs, components = msgspec.json.schema_components(outputs, ref_template="#/$defs/{name}")
    whole = refs[0] if len(refs) == 1 else {"anyOf": list(refs)}
    return {"$schema": _DIALECT, **whole, "$defs": components}
