"""No command loses a file of the user's: one table, made from the parser itself, of all that commands read and write.

A parameter that names a file and does not say what becomes of it fails here. What a full disk and Ctrl-C leave is in
``test_unfinished_outputs.py``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import pytest
import typer

from airwire import AirwireError
from airwire.cli import app
from airwire.cli.complaints import EXIT_BAD_INPUT
from airwire.cli.paths import CheckedCommand, Reads, Writes, roles_of

PRECIOUS = b"written by hand, and nowhere else\n"
NAMES_A_FILE = re.compile(r"FILE|FOLDER|PATH|DIR|IMAGE|SUITE|RUN|CAPTURE|ELF|SOURCE|DESTINATION|BOARD|^[AB]$")
# What they write has no beginning that all such files share, or their place is known to the user by another option.
REPLACES_ANYTHING = {
    ("convert", "destination"),  # only with --overwrite
    ("board run", "write_eeprom"),  # bytes of any kind
    ("board header", "out"),  # board.h in a folder for it alone
    ("fsdata", "output"),  # a .bin
    ("board settings", "out"),  # a .bin
}


ROOT: Any = typer.main.get_command(app)


class Parameter(NamedTuple):
    """A parameter that names a file."""

    command: str
    name: str
    role: Any

    def __str__(self) -> str:
        return f"{self.command} {self.name}"


def commands(group: Any = None, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command, as the parser has it."""
    for name, command in (group or ROOT).commands.items():
        whole = f"{path} {name}".strip()
        yield from commands(command, whole) if hasattr(command, "commands") else [(whole, command)]


COMMANDS = dict(commands())


def parameters(kind: type) -> list[Parameter]:
    """All that commands read, or all that they write."""
    found = ((where, name, role) for where, command in COMMANDS.items() for name, role in roles_of(command).items())
    return [Parameter(*one) for one in found if isinstance(one[2], kind)]


OUTPUTS = parameters(Writes)
READ_AND_WRITTEN = [(own, out) for out in OUTPUTS for own in parameters(Reads) if own.command == out.command]
PAIRS = [(one, two) for one, two in combinations(OUTPUTS, 2) if one.command == two.command]


def name_of(value: Any) -> str:
    """A parameter in the name of a test."""
    return str(value).replace(" ", "-") if isinstance(value, Parameter) else str(value)


def path_for(output: Parameter, place: str = "out") -> Path:
    """A path of the kind that an output takes."""
    return Path(place if output.role.is_folder else f"{place}{output.role.kinds[0] if output.role.kinds else '.vcd'}")


def arguments(command: str, **given: Path | str) -> list[str]:
    """A command line with these parameters; what else the command requires is there, or new."""
    options: list[str] = []
    positional: list[str] = []
    for parameter in COMMANDS[command].params:
        role = roles_of(COMMANDS[command]).get(parameter.name)
        value = given.get(parameter.name)
        if value is None and parameter.required:
            value = "new.vcd" if isinstance(role, Writes) else "required"
            if isinstance(role, Reads) and not Path(value).exists():
                Path(value).write_bytes(PRECIOUS)
        if value is None:
            continue
        if parameter.opts[0].startswith("-"):
            options += [parameter.opts[0], str(value)]
        else:
            positional.append(str(value))
    return [*command.split(), *positional, *options]


