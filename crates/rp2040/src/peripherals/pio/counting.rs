//! Loops that only count, and look at what stays as it is. As long as their jumps decide the same, each round changes X and Y by the same
//! amounts: many rounds are one subtraction. What they shift is the same in each round.

use super::ALL_PINS;
use super::decoded::{Action, Condition, Decoded, Destination, Operation, Register, Step};
use super::quickly::Course;
use super::state_machine::StateMachine;

/// Instructions in the longest loop that is looked at.
const MOST_STEPS: usize = 16;
/// Fewer rounds are executed as quickly.
const FEWEST_ROUNDS: u64 = 4;
/// So many looks are left out after one that came to nothing.
const LOOKS_LEFT_OUT: u8 = 15;

/// When to look again whether a machine only counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Patience(u8);

impl Patience {
    fn is_over(&mut self) -> bool {
        let is_over = self.0 == 0;
        self.0 = self.0.saturating_sub(1);
        is_over
    }
}

/// A round, from a place in the program back to it.
#[derive(Debug, Clone, Copy, Default)]
struct Round {
    /// What each jump asked whether it is zero.
    asked: [u32; MOST_STEPS],
    steps: usize,
    ticks: u64,
    /// The tick of the last instruction, and the delay that it asks for.
    last_tick: u64,
    last_delay: u64,
}

impl Round {
    /// The round that a machine is about to go through; nothing where it does anything but count, or moves a pin.
    fn of(course: &mut Course, start: u8, decoded: &Decoded, levels: u32) -> Option<Self> {
        let (mut round, mut place) = (Self::default(), start);
        loop {
            let step = &decoded.steps[usize::from(place) % 32];
            *round.asked.get_mut(round.steps)? = asked(step, course)?;
            let mut after = levels;
            place = course.perform(step, decoded, &mut after)?;
            if (after & !step.side_mask | step.side) & ALL_PINS != levels {
                return None;
            }
            round.steps += 1;
            (round.last_tick, round.last_delay) = (round.ticks, step.delay.into());
            round.ticks += 1 + u64::from(step.delay);
            if place == start {
                return Some(round);
            }
        }
    }

    /// How many rounds from this one on decide the same, of which `next` is the second: it goes another way only where a jump decides
    /// otherwise.
    fn rounds_alike(&self, next: &Self) -> u64 {
        let asked = self.asked.iter().zip(&next.asked).take(self.steps);
        asked.map(|(&first, &second)| rounds_until_zero(first, second)).min().unwrap_or(0)
    }
}

/// What an instruction asks whether it is zero, and always the same where it asks nothing; nothing where it does more than count.
fn asked(step: &Step, course: &Course) -> Option<u32> {
    use Action::{
        InIsr, InNull, InOsr, InPins, Jump, Mov, MovPc, Nothing, OutIsr, OutNull, OutPc, SetX, SetY,
    };
    use Destination::{Isr, Osr};
    match step.action {
        Jump(Condition::XIsZero | Condition::XCounts) => Some(course.x),
        Jump(Condition::YIsZero | Condition::YCounts) => Some(course.y),
        Jump(Condition::Unequal) => Some(course.x.wrapping_sub(course.y)),
        // What it asks is the same in each round, for shift registers are what they were, and no pin moves.
        Jump(Condition::OsrNotEmpty | Condition::PinIsHigh | Condition::Always) | Nothing | SetX | SetY => {
            Some(0)
        }
        Mov(Destination::X | Destination::Y, _, Operation::Copy | Operation::Invert) => Some(0),
        MovPc(from, _) | Mov(Isr | Osr, from, _) if !matches!(from, Register::X | Register::Y) => Some(0),
        OutNull | OutIsr | OutPc | InPins | InNull | InIsr | InOsr => Some(0),
        _ => None,
    }
}

/// The rounds in which a value that goes on like these two is zero in all, or in none.
fn rounds_until_zero(first: u32, second: u32) -> u64 {
    let change = second.wrapping_sub(first) as i32;
    let way = if change < 0 { u64::from(first) } else { (1 << 32) - u64::from(first) };
    match (first, change) {
        (_, 0) => u64::MAX,
        (0, _) => 1,
        _ => way.div_ceil(change.unsigned_abs().into()),
    }
}

impl StateMachine {
    /// Goes through many rounds at once, up to and including cycle `last`, where a machine only counts in them. It sees these pins, if they
    /// are known, and leaves its own levels as they are. Gives the cycle of the last instruction.
    pub(super) fn count_rounds(
        &mut self,
        decoded: &mut Decoded,
        last: u64,
        (pins, levels): (Option<u32>, u32),
    ) -> Option<u64> {
        if !decoded.counting.is_over() {
            return None;
        }
        let reached = self.find_rounds(decoded, last, (pins, levels));
        if reached.is_none() {
            decoded.counting = Patience(LOOKS_LEFT_OUT);
        }
        reached
    }

    fn find_rounds(
        &mut self,
        decoded: &Decoded,
        last: u64,
        (pins, levels): (Option<u32>, u32),
    ) -> Option<u64> {
        if !self.is_between_instructions() {
            return None;
        }
        let mut course = Course::of(self, pins);
        let shifting = course.shifting();
        let round = Round::of(&mut course, self.pc, decoded, levels)?;
        if course.shifting() != shifting {
            return None;
        }
        let once = (course.x, course.y);
        let next = Round::of(&mut course, self.pc, decoded, levels)?;
        let changes = (once.0.wrapping_sub(self.x), once.1.wrapping_sub(self.y));
        // X and Y after a round are copies, complements or constants, plus a constant: what changes them alike twice always does.
        if changes != (course.x.wrapping_sub(once.0), course.y.wrapping_sub(once.1)) {
            return None;
        }
        let ticks = self.divider.ticks_through(last);
        let begun = ticks.checked_sub(self.delay + round.last_tick + 1)?;
        let rounds = round.rounds_alike(&next).min(begun / round.ticks + 1);
        if rounds < FEWEST_ROUNDS {
            return None;
        }
        let tick = self.delay + (rounds - 1) * round.ticks + round.last_tick;
        let reached = self.divider.after(tick);
        self.x = self.x.wrapping_add(changes.0.wrapping_mul(rounds as u32));
        self.y = self.y.wrapping_add(changes.1.wrapping_mul(rounds as u32));
        self.end_quickly(tick + 1, round.last_delay);
        Some(reached)
    }
}
