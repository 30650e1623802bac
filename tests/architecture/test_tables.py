"""A chip or a part is a file and a line of a table, a microcontroller a crate: nothing else asks which one it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CRATES = Path(__file__).resolve().parents[2] / "crates"
CHIPS = CRATES / "wiznet" / "src" / "chips"
PARTS = CRATES / "board" / "src" / "parts"
# Words that mean other things in other crates, and a board that is called like its part.
COMMON_WORDS = {"button", "led", "switch", "voltage", "wire"}
BOARDS = "board/src/builtin.rs"
MCUS = "board/src/mcus.rs"


def shipped(path: Path) -> str:
    """A source file without its tests and its comments."""
    code = path.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
    return re.sub(r"^\s*//.*$", "", code, flags=re.MULTILINE)


def sources(*crates: str) -> dict[str, str]:
    folders = [CRATES / crate / "src" for crate in crates] if crates else sorted(CRATES.glob("*/src"))
    files = [path for folder in folders for path in sorted(folder.rglob("*.rs"))]
    return {path.relative_to(CRATES).as_posix(): shipped(path) for path in files}


def models() -> list[str]:
    return sorted(path.stem for path in CHIPS.glob("w*.rs"))


def kinds() -> dict[str, str]:
    """The kinds of parts, by the file that they stand in."""
    name = re.compile(r'const KIND: Kind = Kind \{\s*name: "([^"]+)"')
    found = {path.stem: name.search(shipped(path)) for path in PARTS.glob("*.rs")}
    return {stem: match[1] for stem, match in sorted(found.items()) if match}


def mcus() -> list[str]:
    """The crates of microcontrollers, as the table names them."""
    return sorted(set(re.findall(r"&(\w+)::[A-Z]\w+", shipped(CRATES / MCUS))))


def test_there_are_chips_and_parts_and_microcontrollers_to_look_at() -> None:
    assert len(models()) >= 4
    assert len(kinds()) >= 8
    assert "rp2040" in mcus()


@pytest.mark.parametrize("mcu", mcus())
def test_nothing_outside_a_microcontrollers_crate_and_the_table_names_it(mcu: str) -> None:
    names_it = re.compile(rf'\b{mcu}::|\buse {mcu}\b|"{mcu}"')
    naming = {path for path, code in sources().items() if names_it.search(code)}
    assert {path for path in naming if not path.startswith(f"{mcu}/")} == {MCUS}
    others = [path.read_text(encoding="utf-8") for path in CRATES.glob("*/Cargo.toml") if path.parent.name != mcu]
    using = [text for text in others if f"\n{mcu}.workspace" in text]
    assert len(using) == 1, "board alone uses the crate"


@pytest.mark.parametrize("model", models())
def test_nothing_outside_a_chips_file_and_the_table_names_the_chip(model: str) -> None:
    names_it = re.compile(rf'Model::{model.upper()}\b|"{model}"|\b{model}::')
    naming = {path for path, code in sources().items() if names_it.search(code)}
    assert naming - {"wiznet/src/chips/mod.rs"} == {f"wiznet/src/chips/{model}.rs"}


@pytest.mark.parametrize(("file", "kind"), kinds().items())
def test_nothing_outside_a_parts_file_and_the_table_names_the_part(file: str, kind: str) -> None:
    own = f"board/src/parts/{file}.rs"
    crates = ["board"] if kind in COMMON_WORDS else []
    naming = {path for path, code in sources(*crates).items() if f'"{kind}"' in code}
    assert naming - {BOARDS} == {own}, "a name of a kind stands in its file alone"
    using = {path for path, code in sources("board").items() if re.search(rf"\b{file}::", code)}
    assert using == {"board/src/kinds.rs"}, "the table of kinds alone knows the file"
