//! What each instruction does (RP2040 datasheet 3.4). Reserved encodings read as zero and write nowhere.

use super::cycle::{Cycle, PinWrites};
use super::registers::{RXSTALL, TXSTALL, mask};
use super::state_machine::{FULL_COUNT, Outcome, Stall, StateMachine};

impl StateMachine {
    /// Executes an instruction in a cycle, or finds that it stalls; the side-set takes place in the first cycle either
    /// way.
    #[inline]
    pub(super) fn execute(&mut self, instruction: u16, cycle: &mut Cycle<'_>) -> Outcome {
        let operand = (instruction >> 5) as u8 & 7;
        let low = instruction as u8 & 0x1f;
        let outcome = match instruction >> 13 {
            0 => self.jmp(operand, low, cycle),
            1 => self.wait(operand, low, cycle),
            2 => self.shift_in(operand, low, cycle),
            3 => self.out(operand, low, cycle),
            4 if operand & 4 == 0 => self.push(operand & 2 != 0, operand & 1 != 0, cycle),
            4 => self.pull(operand & 2 != 0, operand & 1 != 0, cycle),
            5 => self.mov(operand, low, cycle),
            6 => self.irq(operand, low, cycle),
            _ => self.set(operand, low, cycle),
        };
        if instruction >> 13 != 3 {
            self.refill(cycle);
        }
        if !self.begun
            && let Some(value) = self.config.side_set(instruction)
        {
            let values = value.rotate_left(u32::from(self.config.side_base));
            cycle.write(self.config.side_pindirs, self.config.side_mask, values);
        }
        outcome
    }

    fn jmp(&mut self, condition: u8, target: u8, cycle: &Cycle<'_>) -> Outcome {
        let taken = match condition {
            0 => true,
            1 => self.x == 0,
            2 => {
                let before = self.x;
                self.x = before.wrapping_sub(1);
                before != 0
            }
            3 => self.y == 0,
            4 => {
                let before = self.y;
                self.y = before.wrapping_sub(1);
                before != 0
            }
            5 => self.x != self.y,
            6 => cycle.inputs.seen(cycle.number) >> self.config.jmp_pin & 1 == 1,
            _ => self.osr_count < self.config.pull_threshold,
        };
        if taken { Outcome::Jump(target) } else { Outcome::Next }
    }

    fn wait(&mut self, operand: u8, index: u8, cycle: &mut Cycle<'_>) -> Outcome {
        let wanted = operand & 4 != 0;
        let pin = match operand & 3 {
            0 => index,
            1 => (index + self.config.in_base) % 32,
            2 => {
                let flag = 1 << self.flag(index);
                if (cycle.flags & flag != 0) != wanted {
                    return Outcome::Stalled(Stall::Irq);
                }
                if wanted {
                    cycle.flags_cleared |= flag;
                }
                return Outcome::Next;
            }
            _ if wanted => return Outcome::Stalled(Stall::Pins(0)),
            _ => return Outcome::Next,
        };
        if (cycle.inputs.seen(cycle.number) >> pin & 1 == 1) == wanted {
            return Outcome::Next;
        }
        Outcome::Stalled(Stall::Pins(1 << pin))
    }

    fn shift_in(&mut self, source: u8, count: u8, cycle: &mut Cycle<'_>) -> Outcome {
        if !self.in_shifted {
            let data = match source {
                0 => self.mapped_inputs(cycle),
                1 => self.x,
                2 => self.y,
                6 => self.isr,
                7 => self.osr,
                _ => 0,
            };
            self.shift_into_isr(data, bit_count(count));
        }
        self.in_shifted = false;
        if self.config.autopush && self.isr_count >= self.config.push_threshold {
            if !self.receive.push(self.isr) {
                self.in_shifted = true;
                cycle.debug |= RXSTALL;
                return Outcome::Stalled(Stall::Fifo);
            }
            cycle.fifo_moved = true;
            (self.isr, self.isr_count) = (0, 0);
        }
        Outcome::Next
    }

    fn shift_into_isr(&mut self, data: u32, count: u8) {
        self.isr = shifted_in(self.isr, data, count, self.config.in_right);
        self.isr_count = (self.isr_count + count).min(FULL_COUNT);
    }

    fn out(&mut self, destination: u8, count: u8, cycle: &mut Cycle<'_>) -> Outcome {
        if self.config.autopull && self.osr_count >= self.config.pull_threshold {
            if !self.has_word() {
                cycle.debug |= TXSTALL;
                return Outcome::Stalled(Stall::Fifo);
            }
            self.refill(cycle);
            return Outcome::Stalled(Stall::Refill);
        }
        let count = bit_count(count);
        let data = self.shift_out_of_osr(count);
        self.refill(cycle);
        match destination {
            0 => self.out_pins(false, data, cycle),
            1 => self.x = data,
            2 => self.y = data,
            4 => self.out_pins(true, data, cycle),
            5 => return Outcome::Jump(data as u8 & 0x1f),
            6 => (self.isr, self.isr_count) = (data, count),
            7 => return Outcome::Execute(data as u16),
            _ => {}
        }
        Outcome::Next
    }

    fn shift_out_of_osr(&mut self, count: u8) -> u32 {
        let (data, osr) = shifted_out(self.osr, count, self.config.out_right);
        self.osr = osr;
        self.osr_count = (self.osr_count + count).min(FULL_COUNT);
        data
    }

    /// OUT to pins, which a bit of the data may forbid (EXECCTRL INLINE_OUT_EN).
    fn out_pins(&mut self, pindirs: bool, data: u32, cycle: &mut Cycle<'_>) {
        if self.config.inline_out_enable.is_some_and(|bit| data >> bit & 1 == 0) {
            self.sticky = PinWrites::default();
            return;
        }
        let values = data.rotate_left(u32::from(self.config.out_base));
        self.write_pins(pindirs, self.config.out_mask, values, cycle);
    }

