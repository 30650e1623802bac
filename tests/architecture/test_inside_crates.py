"""Inside a crate, too, one direction holds where a circle was cut: what the lower folders must never name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CRATES = Path(__file__).resolve().parents[2] / "crates"

# The crate and the folder or file below its src, and which of its neighbours stand above it.
ABOVE = {
    # A suite says what is asked, a capture what was seen. Who makes rows of them, on a target, reads both from there.
    ("bench", "suite"): {"analysis", "captures", "rows", "target", "targets", "validation"},
    ("bench", "captures"): {"analysis", "rows", "suite", "target", "targets", "validation"},
    ("bench", "target"): {"analysis", "captures", "validation"},
    ("bench", "targets"): {"analysis", "validation"},
    ("bench", "rows"): {"analysis", "captures", "validation"},
    # A register block and a memory know neither the bus that reaches them nor the chip that holds all.
    ("rp2040", "flash"): {"bus", "chip", "report", "rom"},
    ("rp2040", "rom"): {"bus", "chip", "report"},
    ("rp2040", "io"): {"bus", "chip", "flash", "report", "rom"},
    # Instructions are decoded without a bus, which the interpreter alone needs.
    ("cortexm", "isa"): {"bus", "code", "decode", "exception", "execute", "interpreter", "ppb"},
    ("cortexm", "decode"): {"bus", "code", "exception", "execute", "interpreter", "ppb"},
    ("cortexm", "alu"): {"bus", "code", "exception", "execute", "interpreter", "ppb"},
    # A peripheral and the core know neither the registers that lead to them nor the chip that holds all.
    ("avr", "core"): {"chip", "io", "peripherals", "pins", "report", "seam"},
    ("avr", "peripherals"): {"chip", "io", "pins", "report", "seam"},
    # A run folder is written the same way whatever was measured.
    ("record", "run_folder"): {"statistics"},
}
_NAMED = re.compile(r"\bcrate::(?:\{([^}]*)\}|(\w+))")


def _files(crate: str, part: str) -> list[Path]:
    source = CRATES / crate / "src"
    return [source / f"{part}.rs"] if (source / f"{part}.rs").is_file() else sorted((source / part).rglob("*.rs"))


def _named(file: Path) -> set[str]:
    """The modules of its own crate that a file names by their whole path, and a file at the top its neighbours."""
    text = file.read_text(encoding="utf-8").split("\n#[cfg(test)]\nmod tests {")[0]
    named = {name for group, one in _NAMED.findall(text) for name in re.findall(r"\w+", group or one)}
    return named | set(re.findall(r"\bsuper::(\w+)", text)) if file.parent.name == "src" else named


@pytest.mark.parametrize(("crate", "part"), ABOVE, ids=lambda name: name)
def test_what_stands_below_names_nothing_that_stands_above(crate: str, part: str) -> None:
    files = _files(crate, part)
    assert files, f"crates/{crate}/src has no {part}: move the rule with it"
    neighbours = {path.stem for path in (CRATES / crate / "src").iterdir()}
    gone = ABOVE[crate, part] - neighbours
    assert not gone, f"crates/{crate}/src has no {', '.join(sorted(gone))}: move the rule with it"
    wrong = {file.name: used for file in files if (used := _named(file) & ABOVE[crate, part])}
    assert not wrong
