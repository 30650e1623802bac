"""Which fields of an entry an axis may name, what each takes, and how a value is put there.

A field is a setting of the link or of the image, or one of the entry's own: ``payload``, ``samples``, ``limit``,
``firmware``, ``network`` and the like. ``network.cable.impair`` and ``peer.firmware`` go into a table. What values are
allowed is the core's to say: a suite with the value is read by it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from airwire import _core
from airwire.board.settings import image_settings
from airwire.link.catalogue import links
from airwire.runs.entries import Document
from airwire.runs.packaged import FindImage
from airwire.scratch import ScratchFolder
from airwire.sweep.axes import Axis
from airwire.sweep.entries import PAYLOAD, Entry, as_text
from airwire.sweep.texts import suite_text
from airwire.values import parse_size

_OF_ROWS = {
    "samples": "a number of messages",
    "stop_within": "a share, such as 1 %",
    "limit": "a virtual time, such as 10 s",
}
_OF_BOARDS = {
    **_OF_ROWS,
    "skip": "a number of messages",
    "board": "a board by its name, or a board file",
    "firmware": "an image",
    "symbols": "the ELF of an image without names",
    "network": "a network file",
    "peer.firmware": "an image",
    "peer.symbols": "the ELF of an image without names",
    "peer.board": "a board by its name, or a board file",
}
_TRIGGER = ("kind", "period", "by", "step", "gate", "offset", "pause")
_TABLES = ("network", "trigger")
_WHOLE_NUMBERS = ("samples", "skip")
_MOST_CHECKED = 1000
"""Values of an axis that are tried before the sweep begins; of a longer one the ends alone."""


class Fields:
    """The fields of an entry; ``find_image`` gives the file of an image by its name."""

    def __init__(self, entry: Entry, find_image: FindImage) -> None:
        self.entry = entry
        self.find_image = find_image

    def known(self, axes: Sequence[Axis] = ()) -> Mapping[str, str]:
        """Every field by its name, with what it takes in words; an axis of images adds their settings."""
        if self.entry.kind == "links":
            settings = {one.name: one.takes for one in _link(self.entry.link).settings}
            trigger = {f"trigger.{name}": "as in a suite" for name in _TRIGGER}
            return {PAYLOAD: "a size, such as 128B", **_OF_ROWS, **trigger, **settings}
        found = dict(_OF_BOARDS)
        for prefix, table in (("", self.entry.document), ("peer.", self.entry.document.get("peer", {}))):
            others = [value for axis in axes if axis.name == f"{prefix}firmware" for value in axis.values]
            images: list[tuple[Path, Path | None]] = [(self.find_image(image), None) for image in others]
            if not images and "firmware" in table:
                images = [(self.find_image(table["firmware"]), self.find_symbols(table))]
            for image, symbols in images:
                found |= {f"{prefix}{one.name}": one.takes for one in image_settings(image, symbols)}
        return found

    def find_symbols(self, table: Mapping[str, Any]) -> Path | None:
        """The ELF that names what is in an image, where the suite gives one."""
        return self.find_image(table["symbols"]) if "symbols" in table else None

    def is_table_field(self, name: str) -> bool:
        """Whether a name leads into a table whose fields are checked as the suite's own."""
        table, dot, _ = name.partition(".")
        return bool(dot) and self.entry.kind == "boards" and table in _TABLES

    def put(self, document: Document, name: str, value: str) -> None:
        """Put a value into a copy of the entry's document."""
        *tables, last = self._way(name)
        for table in tables:
            inner = document.get(table, {})
            if not isinstance(inner, dict):
                raise _core.AirwireError(
                    f"{self.entry.kind}.{self.entry.name}: {name} is no field of it, because its {table} is a file; "
                    f"sweep over files, such as {table}=a.toml,b.toml"
                )
            document[table] = dict(inner)
            document = document[table]
        if last == "firmware":
            # The names of one image are not those of another.
            document.pop("symbols", None)
        document[last] = _typed(name, value)

    def _way(self, name: str) -> list[str]:
        if self.entry.kind == "links":
            return ["payloads"] if name == PAYLOAD else name.split(".")
        if name in _OF_BOARDS or self.is_table_field(name):
            return name.split(".")
        table, dot, rest = name.partition(".")
        return ["peer", "settings", rest] if dot and table == "peer" else ["settings", name]


@cache
def _link(name: str) -> Any:
    return next(link for link in links() if link.name == name)


def _typed(name: str, value: str) -> Any:
    """A value as TOML has it: settings may stand there as texts, numbers of other fields may not."""
    if name == PAYLOAD:
        return [parse_size(value if value[-1:].isalpha() else f"{value}B")]
    if name in _WHOLE_NUMBERS or name.startswith("network."):
        return int(value) if value.isdecimal() else {"true": True, "false": False}.get(value, value)
    return value


def check_axis(axis: Axis, others: Sequence[Axis], fields: Fields, base: Document) -> None:
    """Have the core read each value of an axis in an entry, everything else as in ``base``.

    A value that goes only with one of another axis is taken. Raises ``AirwireError`` with what the field takes.
    """
    values = axis.values if len(axis.values) <= _MOST_CHECKED else (axis.values[0], axis.values[-1])
    with ScratchFolder("airwire-") as folder:
        place = folder / "suite.toml"
        for value in values:
            refused = _refusal(axis, value, {}, fields, base, place)
            beside = ({other.name: one} for other in others if other.name != axis.name for one in other.values)
            if refused and all(_refusal(axis, value, one, fields, base, place) for one in beside):
                raise _core.AirwireError(f"--over {axis.name}: {refused}")


def _refusal(
    axis: Axis, value: str, beside: Mapping[str, str], fields: Fields, base: Document, place: Path
) -> str | None:
    """What the core says of a value, if it refuses it."""
    document = copy.deepcopy(base)
    for name, one in {**beside, axis.name: value}.items():
        fields.put(document, name, one)
    try:
        place.write_text(suite_text(fields.entry.kind, fields.entry.name, document, 0), encoding="utf-8")
        _core.suite_entries(place)
        _check_images(fields, document)
    except _core.AirwireError as error:
        # The suite stands in no file of the user's, so that its line says nothing.
        return f"{error.field}{error.words}" if error.file == str(place) else str(error)
    return None


def _check_images(fields: Fields, document: Document) -> None:
    """Put the settings into the images, as a run does."""
    if fields.entry.kind == "links":
        return
    for table in (document, document.get("peer", {})):
        settings = {name: as_text(value) for name, value in table.get("settings", {}).items()}
        if settings and "firmware" in table:
            image = fields.find_image(table["firmware"])
            _core.changed_image_file(image, fields.find_symbols(table), settings, "image.bin")


def nearest(name: str, known: Mapping[str, str], others: Mapping[str, str]) -> str:
    """What there is instead of a field, and what it takes; ``others`` are offered where they are near."""
    every = {**known, **others}
    near = _core.nearest_name(name, list(every))
    return f"there are {', '.join(known)}" if near is None else f"the nearest is {near}, which takes {every[near]}"