    fn write_pins(&mut self, pindirs: bool, mask: u32, values: u32, cycle: &mut Cycle<'_>) {
        cycle.write(pindirs, mask, values);
        if pindirs {
            (self.sticky.enable_mask, self.sticky.enables) = (mask, values);
        } else {
            (self.sticky.level_mask, self.sticky.levels) = (mask, values);
        }
    }

    fn push(&mut self, if_full: bool, block: bool, cycle: &mut Cycle<'_>) -> Outcome {
        if if_full && self.isr_count < self.config.push_threshold {
            return Outcome::Next;
        }
        if self.receive.push(self.isr) {
            cycle.fifo_moved = true;
        } else {
            cycle.debug |= RXSTALL;
            if block {
                return Outcome::Stalled(Stall::Fifo);
            }
        }
        (self.isr, self.isr_count) = (0, 0);
        Outcome::Next
    }

    fn pull(&mut self, if_empty: bool, block: bool, cycle: &mut Cycle<'_>) -> Outcome {
        let above_threshold = self.osr_count < self.config.pull_threshold;
        // With autopull a full OSR is as good as a PULL that has been done (RP2040 datasheet 3.5.4.2).
        if if_empty && above_threshold || self.config.autopull && self.osr_count == 0 {
            return Outcome::Next;
        }
        self.osr = match self.take_word() {
            Some((word, has_moved)) => {
                cycle.fifo_moved |= has_moved;
                word
            }
            None if block => {
                cycle.debug |= TXSTALL;
                return Outcome::Stalled(Stall::Fifo);
            }
            None => self.x,
        };
        self.osr_count = 0;
        Outcome::Next
    }

    fn mov(&mut self, destination: u8, operands: u8, cycle: &mut Cycle<'_>) -> Outcome {
        let source = match operands & 7 {
            0 => self.mapped_inputs(cycle),
            1 => self.x,
            2 => self.y,
            5 => self.status(),
            6 => self.isr,
            7 => self.osr,
            _ => 0,
        };
        let data = match operands >> 3 {
            1 => !source,
            2 => source.reverse_bits(),
            _ => source,
        };
        match destination {
            0 => {
                let values = data.rotate_left(u32::from(self.config.out_base));
                self.write_pins(false, self.config.out_mask, values, cycle);
            }
            1 => self.x = data,
            2 => self.y = data,
            4 => return Outcome::Execute(data as u16),
            5 => return Outcome::Jump(data as u8 & 0x1f),
            6 => (self.isr, self.isr_count) = (data, 0),
            7 => (self.osr, self.osr_count) = (data, 0),
            _ => {}
        }
        Outcome::Next
    }

    fn irq(&mut self, operand: u8, index: u8, cycle: &mut Cycle<'_>) -> Outcome {
        let flag = 1 << self.flag(index);
        let (clear, wait) = (operand & 2 != 0, operand & 1 != 0);
        if clear {
            cycle.flags_cleared |= flag;
            return Outcome::Next;
        }
        if self.irq_waiting && wait {
            if cycle.flags & flag != 0 {
                return Outcome::Stalled(Stall::Irq);
            }
            self.irq_waiting = false;
            return Outcome::Next;
        }
        cycle.flags_set |= flag;
        if wait {
            self.irq_waiting = true;
            return Outcome::Stalled(Stall::Irq);
        }
        Outcome::Next
    }

    fn set(&mut self, destination: u8, data: u8, cycle: &mut Cycle<'_>) -> Outcome {
        let data = u32::from(data);
        match destination {
            0 | 4 => {
                let values = data.rotate_left(u32::from(self.config.set_base));
                self.write_pins(destination == 4, self.config.set_mask, values, cycle);
            }
            1 => self.x = data,
            2 => self.y = data,
            _ => {}
        }
        Outcome::Next
    }

    /// The IRQ flag that an index means; with the top bit set it counts from the machine's own number.
    fn flag(&self, index: u8) -> u8 {
        if index & 0x10 == 0 {
            return index & 7;
        }
        index & 4 | (index + self.index) & 3
    }

    fn mapped_inputs(&self, cycle: &Cycle<'_>) -> u32 {
        cycle.inputs.seen(cycle.number).rotate_right(u32::from(self.config.in_base))
    }

    pub(super) fn status(&self) -> u32 {
        let fifo = if self.config.status_of_receive { &self.receive } else { &self.transmit };
        if fifo.level() < self.config.status_level { u32::MAX } else { 0 }
    }
}

/// The ISR after some bits of data were shifted in.
#[inline(always)]
pub(super) fn shifted_in(isr: u32, data: u32, count: u8, to_the_right: bool) -> u32 {
    let bits = data & mask(count);
    let left = FULL_COUNT - count;
    match (to_the_right, count) {
        (_, FULL_COUNT) => bits,
        (true, _) => isr >> count | bits << left,
        (false, _) => isr << count | bits,
    }
}

/// The bits that are shifted out of the OSR, and what is left there.
#[inline(always)]
pub(super) fn shifted_out(osr: u32, count: u8, to_the_right: bool) -> (u32, u32) {
    if to_the_right {
        (osr & mask(count), osr.checked_shr(u32::from(count)).unwrap_or(0))
    } else {
        (osr >> u32::from(FULL_COUNT - count), osr.checked_shl(u32::from(count)).unwrap_or(0))
    }
}

/// A bit count of 1 to 32, where 32 is written as 0.
pub(super) fn bit_count(encoded: u8) -> u8 {
    if encoded == 0 { FULL_COUNT } else { encoded }
}
