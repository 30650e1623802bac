//! The registers of a PIO block as the bus sees them.

use super::registers::{
    ADDR, CFGINFO, CLKDIV, CLKDIV_BITS, CTRL, DBG_CFGINFO, DBG_PADOE, DBG_PADOUT, EXEC_STALLED, EXECCTRL,
    EXECCTRL_BITS, FDEBUG, FDEBUG_BITS, FLEVEL, FSTAT, INPUT_SYNC_BYPASS, INSTR, INSTR_MEM0, INSTR_MEM31,
    INTERRUPT_BITS, INTR, IRQ, IRQ_FORCE, IRQ0_INTE, IRQ1_INTS, PINCTRL, RXF0, RXF3, RXUNDER, SHIFTCTRL,
    SHIFTCTRL_BITS, SM_END, SM_STRIDE, SM0, TXF0, TXF3, TXOVER,
};
use super::state_machine::Stall;
use super::{Io, MACHINES, Pio};
use crate::peripherals::{Peripheral, Source};

impl Peripheral for Pio {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        let now = self.catch_up(io);
        if !is_register(offset) {
            io.unknown(self.block.name, "no such register", false);
        }
        let value = self.peek(offset, io);
        if let RXF0..=RXF3 = offset {
            self.take_received(word(offset, RXF0), now);
        }
        self.finish(now, io);
        value
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            CTRL => self.flag_bits(|n| self.machines[n].enabled),
            FSTAT => self.fstat(),
            FDEBUG => self.debug,
            FLEVEL => self.flevel(),
            RXF0..=RXF3 => self.machines[word(offset, RXF0)].receive.front(),
            IRQ => u32::from(self.flags),
            INPUT_SYNC_BYPASS => self.inputs.bypass,
            DBG_PADOUT => self.levels,
            DBG_PADOE => self.enables,
            DBG_CFGINFO => CFGINFO,
            SM0..SM_END => self.peek_machine(word_of_machine(offset)),
            INTR => self.raw_interrupts(),
            IRQ0_INTE..=IRQ1_INTS => {
                let line = &self.interrupts[word(offset, IRQ0_INTE) / 3];
                match word(offset, IRQ0_INTE) % 3 {
                    0 => line.enabled,
                    1 => line.forced,
                    _ => self.raw_interrupts() & line.enabled | line.forced,
                }
            }
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        let now = self.catch_up(io);
        match offset {
            CTRL => {
                self.write_ctrl(value, now);
                self.find_own_sides(now);
            }
            FDEBUG => {
                self.debug &= !value;
                self.wake_stalled(now, |stall| stall == Stall::Fifo);
            }
            TXF0..=TXF3 => self.transmit(word(offset, TXF0), value, now),
            IRQ => self.set_flags(self.flags & !(value as u8), now),
            IRQ_FORCE => self.set_flags(self.flags | value as u8, now),
            INPUT_SYNC_BYPASS => {
                self.inputs.bypass = value;
                self.wake_stalled(now, |stall| matches!(stall, Stall::Pins(_)));
            }
            INSTR_MEM0..=INSTR_MEM31 => {
                self.machines.iter_mut().for_each(|machine| machine.program_changes(now));
                self.program[word(offset, INSTR_MEM0)] = value as u16;
                (self.decoded, self.spare, self.known_reaches) = Default::default();
                self.wake_stalled(now, |_| true);
            }
            SM0..SM_END => {
                self.write_machine(word_of_machine(offset), value, now);
                self.find_own_sides(now);
            }
            IRQ0_INTE..=IRQ1_INTS => {
                let line = &mut self.interrupts[word(offset, IRQ0_INTE) / 3];
                match word(offset, IRQ0_INTE) % 3 {
                    0 => line.enabled = value & INTERRUPT_BITS,
                    1 => line.forced = value & INTERRUPT_BITS,
                    _ => {}
                }
                self.lines_stale = true;
            }
            _ if is_register(offset) => {}
            _ => io.unknown(self.block.name, "no such register", true),
        }
        self.finish(now, io);
    }

    fn wake(&mut self, _source: Source, io: &mut Io) {
        self.run_armed(io);
    }
}

impl Pio {
    /// The bits of a register that are cleared by a written 1, through the atomic aliases as well.
    pub const fn write_clear_mask(offset: u32) -> u32 {
        match offset {
            FDEBUG => FDEBUG_BITS,
            IRQ => 0xff,
            _ => 0,
        }
    }

    /// Whether somebody who looks at a register while the block is led on is told when it shows something else.
    pub(crate) const fn shows_through_flow(&self, offset: u32) -> bool {
        offset == FDEBUG
    }

