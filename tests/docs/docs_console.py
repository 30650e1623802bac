"""Console blocks of the documents: found, run in a terminal of fixed width, and compared or written anew.

A block is fenced as ``console``; lines that begin with ``$ `` are commands for bash, the lines below them the output
that readers are promised. ``make docs`` writes the true output into every block, and the reference pages and the
computed tables into their places. Documents that are named as arguments are written alone. Tests import the same
functions.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from artefacts import IMAGES, built_images
from terminal import TERMINAL_COLUMNS, run_in_terminal

REPOSITORY = Path(__file__).resolve().parents[2]
CAPTURES = REPOSITORY.parent / "shared" / "captures"
CLI_PAGE = REPOSITORY / "docs" / "reference" / "cli.md"
LINKS_PAGE = REPOSITORY / "docs" / "reference" / "links.md"
BOARDS_PAGE = REPOSITORY / "docs" / "reference" / "boards.md"
NETWORKS_PAGE = REPOSITORY / "docs" / "reference" / "networks.md"
# The firmware, as `make firmware` builds it.
BUILD = REPOSITORY / "build"
DOCUMENTS = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])
README = REPOSITORY / "README.md"
README_COLUMNS = 100
DEMO = "airwire demo > demo.txt"
"""The demo as most documents run it: once a session is enough for all of them."""
# What tests leave out: fetching, building, installing and benchmarks.
_OF_THE_BUILD = re.compile(
    r"^(sudo |git |make\b|pip |cd |\. |source |cargo |rustup |python3? (-m (venv|pip|benches)\b|tests/|tools/))"
)
_WHOLE_SUITE = re.compile(r"airwire run suites/\w+\.toml --out runs/\w+ --report \w+\.html > \w+\.txt")
_FIRMWARE = re.compile(
    r"(?<![\w/])build/firmware/|suites/(published|ipv6)\b|airwire demo|airwire run (demo|oneway|published|serial)\b"
)
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Command:
    """One command line with the output that the document shows below it, if any."""

    line: str
    shown: str

    @property
    def is_for_the_build(self) -> bool:
        """Whether it fetches, builds, installs or measures Airwire."""
        return _OF_THE_BUILD.match(self.line) is not None

    @property
    def whole_run(self) -> str:
        """The part of it that runs all rows of a suite or the demo and keeps what is printed, if it has one."""
        first = self.line.partition("; ")[0]
        return first if first == DEMO or _WHOLE_SUITE.fullmatch(first) else ""

    @property
    def needs_captures(self) -> bool:
        """Whether it reads the real captures."""
        return re.search(r"(?<![\w/])captures/", self.line) is not None

    @property
    def needs_sigrok(self) -> bool:
        """Whether it runs sigrok-cli."""
        return "sigrok" in self.line

    @property
    def needs_images(self) -> bool:
        """Whether it runs one of our firmware images."""
        return re.search(r"(?<![\w/])images/", self.line) is not None

    @property
    def needs_firmware(self) -> bool:
        """Whether it runs one of the firmware's images."""
        return _FIRMWARE.search(self.line) is not None


@dataclass(frozen=True)
class Block:
    """A console block of a document."""

    document: Path
    line: int
    commands: tuple[Command, ...]

    @property
    def name(self) -> str:
        """The document and the line of its first command."""
        return f"{self.document.relative_to(REPOSITORY)}:{self.line}"

    @property
    def needs_captures(self) -> bool:
        """Whether any of its commands reads the real captures."""
        return any(command.needs_captures for command in self.commands)

    @property
    def needs_sigrok(self) -> bool:
        """Whether any of its commands runs sigrok-cli."""
        return any(command.needs_sigrok for command in self.commands)

    @property
    def needs_images(self) -> bool:
        """Whether any of its commands runs one of our firmware images."""
        return any(command.needs_images for command in self.commands)

    @property
    def needs_firmware(self) -> bool:
        """Whether any of its commands runs one of the firmware's images."""
        return any(command.needs_firmware for command in self.commands)

    @property
    def needs_avrs(self) -> bool:
        """Whether any of its commands runs an image for an AVR, as the whole published suite does."""
        return any(re.search(r"runs/published|avr", command.line) for command in self.commands)

    @property
    def is_slow(self) -> bool:
        """Whether any of its commands needs a run of the whole published suite, or of all its pings of AVRs."""
        return any(re.search(r"runs/(published\b|avr( |$))", command.line) for command in self.commands)


