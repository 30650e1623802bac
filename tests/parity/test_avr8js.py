"""Programs for two AVRs here and under avr8js, a third party's emulator: same registers, same RAM, same cycles.

The ATmega2560 has the longer program counter, with RAMPZ and EIND. Random programs go through every instruction that
the oracle has. Where the manual (DS40002198) differs from it, the manual is followed here, and the difference is left
out of the comparison: H, of which the oracle looks at bit 0; V after NEG of 0x80; Z after FMULSU; the cycles of CBI and
of the entry of a handler.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from avr_images import build_avr_image
from avr_programs import ATMEGA328P, ATMEGA2560, FAR, Chip, Program, random_program
from benches.avr8js import ask, install
from benches.rp2040js import NoOracle

from airwire.board import Board

PROGRAMS = 120
HALF_CARRY = 1 << 5
DATA = 0x80_0000
RAMPZ, EIND = 0x5B, 0x5C


@pytest.fixture(scope="module")
def oracle(pytestconfig: pytest.Config) -> Path:
    """The oracle's folder."""
    try:
        return install(pytestconfig.cache.mkdir("avr8js"))
    except NoOracle as reason:
        pytest.skip(str(reason))


def record(address: int, kind: int, content: bytes) -> str:
    head = bytes([len(content), address >> 8, address & 0xFF, kind]) + content
    return f":{head.hex()}{-sum(head) & 0xFF:02x}"


def intel_hex(near: bytes, far: bytes) -> str:
    """A file in Intel HEX, for address 0 and for the first one beyond 128 KiB."""
    lines = [record(at, 0, near[at : at + 16]) for at in range(0, len(near), 16)]
    if far:
        lines.append(record(0, 4, (2 * FAR >> 16).to_bytes(2, "big")))
        lines += [record(at, 0, far[at : at + 16]) for at in range(0, len(far), 16)]
    return "\n".join([*lines, ":00000001ff", ""])


def ran_here(program: Program, folder: Path, chip: Chip) -> dict[str, Any]:
    image = folder / "program.hex"
    image.write_text(intel_hex(bytes.fromhex(program.flash), bytes.fromhex(program.far_flash)))
    board = Board(chip.board, image)
    board.step(program.steps)
    registers = board.registers
    return {
        "registers": [registers[f"r{number}"] for number in range(32)],
        "sreg": registers["sreg"] & ~HALF_CARRY,
        "sp": registers["sp"],
        "pc": registers["pc"],
        "cycles": board.counts[0].busy_cycles,
        "ram": board.memory[DATA + chip.ram_start : DATA + chip.ram_end + 1].hex(),
        "pages": [board.memory[DATA + place] for place in (RAMPZ, EIND)] if chip.is_far else [0, 0],
    }


@pytest.mark.parametrize("chip", [ATMEGA328P, ATMEGA2560], ids=lambda chip: chip.board)
def test_random_programs_end_with_the_same_state(oracle: Path, tmp_path: Path, chip: Chip) -> None:
    programs = [random_program(seed, chip=chip) for seed in range(PROGRAMS)]
    ram = {"ram_start": chip.ram_start, "ram_end": chip.ram_end}
    far = {"far_at": 2 * FAR} if chip.is_far else {}
    cases = [{"flash": one.flash, "far": one.far_flash, "steps": one.steps, **ram, **far} for one in programs]
    theirs = ask(oracle, {"cases": cases})["results"]
    assert len(theirs) == len(programs)
    for seed, (program, state) in enumerate(zip(programs, theirs, strict=True)):
        state["sreg"] &= ~HALF_CARRY
        assert ran_here(program, tmp_path, chip) == state, f"the program of seed {seed}"


@pytest.fixture(scope="module")
def peripherals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our image that looks at the peripherals, built."""
    return build_avr_image("peripherals", tmp_path_factory.mktemp("avr"))


def shown_there(oracle: Path, image: Path, cycles: int) -> dict[str, Any]:
    flash = image.with_suffix(".bin").read_bytes().hex()
    return ask(oracle, {"flash": flash, "cycles": cycles})


def test_peripherals_show_a_program_the_same(oracle: Path, peripherals: Path) -> None:
    board = Board("arduino-uno", peripherals)
    board.wire("D11", "D12")
    ended = board.run("1 s", until="done")
    assert ended.reason == "text", ended.sentence
    here = board.console.splitlines()
    there = shown_there(oracle, peripherals, 4_000_000)["console"].splitlines()
    assert [line for line in here if line[0] != "~"] == [line for line in there if line[0] != "~"]
    counted = [(a, b) for a, b in zip(here, there, strict=True) if a[0] == "~"]
    assert len(counted) > 8
    for a, b in counted:
        numbers = [[int(word) for word in line.split() if word.isdigit()] for line in (a, b)]
        assert all(abs(x - y) <= 1 for x, y in zip(*numbers, strict=True)), (a, b)
