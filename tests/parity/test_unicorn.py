"""Our Cortex-M0+ against Unicorn's Cortex-M0, instruction by instruction; what Unicorn lacks, against the manual.

Section numbers are those of the ARMv6-M Architecture Reference Manual. Both engines answer with registers, flags and
the window of memory that programs work on; after a fault ours takes the registers out of the exception frame.
"""

from __future__ import annotations

import json
import random

import pytest
from core_cases import LR, PC, SP, STACK, Case, halfwords, program, single, start, wide
from parity_engines import Engines, build_ours, need_unicorn

SEED = 20_240_229
FEW_AND_MANY = [1, pytest.param(20, marks=pytest.mark.slow)]
"""Rounds: those of `make test`, and those of `make test-slow`."""
PROGRAMS = 6_000
STEPS = range(1, 500)
"""No program takes more instructions."""

# Every 16-bit encoding of ARMv6-M (A5.2); a dot is any bit.
ENCODINGS = {
    "lsls, lsrs, asrs by an immediate": ("00000...........", "00001...........", "00010..........."),
    "adds and subs of three operands": ("00011...........",),
    "movs, cmp, adds, subs of an immediate": ("001.............",),
    "data processing": ("010000..........",),
    "add, cmp, mov of high registers": ("01000100........", "01000101........", "01000110........"),
    "bx, blx": ("01000111........",),
    "ldr from code": ("01001...........",),
    "loads and stores with a register": ("0101............",),
    "loads and stores with an immediate": ("011.............", "1000............", "1001............"),
    "adr, add to sp": ("1010............", "10110000........"),
    "sxth, sxtb, uxth, uxtb": ("10110010........",),
    "rev, rev16, revsh": ("1011101000......", "1011101001......", "1011101011......"),
    "push, pop": ("1011010.........", "1011110........."),
    "cps": ("10110110011.....",),
    "bkpt": ("10111110........",),
    "hints": ("10111111....0000",),
    "stm, ldm": ("1100............",),
    "b with a condition, svc": ("11010...........", "110110..........", "1101110.........", "11011111........"),
    "b": ("11100...........",),
}

# Encodings that ARMv6-M calls UNPREDICTABLE and that do not do the same here and in Unicorn: the instruction, what the
# manual says of it, and whether it faults here as if it were undefined (Unicorn executes it) or the other way round.
UNPREDICTABLE = [
    ("0100010011111111", "add pc, pc (A6.7.3: both operands are the PC)", True),
    ("010001011....111", "cmp pc, rm (A6.7.18: an operand is the PC)", True),
    ("01000101.1111...", "cmp rn, pc (A6.7.18: an operand is the PC)", True),
    ("01000111.1111...", "bx pc, blx pc (A6.7.14, A6.7.15)", True),
    ("01000111.....1..", "bx, blx with bits that should be zero", False),
    ("01000111......1.", "bx, blx with bits that should be zero", False),
    ("01000111.......1", "bx, blx with bits that should be zero", False),
    ("1011010000000000", "push of nothing (A6.7.50)", True),
    ("1011110000000000", "pop of nothing (A6.7.49)", True),
    ("1100....00000000", "stm, ldm of nothing (A6.7.58, A6.7.25)", True),
    ("1011011001100000", "cpsie of nothing (B4.2.1)", True),
    ("1011011001110000", "cpsid of nothing (B4.2.1)", True),
    ("10110110011....1", "cps of a mask that ARMv6-M does not have (B4.2.1)", True),
    ("10110110011..1..", "cps of a mask that ARMv6-M does not have (B4.2.1)", True),
    ("10110110011.1...", "cps with a bit that should be zero (B4.2.1)", True),
]

# Undefined encodings of ARMv6-M that Unicorn executes, because later or larger cores have them.
EXECUTED_BY_UNICORN = {
    "1011.0.1........": "cbz, cbnz of ARMv7-M",
    "10110110010.....": "setend of ARMv6",
    "10111111........": "it of ARMv7-M",
}

