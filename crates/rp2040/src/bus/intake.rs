//! Leads a PIO block that takes in words from pins whose levels were foretold together with the DMA, which takes them from there: word by
//! word, at the same times and in the same order as by appointment.

use units::Picoseconds;

use crate::bus::Bus;
use crate::bus::dma::is_far_from_end;
use crate::peripherals::Source;
use crate::peripherals::dma::flow::{Channels, Port};

const NEVER: Picoseconds = Picoseconds::new(i64::MAX);

impl Bus {
    /// Lets block and DMA go on up to and including `until`, as far as that takes no more than words; false when not one came.
    pub(super) fn take_words_in(
        &mut self,
        block: usize,
        until: Picoseconds,
        (port, channels): (&Port, &Channels),
    ) -> bool {
        let Some(mut intake) = self.blocks.pio[block].begin_intake(port.machine, &self.io) else {
            return false;
        };
        let mut transfer = self.io.due(Source::Dma).unwrap_or(NEVER);
        while let Some(word) = self.blocks.pio[block].next_of_intake(&intake) {
            if word.min(transfer) > until {
                break;
            }
            // Of one instant the block comes first, as in the agenda.
            if word <= transfer {
                if !self.blocks.pio[block].take_word_in(&mut intake, &mut self.io) {
                    break;
                }
                transfer = self.heard_by_dma(channels).unwrap_or(transfer);
            } else {
                if self.blocks.pio[block].meets_word(&intake, transfer) {
                    break;
                }
                let Some(due) = self.move_word_beside(block, port, channels, transfer) else { break };
                transfer = due;
            }
        }
        if self.io.due(Source::Dma).unwrap_or(NEVER) != transfer {
            self.expect_transfer(transfer);
        }
        self.blocks.pio[block].end_intake(intake, &mut self.io)
    }

    /// The DMA moves for other channels what is due at a time, between memories, while the block may be behind that; false, before
    /// anything has happened, where more may follow on it.
    pub(super) fn move_beside_flow(&mut self, at: Picoseconds) -> bool {
        if !self.blocks.dma.ends_nothing_at_once(is_far_from_end) {
            return false;
        }
        let later = self.io.now.max(at);
        let come = std::mem::replace(&mut self.io.now, later);
        self.move_data();
        self.io.now = come;
        true
    }
}
