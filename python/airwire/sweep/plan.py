"""The plan of a sweep: its points in their order, what each runs, and the digest that names all of it.

A variant is an entry with values; a point is a variant with a seed. Variants that mean the same, whatever they are
written like, are one. Nothing of where files stand or who runs a point goes into a digest, only what they contain.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from airwire import _core
from airwire.inputs import read_file, read_text
from airwire.runs.entries import Document
from airwire.runs.packaged import FindImage
from airwire.sweep import designs
from airwire.sweep.axes import MOST_POINTS, Axis
from airwire.sweep.blobs import MOST_BYTES, digest_of_bytes, name_in_tree
from airwire.sweep.canonical import digest_of, meaning_of
from airwire.sweep.designs import Values
from airwire.sweep.entries import Entry, Suite
from airwire.sweep.fields import Fields, check_axis, nearest
from airwire.sweep.point import Point
from airwire.sweep.texts import files_in, with_tables
from airwire.values import check_numbers

Design = Literal["grid", "latin", "list"]
SEEDS_INSTEAD_OF_INTERVALS = 5
"""From so many seeds on, what they differ by says more than the interval of a single one, which takes time."""


@dataclass(frozen=True)
class Request:
    """What a sweep is asked for."""

    suite: Suite
    axes: Sequence[Axis] = ()
    latin: int | None = None
    runs: Sequence[Values] | None = None
    seeds: int = 1
    seed: int | None = None
    samples: int | None = None


@dataclass(frozen=True)
class Plan:
    """All points."""

    suite: str
    design: Design
    axes: Sequence[str]
    variants: Sequence[tuple[Entry, Values]]
    digests: Sequence[str]
    seeds: Sequence[int]
    samples: int | None
    left_out: int
    """Combinations that mean the same as others."""
    digest: str
    files: Files
    fields: Mapping[Entry, Fields] = field(repr=False)

    def __len__(self) -> int:
        return len(self.variants) * len(self.seeds)

    @property
    def intervals(self) -> bool:
        """Whether each point has an interval of its own."""
        return len(self.seeds) < SEEDS_INSTEAD_OF_INTERVALS

    def at(self, index: int) -> tuple[Entry, Values, int]:
        """What a point is of: entry, values, seed."""
        variant, seed = divmod(index, len(self.seeds))
        return *self.variants[variant], self.seeds[seed]

    def point(self, index: int) -> Point:
        """A point as it is sent to who runs it."""
        entry, values, seed = self.at(index)
        document = _document(self.fields[entry], values, self.samples)
        files = self.files.taken_from(entry, document)
        return Point(index, entry.kind, entry.name, document, seed, files, self.intervals)

    def digest_at(self, index: int) -> str:
        """The content hash of a point."""
        variant, seed = divmod(index, len(self.seeds))
        return digest_of([self.digests[variant], self.seeds[seed]])


class Files:
    """The files that a suite leads to, each read once, so that all points run what its digest says."""

    def __init__(self, suite: Suite, find_image: FindImage) -> None:
        self._suite = suite
        self._find = find_image
        self._read: dict[Path, str] = {}
        self.contents: dict[str, bytes] = {}
        """By digest."""

    def taken_from(self, entry: Entry, document: Document) -> dict[str, str]:
        """The digests of a document's files by their names, which the document bears from now on."""
        if entry.kind == "links":
            return {}
        self._inline_network(document)
        files: dict[str, str] = {}
        for table in (document, document.get("peer", {})):
            for name in ("firmware", "symbols"):
                self._take(files, table, name, self._find)
            board = table.get("board")
            if isinstance(board, str) and (self._suite.folder / board).is_file():
                self._take(files, table, "board", lambda name: self._suite.folder / name)
        if "traffic" in document:
            document["traffic"] = with_tables(document["traffic"])
        for table, key in files_in([document.get("traffic"), document.get("network")]):
            self._take(files, table, key, Path)
        return files

    def _take(self, files: dict[str, str], table: Document, key: str, find: Callable[[str], Path]) -> None:
        if key not in table:
            return
        digest = self._digest(find(table[key]))
        table[key] = name_in_tree(table[key], digest)
        files[table[key]] = digest

    def _digest(self, path: Path) -> str:
        if path not in self._read:
            content = read_file(path, MOST_BYTES)
            self._read[path] = digest_of_bytes(content)
            self.contents[self._read[path]] = content
        return self._read[path]

    def _inline_network(self, document: Document) -> None:
        import tomllib

        name = document.get("network")
        if isinstance(name, str):
            path = self._suite.folder / name
            try:
                document["network"] = tomllib.loads(read_text(path))
            except ValueError as error:
                raise _core.AirwireError(f"{path}: is no TOML file: {error}") from None