HINTS = {0xBF10, 0xBF20, 0xBF30}
"""yield, wfe and wfi: Unicorn ends there with an error. Sleeping is tested with interrupts elsewhere."""
TO_SP = {0x4768, 0x47E8}
"""bx sp and blx sp: always to an even address, with a test of its own."""
SYSTEM_REGISTERS = {0, 1, 2, 3, 5, 6, 7, 8, 9, 16, 20}
"""SYSm of every special register (B5.1.1)."""

Pattern = tuple[int, int]


def _pattern(text: str) -> Pattern:
    mask = int("".join("0" if bit == "." else "1" for bit in text), 2)
    return mask, int(text.replace(".", "0"), 2)


def _any(code: int, patterns: list[Pattern]) -> bool:
    return any(code & mask == value for mask, value in patterns)


DEFINED = [_pattern(text) for texts in ENCODINGS.values() for text in texts]
FAULTING_HERE = [_pattern(text) for text, _, faults in UNPREDICTABLE if faults]
DIFFERENT = [_pattern(text) for text, _, _ in UNPREDICTABLE]
LARGER_CORES = [_pattern(text) for text in EXECUTED_BY_UNICORN]
HALFWORDS = range(0xE800)
"""First halfwords from here on begin an instruction of 32 bits (A5.1)."""
UNDEFINED = [code for code in HALFWORDS if not _any(code, DEFINED)]
SVC = range(0xDF00, 0xE000)


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Engines:
    need_unicorn()
    return Engines(build_ours(), tmp_path_factory.mktemp("engines"), start(random.Random(SEED)))


def _differences(engines: Engines, cases: list[Case]) -> list[tuple[Case, str, str]]:
    ours, unicorn = engines.answers(cases)
    assert len(ours) == len(unicorn) == len(cases)
    return [(case, here, there) for case, here, there in zip(cases, ours, unicorn, strict=True) if here != there]


def _names(answer: str) -> dict[str, str]:
    outcome, registers, flags, window = json.loads(answer)
    names = [*(f"r{number}" for number in range(13)), "sp", "lr", "pc"]
    values = dict(zip(names, map(hex, registers), strict=True))
    return {"outcome": outcome, **values, "flags": hex(flags), "window": window}


def _sentence(difference: tuple[Case, str, str]) -> str:
    case, ours, unicorn = difference
    here, there = _names(ours), _names(unicorn)
    parts = [f"{name} is {here[name]} here and {there[name]} there" for name in here if here[name] != there[name]]
    return f"{case['code']} with {[hex(value) for value in case['registers']]}: {'; '.join(parts)}"


def _agree(engines: Engines, cases: list[Case]) -> None:
    different = _differences(engines, cases)
    sentences = "\n".join(_sentence(difference) for difference in different[:10])
    assert not different, f"{len(different)} of {len(cases)} differ:\n{sentences}"


@pytest.mark.parametrize("rounds", FEW_AND_MANY)
def test_every_16_bit_instruction_does_the_same_in_both(engines: Engines, rounds: int) -> None:
    codes = [code for code in HALFWORDS if _any(code, DEFINED) and not _any(code, DIFFERENT)]
    codes = [code for code in codes if code not in HINTS | TO_SP and code not in SVC]
    assert len(codes) > 56_000
    for number in range(2 * rounds):
        rng = random.Random(SEED + number)
        _agree(engines, [single(code, rng) for code in codes])


@pytest.mark.parametrize("rounds", FEW_AND_MANY)
def test_bl_reaches_the_same_in_both_over_its_whole_range(engines: Engines, rounds: int) -> None:
    for number in range(rounds):
        rng = random.Random(SEED + number)
        seconds = [0xD000 | j1 << 13 | j2 << 11 for j1 in (0, 1) for j2 in (0, 1)]
        cases = [
            wide(first, second | rng.choice((0, 1, 2, 0x3FF, 0x400, 0x7FE, 0x7FF, rng.getrandbits(11))), rng)
            for first in range(0xF000, 0xF800)
            for second in seconds
        ]
        _agree(engines, cases)


