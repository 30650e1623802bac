"""Random programs for an AVR, as words: every instruction of the core but those that an oracle does not have."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

FAR = 0x10000
"""The first word that 16 bits of a program counter do not reach."""


@dataclass(frozen=True)
class Chip:
    """What a program has to know of its chip."""

    board: str
    ram_start: int
    ram_end: int
    is_far: bool
    """Whether its flash reaches beyond 64 Ki words."""

    @property
    def lowest(self) -> int:
        """Pointers stay so far within RAM that no displacement or step leaves it."""
        return self.ram_start + 0x100

    @property
    def highest(self) -> int:
        return self.ram_end - 0x200


ATMEGA328P = Chip("arduino-uno", 0x100, 0x8FF, is_far=False)
ATMEGA2560 = Chip("arduino-mega", 0x200, 0x21FF, is_far=True)


@dataclass(frozen=True)
class Program:
    """A program, and how many of its instructions run at least before its last loop."""

    words: list[int]
    steps: int
    far: list[int] = field(default_factory=list)
    """What stands from ``FAR`` on."""

    @property
    def flash(self) -> str:
        """Its bytes as hexadecimal digits."""
        return _hex(self.words)

    @property
    def far_flash(self) -> str:
        """Those of what is far, likewise."""
        return _hex(self.far)


def _hex(words: list[int]) -> str:
    return b"".join(word.to_bytes(2, "little") for word in words).hex()


def _ldi(register: int, value: int) -> int:
    return 0xE000 | (value & 0xF0) << 4 | (register - 16) << 4 | value & 0xF


def _out(address: int, register: int) -> int:
    return 0xB800 | (address & 0x30) << 5 | register << 4 | address & 0xF


def _two(base: int, d: int, r: int) -> int:
    return base | (r & 0x10) << 5 | d << 4 | r & 0xF


def _mov(d: int, r: int) -> int:
    return _two(0x2C00, d, r)


class _Writer:
    """A program under way."""

    def __init__(self, seed: int, chip: Chip) -> None:
        self.random = Random(seed)
        self.chip = chip
        self.words: list[int] = []
        self.far: list[int] = []

    def any(self) -> int:
        return self.random.randrange(32)

    def upper(self) -> int:
        return self.random.randrange(16, 32)

    def byte(self) -> int:
        return self.random.choice([0, 1, 0x7F, 0x80, 0xFF, self.random.randrange(256)])

    def start(self) -> None:
        """Every register and the flags get a value; the stack begins at the end of RAM."""
        end = self.chip.ram_end
        for value, address in ((end >> 8, 0x3E), (end & 0xFF, 0x3D)):
            self.words += [_ldi(16, value), _out(address, 16)]
        for register in range(32):
            self.words += [_ldi(16, self.byte()), _mov(register, 16)]
        self.words += [_ldi(17, self.byte() & 0x7F), _out(0x3F, 17)]

    def pointer(self, low: int) -> None:
        """A pair of registers points into RAM."""
        address = self.random.randrange(self.chip.lowest, self.chip.highest)
        self.words += [_ldi(low, address & 0xFF), _ldi(low + 1, address >> 8)]

    def arithmetic(self) -> None:
        two = [0x0400, 0x0800, 0x0C00, 0x1400, 0x1800, 0x1C00, 0x2000, 0x2400, 0x2800, 0x2C00, 0x9C00]
        one = [0x9400, 0x9402, 0x9403, 0x9405, 0x9406, 0x9407, 0x940A]
        immediate = [0x3000, 0x4000, 0x5000, 0x6000, 0x7000, 0xE000]
        kind = self.random.randrange(9)
        if kind < 3:
            self.words.append(_two(self.random.choice(two), self.any(), self.any()))
        elif kind < 5:
            self.words.append(self.random.choice(one) | self.any() << 4)
        elif kind < 7:
            value = self.byte()
            word = self.random.choice(immediate) | (value & 0xF0) << 4 | value & 0xF
            self.words.append(word | self.random.randrange(16) << 4)
        elif kind == 7:
            # ADIW and SBIW.
            word = 0x9600 | self.random.randrange(2) << 8 | self.random.randrange(4) << 4
            value = self.random.choice([0, 1, 63, self.random.randrange(64)])
            self.words.append(word | (value & 0x30) << 2 | value & 0xF)
        else:
            self.product()

    def negation(self) -> None:
        """NEG, but for 0x80, of which the oracle leaves V clear."""
        register = self.upper()
        self.words += [_ldi(register, self.byte() & 0x7F), 0x9401 | register << 4]

    def product(self) -> None:
        """MULS, MULSU, FMUL and FMULS; FMULSU has its zero flag inverted in the oracle."""
        small = self.random.randrange(8) << 4 | self.random.randrange(8)
        words = [0x0200 | self.random.randrange(256), *(base | small for base in (0x0300, 0x0308, 0x0380))]
        self.words.append(self.random.choice(words))

    def bits(self) -> None:
        bit, register = self.random.randrange(8), self.any() << 4
        flag = self.random.randrange(7) << 4
        pair = self.random.randrange(256)
        words = [0xF800 | register | bit, 0xFA00 | register | bit, 0x9408 | flag, 0x9488 | flag, 0x0100 | pair]
        self.words.append(self.random.choice(words))

    def jump(self) -> None:
        """A branch, a skip, or a jump over a few words."""
        kind = self.random.randrange(4)
        if kind == 0:
            # Not by H, which the oracle computes of bit 0.
            flag = self.random.choice([0, 1, 2, 3, 4, 6])
            self.words.append(0xF000 | self.random.randrange(2) << 10 | 1 << 3 | flag)
            self.arithmetic()
        elif kind == 1:
            skip = self.random.choice([0xFC00, 0xFE00]) | self.any() << 4 | self.random.randrange(8)
            self.words.append(self.random.choice([skip, _two(0x1000, self.any(), self.any())]))
            self.random.choice([self.arithmetic, self.absolute])()
        elif kind == 2:
            self.words.append(0xC001)
            self.arithmetic()
        else:
            self.words += [0x940C, len(self.words) + 3]
            self.arithmetic()

    def absolute(self) -> None:
        """LDS or STS, of two words."""
        word = self.random.choice([0x9000, 0x9200]) | self.any() << 4
        self.words += [word, self.random.randrange(self.chip.lowest, self.chip.highest)]

    def memory(self) -> None:
        kind = self.random.randrange(5)
        low, plain = self.random.choice([(26, 0xC), (28, None), (30, None)])
        store = self.random.randrange(2) << 9
        register = self.random.randrange(26) << 4
        if kind == 0:
            self.absolute()
        elif kind == 1:
            self.words.append(0x920F | self.any() << 4)
            self.arithmetic()
            self.words.append(0x900F | self.any() << 4)
        elif kind == 2:
            self.pointer(30)
            self.words.append(self.random.choice([0x9004, 0x9005]) | register)
        elif plain is None and kind == 3:
            self.pointer(low)
            q = self.random.randrange(64)
            spread = (q & 0x20) << 8 | (q & 0x18) << 7 | q & 7
            self.words.append(0x8000 | spread | store | register | (8 if low == 28 else 0))
        else:
            self.pointer(low)
            steps = {26: (0xC, 0xD, 0xE), 28: (0x9, 0xA), 30: (0x1, 0x2)}[low]
            self.words.append(0x9000 | store | register | self.random.choice(steps))

    def calls(self) -> None:
        """A call of code behind a jump, and the return from it."""
        here = len(self.words)
        body = [self.random.choice([0x9403, 0x940A]) | self.any() << 4, 0x9508]
        # What is called stands behind the jump over it.
        self.words += [0xC000 | len(body), *body]
        if self.random.randrange(2):
            self.words += [0x940E, here + 1]
        else:
            distance = here + 1 - (len(self.words) + 1)
            self.words.append(0xD000 | distance & 0xFFF)

    def far_away(self) -> None:
        """A call or a jump beyond 16 bits of the program counter, by a word or by EIND and Z; it comes back."""
        body = FAR + len(self.far)
        self.far.append(self.random.choice([0x9403, 0x940A]) | self.any() << 4)
        if self.random.randrange(2):
            self.far.append(0x9508)
            by_z, by_word = 0x9519, [0x940F, body - FAR]
        else:
            # The jump back stands where the way there ends.
            by_z, by_word = 0x9419, [0x940D, body - FAR]
            self.far += [0x940C, 0]
        if self.random.randrange(2):
            low, high = (body - FAR) & 0xFF, (body - FAR) >> 8
            self.words += [_ldi(16, 1), _out(0x3C, 16), _ldi(30, low), _ldi(31, high), by_z]
        else:
            self.words += by_word
        if self.far[-2] == 0x940C:
            self.far[-1] = len(self.words)

    def far_constant(self) -> None:
        """ELPM, also at the end of 64 KiB, where RAMPZ counts on."""
        low, high, page = self.random.choice([(0xFF, 0xFF, 1), (self.random.randrange(64), 0, 2)])
        self.words += [_ldi(16, page), _out(0x3B, 16), _ldi(30, low), _ldi(31, high)]
        register = self.random.randrange(26) << 4
        self.words.append(self.random.choice([0x95D8, 0x9006 | register, 0x9007 | register]))


def random_program(seed: int, parts: int = 40, chip: Chip = ATMEGA328P) -> Program:
    """A program of so many parts, the same for the same seed."""
    writer = _Writer(seed, chip)
    writer.start()
    kinds = [writer.arithmetic] * 5 + [
        writer.negation,
        writer.bits,
        writer.jump,
        writer.memory,
        writer.memory,
        writer.calls,
    ]
    if chip.is_far:
        kinds += [writer.far_away] * 2 + [writer.far_constant]
    for _ in range(parts):
        writer.random.choice(kinds)()
    # It ends in a jump to itself, which may be executed any number of times.
    return Program([*writer.words, 0xCFFF], len(writer.words) + 8, writer.far)
