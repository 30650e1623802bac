"""What every command reads and writes, declared with its parameters and checked in one place before any work.

A parameter that names a file bears ``Reads`` or ``Writes``. ``CheckedCommand`` refuses, in one sentence, an output that
is an input, that another output would overwrite, that has no place to be, or that would replace a file of another kind:
what a suite or a board file leads to is kept by that. How files are written is in ``airwire.outputs``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from errno import EACCES, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, EROFS
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NoReturn, get_type_hints

import typer
from typer.core import TyperCommand

from airwire.cli.file_kinds import kind_to_keep
from airwire.cli.guard import check_room
from airwire.cli.stopping import stopped
from airwire.cli.unused import note_given
from airwire.outputs import is_device

Holds = Callable[[tuple[str, ...]], bool]
"""Whether a folder's file, by the names below the folder, is one that is read, or one that is made."""


def nothing(_names: tuple[str, ...]) -> bool:
    """Of a file, or of a folder whose files are safe."""
    return False


@dataclass(frozen=True)
class Reads:
    """A parameter that names what a command reads: a file, or a folder with files.

    With ``reserved`` names that are free in the folder stay so: what lies there belongs together.
    """

    what: str
    holds: Holds = nothing
    reserved: bool = False


@dataclass(frozen=True)
class Writes:
    """A parameter that names what a command writes.

    ``files`` are the files that come of it, ``kinds`` the kinds of file that they may replace (none: any). Their names
    end as one of ``endings`` (none: as the user likes). With ``is_folder`` it is a folder, and ``holds`` says what is
    made in it. ``makes_folders`` is whether the folders above it are made.
    """

    what: str
    files: Callable[[Path], list[Path]] = lambda path: [path]
    kinds: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    is_folder: bool = False
    holds: Holds = nothing
    makes_folders: bool = False


MAY_BE_EMPTY = ("send",)
"""Parameters of which a text that is empty says something: that nothing is typed, not even Enter."""
_EMPTY = "an empty text says nothing; give a value, or leave it out"


@dataclass(frozen=True)
class Input:
    """A path that a command reads."""

    path: Path
    role: Reads


@dataclass(frozen=True)
class Output:
    """A path that a command writes, with the option that names it."""

    option: str
    path: Path
    role: Writes

    def refuse(self, why: str) -> NoReturn:
        """Say which output it is, what would be lost and what to do."""
        from airwire._core import AirwireError

        raise AirwireError(f"{self.option} {self.path}: {why}") from None


class CheckedCommand(TyperCommand):
    """A command that begins its work only where no file of the user's can be lost by it."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for parameter in self.params:
            # As it stands in the sentence about a word that is no number: "'x' is not a valid int".
            parameter.type.name = parameter.type.name.removesuffix(" range")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse what is empty while it can still be told from the working folder and from what is not given."""
        if not ctx.resilient_parsing:
            # The parser alone knows which word belongs to what. It eats its words.
            given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
            for name, value in given.items():
                if "" in (value if isinstance(value, list | tuple) else [value]) and name not in MAY_BE_EMPTY:
                    why = "an empty path names no file" if name in roles_of(self) else _EMPTY
                    raise typer.BadParameter(why, param_hint=_spellings(self, name)[0])
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Check all paths, then work; Ctrl-C ends it."""
        check_room()
        note_given(ctx)
        inputs, outputs = _paths_of(self, ctx.params)
        check(inputs, outputs)
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise stopped() from None


def renamed(old_names: Mapping[str, str]) -> type[CheckedCommand]:
    """A command that takes options by the names that they had as well, which no help mentions."""

    class Renamed(CheckedCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            parted = (arg.partition("=") for arg in args)
            return super().parse_args(ctx, ["".join((old_names.get(name, name), *rest)) for name, *rest in parted])

    return Renamed


@cache
def roles_of(command: TyperCommand) -> dict[str, Reads | Writes]:
    """The role of every parameter that names a file, by the parameter's name."""
    hints = get_type_hints(command.callback, include_extras=True)
    marks = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: mark for name, own in marks.items() for mark in own if isinstance(mark, Reads | Writes)}


def _spellings(command: TyperCommand, name: str) -> list[str]:
    """How a parameter is written: its options, or the word that stands for an argument."""
    parameter = next(one for one in command.params if one.name == name)
    options = [option for option in parameter.opts if option.startswith("-")]
    return options or [str(getattr(parameter, "metavar", None) or name)]


def _paths_of(command: TyperCommand, values: Mapping[str, Any]) -> tuple[list[Input], list[Output]]:
    inputs: list[Input] = []
    outputs: list[Output] = []
    for name, role in roles_of(command).items():
        value = values[name]
        given = value if isinstance(value, list | tuple) else [] if value is None else [value]
        for path in map(Path, given):
            if isinstance(role, Reads):
                inputs.append(Input(path, role))
            else:
                outputs.append(Output(_spellings(command, name)[0], path, role))
    return inputs, outputs