def test_special_registers_and_barriers_do_the_same_in_both(engines: Engines) -> None:
    rng = random.Random(SEED)
    numbers = sorted(SYSTEM_REGISTERS)
    barriers = [(0xF3BF, 0x8F40 | kind << 4 | option) for kind in range(3) for option in range(16)]
    reads = [(0xF3EF, 0x8000 | to << 8 | number) for number in numbers for to in (*range(13), LR)]
    writes = [(0xF380 | source, 0x8800 | number) for number in numbers for source in (0, 7, 12, 14)]
    cases = [wide(first, second, rng) for first, second in barriers + reads]
    cases += [_privileged(wide(first, second, rng, fresh=True)) for first, second in writes]
    _agree(engines, cases)


def _privileged(case: Case) -> Case:
    """What is written leaves thread mode privileged (Unicorn's Cortex-M0 has no other) and a stack in RAM."""
    case["registers"][:13] = [STACK + 8 * number for number in range(13)]
    case["registers"][LR] = STACK + 0x100
    return case


@pytest.mark.parametrize("rounds", FEW_AND_MANY)
def test_stacks_and_masks_read_back_the_same_in_both(engines: Engines, rounds: int) -> None:
    rng = random.Random(SEED)
    cases = []
    for _ in range(100 * rounds):
        codes: list[int] = []
        for _ in range(12):
            source, to, number = rng.randrange(8), rng.randrange(8, 13), rng.choice((0, 8, 9, 16, 20))
            read = (0xF3EF, 0x8000 | to << 8 | number)
            codes += rng.choice(((0xF380 | source, 0x8800 | number), read, read, (0xB662,), (0xB672,), (0x4668,)))
        case = _privileged(wide(0, 0, rng, fresh=True))
        del case["steps"]
        cases.append(case | {"code": halfwords(*codes)})
    _agree(engines, cases)


def test_sysm_numbers_that_no_register_has_read_as_zero_and_keep_what_is_written(engines: Engines) -> None:
    rng = random.Random(SEED)
    numbers = [number for number in range(256) if number not in SYSTEM_REGISTERS]
    cases = [wide(0xF3EF, 0x8000 | number, rng) for number in numbers]
    cases += [wide(0xF380, 0x8800 | number, rng) for number in numbers]
    for case, answer in zip(cases, engines.ours(cases), strict=True):
        outcome, registers, flags, window = json.loads(answer)
        expected = [*case["registers"]]
        expected[PC] += 4
        if case["code"].startswith("eff3"):
            expected[0] = 0
        assert (outcome, registers, flags, window) == ("stepped", expected, case["flags"], "")


def test_undefined_16_bit_encodings_fault_in_both(engines: Engines) -> None:
    assert len(UNDEFINED) == 0xE800 - sum(_any(code, DEFINED) for code in HALFWORDS)
    rng = random.Random(SEED)
    faulting = UNDEFINED + [code for code in HALFWORDS if _any(code, FAULTING_HERE)]
    cases = [single(code, rng) for code in faulting]
    for code, case, answer in zip(faulting, cases, engines.ours(cases), strict=True):
        expected = [f"undefined {code:04x}", case["registers"], case["flags"], ""]
        assert json.loads(answer) == expected
    _agree(engines, [single(code, rng) for code in UNDEFINED if not _any(code, LARGER_CORES)])


def _is_wide(first: int, second: int) -> bool:
    """Whether it is an instruction of 32 bits (A5.3)."""
    if first >> 11 != 0b11110 or second >> 15 == 0:
        return False
    if second & 0xD000 == 0xD000:
        return True
    barrier = first & 0xFFF0 == 0xF3B0 and second >> 4 & 15 in (4, 5, 6)
    special = first & 0xFFE0 in (0xF380, 0xF3E0)
    return second & 0xD000 == 0x8000 and (barrier or special)