def blocks_of(document: Path) -> list[Block]:
    """The console blocks of a document, in reading order."""
    text = document.read_text(encoding="utf-8")
    return [
        Block(document, text.count("\n", 0, match.start()) + 2, tuple(_commands(match[1])))
        for match in _BLOCK.finditer(text)
    ]


def _commands(block: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        yield Command(line, shown.rstrip("\n"))


def workspace(folder: Path) -> Path:
    """Prepare a folder in which documents' commands run: suites, the real captures in ``captures/``, our images."""
    (folder / "suites").symlink_to(REPOSITORY / "suites")
    (folder / "images").symlink_to(IMAGES)
    (folder / "build").symlink_to(BUILD)
    (folder / "firmware").symlink_to(REPOSITORY / "firmware")
    if CAPTURES.is_dir():
        (folder / "captures").symlink_to(CAPTURES)
    return folder


def columns_of(document: Path) -> int:
    """How wide the terminal is in which a document's commands run: the front page is read in narrow columns."""
    return README_COLUMNS if document == README else TERMINAL_COLUMNS


def run(command: Command, folder: Path, columns: int = TERMINAL_COLUMNS) -> tuple[int, str]:
    """Run a command as in a terminal; its exit code, and what it printed there, then its complaints."""
    return run_in_terminal(command.line, folder, columns)


def take_results(ran: Path, folder: Path) -> None:
    """What a whole run left, for the commands of a document that follow it."""
    shutil.copytree(ran / "runs", folder / "runs", dirs_exist_ok=True)
    for file in [*ran.glob("*.html"), *ran.glob("*.txt")]:
        shutil.copy(file, folder)


def refresh(document: Path) -> None:
    """Write the true output into every block that shows one."""
    with tempfile.TemporaryDirectory() as name:
        folder = workspace(Path(name))
        text = document.read_text(encoding="utf-8")
        document.write_text(_BLOCK.sub(_refreshed(folder, columns_of(document)), text), encoding="utf-8")


def _refreshed(folder: Path, columns: int) -> Callable[[re.Match[str]], str]:
    def block(match: re.Match[str]) -> str:
        parts: list[str] = []
        for command in _commands(match[1]):
            output = command.shown
            if not command.is_for_the_build:
                _, printed = run(command, folder, columns)
                output = printed if command.shown else ""
            parts += [f"$ {command.line}\n", f"{output}\n" if output else ""]
        return "```console\n" + "".join(parts) + "```"

    return block


def main(documents: Sequence[Path]) -> None:
    """Refresh the reference pages and these documents; needs the real captures."""
    from docs_tables import refresh_tables

    from airwire.cli.boards_reference import boards_page
    from airwire.cli.links_reference import links_page
    from airwire.cli.networks_reference import networks_page
    from airwire.cli.reference import reference_page

    if not CAPTURES.is_dir():
        sys.exit("The documents show results of the real captures (../shared/captures), which are not here.")
    CLI_PAGE.write_text(reference_page(), encoding="utf-8")
    LINKS_PAGE.write_text(links_page(), encoding="utf-8")
    BOARDS_PAGE.write_text(boards_page(), encoding="utf-8")
    NETWORKS_PAGE.write_text(networks_page(), encoding="utf-8")
    if built_images() is None:
        sys.exit("The documents show runs of the test images, which need arm-none-eabi-gcc (gcc-arm-none-eabi).")
    for document in documents:
        text = document.read_text(encoding="utf-8")
        if _BLOCK.search(text):
            refresh(document)
        if "<!-- table: " in text:
            refresh_tables(document, CAPTURES)


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]] or DOCUMENTS)
