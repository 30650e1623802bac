"""Images with other options of lwIP: one build tree for each worker, and a store of images by what they are made of.

lwIP's own rules (its core/init.c) are asked before anything is built, by the compiler that builds it.
"""

from __future__ import annotations

import ast
import hashlib
import operator
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from airwire import _core
from airwire.board import board_header
from airwire.outputs import write_file
from airwire.tune.knobs import LWIP_OPTIONS

COMPILER = "arm-none-eabi-gcc"
HEADER = "lwipopts_tuned.h"
_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)
_SANITY = re.compile(r'#error "?(?:lwip_sanity_check: )?(?:WARNING: )?(?P<text>[^"\n]*?)(?:\. If you know[^"\n]*)?"?$')
_LD_NO_ROOM = re.compile(r"^.*region `\w+' overflowed.*$|^.* will not fit in region `.*$", re.MULTILINE)
"""What GNU ld says of an image that is larger than its memory."""
_VALUE = re.compile(r"^AIRWIRE_(\w+) (.*)$", re.MULTILINE)
_MOST_SECONDS = 600
_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.floordiv,
}

Options = Mapping[str, str]


class NoRoomError(_core.AirwireError):
    """An image that is larger than the memory of its board."""


def firmware_source() -> Path:
    """The folder of the firmware's sources: that of the working folder, or of the checkout that this package is of.

    Raises ``AirwireError`` where there is none.
    """
    places = (Path("firmware"), Path(__file__).resolve().parents[3] / "firmware")
    for place in places:
        if (place / "lwip" / "lwipopts.h").is_file():
            return place.resolve()
    raise _core.AirwireError(
        "lwIP's options are built into an image, and the firmware's sources are not here; run this in a checkout"
    )


def check_tools() -> None:
    """Refuse, in one sentence, where what builds images is missing."""
    needed = {COMPILER: "gcc-arm-none-eabi libnewlib-arm-none-eabi", "cmake": "cmake", "ninja": "ninja-build"}
    for tool, packages in needed.items():
        if shutil.which(tool, path=_path()) is None:
            raise _core.AirwireError(
                f"{tool} is not on this machine, and a change of lwIP's options needs a new image; "
                f"install it (Debian: apt-get install {packages})"
            )