@pytest.mark.parametrize("rounds", FEW_AND_MANY)
def test_undefined_32_bit_encodings_fault_in_both(engines: Engines, rounds: int) -> None:
    for number in range(rounds):
        rng = random.Random(SEED + number)
        pairs = [(first, rng.getrandbits(16)) for first in range(0xE800, 0x10000)]
        # All that ARMv6-M has begins like this, and most of what follows is undefined.
        pairs += [(first, 0x8000 | rng.getrandbits(15)) for first in range(0xF380, 0xF400) for _ in range(16)]
        cases = [wide(first, second, rng) for first, second in pairs if not _is_wide(first, second)]
        assert all(json.loads(answer)[0].startswith("undefined") for answer in engines.ours(cases))
        _agree(engines, cases)


def test_msr_and_mrs_of_sp_and_pc_fault_here(engines: Engines) -> None:
    """UNPREDICTABLE (B5.2.2, B5.2.3); Unicorn executes them."""
    rng = random.Random(SEED)
    cases = [wide(0xF380 | number, 0x8800, rng) for number in (SP, PC)]
    cases += [wide(0xF3EF, 0x8000 | number << 8, rng) for number in (SP, PC)]
    assert [json.loads(answer)[0] for answer in engines.ours(cases)] == [
        "undefined f38d",
        "undefined f38f",
        "undefined f3ef",
        "undefined f3ef",
    ]


@pytest.mark.parametrize("rounds", FEW_AND_MANY)
def test_random_programs_end_the_same_in_both(engines: Engines, rounds: int) -> None:
    for number in range(rounds):
        rng = random.Random(SEED + number)
        cases = [program(rng)[0] for _ in range(PROGRAMS)]
        different = _differences(engines, cases)
        assert not different, f"{len(different)} differ; {_first_difference(engines, different[0])}"
        if number == 0:
            ends = {json.loads(answer)[0] for answer in engines.ours(cases)}
            assert ends == {"end"}


def _first_difference(engines: Engines, difference: tuple[Case, str, str]) -> str:
    """The instruction of a program that is the first to differ, or what differs only when it runs in one go."""
    stepped = [difference[0] | {"steps": steps} for steps in STEPS]
    different = _differences(engines, stepped)
    if not different:
        return f"run in one go, but not in steps: {_sentence(difference)}"
    return f"at instruction {different[0][0]['steps']}: {_sentence(different[0])}"


def test_programs_do_the_same_in_steps_as_in_one_go(engines: Engines) -> None:
    """Pairs of instructions are one step in one go, and two where it stops after each."""
    rng = random.Random(SEED)
    cases = [program(rng)[0] for _ in range(40)]
    stepped = [json.loads(answer) for answer in engines.ours(case | {"steps": n} for case in cases for n in STEPS)]
    for number, whole in enumerate(engines.ours(cases)):
        _, *state = json.loads(whole)
        assert ["stepped", *state] in stepped[number * len(STEPS) : (number + 1) * len(STEPS)]


def test_exceptions_at_any_place_of_a_program_change_nothing_of_it(engines: Engines) -> None:
    """SVC with a handler that returns at once against Unicorn's same program with NOP in its place."""
    rng = random.Random(SEED)
    plain: list[Case] = []
    interrupted: list[Case] = []
    while len(plain) < 150:
        case, places = program(rng)
        if not places:
            continue
        code = bytearray.fromhex(case["code"])
        for place in places:
            code[2 * place : 2 * place + 2] = (0xDF00 | rng.getrandbits(8)).to_bytes(2, "little")
        plain.append(case)
        interrupted.append(case | {"code": code.hex(), "handler": halfwords(0x4770)})
    _, unicorn = engines.answers(plain)
    for here, there in zip(engines.ours(interrupted), unicorn, strict=True):
        # Frames lie in the window below the stack.
        ours = json.loads(here)
        assert [ours[0], ours[1], ours[2] & 0xF000_0000] == json.loads(there)[:3]
