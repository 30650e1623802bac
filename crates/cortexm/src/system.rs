//! The instructions that touch the state of the processor itself: sleeping, exceptions on purpose, special registers.
//! They are rare, so the executor saves its state and calls here.

use crate::bus::{Bus, Trap};
use crate::isa::{Kind, Op};
use crate::{Core, DebugEvent, Exit, FaultKind, Flags, PC, SP, Sleep};

/// SYSm numbers (ARMv6-M Architecture Reference Manual B5.1.1).
const SYSM_MSP: u32 = 8;
const SYSM_PSP: u32 = 9;
const SYSM_PRIMASK: u32 = 16;
const SYSM_CONTROL: u32 = 20;

/// Cycles of MSR, MRS and the barriers.
const SPECIAL_CYCLES: u64 = 3;

/// Semihosting: the number of BKPT, and the call that ends a program.
const SEMIHOSTING: u32 = 0xab;
const SEMIHOSTING_EXIT: u32 = 0x18;
/// The reason of a normal end (ADP_Stopped_ApplicationExit).
const APPLICATION_EXIT: u32 = 0x2_0026;

impl Core {
    /// Executes one of the rare instructions; the program counter is at it, and behind it afterwards.
    pub(super) fn system_instruction<B: Bus>(&mut self, bus: &mut B, op: Op) -> Option<Exit> {
        let pc = self.r[PC];
        match op.kind {
            Kind::Undefined => return self.undefined(bus),
            Kind::Bkpt => return self.breakpoint(bus, op.imm),
            Kind::Mrs | Kind::Msr => {
                self.special_register(bus, op);
                self.r[PC] = pc.wrapping_add(4);
                self.cycle += SPECIAL_CYCLES;
                return None;
            }
            _ => {}
        }
        self.r[PC] = pc.wrapping_add(2);
        self.cycle += 1;
        match op.kind {
            Kind::Wfi => {
                if bus.ppb(self.id).wakes() {
                    return None;
                }
                self.go_to_sleep(Sleep::Interrupt)
            }
            Kind::Wfe => {
                // A wait of one cycle more: the core looks at the event register in the second one.
                self.cycle += 1;
                if bus.take_event(self.id) {
                    return None;
                }
                self.go_to_sleep(Sleep::Event)
            }
            Kind::Sev => {
                bus.send_event(self.cycle);
                None
            }
            Kind::ChangePrimask => {
                if self.privileged() {
                    self.set_primask(bus, op.a == 1);
                }
                None
            }
            Kind::Svc => self.supervisor_call(bus, op.imm as u8),
            kind => unreachable!("the executor handles {kind:?} itself"),
        }
    }

    /// Whether it may access what needs privilege: in a handler, or in privileged thread mode.
    #[inline]
    pub fn privileged(&self) -> bool {
        self.ipsr != 0 || self.control & 1 == 0
    }

    fn breakpoint<B: Bus>(&mut self, bus: &mut B, number: u32) -> Option<Exit> {
        if number == SEMIHOSTING && self.r[0] == SEMIHOSTING_EXIT {
            let code = if self.r[1] == APPLICATION_EXIT { 0 } else { self.r[1] };
            return Some(Exit::Ended(code));
        }
        if bus.watch().debugger() {
            return Self::debug(DebugEvent::Bkpt(number as u8));
        }
        Some(self.fault(self.r[PC], FaultKind::Bkpt { number: number as u8 }))
    }

    fn special_register<B: Bus>(&mut self, bus: &mut B, op: Op) {
        if op.kind == Kind::Mrs {
            let value = self.read_special(bus, op.imm);
            self.r[usize::from(op.a)] = value;
        } else {
            self.write_special(bus, op.imm, self.r[usize::from(op.a)]);
        }
    }

    fn read_special<B: Bus>(&self, bus: &B, number: u32) -> u32 {
        let (main, process) = self.stack_pointers();
        match number {
            // APSR, IPSR, EPSR and what they combine to; EPSR reads as zero.
            0..=7 => {
                let apsr = if number & 4 == 0 { self.flags.to_apsr() } else { 0 };
                let ipsr = if number & 1 == 1 { self.ipsr } else { 0 };
                apsr | ipsr
            }
            SYSM_MSP if self.privileged() => main,
            SYSM_PSP if self.privileged() => process,
            SYSM_PRIMASK if self.privileged() => u32::from(bus.ppb(self.id).primask()),
            SYSM_CONTROL => self.control,
            _ => 0,
        }
    }

    fn write_special<B: Bus>(&mut self, bus: &mut B, number: u32, value: u32) {
        let on_process_stack = self.control & 2 != 0;
        match number {
            0..=3 => self.flags = Flags::from_apsr(value),
            _ if !self.privileged() => {}
            SYSM_MSP if on_process_stack => self.other_sp = value & !3,
            SYSM_PSP if !on_process_stack => self.other_sp = value & !3,
            SYSM_MSP | SYSM_PSP => self.r[SP] = value & !3,
            SYSM_PRIMASK => self.set_primask(bus, value & 1 == 1),
            SYSM_CONTROL => {
                self.control = self.control & !1 | value & 1;
                // Handlers use the main stack only.
                if self.ipsr == 0 {
                    self.select_stack(value & 2 != 0);
                }
                bus.ppb_mut(self.id).set_unprivileged(!self.privileged());
            }
            _ => {}
        }
    }

    /// The core goes on where no exception waited for that: most critical sections are short.
    fn set_primask<B: Bus>(&self, bus: &mut B, is_set: bool) {
        bus.ppb_mut(self.id).set_primask(is_set);
        if bus.ppb(self.id).ready().is_some() {
            bus.call_attention();
        }
    }

    /// Makes the process stack or the main stack the current one.
    pub(super) fn select_stack(&mut self, process: bool) {
        if process != (self.control & 2 != 0) {
            std::mem::swap(&mut self.r[SP], &mut self.other_sp);
            self.control ^= 2;
        }
    }
}

impl Core {
    /// An instruction that ARMv6-M does not have.
    fn undefined<B: Bus>(&mut self, bus: &mut B) -> Option<Exit> {
        let pc = self.r[PC];
        let code = bus.fetch_elsewhere(pc).map_or(0, |(first, _)| first);
        match bus.trap(self, code) {
            Trap::Unknown => Some(self.fault(pc, FaultKind::Undefined { code })),
            Trap::Fault(kind) => Some(self.fault(pc, kind)),
            Trap::Left(exit) => Some(exit),
            Trap::Done => None,
        }
    }
}
