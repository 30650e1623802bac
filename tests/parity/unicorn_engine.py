"""Unicorn behind JSON lines: small programs go in, states of its Cortex-M0 come out.

It answers what crates/rp2040/examples/core_states.rs answers for the core of this project. Unicorn is under the GPL,
so it lives in a process of its own, which shares nothing with the package but these lines. It is called through its C
interface: the Python wrapper takes several times as long for each register.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

import unicorn
from unicorn import arm_const, unicorn_const

RAM = 0x2000_0000
RAM_BYTES = 0x4_2000
REGISTERS = (
    *(arm_const.UC_ARM_REG_R0 + number for number in range(13)),
    arm_const.UC_ARM_REG_SP,
    arm_const.UC_ARM_REG_LR,
    arm_const.UC_ARM_REG_APSR_NZCV,
    arm_const.UC_ARM_REG_PC,
)
FLAGS, PC = 15, 16
PC_NUMBER = 15
OUTCOMES = {
    unicorn_const.UC_ERR_READ_UNMAPPED: "read",
    unicorn_const.UC_ERR_WRITE_UNMAPPED: "write",
    unicorn_const.UC_ERR_FETCH_UNMAPPED: "fetch",
    unicorn_const.UC_ERR_EXCEPTION: "exception",
}
"""How a program may end. Unaligned accesses, SVC, BKPT and returns from exceptions are all exceptions."""

# The arguments of uc_ctl: how many, and whether they are written (UC_CTL_WRITE in unicorn.h).
WRITE = 1 << 30
SET_MODEL = unicorn_const.UC_CTL_CPU_MODEL | 1 << 26 | WRITE
FORGET_CODE = unicorn_const.UC_CTL_TB_REMOVE_CACHE | 2 << 26 | WRITE


def _library() -> ctypes.CDLL:
    found = sorted((Path(unicorn.__file__).parent / "lib").glob("*unicorn*"))
    return ctypes.CDLL(str(next(path for path in found if path.suffix != ".a")))


class Engine:
    """A Cortex-M0 with the RAM of an RP2040."""

    def __init__(self, start: dict[str, Any]) -> None:
        self._library = _library()
        self._window: int = start["window"]
        self._memory = bytes.fromhex(start["memory"])
        self._code: int = start["code"]
        self._background = bytes.fromhex(start["background"])
        self._values = (ctypes.c_uint32 * len(REGISTERS))()
        self._names = (ctypes.c_int * len(REGISTERS))(*REGISTERS)
        places = [ctypes.addressof(self._values) + 4 * index for index in range(len(REGISTERS))]
        self._places = (ctypes.c_void_p * len(REGISTERS))(*places)
        self._buffer = ctypes.create_string_buffer(len(self._memory))
        self._handle: ctypes.c_void_p | None = None
        self._renew()

    def _check(self, error: int) -> None:
        if error:
            raise RuntimeError(f"Unicorn refuses with error {error}")

    def _renew(self) -> None:
        if self._handle is not None:
            self._library.uc_close(self._handle)
        self._handle = ctypes.c_void_p()
        architecture, mode = unicorn_const.UC_ARCH_ARM, unicorn_const.UC_MODE_THUMB
        self._check(self._library.uc_open(architecture, mode, ctypes.byref(self._handle)))
        # UC_MODE_MCLASS would make it a Cortex-M33.
        self._check(self._library.uc_ctl(self._handle, SET_MODEL, arm_const.UC_CPU_ARM_CORTEX_M0))
        everything = ctypes.c_uint64(RAM), ctypes.c_size_t(RAM_BYTES), unicorn_const.UC_PROT_ALL
        self._check(self._library.uc_mem_map(self._handle, *everything))
        self._write(self._window, self._memory)
        self._write(self._code, self._background)

    def _write(self, address: int, content: bytes) -> None:
        length = ctypes.c_size_t(len(content))
        self._check(self._library.uc_mem_write(self._handle, ctypes.c_uint64(address), content, length))

    def _write_code(self, address: int, content: bytes) -> None:
        self._write(address, content)
        end = address + len(content)
        self._check(self._library.uc_ctl(self._handle, FORGET_CODE, ctypes.c_uint64(address), ctypes.c_uint64(end)))

    def answer(self, line: str) -> str:
        """Execute a case and give what it left."""
        case = json.loads(line)
        if case.get("fresh"):
            self._renew()
        registers, code, steps = case["registers"], bytes.fromhex(case["code"]), case.get("steps", 0)
        begin = registers[PC_NUMBER]
        memory = bytes.fromhex(case["memory"]) if "memory" in case else self._memory
        if memory is not self._memory:
            self._write(self._window, memory)
        self._write_code(begin, code)
        values = self._values
        values[:PC] = [*registers[:PC_NUMBER], case["flags"]]
        self._check(self._library.uc_reg_write_batch(self._handle, self._names, self._places, PC))
        end = begin + len(code)
        error = self._library.uc_emu_start(
            self._handle,
            ctypes.c_uint64(begin | 1),
            ctypes.c_uint64(0xFFFF_FFFE if steps else end),
            ctypes.c_uint64(0),
            ctypes.c_size_t(steps),
        )
        self._check(self._library.uc_reg_read_batch(self._handle, self._names, self._places, len(REGISTERS)))
        outcome = self._outcome(error, values[PC], end, steps)
        window = self._changes(memory)
        at = begin - self._code
        self._write_code(begin, self._background[at : at + len(code)])
        state = [outcome, [*values[:PC_NUMBER], values[PC]], values[FLAGS] & 0xF000_0000, window]
        return json.dumps(state, separators=(",", ":"))

    def _outcome(self, error: int, counter: int, end: int, steps: int) -> str:
        if error == unicorn_const.UC_ERR_OK:
            return "stepped" if steps else "end" if counter == end else "Time"
        if error == unicorn_const.UC_ERR_FETCH_UNMAPPED and steps:
            # It looked at the instruction behind the last one.
            return "stepped"
        if error == unicorn_const.UC_ERR_INSN_INVALID:
            found = self._read(counter, 2)
            return f"undefined {int.from_bytes(found, 'little'):04x}"
        return OUTCOMES.get(error, f"error {error}")

    def _read(self, address: int, length: int) -> bytes:
        buffer = ctypes.create_string_buffer(length)
        arguments = self._handle, ctypes.c_uint64(address), buffer, ctypes.c_size_t(length)
        self._check(self._library.uc_mem_read(*arguments))
        return buffer.raw

    def _changes(self, memory: bytes) -> str:
        arguments = self._handle, ctypes.c_uint64(self._window), self._buffer, ctypes.c_size_t(len(memory))
        self._check(self._library.uc_mem_read(*arguments))
        after = self._buffer.raw
        if after != self._memory:
            self._write(self._window, self._memory)
        return "" if after == memory else after.hex()


def main() -> None:
    """Read cases and write answers, until there are no more."""
    engine = Engine(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        sys.stdout.write(engine.answer(line) + "\n")


if __name__ == "__main__":
    main()