@pytest.fixture
def refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run a command that is to be refused, in a folder of its own, and see that it changed nothing there."""
    monkeypatch.chdir(tmp_path)

    def run(command: str, **given: Path | str) -> str:
        line = arguments(command, **given)
        before = state(tmp_path)
        said = ""
        try:
            assert ROOT.main(line, prog_name="airwire", standalone_mode=False) == EXIT_BAD_INPUT, line
        except (AirwireError, typer.BadParameter, OSError) as refused:
            said = str(refused)
        assert state(tmp_path) == before, line
        return said

    return run


def state(folder: Path) -> dict[str, tuple[str, bytes]]:
    """All that a folder holds, with what it is."""

    def what(path: Path) -> tuple[str, bytes]:
        if path.is_symlink():
            return "link", os.fsencode(path.readlink())
        return ("folder", b"") if path.is_dir() else ("file", path.read_bytes())

    return {str(path.relative_to(folder)): what(path) for path in sorted(folder.rglob("*"))}


@pytest.mark.parametrize("where", COMMANDS)
def test_every_parameter_that_names_a_file_says_what_becomes_of_it(where: str) -> None:
    command = COMMANDS[where]
    assert isinstance(command, CheckedCommand)
    hints, roles = get_type_hints(command.callback), roles_of(command)
    for parameter in command.params:
        is_path = "Path" in str(hints.get(parameter.name or "", ""))
        names_one = bool(NAMES_A_FILE.search(str(parameter.metavar or "")))
        assert (parameter.name in roles) == (is_path or names_one), f"{where} {parameter.name} needs Reads or Writes"


def test_outputs_say_which_files_they_may_replace() -> None:
    silent = {(one.command, one.name) for one in OUTPUTS if not one.role.is_folder and not one.role.kinds}
    assert silent <= REPLACES_ANYTHING


@pytest.mark.parametrize(
    ("own", "output", "way"),
    [
        *((own, output, "same") for own, output in READ_AND_WRITTEN),
        # One input of each output by all ways, since all go through one check.
        *(
            (own, output, way)
            for output, own in {output: own for own, output in READ_AND_WRITTEN}.items()
            for way in ("symbolic link", "hard link", "other letters", "absolute")
        ),
    ],
    ids=name_of,
)
def test_an_output_that_is_an_input_is_refused(refuse: Callable[..., str], own: Any, output: Any, way: str) -> None:
    place = path_for(output)
    for victim in output.role.files(place):
        victim.parent.mkdir(exist_ok=True)
        given = victim
        if way == "symbolic link":
            given = Path("elsewhere")
            given.write_bytes(PRECIOUS)
            victim.symlink_to(given.absolute())
        elif way == "other letters":
            given = victim.with_name(victim.name.upper())
            if given == victim:
                continue
            given.write_bytes(PRECIOUS)
        else:
            victim.write_bytes(PRECIOUS)
        if way == "hard link":
            given = Path("elsewhere")
            given.unlink(missing_ok=True)
            given.hardlink_to(victim)
        elif way == "absolute":
            given = victim.absolute()
        said = refuse(own.command, **{own.name: given, output.name: place})
        assert "stays as it is" in said and str(place) in said, said
        for file in (victim, given):
            file.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("own", "output", "inside"),
    [
        (own, output, inside)
        for own, output in READ_AND_WRITTEN
        for inside in ("manifest.json", "samples/part-00000.parquet", "12B.csv", "site/index.html")
        if own.role.holds(tuple(inside.split("/")))
    ],
    ids=name_of,
)
def test_an_output_that_is_a_file_of_an_input_folder_is_refused(
    refuse: Callable[..., str], own: Any, output: Any, inside: str
) -> None:
    file = Path("folder") / inside
    file.parent.mkdir(parents=True)
    file.write_bytes(PRECIOUS)
    said = refuse(own.command, **{own.name: "folder", output.name: file})
    assert "which stays as it is" in said, said


@pytest.mark.parametrize("other_letters", [False, True])
@pytest.mark.parametrize(("one", "two"), PAIRS, ids=name_of)
def test_two_outputs_at_one_place_are_refused(
    refuse: Callable[..., str], one: Any, two: Any, other_letters: bool
) -> None:
    second = "OUT.html" if other_letters else "out.html"
    said = refuse(one.command, **{one.name: "out.html", two.name: second})
    assert "names the same place; name two" in said, said


@pytest.mark.parametrize(("one", "two"), PAIRS, ids=name_of)
def test_an_output_below_what_another_one_makes_is_refused(refuse: Callable[..., str], one: Any, two: Any) -> None:
    for above, below in ((one, two), (two, one)):
        names = [("manifest.json",), ("samples", "x.html"), ("ranking.svg",)]
        inside = [held for held in names if above.role.holds(held)] if above.role.is_folder else [("x.html",)]
        for held in inside:
            said = refuse(one.command, **{above.name: "out", below.name: Path("out", *held)})
            assert "name another place" in said, said


@pytest.mark.parametrize("output", OUTPUTS, ids=name_of)
def test_a_place_that_cannot_be_is_refused_and_nothing_is_made(refuse: Callable[..., str], output: Any) -> None:
    if not output.role.makes_folders:
        said = refuse(output.command, **{output.name: path_for(output, "absent/deeper/out")})
        assert "No such file or directory" in said, said
    Path("file").write_bytes(PRECIOUS)
    assert "file: cannot write it: Not a directory" in refuse(
        output.command, **{output.name: path_for(output, "file/out")}
    )
    assert "an empty path names no file" in refuse(output.command, **{output.name: ""}) or output.name == "destination"


@pytest.mark.parametrize("output", OUTPUTS, ids=name_of)
def test_a_folder_with_files_of_the_users_stays_as_it_is(refuse: Callable[..., str], output: Any) -> None:
    for name in ("precious.txt", "run/manifest.json", "report.html", "board.h/precious.txt"):
        file = Path("mine", name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(PRECIOUS)
    for place in ("mine", "."):
        said = refuse(output.command, **{output.name: place})
        is_folder = output.role.is_folder or output.role.files(Path(place)) != [Path(place)]
        assert is_folder or "Is a directory" in said, said


@pytest.mark.parametrize("output", [one for one in OUTPUTS if one.role.kinds], ids=name_of)
def test_a_file_of_another_kind_stays_as_it_is(refuse: Callable[..., str], output: Any) -> None:
    for kind in output.role.kinds:
        if kind == ".bin":
            continue
        place = Path(f"out{kind}")
        place.write_bytes(PRECIOUS)
        said = refuse(output.command, **{output.name: place})
        assert f"{place}: a file is there that is no" in said and "it stays as it is" in said, said


@pytest.mark.parametrize("output", OUTPUTS, ids=name_of)
def test_a_place_that_leads_nowhere_is_refused_before_the_work(refuse: Callable[..., str], output: Any) -> None:
    loop = path_for(output, "loop")
    for file in output.role.files(loop):
        file.parent.mkdir(exist_ok=True)
        file.symlink_to(file.absolute())
        said = refuse(output.command, **{output.name: loop})
        assert f"{file}: cannot write it: Too many levels of symbolic links; name another place" in said, said
        file.unlink()
    said = refuse(output.command, **{output.name: path_for(output, "long" * 100)})
    assert "cannot write it: File name too long; name another place" in said, said


@pytest.mark.parametrize("output", [one for one in OUTPUTS if one.role.is_folder], ids=name_of)
def test_a_device_is_no_folder(refuse: Callable[..., str], output: Any) -> None:
    assert "/dev/null: cannot write it: Not a directory" in refuse(output.command, **{output.name: "/dev/null"})


@pytest.mark.parametrize("output", OUTPUTS, ids=name_of)
def test_a_folder_that_takes_nothing_of_this_user_is_refused_before_the_work(
    refuse: Callable[..., str], output: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may write everywhere, so that the system's answer is another's.
    monkeypatch.setattr("os.access", lambda _place, mode: mode != os.W_OK)
    assert "cannot write it: Permission denied" in refuse(output.command, **{output.name: path_for(output)})


@pytest.mark.parametrize("name", ["edges.txt", "edges.vcd.zip", "edges.gz", "edges"])
def test_edges_are_written_as_what_their_name_says_or_not_at_all(refuse: Callable[..., str], name: str) -> None:
    said = refuse("board run", vcd=name)
    assert f"{name}: it is written as .vcd or .csv, also with .gz, .xz or .zst behind it" in said, said
