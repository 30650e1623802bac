//! Entering and leaving exceptions (ARMv6-M Architecture Reference Manual B1.5), with what it costs.

use crate::bus::Bus;
use crate::execute::NO_WORD;
use crate::ppb::{HARD_FAULT, SV_CALL};
use crate::{Core, Exit, FaultKind, Flags, LR, PC, SP, Sleep};

/// From the interrupt to the first instruction of the handler, with memory that has no wait states (Cortex-M0+
/// Technical Reference Manual 1.5).
const ENTRY_CYCLES: u64 = 15;
/// What the return costs beyond the branch that starts it: eight words are unstacked and the pipeline is filled.
const RETURN_CYCLES: u64 = 11;
/// From one handler to the next without unstacking, beyond the branch.
const TAIL_CHAIN_CYCLES: u64 = 9;

/// Bytes of the instruction SVC.
const SVC_BYTES: u32 = 2;
/// Bytes of a stack frame.
const FRAME_BYTES: u32 = 32;
/// xPSR bit: the stack pointer was moved by four more bytes to be aligned to eight.
const FRAME_ALIGNED: u32 = 1 << 9;

const RETURN_TO_HANDLER: u32 = 0xffff_fff1;
const RETURN_TO_MAIN: u32 = 0xffff_fff9;
const RETURN_TO_PROCESS: u32 = 0xffff_fffd;

impl Core {
    /// Takes the pending exception of the highest priority, if there is one that may interrupt now.
    #[inline]
    pub fn take_pending<B: Bus>(&mut self, bus: &mut B) -> Option<Exit> {
        let number = bus.ppb(self.id).ready()?;
        self.sleep = Sleep::Awake;
        self.enter_exception(bus, number).err()
    }

    /// Hands a fault to the image's handler.
    ///
    /// An escalated SVC keeps the return address of an SVC, which is the next instruction. NuttX depends on it on every
    /// Cortex-M without BASEPRI: its handler of HardFault looks for the SVC before that address
    /// (`arch/arm/src/armv6-m/arm_hardfault.c`), switches threads and returns.
    ///
    /// # Errors
    /// When it cannot be handled (lock-up).
    pub fn enter_hard_fault<B: Bus>(&mut self, bus: &mut B, kind: FaultKind) -> Result<(), Exit> {
        let locks_up = self.handles_fault(bus);
        if matches!(kind, FaultKind::SvcPriority { .. }) && !locks_up {
            self.r[PC] = self.r[PC].wrapping_add(SVC_BYTES);
        }
        let entered = match locks_up {
            true => Err(Exit::Sleep),
            false => self.enter_exception(bus, HARD_FAULT),
        };
        if entered.is_err() {
            self.sleep = Sleep::Off;
        }
        entered
    }

    /// Whether the handler of HardFault, or that of NMI, has not returned yet.
    pub fn handles_fault<B: Bus>(&self, bus: &B) -> bool {
        bus.ppb(self.id).at_fault_priority()
    }

    /// SVC: the exception is taken before the next instruction, or it is a fault.
    pub(super) fn supervisor_call<B: Bus>(&mut self, bus: &mut B, number: u8) -> Option<Exit> {
        let ppb = bus.ppb_mut(self.id);
        if !ppb.may_preempt(SV_CALL) {
            let pc = self.r[PC].wrapping_sub(SVC_BYTES);
            self.r[PC] = pc;
            return Some(self.fault(pc, FaultKind::SvcPriority { number }));
        }
        ppb.pend(SV_CALL);
        bus.call_attention();
        None
    }

    fn enter_exception<B: Bus>(&mut self, bus: &mut B, number: u32) -> Result<(), Exit> {
        let from = self.r[PC];
        let return_value = self.push_frame(bus)?;
        self.start_handler(bus, number, return_value)?;
        self.cycle += ENTRY_CYCLES;
        self.branches.add_exception(from, self.r[PC]);
        Ok(())
    }