def _path() -> str:
    """With the folder of this Python first: a virtual environment has its own cmake and ninja."""
    import sys

    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def run_tool(command: Sequence[str], folder: Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run what builds images, with bounds on its time."""
    environment = {**os.environ, "PATH": _path(), "LC_ALL": "C"}
    return subprocess.run(
        command,
        input=stdin,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_MOST_SECONDS,
        check=False,
        # Ctrl-C is for the search, which keeps what is being measured.
        start_new_session=True,
    )


def first_error(text: str) -> str | None:
    """The first error that a compiler tells, with its file and line."""
    match = _ERROR.search(text)
    return None if match is None else f"{match['file']}:{match['line']}: {match['text']}"


def rule_of(text: str) -> str | None:
    """What lwIP's own check says, without the compiler's words around it."""
    match = _ERROR.search(text)
    told = None if match is None else _SANITY.search(match["text"])
    return None if told is None else told["text"].strip()


def header_of(options: Options) -> str:
    """The header that puts options in the place of those of an image's settings file."""
    lines = [f"#undef {name}\n#define {name} {_in_parentheses(value)}\n" for name, value in sorted(options.items())]
    return "".join(lines)


def _in_parentheses(value: str) -> str:
    return value if value.isdecimal() else f"({value})"


def number(text: str) -> int | None:
    """The value of a constant expression of C as options have them; ``None`` where it is more than arithmetic."""
    plain = re.sub(r"(?<=[0-9a-fA-F])[uUlL]+\b", "", text.replace("/", "//"))
    plain = re.sub(r"\(\s*(?:u16_t|u32_t|size_t|tcpwnd_size_t)\s*\)", "", plain)
    try:
        return _evaluated(ast.parse(plain.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None


def _evaluated(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluated(node.left), _evaluated(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluated(node.operand)
    raise ValueError(ast.dump(node))


@dataclass
class Tree:
    """A build tree for one board."""

    source: Path
    board: str
    folder: Path
    _flags: dict[str, list[str]] = field(default_factory=dict)

    def prepare(self) -> None:
        """Configure it, once; cargo fetches lwIP where it is not there yet."""
        generated, options = self.folder / "generated", self.folder / "options"
        for place in (generated, options):
            place.mkdir(parents=True, exist_ok=True)
        if not (options / HEADER).exists():
            write_file(options / HEADER, "")
        header = board_header(self.board)
        if not (generated / "board.h").exists() or (generated / "board.h").read_text(encoding="utf-8") != header:
            write_file(generated / "board.h", header)
        command = ["cmake", "-S", str(self.source), "-B", str(self.folder), "-G", "Ninja"]
        toolchain = self.source / "cmake" / "arm-none-eabi.cmake"
        command += [f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DBOARD_DIR={generated}", f"-DLWIP_TUNED_DIR={options}"]
        done = run_tool(command, self.folder)
        if done.returncode:
            told = " ".join(done.stderr.split())[-400:] or "it says nothing"
            raise _core.AirwireError(f"cmake cannot prepare a build for {self.board}: {told}")

    def flags(self, target: str) -> list[str]:
        """How the compiler is called for what an image has of lwIP."""
        if target not in self._flags:
            done = run_tool(["ninja", "-t", "commands", f"{target}.elf"], self.folder)
            own = [line for line in done.stdout.splitlines() if " -c " in line and "/transport/lwip_" in line]
            if not own:
                raise _core.AirwireError(
                    f"the image {target} of {self.board} has no lwIP, whose options could be changed"
                )
            words = shlex.split(own[0])
            # Behind it stand the files that this call would write.
            self._flags[target] = words[: words.index("-MD")]
        return self._flags[target]

    def _write(self, options: Options) -> None:
        write_file(self.folder / "options" / HEADER, header_of(options))

    def values(self, target: str, names: Sequence[str]) -> dict[str, int]:
        """What options are in force in an image, where they are plain numbers."""
        self._write({})
        probe = self.folder / "options" / "probe.c"
        lines = "".join(f"AIRWIRE_{name} {name}\n" for name in names)
        write_file(probe, f'#include "lwip/opt.h"\n{lines}')
        done = run_tool([*self.flags(target), "-E", "-P", str(probe)], self.folder)
        if done.returncode:
            raise _core.AirwireError(first_error(done.stderr) or "the compiler cannot read lwIP's options")
        found = {name: number(text) for name, text in _VALUE.findall(done.stdout)}
        return {name: value for name, value in found.items() if value is not None}

    def broken_rule(self, target: str, options: Options) -> str | None:
        """Which of lwIP's own rules options break; ``None`` where they keep all."""
        self._write(options)
        include = next(flag[2:] for flag in self.flags(target) if flag.startswith("-I") and "/lwip-" in flag)
        source = Path(include).parent / "core" / "init.c"
        flags = [flag for flag in self.flags(target) if flag != "-Werror"]
        packed = "-DPACK_STRUCT_STRUCT=__attribute__((packed))"
        done = run_tool([*flags, packed, "-w", "-fsyntax-only", str(source)], self.folder)
        if not done.returncode:
            return None
        return rule_of(done.stderr) or first_error(done.stderr) or done.stderr.strip()[-200:]

    def build(self, target: str, options: Options) -> Path:
        """Build an image.

        Raises ``NoRoomError`` where it is larger than its memory, else ``AirwireError`` with the first error of the
        compiler, its file and line.
        """
        self._write(options)
        done = run_tool(["cmake", "--build", str(self.folder), "--target", target], self.folder)
        if done.returncode:
            told = done.stdout + done.stderr
            no_room = _LD_NO_ROOM.search(told)
            if no_room is not None:
                raise NoRoomError(f"{target} cannot be built: {no_room[0].strip()}")
            said = first_error(told) or " ".join(told.split())[-300:]
            raise _core.AirwireError(f"{target} cannot be built: {said}")
        return self.folder / f"{target}.elf"


OPTION_NAMES = tuple(option.name for option in LWIP_OPTIONS)


def source_key(source: Path) -> str:
    """A digest of all that images are made of, but their options."""
    digest = hashlib.sha256()
    names = [path for path in sorted(source.rglob("*")) if path.suffix in _SOURCES and "fuzz" not in path.parts]
    for path in names:
        digest.update(str(path.relative_to(source)).encode())
        digest.update(path.read_bytes())
    digest.update(run_tool([COMPILER, "--version"], source).stdout.encode())
    return digest.hexdigest()[:16]


_SOURCES = {".c", ".h", ".S", ".cmake", ".txt", ".in", ".toml", ".lock"}
