"""Cases for the comparison of cores: one encoding with registers that make sense to it, and random programs.

Everything follows from the generator that is passed in. Memory is touched in a window only; code lies among
undefined instructions, so that a jump that goes astray ends at once.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

WINDOW = 0x2002_0000
DATA_BYTES = 256
"""Loads and stores of random programs go here, and their stack lies above."""
WINDOW_BYTES = DATA_BYTES + 64
STACK = 0x2003_0000
CODE = 0x2001_0000
AROUND_BYTES = 0x1000
"""There are this many bytes of background before and behind the code."""
NOWHERE = 0x3000_0000
SP, LR, PC = 13, 14, 15

Case = dict[str, Any]


def start(rng: random.Random) -> Case:
    """What all cases share."""
    background = b"".join((0xDE00 | rng.getrandbits(8)).to_bytes(2, "little") for _ in range(AROUND_BYTES))
    memory = rng.randbytes(WINDOW_BYTES).hex()
    return {"window": WINDOW, "memory": memory, "code": CODE - AROUND_BYTES, "background": background.hex()}


def halfwords(*codes: int) -> str:
    """Code in hexadecimal."""
    return b"".join(code.to_bytes(2, "little") for code in codes).hex()


INTERESTING = (0, 1, 2, 4, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)


def some_registers(rng: random.Random) -> list[int]:
    """R0 to R15: anything in the general ones, and a stack pointer to RAM."""
    bits = rng.getrandbits(13)
    values = [
        INTERESTING[rng.getrandbits(8) % len(INTERESTING)] if bits >> number & 1 else rng.getrandbits(32)
        for number in range(13)
    ]
    return [*values, STACK + (rng.getrandbits(8) << 2), rng.getrandbits(32), CODE]


def some_flags(rng: random.Random) -> int:
    """An APSR."""
    return rng.getrandbits(4) << 28


def _address(rng: random.Random, size: int) -> int:
    """Where to load or store: mostly in the window, else not aligned or where nothing is."""
    inside = WINDOW + (rng.getrandbits(8) & -size)
    kind = rng.getrandbits(4)
    if kind == 0:
        return NOWHERE + (rng.getrandbits(16) & -size)
    return inside + 1 + rng.getrandbits(4) % (size - 1) if kind == 1 and size > 1 else inside


def _target(rng: random.Random) -> int:
    return CODE + (rng.getrandbits(9) << 1) | 1


SIZES_BY_REGISTER = (4, 2, 1, 1, 4, 2, 1, 2)
"""Bytes of a load or store with a register as offset, by bits 9 to 11."""


def single(code: int, rng: random.Random) -> Case:
    """One 16-bit encoding, with registers that suit it."""
    registers = some_registers(rng)
    case: Case = {"registers": registers, "flags": some_flags(rng), "code": halfwords(code), "steps": 1}
    base, index = code >> 3 & 7, code >> 6 & 7
    match code >> 11:
        case 0b01010 | 0b01011:
            address = _address(rng, SIZES_BY_REGISTER[code >> 9 & 7])
            if base == index:
                # Twice half the address; where that gives no address the case stays what it is.
                registers[base] = address // 2
            else:
                registers[index] = rng.getrandbits(32)
                registers[base] = address - registers[index] & 0xFFFF_FFFF
        case 0b01100 | 0b01101 | 0b01110 | 0b01111 | 0b10000 | 0b10001:
            size = (4, 1, 2)[(code >> 12) - 6]
            registers[base] = _address(rng, size) - (code >> 6 & 31) * size
        case 0b10010 | 0b10011:
            registers[SP] = WINDOW + (rng.getrandbits(8) & -4) - (code & 0xFF) * 4
        case 0b11000 | 0b11001:
            registers[code >> 8 & 7] = WINDOW + 4 * (rng.getrandbits(5))
        case 0b10110 | 0b10111 if code & 0x0600 == 0x0400 and code & 0x1FF:
            registers[SP] = WINDOW + 64 + 4 * (rng.getrandbits(4))
            if code >> 8 == 0xBD:
                memory = bytearray(rng.randbytes(WINDOW_BYTES))
                at = registers[SP] - WINDOW + 4 * (code & 0xFF).bit_count()
                memory[at : at + 4] = _target(rng).to_bytes(4, "little")
                case["memory"] = memory.hex()
        case 0b01000 if code >> 8 == 0x47 or code & 0xFF87 in (0x4487, 0x4687):
            register = code >> 3 & 15
            if register < SP or register == LR:
                target = _target(rng)
                registers[register] = target - CODE - 4 & 0xFFFF_FFFF if code >> 8 == 0x44 else target
    if code & 0xFD87 == 0x4485 and code >> 3 & 15 != PC:
        # To SP, whose low two bits are always zero, but not in Unicorn.
        registers[code >> 3 & 15] &= 0xFFFF_FFFC
    if code & 0xFFE0 == 0xB660:
        case["fresh"] = True
    return case


def wide(first: int, second: int, rng: random.Random, *, fresh: bool = False) -> Case:
    """One 32-bit encoding."""
    case: Case = {
        "registers": some_registers(rng),
        "flags": some_flags(rng),
        "code": halfwords(first, second),
        "steps": 1,
    }
    return case | {"fresh": True} if fresh else case


BASE, COUNTER = 7, 6
"""Low registers that a random program keeps: where the window is, and how often a loop still runs."""
LONGEST_BRANCH = 127
"""Halfwords that a conditional branch reaches forward; no block has half as many."""


@dataclass
class Program:
    """A random program. It consists of blocks; branches go from one to another, and no path is endless."""

    rng: random.Random
    codes: list[int] = field(default_factory=list)
    _branches: list[tuple[int, int]] = field(default_factory=list)
    """Forward branches that are open: where they are, and how many blocks they still pass."""
    supervisor_calls: list[int] = field(default_factory=list)
    """Where SVC may stand: the index of a NOP."""

    def build(self, length: int) -> list[int]:
        """Build it with about this many instructions."""
        while len(self.codes) < length:
            self._block(inner=False)
            self._close()
        while self._branches:
            self._emit(0xBF00)
            self._close()
        self._functions()
        return self.codes

    def _emit(self, *codes: int) -> None:
        self.codes.extend(codes)

    def _low(self) -> int:
        return self.rng.randrange(6)

    def _close(self) -> None:
        """A block ended: branches that pass enough blocks come here."""
        still_open = []
        for at, left in self._branches:
            if left > 0 and len(self.codes) - at < LONGEST_BRANCH // 2:
                still_open.append((at, left - 1))
            else:
                self.codes[at] |= len(self.codes) - at - 2 & (0xFF if self.codes[at] < 0xE000 else 0x7FF)
        self._branches = still_open

    def _block(self, *, inner: bool) -> None:
        kinds = [self._arithmetic] * 8 + [self._memory] * 5 + [self._high, self._high, self._stack, self._multiple]
        kinds += [self._special, self._to_counter, self._compare_and_skip]
        if not inner:
            kinds += [self._branch, self._branch, self._compare_and_branch, self._loop, self._call]
        self.rng.choice(kinds)()

    def _arithmetic(self) -> None:
        rng = self.rng
        rd, rm, third = self._low(), rng.randrange(8), rng.randrange(8)
        shift = rng.randrange(3) << 11 | rng.randrange(32) << 6 | rm << 3 | rd
        add = 0x1800 | rng.randrange(4) << 9 | third << 6 | rm << 3 | rd
        immediate = 0x2000 | rng.randrange(4) << 11 | rd << 8 | rng.getrandbits(8)
        register = 0x4000 | rng.randrange(16) << 6 | rm << 3 | rd
        extend = 0xB200 | rng.randrange(4) << 6 | rm << 3 | rd
        reverse = 0xBA00 | rng.choice((0, 1, 3)) << 6 | rm << 3 | rd
        address = 0xA000 | rng.getrandbits(1) << 11 | rd << 8 | rng.getrandbits(8)
        self._emit(rng.choice((shift, add, immediate, immediate, register, register, extend, reverse, address)))

    def _high(self) -> None:
        rng = self.rng
        rd = rng.choice((*range(6), 8, 9, 10, 11, 12))
        rm = rng.choice((*range(6), 8, 9, 10, 11, 12, 13, 14))
        move_or_add = rng.choice((0x4400, 0x4600)) | (rd & 8) << 4 | rm << 3 | rd & 7
        high = rng.choice((8, 9, 10, 11, 12, 14))
        compare = 0x4500 | (high & 8) << 4 | rm << 3 | high & 7
        self._emit(rng.choice((move_or_add, move_or_add, compare)))

    def _memory(self) -> None:
        rng, rd = self.rng, self._low()
        if rng.getrandbits(1):
            size = rng.randrange(3)
            opcode = (0x6000, 0x7000, 0x8000)[size] | rng.getrandbits(1) << 11
            self._emit(opcode | rng.randrange(32) << 6 | BASE << 3 | rd)
            return
        kind, index = rng.randrange(8), self._low()
        offset = rng.getrandbits(8) & -SIZES_BY_REGISTER[kind]
        self._emit(0x2000 | index << 8 | offset, 0x5000 | kind << 9 | index << 6 | BASE << 3 | rd)

    def _list(self) -> int:
        return self.rng.randrange(1, 64)

    def _stack(self) -> None:
        rng, words = self.rng, self.rng.randrange(1, 9)
        if rng.getrandbits(1):
            stored = self._list()
            loaded = sum(1 << number for number in rng.sample(range(6), stored.bit_count()))
            self._emit(0xB400 | stored)
            self._arithmetic()
            self._emit(0xBC00 | loaded)
            return
        # What is loaded was stored before: below the stack may be frames of exceptions.
        word = rng.randrange(words)
        store, load = 0x9000 | self._low() << 8 | word, 0x9800 | self._low() << 8 | word
        self._emit(0xB080 | words, store, load, 0xB000 | words)

    def _multiple(self) -> None:
        rng, pointer = self.rng, self._low()
        registers = self._list()
        if rng.getrandbits(1):
            # The base is the lowest of the list or none of it: else what is stored is unknown.
            registers &= -1 << pointer
            registers = registers or 1 << pointer
            opcode = 0xC000
        else:
            opcode = 0xC800
        self._emit(0x1C00 | rng.randrange(8) << 6 | BASE << 3 | pointer)
        # Aligned again: (pointer >> 2) << 2.
        self._emit(0x0880 | pointer << 3 | pointer, 0x0080 | pointer << 3 | pointer)
        self._emit(opcode | pointer << 8 | registers)

    def _special(self) -> None:
        rng = self.rng
        reads = (0xF3EF, 0x8000 | self._low() << 8 | rng.randrange(4))
        # Only the flags: Unicorn's Cortex-M0 has a Q flag as well.
        source = self._low()
        writes = (0x0700 | source << 3 | source, 0xF380 | source, 0x8800)
        barrier = (0xF3BF, 0x8F40 | rng.randrange(3) << 4 | 0xF)
        self._emit(*rng.choice((reads, writes, barrier, (0xBF00,), (0xBF40,))))
        self.supervisor_calls.append(len(self.codes))
        self._emit(0xBF00)

    def _to_counter(self) -> None:
        """Jumps by writing the program counter, over one instruction."""
        rd = self._low()
        if self.rng.getrandbits(1):
            # adds r, #n to what mov r, pc gave (the address of the adds), then mov pc, r.
            self._emit(0x4678 | rd, 0x3000 | rd << 8 | 4 + self.rng.getrandbits(1), 0x4687 | rd << 3)
            self._arithmetic_behind_a_jump()
        else:
            self._emit(0x2000 | rd << 8 | self.rng.choice((0, 1)), 0x4487 | rd << 3)
            self._arithmetic_behind_a_jump()

    def _arithmetic_behind_a_jump(self) -> None:
        self._arithmetic()
        self._arithmetic()

    def _compare(self) -> None:
        rng = self.rng
        immediate = 0x2800 | self._low() << 8 | rng.getrandbits(8)
        register = 0x4280 | rng.randrange(8) << 3 | rng.randrange(8)
        subtract = 0x1A00 | rng.randrange(8) << 6 | rng.randrange(8) << 3 | self._low()
        subtract_immediate = 0x3800 | self._low() << 8 | rng.getrandbits(8)
        self._emit(rng.choice((immediate, register, subtract, subtract_immediate)))

    def _compare_and_skip(self) -> None:
        self._compare()
        self._emit(0xD000 | self.rng.randrange(2) << 8)
        self._arithmetic()

    def _branch(self) -> None:
        condition = self.rng.randrange(15)
        self._branches.append((len(self.codes), self.rng.randrange(1, 5)))
        self._emit(0xE000 if condition == 14 else 0xD000 | condition << 8)

    def _compare_and_branch(self) -> None:
        self._compare()
        self._branches.append((len(self.codes), self.rng.randrange(1, 5)))
        self._emit(0xD000 | self.rng.randrange(14) << 8)

    def _loop(self) -> None:
        self._emit(0x2000 | COUNTER << 8 | self.rng.randrange(1, 9))
        top = len(self.codes)
        for _ in range(self.rng.randrange(1, 6)):
            self._block(inner=True)
        self._emit(0x3800 | COUNTER << 8 | 1)
        self._emit(0xD100 | top - len(self.codes) - 2 & 0xFF)

    def _call(self) -> None:
        """A call; the function is put behind the program later."""
        self._emit(0xF000, 0xD000)
        if self.rng.getrandbits(1):
            # Through a register: its function's address is even, adds makes it odd.
            register = self._low()
            self.codes[-2:] = [0x4678 | register, 0x3000 | register << 8, 0x4780 | register << 3]

    def _functions(self) -> None:
        """The end of the main program, and what it calls."""
        end = len(self.codes)
        self._emit(0xE000)
        for at in range(end):
            if self.codes[at] == 0xF000 and self.codes[at + 1] == 0xD000:
                offset = len(self.codes) - at - 2
                self.codes[at : at + 2] = [0xF000, 0xF800 | offset]
                self._function()
            elif self.codes[at] & 0xFFF8 == 0x4678 and self.codes[at + 2] >> 7 == 0x4780 >> 7:
                # mov r, pc gives the address of the third instruction.
                self.codes[at + 1] |= 2 * (len(self.codes) - at - 2) + 1 & 0xFF
                if 2 * (len(self.codes) - at - 2) + 1 > 0xFF:
                    self.codes[at : at + 3] = [0xBF00] * 3
                    continue
                self._function()
        self.codes[end] |= len(self.codes) - end - 2 & 0x7FF

    def _function(self) -> None:
        """A few instructions and a return, in one of the ways to do it."""
        rng, low = self.rng, self._low()
        way = rng.randrange(3)
        if way == 0:
            self._emit(0xB500 | 1 << low)
        for _ in range(rng.randrange(1, 4)):
            rng.choice((self._arithmetic, self._memory))()
        if way == 0:
            self._emit(0xBD00 | 1 << self._low())
        elif way == 1:
            self._emit(0x4770)
        else:
            # mov r, lr; bx r
            self._emit(0x4670 | low, 0x4700 | low << 3)


def program(rng: random.Random, *, stack: int = WINDOW + WINDOW_BYTES - 16) -> tuple[Case, list[int]]:
    """A random program of 20 to 60 instructions, and where SVC may be put into it."""
    made = Program(rng)
    codes = made.build(rng.randrange(20, 61))
    registers = some_registers(rng)
    registers[BASE], registers[SP] = WINDOW, stack
    case = {
        "registers": registers,
        "flags": some_flags(rng),
        "code": halfwords(*codes),
        "memory": rng.randbytes(WINDOW_BYTES).hex(),
    }
    return case, made.supervisor_calls
