//! The quick way through the instructions of a decoded program that do nothing but shift, count, jump and set levels. All else is left to
//! the machine itself: whatever moves a word through a FIFO, stalls, or has to do with flags and directions. Who looks at pins goes this
//! way for one cycle at a time, or for as long as nothing moves there.

use super::ALL_PINS;
use super::burst::Untold;
use super::cycle::Cycle;
use super::decoded::{Action, Condition, Decoded, Destination, Register, Step};
use super::execute::{shifted_in, shifted_out};
use super::registers::Config;
use super::state_machine::{FULL_COUNT, StateMachine};

/// Of a program of 32 instructions.
const LAST_PLACE: u8 = 31;
/// So many instructions are executed in a row before anybody looks whether they only count.
const MOST_INSTRUCTIONS: u32 = 64;

/// What the instructions of the quick way work on.
pub(super) struct Course {
    pub(super) x: u32,
    pub(super) y: u32,
    isr: u32,
    osr: u32,
    isr_count: u8,
    osr_count: u8,
    /// Whether there is a word to transmit.
    has_word: bool,
    status: u32,
    /// What stands at the pins for who looks, in each cycle of it, where that is known.
    pins: Option<u32>,
    /// The last levels that OUT or SET wrote, and where; for OUT_STICKY.
    written: Option<(u32, u32)>,
}

impl Course {
    #[inline(always)]
    pub(super) fn of(machine: &StateMachine, pins: Option<u32>) -> Self {
        let StateMachine { x, y, isr, osr, isr_count, osr_count, .. } = *machine;
        let (has_word, status) = (machine.has_word(), machine.status());
        Self { x, y, isr, osr, isr_count, osr_count, has_word, status, pins, written: None }
    }

    #[inline(always)]
    fn put_back(&self, machine: &mut StateMachine) {
        let Self { x, y, isr, osr, isr_count, osr_count, .. } = *self;
        (machine.x, machine.y, machine.isr, machine.osr) = (x, y, isr, osr);
        (machine.isr_count, machine.osr_count) = (isr_count, osr_count);
        if let Some((mask, values)) = self.written {
            (machine.sticky.level_mask, machine.sticky.levels) = (mask, values);
        }
    }

    /// Whether a word moves with an instruction, or may, or is missing.
    #[inline(always)]
    fn moves_word(&self, step: &Step, decoded: &Decoded) -> bool {
        let refills = self.osr_count + step.out_bits >= decoded.pulls_at;
        let stalls = step.out_bits != 0 && self.osr_count >= decoded.pulls_at;
        refills && (self.has_word || stalls) || self.isr_count + step.in_bits >= decoded.pushes_at
    }

    /// The shift registers and their counts.
    pub(super) fn shifting(&self) -> [(u32, u8); 2] {
        [(self.isr, self.isr_count), (self.osr, self.osr_count)]
    }

    #[inline(always)]
    fn out(&mut self, config: &Config, bits: u8) -> u32 {
        let (data, osr) = shifted_out(self.osr, bits, config.out_right);
        self.osr = osr;
        self.osr_count = (self.osr_count + bits).min(FULL_COUNT);
        data
    }

    #[inline(always)]
    fn shift_in(&mut self, config: &Config, bits: u8, data: u32) {
        self.isr = shifted_in(self.isr, data, bits, config.in_right);
        self.isr_count = (self.isr_count + bits).min(FULL_COUNT);
    }

    /// Does what an instruction says; nothing, before anything has changed, when that is for the machine. Gives where the program goes on.
    #[inline(always)]
    pub(super) fn perform(&mut self, step: &Step, decoded: &Decoded, levels: &mut u32) -> Option<u8> {
        let config = &decoded.config;
        if self.moves_word(step, decoded) {
            return None;
        }
        match step.action {
            Action::Jump(condition) if self.jumps(condition, config)? => return Some(step.target),
            Action::Jump(_) => {}
            Action::OutPins => {
                let values = self.out(config, step.bits).rotate_left(u32::from(config.out_base));
                self.write(config.out_mask, values, levels);
            }
            Action::OutX => self.x = self.out(config, step.bits),
            Action::OutY => self.y = self.out(config, step.bits),
            Action::OutNull => {
                self.out(config, step.bits);
            }
            Action::OutIsr => (self.isr, self.isr_count) = (self.out(config, step.bits), step.bits),
            Action::OutPc => return Some(self.out(config, step.bits) as u8 & LAST_PLACE),
            Action::InX => self.shift_in(config, step.bits, self.x),
            Action::InY => self.shift_in(config, step.bits, self.y),
            Action::InPins => {
                let seen = self.register(Register::Pins, config)?;
                self.shift_in(config, step.bits, seen);
            }
            Action::InNull => self.shift_in(config, step.bits, 0),
            Action::InIsr => self.shift_in(config, step.bits, self.isr),
            Action::InOsr => self.shift_in(config, step.bits, self.osr),
            Action::SetPins => self.write(config.set_mask, step.levels, levels),
            Action::SetX => self.x = u32::from(step.target),
            Action::SetY => self.y = u32::from(step.target),
            Action::Mov(to, from, operation) => {
                let data = operation.of_data(self.register(from, config)?);
                self.mov(to, data, config, levels);
            }
            Action::MovPc(from, operation) => {
                return Some(operation.of_data(self.register(from, config)?) as u8 & LAST_PLACE);
            }
            Action::Nothing => {}
            Action::Words | Action::Other => return None,
        }
        Some(step.next)
    }