def make_plan(request: Request, find_image: FindImage) -> Plan:
    """The plan of a request.

    Raises ``AirwireError`` for an axis or a value that no entry has, for too many points, and for a missing file.
    """
    check_numbers(seeds=request.seeds, latin=request.latin, seed=request.seed, samples=request.samples)
    suite, swept = request.suite, _swept(request)
    fields = {entry: Fields(entry, find_image) for entry in suite.entries}
    axes = {entry: _Axes.of(entry, fields[entry], swept) for entry in suite.entries}
    _refuse_unknown(swept, fields, axes)
    _refuse_samples_twice(request, axes.values())
    seeds = list(range(first := suite.seed if request.seed is None else request.seed, first + request.seeds))
    _check_size(request, axes.values(), len(seeds))
    files = Files(suite, find_image)
    for entry in suite.entries:
        own = _document(fields[entry], {axis.name: axis.values[0] for axis in axes[entry].own}, request.samples)
        for axis in axes[entry].swept:
            check_axis(axis, axes[entry].swept, fields[entry], own)
    found: dict[str, tuple[Entry, Values]] = {}
    combinations = 0
    for entry in suite.entries:
        for values in axes[entry].combinations(request):
            document = _document(fields[entry], values, request.samples)
            digest = meaning_of(entry, document, files.taken_from(entry, document))
            found.setdefault(digest, (entry, values))
            combinations += 1
    names = list(dict.fromkeys(axis.name for own in axes.values() for axis in (*own.swept, *own.own)))
    whole = [_core.__version__, suite.name, names, list(found), seeds]
    return Plan(
        suite=suite.name,
        design="list" if request.runs is not None else "latin" if request.latin else "grid",
        axes=names,
        variants=list(found.values()),
        digests=list(found),
        seeds=seeds,
        samples=request.samples,
        left_out=combinations - len(found),
        digest=digest_of(whole),
        files=files,
        fields=fields,
    )


@dataclass(frozen=True)
class _Axes:
    """The axes of an entry: those that were asked for and that it has, and those of its own lists."""

    entry: Entry
    swept: Sequence[Axis]
    own: Sequence[Axis]
    names: Mapping[str, str]
    """What the axes were asked for as, by their names in the entry."""

    @classmethod
    def of(cls, entry: Entry, fields: Fields, asked: Sequence[Axis]) -> _Axes:
        known = fields.known(asked)
        found: dict[str, tuple[Axis, str]] = {}
        # An axis of this entry alone comes before one of all.
        for axis in sorted(asked, key=lambda axis: axis.name.startswith(f"{entry.name}.")):
            name = axis.name.removeprefix(f"{entry.name}.")
            if name in known or fields.is_table_field(name):
                found[name] = replace(axis, name=name), axis.name
        in_order = [name for asked_for in asked for name, (_, whole) in found.items() if whole == asked_for.name]
        own = [axis for axis in entry.own if axis.name not in found]
        return cls(entry, [found[name][0] for name in in_order], own, {name: found[name][1] for name in in_order})

    def combinations(self, request: Request) -> Iterator[Values]:
        """All that are run, in their order."""
        for values in self._swept_values(request):
            for own in designs.grid(self.own):
                yield {**values, **own}

    def _swept_values(self, request: Request) -> Iterator[Values]:
        if request.runs is not None:
            for run in request.runs:
                if run.get(designs.ENTRY, self.entry.name) == self.entry.name:
                    yield {name: run[asked] for name, asked in self.names.items() if asked in run}
        elif request.latin and self.swept:
            yield from designs.latin(self.swept, request.latin, request.suite.seed)
        else:
            yield from designs.grid(self.swept)

    def size(self, request: Request) -> int:
        """How many combinations there are at most."""
        runs = len(request.runs) if request.runs is not None else request.latin if self.swept else None
        return (runs or designs.size_of(self.swept)) * designs.size_of(self.own)


def _swept(request: Request) -> list[Axis]:
    """The axes that were asked for; those of a list have the values that stand in it."""
    if request.runs is None:
        return list(request.axes)
    names = dict.fromkeys(name for run in request.runs for name in run if name != designs.ENTRY)
    return [Axis(name, tuple(dict.fromkeys(run[name] for run in request.runs if name in run))) for name in names]


def _refuse_unknown(asked: Sequence[Axis], fields: Mapping[Entry, Fields], axes: Mapping[Entry, _Axes]) -> None:
    """Refuse an axis that no entry has, with the nearest that there is."""
    for axis in asked:
        if any(axis.name in own.names.values() for own in axes.values()):
            continue
        of = [entry for entry in fields if axis.name.startswith(f"{entry.name}.")]
        known = {name: takes for entry in of or fields for name, takes in fields[entry].known(asked).items()}
        # With the entry's name before it a field is known as well.
        whole = {f"{one.name}.{name}": takes for one in fields for name, takes in fields[one].known(asked).items()}
        where = f"entry {of[0].name}" if of else "no entry of the suite"
        name = axis.name.removeprefix(f"{of[0].name}.") if of else axis.name
        has = "has no" if of else "has a"
        raise _core.AirwireError(
            f"--over {axis.name}: {where} {has} field {name}; {nearest(name, known, {} if of else whole)}"
        )


def _refuse_samples_twice(request: Request, axes: Iterable[_Axes]) -> None:
    """Refuse a number of messages that no entry keeps, because its axes have it."""
    names = [[axis.name for axis in (*own.swept, *own.own)] for own in axes]
    if request.samples is not None and all("samples" in own for own in names):
        raise _core.AirwireError(
            f"samples is {request.samples}, and the axes vary samples as well; leave one of them out"
        )


def _check_size(request: Request, axes: Iterable[_Axes], seeds: int) -> None:
    points = sum(own.size(request) for own in axes) * seeds
    if points > MOST_POINTS:
        raise _core.AirwireError(
            f"{request.suite.name}: these are {points} points, and a sweep has {MOST_POINTS} at most; give fewer "
            "values or seeds, choose entries with --only, or draw from them with --latin"
        )


def _document(fields: Fields, values: Values, samples: int | None) -> Document:
    """The document of an entry with these values."""
    document: Document = copy.deepcopy(dict(fields.entry.document))
    if samples is not None:
        document["samples"] = samples
    for name, value in values.items():
        fields.put(document, name, value)
    return document