    /// Whether a register says how full the FIFOs are: whoever leads the block on for somebody who looks there stops behind each
    /// change.
    pub(crate) const fn shows_words(&self, offset: u32) -> bool {
        offset == FSTAT
    }

    /// Whether a register shows the same as long as no word moves through a FIFO and nobody writes.
    pub(crate) const fn shows_until_word(&self, offset: u32) -> bool {
        matches!(offset, FSTAT | FLEVEL | FDEBUG)
    }

    /// Whether a register shows the same as long as no flag is raised or cleared, whatever words move: for whoever looks there a
    /// block is led on up to each change as well.
    pub(crate) const fn shows_flags(offset: u32) -> bool {
        offset == IRQ
    }

    /// What IRQ shows.
    pub(crate) fn flags(&self) -> u32 {
        u32::from(self.flags)
    }

    fn write_ctrl(&mut self, value: u32, now: u64) {
        for (machine, n) in self.machines.iter_mut().zip(0..) {
            if value >> (4 + n) & 1 == 1 {
                machine.restart(now);
            }
            if value >> (8 + n) & 1 == 1 {
                machine.restart_divider(now);
            }
            machine.enable(value >> n & 1 == 1, now);
        }
    }

    pub(super) fn transmit(&mut self, n: usize, value: u32, now: u64) {
        let machine = &mut self.machines[n];
        if !machine.transmit.push(value) {
            self.debug |= TXOVER << n;
            return;
        }
        self.lines_stale = true;
        machine.settle(now);
        machine.wake_up(now);
    }

    fn take_received(&mut self, n: usize, now: u64) {
        let machine = &mut self.machines[n];
        let was_full = machine.receive.is_full();
        if machine.receive.pop().is_none() {
            self.debug |= RXUNDER << n;
            return;
        }
        self.lines_stale = true;
        if was_full {
            machine.wake_up(now);
        }
    }

    fn peek_machine(&self, (n, register): (usize, u32)) -> u32 {
        let machine = &self.machines[n];
        match register {
            CLKDIV => machine.clkdiv,
            EXECCTRL => machine.execctrl | if machine.exec_stalled { EXEC_STALLED } else { 0 },
            SHIFTCTRL => machine.shiftctrl,
            ADDR => u32::from(machine.pc),
            INSTR => u32::from(self.program[usize::from(machine.pc)]),
            _ => machine.pinctrl,
        }
    }

    fn write_machine(&mut self, (n, register): (usize, u32), value: u32, now: u64) {
        let machine = &mut self.machines[n];
        match register {
            CLKDIV => return machine.set_clkdiv(value & CLKDIV_BITS, now),
            INSTR => {
                self.spare[n].put(&mut self.decoded[n]);
                return machine.force(value as u16, now);
            }
            EXECCTRL => machine.execctrl = value & EXECCTRL_BITS,
            SHIFTCTRL => machine.shiftctrl = value & SHIFTCTRL_BITS,
            PINCTRL => machine.pinctrl = value,
            _ => return,
        }
        machine.reconfigure(now);
        self.spare[n].put(&mut self.decoded[n]);
        self.lines_stale = true;
    }

    fn flag_bits(&self, flag: impl Fn(usize) -> bool) -> u32 {
        (0..MACHINES).map(|n| u32::from(flag(n)) << n).sum()
    }

    /// What FSTAT shows.
    pub(crate) fn fstat(&self) -> u32 {
        self.machines.iter().rev().fold(0, |status, machine| {
            let sent = machine.transmit_level_shown();
            let is_full = sent == machine.config.transmit_depth;
            status << 1
                | u32::from(machine.receive.is_full())
                | u32::from(machine.receive.is_empty()) << 8
                | u32::from(is_full) << 16
                | u32::from(sent == 0) << 24
        })
    }

    fn flevel(&self) -> u32 {
        let levels = |n: usize| {
            let machine = &self.machines[n];
            u32::from(machine.transmit_level_shown()) | u32::from(machine.receive.level()) << 4
        };
        (0..MACHINES).map(|n| levels(n) << (8 * n)).sum()
    }
}

/// Which word behind `first` an offset is.
fn word(offset: u32, first: u32) -> usize {
    ((offset - first) / 4) as usize
}

fn word_of_machine(offset: u32) -> (usize, u32) {
    (((offset - SM0) / SM_STRIDE) as usize, (offset - SM0) % SM_STRIDE)
}

fn is_register(offset: u32) -> bool {
    offset <= IRQ1_INTS
}
