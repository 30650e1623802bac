"""What the manifest of a run folder holds, defined once: reading, checking and the JSON Schema come from here.

Fields that Airwire does not read are not listed; they may be there. A field with a default is absent in run folders of
before. ``docs/reference/run-folder.md`` describes all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from airwire import _core
from airwire.address.row import OwnFloor
from airwire.board.energy import BoardEnergy
from airwire.board.row import Bulk, Figure, LatencyFigures, Published, SameBut, Times
from airwire.bounds import Bound
from airwire.inputs import read_text
from airwire.kinds import ArrivalClock, Cause, ComparedAs, Measure, Pairing, Site, Statistic, Subject
from airwire.link.energy import Energy
from airwire.link.model import PublishedMedian
from airwire.runs import folder_v1
from airwire.runs.numbers import NotNegative, Number, Whole, beyond_reach
from airwire.stage import Stage

Settings = Mapping[str, Any]


class Environment(msgspec.Struct, frozen=True, tag_field="schema", tag="airwire.environment/1"):
    """What made a result, apart from it."""

    run_id: str
    started: str
    airwire: str
    python: str
    system: str
    machine: str
    host: str
    command: str | None = None
    """As it was typed; ``None`` where a program began the run."""


class SettingsEntry(msgspec.Struct, frozen=True):
    """How messages were made of edges."""

    pairing: Pairing
    gate_ps: Whole | None = None


class SuiteEntry(msgspec.Struct, frozen=True):
    """The suite that was run."""

    name: str
    text: str = ""


class FirmwareEntry(msgspec.Struct, frozen=True):
    """An image."""

    name: str
    sha256: str
    flash_bytes: Whole | None = None
    ram_bytes: Whole | None = None


class PublishedEntry(msgspec.Struct, frozen=True, kw_only=True, rename={"least": "from", "most": "to"}):
    """What others measured of a row of a board."""

    value: Number | None
    least: Number | None = None
    most: Number | None = None
    unit: str
    in_unit: Number | None
    source: str
    note: str | None
    compare: ComparedAs
    measured_share: Number | None
    range_in_unit: tuple[Number | None, Number] | None = None
    statistic: Statistic | None = None
    connect_ps: Number | None = None
    processing_ps: Number | None = None
    times: Times | None = None

    def __post_init__(self) -> None:
        if self.range_in_unit is None and self.in_unit is None:
            raise ValueError("Object missing required field `in_unit`")
        if self.range_in_unit is not None and self.most is None:
            raise ValueError("Object missing required field `to`")
        if self.value is None and self.most is None:
            raise ValueError("Object missing required field `value`")

    @property
    def published(self) -> Published:
        """The same in Python's words."""
        return Published(**{name: getattr(self, name) for name in self.__struct_fields__})

    @classmethod
    def of(cls, published: Published) -> PublishedEntry:
        """The same in the manifest's words."""
        return cls(**{name: getattr(published, name) for name in cls.__struct_fields__})


class PeerEntry(msgspec.Struct, frozen=True):
    """The board in the place of the PC."""

    board: str
    firmware: FirmwareEntry
    settings: Mapping[str, str]
    ended: str
    counts: Mapping[str, NotNegative]
    evidence: Mapping[str, Number | None] | None


class CaptureEntry(msgspec.Struct, frozen=True):
    """A capture."""

    run: str
    variant: str
    payload_bytes: Whole | None
    end_ps: Whole


class StageEntry(msgspec.Struct, frozen=True):
    """A part of a link's time."""

    cause: Cause
    site: Site
    subject: Subject
    detail: str
    ps: Number

    @property
    def stage(self) -> Stage:
        """The same under its name, which the link gives it."""
        return Stage(self.detail, self.cause, self.ps, self.site, self.subject, self.detail)


class EnergyEntry(msgspec.Struct, frozen=True):
    """What a message of a link takes of the sender's battery."""

    chip: str
    message_j: float
    between_a: float
    supply_volts: float
    every_ps: Whole | None = None

    @property
    def energy(self) -> Energy:
        """Without the schedule."""
        return Energy(self.chip, self.message_j, self.between_a, self.supply_volts)


