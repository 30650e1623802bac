//! The executor: one stretch after the other until a cycle is reached, each by the interpreter that suits the memory and whoever
//! looks on. All other work (interrupts, events, sleeping) is done between two calls of [`Core::run`].

use units::Picoseconds;

use crate::bus::{Bus, Region};
use crate::code::Code;
use crate::decode::decode;
use crate::interpreter::{SHARED, SINGLE, SUPERINSTRUCTIONS, WATCHED};
use crate::isa::Op;
use crate::superinstruction::MOST_CYCLES_BEFORE_LAST;
use crate::{Core, DebugEvent, Exit, Fault, FaultKind, LR, PC, Refusal, SP, Sleep};
use mcu::Step;

/// The regions as constants of the interpreter.
pub(crate) const IN_ROM: u8 = Region::Rom as u8;
pub(crate) const IN_FLASH: u8 = Region::Flash as u8;
pub(crate) const IN_SRAM: u8 = Region::Sram as u8;

/// No word of flash was fetched yet.
pub(crate) const NO_WORD: u32 = u32::MAX;
/// From here on a halfword is the first of a 32-bit instruction (ARMv6-M A5.1).
const FIRST_OF_TWO: u16 = 0xe800;

/// Cycles after which a stretch ends in any case, within which 32 bits count its instructions.
pub(crate) const LONGEST_STRETCH_CYCLES: u64 = 1 << 31;

/// A shorter stretch is not worth a second one for its end, where superinstructions are too long.
const SHORTEST_WITH_SUPERINSTRUCTIONS_CYCLES: u64 = 50;
const _: () = assert!(SHORTEST_WITH_SUPERINSTRUCTIONS_CYCLES > MOST_CYCLES_BEFORE_LAST);

/// How one stretch of execution ended.
pub(super) enum Stretch {
    /// At the limit, or where another memory begins.
    Paused,
    /// At an instruction that was not decoded yet.
    Undecoded,
    /// At an instruction that was fetched and is to be executed alone.
    Alone,
    /// With a reason for the chip.
    Left(Exit),
}

impl Core {
    /// The instruction that begins, for whoever observes it.
    #[inline]
    pub(super) fn step_at(&self, pc: u32, cycle: u64, at: Picoseconds) -> Step {
        let (sp, lr, idle_cycles) = (self.r[SP], self.r[LR], self.idle_cycles);
        Step { core: self.id as u8, pc, cycle, at, idle_cycles, sp, lr, exception: self.ipsr as u8 }
    }

    /// Executes until the limit that the bus sets is reached or something else has to be looked at first.
    pub fn run<B: Bus>(&mut self, bus: &mut B, code: &mut Code) -> Exit {
        // An instruction whose fetch was paid for and that is decoded only now is executed whatever the limit, so that
        // nothing depends on what was decoded before.
        let mut least = 0;
        let mut alone = false;
        while self.cycle < bus.limit().max(least) && !bus.attention() {
            let pc = self.r[PC];
            let limit = bus.limit().max(std::mem::take(&mut least)).min(self.cycle + LONGEST_STRETCH_CYCLES);
            let region = B::region(pc);
            let base = B::region_base(region as u8);
            let stretch = match region {
                Region::Flash if std::mem::take(&mut alone) => {
                    self.interpret::<B, IN_FLASH, SINGLE>(bus, &code.flash, self.cycle + 1, base)
                }
                Region::Sram => self.interpret_in::<B, IN_SRAM>(bus, &code.sram, limit, base),
                Region::Flash => self.interpret_in::<B, IN_FLASH>(bus, &code.flash, limit, base),
                Region::Rom => self.interpret_in::<B, IN_ROM>(bus, &code.rom, limit, base),
                Region::Other => self.execute_elsewhere(bus),
            };
            match stretch {
                Stretch::Paused => {
                    if let Some(hit) = bus.watch_mut().take_hit(self.id) {
                        return Exit::Debug(hit);
                    }
                }
                Stretch::Undecoded => {
                    let pc = self.r[PC];
                    if !code.decode_at(bus, pc) {
                        self.fetched_word = NO_WORD;
                        return self.fault(pc, FaultKind::Fetch { address: pc });
                    }
                    least = self.cycle + 1;
                }
                Stretch::Alone => (least, alone) = (self.cycle + 1, true),
                Stretch::Left(exit) => return exit,
            }
        }
        Exit::Limit
    }

    /// A stretch in the way that suits.
    #[inline(always)]
    fn interpret_in<B: Bus, const REGION: u8>(
        &mut self,
        bus: &mut B,
        ops: &[Op],
        limit: u64,
        base: u32,
    ) -> Stretch {
        if bus.watch().is_for_memory() {
            self.interpret::<B, REGION, SHARED>(bus, ops, limit, base)
        } else if bus.watch().is_on() {
            self.interpret::<B, REGION, WATCHED>(bus, ops, limit, base)
        } else if self.cycle + SHORTEST_WITH_SUPERINSTRUCTIONS_CYCLES < limit
            && (REGION != IN_FLASH || bus.keeps_code())
        {
            self.interpret::<B, REGION, SUPERINSTRUCTIONS>(bus, ops, limit - MOST_CYCLES_BEFORE_LAST, base)
        } else {
            self.interpret::<B, REGION, SINGLE>(bus, ops, limit, base)
        }
    }

    /// One instruction from a window that has no table of decoded instructions.
    fn execute_elsewhere<B: Bus>(&mut self, bus: &mut B) -> Stretch {
        let pc = self.r[PC];
        match bus.fetch_elsewhere(pc) {
            Some((first, second)) => {
                let op = decode(pc, first, second);
                let halfwords = if first >= FIRST_OF_TWO { 2 } else { 1 };
                let mut fetched = self.fetched;
                self.cycle += bus.fetch_through_window(self.id, pc, halfwords, self.cycle, &mut fetched);
                self.fetched = fetched;
                let limit = self.cycle + 1;
                let ops = [op, Op::UNDECODED, Op::UNDECODED];
                if bus.watch().is_on() {
                    self.interpret::<B, { u8::MAX }, WATCHED>(bus, &ops, limit, pc)
                } else {
                    self.interpret::<B, { u8::MAX }, SINGLE>(bus, &ops, limit, pc)
                }
            }
            None => Stretch::Left(self.fault(pc, FaultKind::Fetch { address: pc })),
        }
    }

    pub(crate) fn fault(&self, pc: u32, kind: FaultKind) -> Exit {
        Exit::Fault(Fault { kind, pc, core: self.id as u8 })
    }

    /// An access that must be carried out was refused.
    pub(crate) fn refused(&self, pc: u32, refusal: Refusal) -> Exit {
        match refusal {
            Refusal::Fault(kind) => self.fault(pc, kind),
            Refusal::OtherCoreFirst => Exit::Limit,
        }
    }

    /// Goes to sleep.
    #[inline]
    pub(crate) fn go_to_sleep(&mut self, sleep: Sleep) -> Option<Exit> {
        self.sleep = sleep;
        Some(Exit::Sleep)
    }

    pub(crate) fn debug(event: DebugEvent) -> Option<Exit> {
        Some(Exit::Debug(event))
    }
}