    #[inline(always)]
    fn jumps(&mut self, condition: Condition, config: &Config) -> Option<bool> {
        Some(match condition {
            Condition::Always => true,
            Condition::XIsZero => self.x == 0,
            Condition::XCounts => {
                let before = self.x;
                self.x = before.wrapping_sub(1);
                before != 0
            }
            Condition::YIsZero => self.y == 0,
            Condition::YCounts => {
                let before = self.y;
                self.y = before.wrapping_sub(1);
                before != 0
            }
            Condition::Unequal => self.x != self.y,
            Condition::OsrNotEmpty => self.osr_count < config.pull_threshold,
            Condition::PinIsHigh => self.pins? >> config.jmp_pin & 1 == 1,
        })
    }

    #[inline(always)]
    fn mov(&mut self, to: Destination, data: u32, config: &Config, levels: &mut u32) {
        match to {
            Destination::Pins => {
                self.write(config.out_mask, data.rotate_left(u32::from(config.out_base)), levels);
            }
            Destination::X => self.x = data,
            Destination::Y => self.y = data,
            Destination::Isr => (self.isr, self.isr_count) = (data, 0),
            Destination::Osr => (self.osr, self.osr_count) = (data, 0),
        }
    }

    #[inline(always)]
    fn register(&self, register: Register, config: &Config) -> Option<u32> {
        Some(match register {
            Register::X => self.x,
            Register::Y => self.y,
            Register::Isr => self.isr,
            Register::Osr => self.osr,
            Register::Null => 0,
            Register::Status => self.status,
            Register::Pins => self.pins?.rotate_right(config.in_base.into()),
        })
    }

    #[inline(always)]
    fn write(&mut self, mask: u32, values: u32, levels: &mut u32) {
        *levels = *levels & !mask | values & mask;
        self.written = Some((mask, values));
    }
}

impl StateMachine {
    /// The quick way, up to and including cycle `last`, for some instructions, which see `pins` where that is known. Gives the cycle of
    /// the last one, if there was one, and whether others would follow.
    pub(super) fn go_quickly(
        &mut self,
        decoded: &Decoded,
        last: u64,
        pins: Option<u32>,
        untold: &mut Untold,
    ) -> Option<(u64, bool)> {
        if !self.is_between_instructions() {
            return None;
        }
        let mut course = Course::of(self, pins);
        let ticks = self.divider.ticks_through(last);
        let (mut tick, mut pc, mut levels) = (self.delay, self.pc, untold.levels());
        let (mut executed, mut left) = (None, MOST_INSTRUCTIONS);
        while tick < ticks && left != 0 {
            let step = &decoded.steps[usize::from(pc) % 32];
            let Some(next) = course.perform(step, decoded, &mut levels) else { break };
            levels = (levels & !step.side_mask | step.side) & ALL_PINS;
            if levels != untold.levels() {
                untold.move_to(levels, self.divider.after(tick));
                course.pins = None;
            }
            executed = Some((tick, u64::from(step.delay)));
            tick += 1 + u64::from(step.delay);
            (pc, left) = (next, left - 1);
            if untold.is_due() || decoded.has_loop_at(pc) {
                break;
            }
        }
        let (tick, delay) = executed?;
        let reached = self.divider.after(tick);
        self.pc = pc;
        course.put_back(self);
        self.end_quickly(tick + 1, delay);
        Some((reached, left == 0))
    }

    /// Executes the next instruction in its cycle, which sees what stands at the pins; false, before anything has happened, where it is
    /// for the machine.
    #[inline]
    pub(super) fn step_quickly(&mut self, decoded: &Decoded, cycle: &mut Cycle<'_>) -> bool {
        if !self.is_between_instructions() || !self.may_burst() {
            return false;
        }
        let step = &decoded.steps[usize::from(self.pc) % 32];
        let seen = if step.action.looks_at_pins() { Some(cycle.inputs.seen(cycle.number)) } else { None };
        let mut course = Course::of(self, seen);
        let Some(next) = course.perform(step, decoded, &mut 0) else { return false };
        if let Some((mask, values)) = course.written {
            cycle.write(false, mask, values);
        }
        cycle.write(false, step.side_mask, step.side);
        course.put_back(self);
        self.pc = next;
        self.end_quickly(self.delay + 1, step.delay.into());
        self.due = self.divider.after(self.delay);
        true
    }
}