    fn push_frame<B: Bus>(&mut self, bus: &mut B) -> Result<u32, Exit> {
        let stack = self.r[SP];
        let frame = stack.wrapping_sub(FRAME_BYTES) & !7;
        let aligned = if stack & 4 != 0 { FRAME_ALIGNED } else { 0 };
        let words = [
            self.r[0],
            self.r[1],
            self.r[2],
            self.r[3],
            self.r[12],
            self.r[LR],
            self.r[PC],
            self.xpsr() | aligned,
        ];
        let mut cycle = self.cycle;
        let limit = bus.run_free(self.id);
        let stored = words.iter().enumerate().try_for_each(|(i, &word)| {
            let address = frame.wrapping_add(4 * i as u32);
            self.store_one_of_many(bus, self.r[PC], address, word, &mut cycle)
        });
        bus.set_order(self.id, limit);
        stored.map_err(|refusal| self.refused(self.r[PC], refusal))?;
        self.r[SP] = frame;
        Ok(match (self.ipsr, self.control & 2) {
            (0, 0) => RETURN_TO_MAIN,
            (0, _) => RETURN_TO_PROCESS,
            _ => RETURN_TO_HANDLER,
        })
    }

    fn start_handler<B: Bus>(&mut self, bus: &mut B, number: u32, return_value: u32) -> Result<(), Exit> {
        self.select_stack(false);
        self.r[LR] = return_value;
        self.ipsr = number;
        bus.ppb_mut(self.id).set_unprivileged(false);
        bus.ppb_mut(self.id).enter(number);
        bus.set_event(self.id);
        self.exceptions[number as usize] += 1;
        let vector = bus.ppb(self.id).vector_table().wrapping_add(number * 4);
        let mut cycle = self.cycle;
        let limit = bus.run_free(self.id);
        let entry = self.load_one_of_many(bus, self.r[PC], vector, &mut cycle);
        bus.set_order(self.id, limit);
        let entry = entry.map_err(|refusal| self.refused(self.r[PC], refusal))?;
        if entry & 1 == 0 {
            return Err(self.fault(self.r[PC], FaultKind::NotThumb { target: entry }));
        }
        self.fetched_word = NO_WORD;
        self.r[PC] = entry & !1;
        Ok(())
    }

    /// A branch to EXC_RETURN; what the chip has to look at, if anything.
    pub(super) fn return_from_exception<B: Bus>(&mut self, bus: &mut B, value: u32) -> Option<Exit> {
        let pc = self.r[PC];
        let nested = bus.ppb_mut(self.id).leave(self.ipsr);
        let consistent = match value {
            RETURN_TO_HANDLER => nested,
            RETURN_TO_MAIN | RETURN_TO_PROCESS => !nested,
            _ => false,
        };
        if !consistent {
            return Some(self.fault(pc, FaultKind::ExceptionReturn { value }));
        }
        bus.set_event(self.id);
        if let Some(next) = bus.ppb(self.id).ready() {
            self.cycle += TAIL_CHAIN_CYCLES;
            let result = self.start_handler(bus, next, value);
            self.branches.add(pc, self.r[PC]);
            return result.err();
        }
        self.cycle += RETURN_CYCLES;
        if let Err(exit) = self.pop_frame(bus, value) {
            return Some(exit);
        }
        self.branches.add(pc, self.r[PC]);
        if self.ipsr == 0 && bus.ppb(self.id).sleeps_on_exit() {
            return self.go_to_sleep(Sleep::Interrupt);
        }
        None
    }

    fn pop_frame<B: Bus>(&mut self, bus: &mut B, value: u32) -> Result<(), Exit> {
        let pc = self.r[PC];
        self.select_stack(value == RETURN_TO_PROCESS);
        let frame = self.r[SP];
        let mut words = [0; 8];
        let mut cycle = self.cycle;
        let limit = bus.run_free(self.id);
        let loaded = words.iter_mut().enumerate().try_for_each(|(i, word)| {
            let address = frame.wrapping_add(4 * i as u32);
            *word = self.load_one_of_many(bus, pc, address, &mut cycle)?;
            Ok(())
        });
        bus.set_order(self.id, limit);
        loaded.map_err(|refusal| self.refused(pc, refusal))?;
        let [r0, r1, r2, r3, r12, lr, target, xpsr] = words;
        self.r[..4].copy_from_slice(&[r0, r1, r2, r3]);
        (self.r[12], self.r[LR], self.r[PC]) = (r12, lr, target & !1);
        self.r[SP] = frame.wrapping_add(FRAME_BYTES) | if xpsr & FRAME_ALIGNED != 0 { 4 } else { 0 };
        self.flags = Flags::from_apsr(xpsr);
        self.ipsr = if value == RETURN_TO_HANDLER { xpsr & 0x3f } else { 0 };
        bus.ppb_mut(self.id).set_unprivileged(!self.privileged());
        Ok(())
    }
}
