//! The straight way of a program: instructions in a row that move pins and words and do nothing else by which a machine may be noticed. None
//! of them sees what others do, and where each goes on is known.

use super::decoded::{Action, Condition, Decoded, Destination, Register, Step};

/// The longest way that is looked at.
const MOST_STEPS: usize = 16;

impl Decoded {
    /// The way from a place on, where the block gives its pins these levels: the ticks up to the first instruction that is none of it or
    /// moves a pin of which somebody hears `at_once`, and the pins that move on it.
    pub(super) fn straight_way(&self, place: u8, mut levels: u32, at_once: u32) -> (u64, u32) {
        let (mut ticks, mut moves, mut at) = (0, 0, place);
        for _ in 0..MOST_STEPS {
            let step = &self.steps[usize::from(at) % 32];
            let Some((written, moved)) = self.moved_by(step, levels) else { break };
            if moved & at_once != 0 {
                break;
            }
            (levels, moves) = (written, moves | moved);
            ticks += 1 + u64::from(step.delay);
            at = if step.action == Action::Jump(Condition::Always) { step.target } else { step.next };
        }
        (ticks, moves)
    }

    /// The levels behind an instruction of it, and the pins that this one may move.
    fn moved_by(&self, step: &Step, levels: u32) -> Option<(u32, u32)> {
        use Action::{
            InIsr, InNull, InOsr, InX, InY, Jump, Mov, Nothing, OutIsr, OutNull, OutPins, OutX, OutY,
            SetPins, SetX, SetY, Words,
        };
        let (mask, written, data) = match step.action {
            Mov(_, Register::Status | Register::Pins, _) => return None,
            SetPins => (self.config.set_mask & !step.side_mask, step.levels, 0),
            OutPins | Mov(Destination::Pins, ..) => (0, 0, self.config.out_mask & !step.side_mask),
            Jump(Condition::Always) | OutX | OutY | OutNull | OutIsr => (0, 0, 0),
            InX | InY | InNull | InIsr | InOsr => (0, 0, 0),
            SetX | SetY | Nothing | Mov(..) | Words => (0, 0, 0),
            _ => return None,
        };
        let mask = mask | step.side_mask;
        let written = levels & !mask | (written & !step.side_mask | step.side) & mask;
        Some((written, written ^ levels | data))
    }
}
