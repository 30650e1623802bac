//! Core 1 between reset and its launch: it sleeps in the ROM until core 0 sends vector table, stack pointer and entry
//! through the inter-core FIFO, and echoes every word (RP2040 datasheet 2.8.2).

/// Words of the sequence that core 0 sends after a 1.
const WORDS: usize = 3;
/// What starts the sequence.
const COMMAND: u32 = 1;
/// Cycles from a word's arrival to its echo: wake-up, test of the status, read, compare, test, write, event. Counted from
/// the public description of the ROM.
pub const WORD_CYCLES: u32 = 30;
/// Words that are taken in one go; more cannot be in the FIFOs together.
const MOST_STEPS: usize = 64;

/// The waiting core's side of the inter-core FIFO.
pub trait LaunchPort {
    /// The next word from the other core, if there is one.
    fn receive(&mut self) -> Option<u32>;
    /// Sends a word to the other core and sets its event; false when the FIFO is full.
    fn send(&mut self, word: u32) -> bool;
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PenState {
    /// The core sleeps (WFE) until there is a word for it, or room for its answer.
    Asleep,
    /// It is launched.
    Launched {
        /// For VTOR.
        vector_table: u32,
        /// The main stack pointer.
        stack_pointer: u32,
        /// Where, without the Thumb bit.
        entry: u32,
        /// Cycles for the last word.
        cycles: u32,
    },
}

/// A core that waits for its launch.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct HoldingPen {
    /// The word to be sent next, while the FIFO has no room.
    answer: Option<u32>,
    /// Whether the first 0 was sent, which tells core 0 that someone listens.
    greeted: bool,
    /// Whether the sequence has begun.
    commanded: bool,
    words: [u32; WORDS],
    count: usize,
}

impl HoldingPen {
    /// A core that has just come to wait.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on as far as words and room are there. To be called when the core begins to wait, when a word arrives for
    /// it, and when it gets an event.
    pub fn step(&mut self, port: &mut dyn LaunchPort) -> PenState {
        for _ in 0..MOST_STEPS {
            if !self.greeted {
                self.restart(port);
            }
            if let Some(answer) = self.answer {
                if !port.send(answer) {
                    return PenState::Asleep;
                }
                self.answer = None;
                if self.count == WORDS {
                    return self.launch();
                }
            }
            match port.receive() {
                None => return PenState::Asleep,
                Some(word) => self.take(word),
            }
        }
        PenState::Asleep
    }

    fn restart(&mut self, port: &mut dyn LaunchPort) {
        *self = Self { greeted: true, answer: Some(0), ..Self::default() };
        for _ in 0..MOST_STEPS {
            if port.receive().is_none() {
                return;
            }
        }
    }

    fn take(&mut self, word: u32) {
        if word == 0 || (!self.commanded && word != COMMAND) {
            // The FIFO is emptied and a 0 sent, as at the beginning.
            self.greeted = false;
        } else if self.commanded {
            self.words[self.count] = word;
            self.count += 1;
            self.answer = Some(word);
        } else {
            self.commanded = true;
            self.answer = Some(word);
        }
    }

    fn launch(&mut self) -> PenState {
        let [vector_table, stack_pointer, entry] = self.words;
        *self = Self::default();
        PenState::Launched { vector_table, stack_pointer, entry: entry & !1, cycles: WORD_CYCLES }
    }
}
