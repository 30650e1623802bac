//! Whether the core does nothing but go round a loop that only an interrupt's handler can end.

use super::{Bus, Core, FIRST_IO, Instruction, Memories, SREG, Watch};

/// A loop that waits for a word of memory has a few instructions; so many are looked at.
const MOST_INSTRUCTIONS: usize = 32;

/// What the core is wired to while it is only tried out: nothing.
#[derive(Default)]
struct Nothing {
    asked: bool,
}

impl Bus for Nothing {
    fn accessed_from(&mut self, _: u32) {}

    fn read(&mut self, _: u16, _: u64) -> u8 {
        self.asked = true;
        0
    }

    fn write(&mut self, _: u16, _: u8, _: u64) -> bool {
        self.asked = true;
        true
    }

    fn write_bit(&mut self, _: u16, _: u8, _: bool, _: u64) -> bool {
        self.asked = true;
        true
    }

    fn outside_ram(&mut self, _: u16) {
        self.asked = true;
    }

    fn program(&mut self, _: u32, _: u64) -> u8 {
        self.asked = true;
        0
    }

    fn store_program(&mut self, _: u32, _: u16, _: u64) -> bool {
        self.asked = true;
        true
    }

    fn restart_watchdog(&mut self, _: u64) {
        self.asked = true;
    }
}

impl Core {
    /// Whether it comes back to where it is with all its registers as they are, and changes and asks nothing on its way but RAM.
    pub(crate) fn goes_round(&self, memories: &mut Memories<'_>) -> bool {
        let (mut lap, mut nothing, watch) = (self.clone(), Nothing::default(), Watch::default());
        let last = memories.code.len() - 1;
        for _ in 0..MOST_INSTRUCTIONS {
            if !only_looks(memories.code[lap.pc as usize & last]) {
                return false;
            }
            lap.run::<false>(memories, &mut nothing, &watch, lap.cycle + 1);
            if nothing.asked || lap.halt.is_some() {
                return false;
            }
            if lap.pc == self.pc {
                return lap.r == self.r && lap.sreg == self.sreg;
            }
        }
        false
    }
}

/// Instructions that change nothing but registers. The data space is read by some of them; the bus hears of all but RAM.
fn only_looks(op: Instruction) -> bool {
    use Instruction as Op;
    match op {
        Op::In { a, .. } => u16::from(a) + FIRST_IO == SREG,
        Op::Ld { .. } | Op::Ldd { .. } | Op::Lds { .. } | Op::Nop | Op::Rjmp { .. } | Op::Jmp { .. } => true,
        Op::Brbs { .. } | Op::Brbc { .. } | Op::Sbrc { .. } | Op::Sbrs { .. } | Op::Cpse { .. } => true,
        Op::Cp { .. }
        | Op::Cpc { .. }
        | Op::Cpi { .. }
        | Op::Mov { .. }
        | Op::Movw { .. }
        | Op::Ldi { .. } => true,
        Op::And { .. } | Op::Andi { .. } | Op::Or { .. } | Op::Ori { .. } | Op::Eor { .. } => true,
        Op::Add { .. }
        | Op::Adc { .. }
        | Op::Sub { .. }
        | Op::Sbc { .. }
        | Op::Subi { .. }
        | Op::Sbci { .. } => true,
        Op::Adiw { .. } | Op::Sbiw { .. } | Op::Inc { .. } | Op::Dec { .. } => true,
        _ => false,
    }
}