def check(inputs: Sequence[Input], outputs: Sequence[Output]) -> None:
    """Refuse, before any work, what would lose a file.

    Raises ``AirwireError`` with the output, what it would overwrite, and what to do.
    """
    for output in outputs:
        for own in inputs:
            _check_input(output, own)
    for one, other in combinations(outputs, 2):
        _check_pair(one, other)
    for output in outputs:
        _check_place(output)


def _check_input(output: Output, own: Input) -> None:
    what = own.role.what
    for file in output.role.files(output.path):
        if is_same(file, own.path):
            output.refuse(f"this is the {what} itself, which stays as it is; name another {_thing(output)}")
        if below(own.path, file, own.role.holds) and (own.role.reserved or file.exists()):
            output.refuse(f"this is a part of the {what} {own.path}, which stays as it is; name another place")
    if below(output.path, own.path, output.role.holds):
        output.refuse(f"the {what} {own.path} would be overwritten in it; name another folder")


def _check_pair(one: Output, other: Output) -> None:
    for first, second in ((one, other), (other, one)):
        for file in first.role.files(first.path):
            if any(is_same(file, its) for its in second.role.files(second.path)):
                first.refuse(f"{second.option} names the same place; name two")
            if below(second.path, file, second.role.holds):
                first.refuse(f"the {second.role.what} of {second.option} writes there itself; name another place")
            if not second.role.is_folder and below(second.path, file, lambda _names: True):
                first.refuse(f"{second.option} {second.path} is a file, and nothing goes below it; name another place")


def _check_place(output: Output) -> None:
    for file in output.role.files(output.path):
        _check_reach(file)
        if output.role.is_folder:
            if file.exists() and not file.is_dir():
                _cannot_write(file, ENOTDIR)
        elif file.is_dir():
            _cannot_write(file, EISDIR)
        if is_device(file):
            _check_rights(file, file)
        else:
            _check_above(file, output.role.makes_folders)
        kept = kind_to_keep(file, output.role.kinds)
        if kept:
            output.refuse(f"a file is there that is no {kept}, and it stays as it is; name another file, or remove it")
        if output.role.endings and not file.name.lower().endswith(output.role.endings):
            plain = " or ".join(one for one in output.role.endings if one.count(".") == 1)
            output.refuse(f"it is written as {plain}, also with .gz, .xz or .zst behind it; choose such a name")


def _check_reach(file: Path) -> None:
    """Refuse a path that leads nowhere: one whose links lead in a circle, or whose name is too long."""
    try:
        file.stat()
    except OSError as error:
        if error.errno in (ELOOP, ENAMETOOLONG):
            _cannot_write(file, error.errno)


def _check_rights(file: Path, place: Path) -> None:
    """Refuse a file where its folder, or the device that it is, takes nothing of this user."""
    if os.access(place, os.W_OK):
        return
    read_only = hasattr(os, "statvfs") and os.statvfs(place).f_flag & os.ST_RDONLY
    _cannot_write(file, EROFS if read_only else EACCES)


def _check_above(file: Path, makes_folders: bool) -> None:
    above = Path(os.path.realpath(file)).parent
    there = next(folder for folder in (above, *above.parents) if folder.exists())
    if not there.is_dir():
        _cannot_write(next((named for named in file.parents if is_same(named, there)), there), ENOTDIR)
    if there != above and not makes_folders:
        _cannot_write(file, ENOENT)
    _check_rights(file, file if file.is_dir() else there)


def _cannot_write(path: Path, code: int) -> NoReturn:
    from airwire._core import AirwireError

    raise AirwireError(f"{path}: cannot write it: {os.strerror(code)}; name another place") from None


def _thing(output: Output) -> str:
    return "folder" if output.role.is_folder else "file"


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by links, or by letters that some systems hold for equal."""
    if is_device(one) or is_device(other):
        return False
    try:
        return os.path.samestat(one.stat(), other.stat())
    except OSError:
        return _plain(one) == _plain(other)


def below(folder: Path, file: Path, holds: Holds) -> bool:
    """Whether a file lies below a folder, under names that the folder ``holds``."""
    names, above = _plain(file), _plain(folder)
    rest = names[len(above) :]
    return bool(rest) and names[: len(above)] == above and holds(rest)


def _plain(path: Path) -> tuple[str, ...]:
    return tuple(name.casefold() for name in Path(os.path.realpath(path)).parts)


def parts_of(names: Sequence[str], *, endings: Sequence[str] = ()) -> Holds:
    """Files of a folder that are called so, that lie below such a name, or whose names end so."""
    return lambda rest: rest[0] in names or rest[-1].endswith(tuple(endings))


def everything(_names: tuple[str, ...]) -> bool:
    """Of a folder whose files are all read."""
    return True


RUN_PARTS = ("manifest.json", "environment.json", "samples", "edges", "spans", "captures", "wire")
RUN = parts_of(RUN_PARTS)
_PACKED = ("", ".gz", ".xz", ".zst")
EDGES = tuple(f".{kind}{packed}" for kind in ("vcd", "csv") for packed in _PACKED)
"""What a capture's name ends in that Airwire writes."""
CAPTURES = parts_of((), endings=[f".{kind}{packed}" for kind in ("csv", "sal", "sr", "vcd") for packed in _PACKED])
FIGURES = parts_of((), endings=(".svg", ".png"))
