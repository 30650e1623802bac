//! Programs that were decoded with settings which a machine has no longer, and may have again.

use super::decoded::{Decoded, words_from};
use super::state_machine::StateMachine;
use super::words::WordPace;

/// What a program was decoded to with settings of late. Drivers change between two, one for each direction.
#[derive(Debug, Clone, Default)]
pub(super) struct Spare([Option<Box<Decoded>>; 2]);

impl Spare {
    /// Keeps what is no longer in use, in place of what was in use before the other.
    pub(super) fn put(&mut self, decoded: &mut Option<Box<Decoded>>) {
        if decoded.is_some() {
            if self.0[0].is_some() {
                self.0.swap(0, 1);
            }
            self.0[0] = decoded.take();
        }
    }

    /// The program of a machine from where it stands. Where it was decoded before with the same settings, only the place may be another.
    pub(super) fn decode(&mut self, program: &[u16; 32], machine: &StateMachine) -> Box<Decoded> {
        let wanted = (machine.config, machine.side_is_own);
        let is_same = |spare: &&mut Option<Box<Decoded>>| {
            spare.as_ref().is_some_and(|spare| (spare.config, spare.side_is_own) == wanted)
        };
        let Some(mut decoded) = self.0.iter_mut().find(is_same).and_then(Option::take) else {
            return Box::new(Decoded::new(program, machine));
        };
        let from = words_from(machine);
        if from.is_none() || from != decoded.words_from {
            (decoded.words, decoded.words_from) = (WordPace::of(machine, program), from);
        }
        decoded
    }
}