class LinkEntry(msgspec.Struct, frozen=True):
    """A row of a link."""

    run: str
    variant: str
    payload_bytes: Whole | None
    end_ps: Whole
    link: str
    settings: Settings
    trigger: str
    longest_queue: Whole
    budget: Sequence[StageEntry]
    energy: EnergyEntry | None = None
    published: PublishedMedian | None = None
    bounds: Sequence[Bound] = ()

    def __post_init__(self) -> None:
        if self.published is not None and not 0 < self.published.median_ps < 2**63:
            raise ValueError("Object missing required field `published.median_ps`")


class BoardEntry(msgspec.Struct, frozen=True):
    """A row of a board."""

    run: str
    variant: str
    payload_bytes: Whole | None
    end_ps: Whole
    board: str
    title: str
    firmware: FirmwareEntry
    settings: Mapping[str, str]
    network: str
    traffic: Sequence[str]
    of: str | None
    measure: Measure
    figure: Figure | None
    published: PublishedEntry | None
    same_but: SameBut | None
    skip: Whole
    ended: str
    problem: str | None
    counts: Mapping[str, NotNegative]
    evidence: Mapping[str, Number | None] | None
    notes: Sequence[str]
    latency: LatencyFigures | None = None
    bulk: Bulk | None = None
    peer: PeerEntry | None = None
    lines: Sequence[str] = ()
    trigger: str | None = None
    energy: BoardEnergy | None = None
    bounds: Sequence[Bound] = ()


class AddressEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a board at an address."""

    run: str
    variant: str
    payload_bytes: Whole | None = None
    end_ps: Whole
    address: str
    resolved: str | None
    title: str
    traffic: str
    measure: Measure
    figure: Figure | None
    published: PublishedEntry | None
    same_but: SameBut | None
    skip: Whole
    ended: str
    problem: str | None
    arrival_clock: ArrivalClock
    floor: OwnFloor | None
    counts: Mapping[str, Whole]
    latency: LatencyFigures | None = None
    bounds: Sequence[Bound] = ()


Entry = CaptureEntry | LinkEntry | BoardEntry | AddressEntry


class CaptureManifest(msgspec.Struct, frozen=True, tag_field="schema", tag=_core.RUN_SCHEMA):
    """The manifest of captures."""

    target: str
    seed: Whole
    settings: SettingsEntry
    captures: Sequence[Any]
    parts: Mapping[str, Whole] = msgspec.field(default_factory=dict)
    """How many parts of each table there are at least."""


class SuiteManifest(msgspec.Struct, frozen=True, tag_field="schema", tag=_core.RUN_SCHEMA):
    """The manifest of a suite."""

    target: str
    seed: Whole
    settings: SettingsEntry
    rows: Sequence[Any]
    suite: SuiteEntry | None = None
    parts: Mapping[str, Whole] = msgspec.field(default_factory=dict)
    """How many parts of each table there are at least."""


Manifest = CaptureManifest | SuiteManifest
READABLE_SCHEMAS = (folder_v1.SCHEMA, _core.RUN_SCHEMA)
_CAPTURE = "capture"
_T = TypeVar("_T")
_PLACE = re.compile(r" - at `\$\.?(?P<path>.*)`$")
_MISSING = re.compile(r"missing required field `(?P<name>[^`]*)`")


def read_manifest(folder: Path) -> tuple[Manifest, list[Entry], str]:
    """The manifest, its captures or rows, and the schema in which the folder was written.

    Raises ``AirwireError`` where it is missing, broken or too new.
    """
    file = folder / "manifest.json"
    content = _content(folder, file)
    schema: str = content["schema"]
    if schema == folder_v1.SCHEMA:
        content = {**folder_v1.upgraded(content), "schema": _core.RUN_SCHEMA}
    if content.get("target") == _CAPTURE:
        captures = _converted(content, CaptureManifest, f"{file}: ")
        return captures, [_entry(raw, f"{file}: captures[{at}]") for at, raw in enumerate(captures.captures)], schema
    suite = _converted(content, SuiteManifest, f"{file}: ")
    return suite, [_entry(raw, f"{file}: rows[{at}]") for at, raw in enumerate(suite.rows)], schema


def figure_entry(text: str) -> BoardEntry | AddressEntry:
    """A row of a board, virtual or real, as the core tells it."""
    content = json.loads(text)
    if "board" in content:
        return msgspec.convert(content, type=BoardEntry)
    return msgspec.convert(content, type=AddressEntry)


def bounds_of(text: str) -> Sequence[Bound]:
    """The bounds of a row as the core tells them."""
    return msgspec.json.decode(text, type=tuple[Bound, ...])


def manifest_schema() -> dict[str, Any]:
    """The JSON Schema of manifests."""
    kinds = (CaptureManifest, SuiteManifest, CaptureEntry, LinkEntry, BoardEntry, AddressEntry)
    _, components = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    refs = {kind.__name__: {"$ref": f"#/$defs/{kind.__name__}"} for kind in kinds}
    components["CaptureManifest"]["properties"]["captures"]["items"] = refs["CaptureEntry"]
    components["SuiteManifest"]["properties"]["rows"]["items"] = {
        "anyOf": [refs["LinkEntry"], refs["BoardEntry"], refs["AddressEntry"]]
    }
    return {"anyOf": [refs["CaptureManifest"], refs["SuiteManifest"]], "$defs": components}


def _content(folder: Path, file: Path) -> dict[str, Any]:
    try:
        # JSON has neither infinity nor NaN; as words they are no numbers where they stand.
        content: dict[str, Any] = json.loads(read_text(file), parse_constant=str)
        schema = content["schema"]
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise _core.AirwireError(f"{folder}: is no run folder: manifest.json: {reason}") from None
    except (ValueError, KeyError, TypeError):
        raise _core.AirwireError(f"{file}: is no manifest of a run folder; measure again") from None
    if schema not in READABLE_SCHEMAS:
        known = " and ".join(READABLE_SCHEMAS)
        raise _core.AirwireError(f"{file}: has schema {schema}, but this version of Airwire reads {known}; update it")
    if (at := beyond_reach(content)) is not None:
        raise _damaged(f"{file}: ", at)
    return content


def _entry(raw: Any, where: str) -> Entry:
    # What is no object lacks every field.
    content = raw if isinstance(raw, dict) else {}
    if "board" in content:
        return _converted(content, BoardEntry, where)
    if "link" in content:
        return _converted(content, LinkEntry, where)
    if "address" in content:
        return _converted(content, AddressEntry, where)
    return _converted(content, CaptureEntry, where)


def _converted(content: dict[str, Any], kind: Callable[..., _T], where: str) -> _T:
    """The content as an object; ``where`` begins the sentence that says which field is wrong."""
    convert = partial(msgspec.convert, type=kind)
    try:
        converted: _T = convert(content)
    except msgspec.ValidationError as error:
        at = _place_of(error)
        while "[...]" in at:
            at = _with_key(content, at, convert)
        raise _damaged(where, at) from None
    return converted


def _place_of(error: msgspec.ValidationError) -> str:
    """Where the field is that an error of msgspec is about: ``figure.interval[1]``, ``counts[...]``."""
    message = str(error)
    place, missing = _PLACE.search(message), _MISSING.search(message)
    path = "" if place is None else place["path"]
    return path if missing is None else f"{path}.{missing['name']}".removeprefix(".")


def _with_key(content: Mapping[str, Any], at: str, convert: Callable[[Any], object]) -> str:
    """The same place with the key of a table that msgspec leaves open: the one whose value alone is refused."""
    table, _, rest = at.partition("[...]")
    steps = [int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", table)]
    for key in _at(content, steps):
        alone = json.loads(json.dumps(content))
        kept = _at(alone, steps)
        for other in [name for name in kept if name != key]:
            del kept[other]
        try:
            convert(alone)
        except msgspec.ValidationError as error:
            if _place_of(error).startswith(table):
                return f"{table}.{key}{rest}"
    return f"{table}{rest}"


def _at(content: Any, steps: Sequence[str | int]) -> Any:
    for step in steps:
        content = content[step]
    return content


def _damaged(where: str, at: str) -> _core.AirwireError:
    """That a field is wrong; where it is one of a list, the list is."""
    table, _, name = re.sub(r"(\[\d+\])+$", "", at).rpartition(".")
    if table:
        where += table if where.endswith(" ") else f".{table}"
    return _core.AirwireError(f"{where.removesuffix(': ')}: {name} is missing or damaged; measure again")
