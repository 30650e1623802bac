"""The firmware images that go into the wheel: those that the package's suites name, without debug information.

    python tools/package/package_images.py names             what the suites name, one a line, for the build
    python tools/package/package_images.py strip FROM TO      strips each from FROM into TO, with SHA256SUMS beside them

Symbols and the notes of settings stay: verdicts name functions, and suites change settings.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
SUITES = REPOSITORY / "python" / "airwire" / "suites"
SUMS = "SHA256SUMS"
# By the number of the machine in an ELF (EM_AVR is 83).
_MACHINE_AT, _AVR = 18, 83


def image_names(suites: Path = SUITES) -> list[str]:
    """The images of all suites, each once: of boards and of their peers."""
    return sorted({name for suite in suites.glob("*.toml") for name in _of_suite(suite)})


def _of_suite(suite: Path) -> Iterator[str]:
    boards: dict[str, dict[str, Any]] = tomllib.loads(suite.read_text(encoding="utf-8")).get("boards", {})
    for entry, fields in boards.items():
        if "same_but" not in fields or "firmware" in fields:
            yield fields.get("firmware", f"{entry}.elf")
        if "firmware" in fields.get("peer", {}):
            yield fields["peer"]["firmware"]


def _family(image: Path) -> str:
    """Whose tools an ELF is for."""
    return "avr" if image.read_bytes()[_MACHINE_AT] == _AVR else "arm-none-eabi"


def strip_images(built: Path, to: Path) -> None:
    """Strip the images of ``built`` into ``to``, which holds nothing else afterwards."""
    names = image_names()
    missing = [name for name in names if not (built / name).is_file()]
    if missing:
        sys.exit(f"{built}: {len(missing)} images are missing, such as {missing[0]}; build them with make firmware")
    families = {name: _family(built / name) for name in names}
    for family in set(families.values()):
        if shutil.which(f"{family}-strip") is None:
            sys.exit(f"{family}-strip is not on this machine (Debian: binutils-{family})")
    shutil.rmtree(to, ignore_errors=True)
    sums = []
    for name in names:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([f"{families[name]}-strip", "--strip-debug", "-o", to / name, built / name], check=True)
        sums.append(f"{hashlib.sha256((to / name).read_bytes()).hexdigest()}  {name}\n")
    # Written last: without it there are no images.
    (to / SUMS).write_text("".join(sums), encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Do what the command line says."""
    match arguments:
        case ["names"]:
            print("\n".join(image_names()))
        case ["strip", built, to]:
            strip_images(Path(built), Path(to))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
