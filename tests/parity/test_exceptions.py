"""Entry into exceptions, against the ARMv6-M Architecture Reference Manual (B1.5); Unicorn enters none itself.

What the frame must hold is what Unicorn's registers hold when it stops at the same exception.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

import pytest
from core_cases import CODE, LR, PC, SP, WINDOW, Case, halfwords, some_registers, start
from parity_engines import Engines, build_ours, need_unicorn

SEED = 20_240_229
HANDLER = 0x2000_0100
"""Where the example of our core puts what handles exceptions."""
FOR_EVER = halfwords(0xE7FE)
ICSR = 0xE000_ED04
PEND_SV = 1 << 28
STORE = 0x6008
"""str r0, [r1]"""
CPSIE, CPSID, WFE, WFI, SEV, YIELD = 0xB662, 0xB672, 0xBF20, 0xBF30, 0xBF40, 0xBF10
RETURN_TO_MAIN, RETURN_TO_PROCESS = 0xFFFF_FFF9, 0xFFFF_FFFD
THUMB, ALIGNED = 1 << 24, 1 << 9


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Engines:
    need_unicorn()
    return Engines(build_ours(), tmp_path_factory.mktemp("engines"), start(random.Random(SEED)))


@dataclass(frozen=True)
class Entered:
    """A state of our core, in a handler or not."""

    outcome: str
    registers: list[int]
    xpsr: int
    window: bytes

    @property
    def exception(self) -> int:
        """The number of the exception that is handled."""
        return self.xpsr & 0x3F

    def frame(self, address: int) -> list[int]:
        """Eight words of the window."""
        at = address - WINDOW
        return [int.from_bytes(self.window[at + 4 * index :][:4], "little") for index in range(8)]


def _case(*codes: int, steps: int = 8, stack: int = WINDOW + 0x80) -> Case:
    rng = random.Random(SEED)
    registers = some_registers(rng)
    registers[SP] = stack
    return {"registers": registers, "flags": 0xA000_0000, "code": halfwords(*codes), "steps": steps}


def _enter(engines: Engines, case: Case, handler: str = FOR_EVER) -> Entered:
    outcome, registers, xpsr, window = json.loads(engines.ours([case | {"handler": handler}])[0])
    return Entered(outcome, registers, xpsr, bytes.fromhex(window))


def _frame_of(registers: list[int], xpsr: int) -> list[int]:
    return [*registers[:4], registers[12], registers[LR], registers[PC], xpsr]


@pytest.mark.parametrize("stack", [WINDOW + 0x80, WINDOW + 0x84])
@pytest.mark.parametrize(
    ("code", "exception", "behind"), [(0xDF07, 11, 2), (0xBE07, 3, 0), (0xDE07, 3, 0), (0xB100, 3, 0), (0x4700, 3, 0)]
)
def test_a_frame_holds_the_state_at_which_unicorn_stops(
    engines: Engines, stack: int, code: int, exception: int, behind: int
) -> None:
    """SVC, BKPT and undefined instructions; with a stack that is aligned to eight bytes, and one that is not."""
    case = _case(code, stack=stack) | {"bkpt_faults": True}
    if code == 0x4700:
        # An unaligned load in place of a branch.
        case["code"] = halfwords(0x6809)
        case["registers"][1] = WINDOW + 2
    entered = _enter(engines, case)
    _, registers, flags, _ = json.loads(engines.answers([case | {"steps": 1}])[1][0])
    if code == 0xB100:
        # cbz, which Unicorn executes: the state before it.
        registers = case["registers"]
    assert registers[PC] == CODE + behind
    frame = (stack - 32) & ~7
    expected = _frame_of(registers, flags | THUMB | (ALIGNED if stack & 4 else 0))
    assert entered.frame(frame) == expected
    assert entered.exception == exception
    assert entered.registers == [*registers[:SP], frame, RETURN_TO_MAIN, HANDLER]


def test_pend_sv_comes_before_the_next_instruction(engines: Engines) -> None:
    case = _case(STORE, 0x2205)
    case["registers"][:2] = [PEND_SV, ICSR]
    entered = _enter(engines, case)
    before = [*case["registers"][:PC], CODE + 2]
    assert entered.frame(WINDOW + 0x60) == _frame_of(before, case["flags"] | THUMB)
    assert entered.exception == 14


def test_primask_holds_pend_sv_back_until_it_is_cleared(engines: Engines) -> None:
    case = _case(CPSID, STORE, 0x2205, CPSIE, 0x2206)
    case["registers"][:2] = [PEND_SV, ICSR]
    entered = _enter(engines, case)
    assert entered.exception == 14
    assert entered.registers[2] == 5
    assert entered.frame(WINDOW + 0x60)[6] == CODE + 8


def test_an_exception_on_the_process_stack_leaves_the_main_stack_alone(engines: Engines) -> None:
    # msr psp, r0; movs r1, #2; msr control, r1; isb; svc #0
    case = _case(0xF380, 0x8809, 0x2102, 0xF381, 0x8814, 0xF3BF, 0x8F6F, 0xDF00)
    case["registers"][0] = WINDOW + 0x44
    entered = _enter(engines, case)
    assert entered.registers[SP:PC] == [WINDOW + 0x80, RETURN_TO_PROCESS]
    frame = entered.frame(WINDOW + 0x20)
    assert frame[:2] == [WINDOW + 0x44, 2]
    assert frame[6:] == [CODE + 16, 1 << 29 | THUMB | ALIGNED]


def test_a_fault_in_the_fault_handler_locks_the_core_up(engines: Engines) -> None:
    assert _enter(engines, _case(0xDE00), halfwords(0xDE00)).outcome == "locked up"


def test_the_stack_pointer_has_no_low_bits(engines: Engines) -> None:
    """R13 bits 1 and 0 are zero whatever is written (A2.3.1)."""
    for code, number in [(0x4685, 0), (0x46F5, LR)]:
        case = _case(code, steps=1)
        case["registers"][number] = WINDOW + 0x23
        assert json.loads(engines.ours([case])[0])[1][SP] == WINDOW + 0x20
    case = _case(0x4485, steps=1)
    case["registers"][0] = 7
    assert json.loads(engines.ours([case])[0])[1][SP] == WINDOW + 0x84


def test_branches_to_arm_code_fault(engines: Engines) -> None:
    for code in (0x4700, 0x4780, 0x4768, 0x47E8):
        case = _case(code, steps=1)
        case["registers"][0] = CODE
        assert json.loads(engines.ours([case])[0])[0] == "exception"


def test_sleeping_instructions_go_on_where_there_is_a_reason(engines: Engines) -> None:
    case = _case(YIELD, SEV, WFE, 0x2205, steps=4)
    assert json.loads(engines.ours([case])[0])[1][2] == 5
    case = _case(CPSID, STORE, WFI, 0x2205, steps=4) | {"fresh": True}
    case["registers"][:2] = [PEND_SV, ICSR]
    assert json.loads(engines.ours([case])[0])[1][2] == 5


def test_code_without_privilege_reads_and_writes_no_system_register(engines: Engines) -> None:
    # msr control, r0 (1); isb; cpsid i; msr primask, r0; msr msp, r0; mrs r2, primask; mrs r3, msp; mrs r4, control
    writes = (0xF380, 0x8814, 0xF3BF, 0x8F6F, CPSID, 0xF380, 0x8810, 0xF380, 0x8808)
    case = _case(*writes, 0xF3EF, 0x8210, 0xF3EF, 0x8308, 0xF3EF, 0x8414, steps=8) | {"fresh": True}
    case["registers"][0] = 1
    _, registers, _, _ = json.loads(engines.ours([case])[0])
    assert registers[2:5] == [0, 0, 1]
    assert registers[SP] == WINDOW + 0x80
