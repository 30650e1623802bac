//! Leads a PIO block that takes in words from pins whose levels were foretold together with the DMA, which takes them from there: word by
//! word, at the same times and in the same order as by appointment.

use units::Picoseconds;

use super::fed_pio::is_striped;
use crate::bus::Bus;
use crate::bus::dma::{is_far_from_end, is_sram};
use crate::peripherals::Source;
use crate::peripherals::dma::flow::{Channels, Port};
use crate::peripherals::dma::lane::Lane;
use crate::peripherals::pio::intake::Intake;

const NEVER: Picoseconds = Picoseconds::new(i64::MAX);
/// Words that are taken at once at the most, and at the least; and those that pass one by one before that is tried again.
const MOST_WORDS: usize = 128;
const FEWEST_WORDS: usize = 4;
const WORDS_ALONE: u32 = 7;

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
        let mut words_alone = 0;
        while let Some(word) = self.blocks.pio[block].next_of_intake(&intake) {
            if word.min(transfer) > until {
                break;
            }
            if transfer == NEVER && words_alone == 0 && self.take_many_in(block, &mut intake, channels, until)
            {
                self.io.address = port.from;
                continue;
            }
            // Of one instant the block comes first, as in the agenda.
            if word <= transfer {
                if !self.blocks.pio[block].take_word_in(&mut intake, &mut self.io) {
                    break;
                }
                transfer = self.heard_by_dma(channels).unwrap_or(transfer);
                words_alone = if words_alone == 0 { WORDS_ALONE } else { words_alone - 1 };
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

    /// Lets many words come of which the DMA takes each before the next, up to and including `until`; false, before anything has happened,
    /// where that is not so.
    fn take_many_in(
        &mut self,
        block: usize,
        intake: &mut Intake,
        channels: &Channels,
        until: Picoseconds,
    ) -> bool {
        let Some((mut lane, latency)) = self.blocks.dma.emptied_alone(channels) else { return false };
        let Some(even) = self.blocks.pio[block].even_intake(intake, until - latency) else { return false };
        let count = self.words_to_memory(lane, even.count.min(MOST_WORDS));
        let mut words = [0; MOST_WORDS];
        let words = &mut words[..count];
        if count < FEWEST_WORDS || !self.blocks.pio[block].take_many_in(intake, &even, words, &mut self.io) {
            return false;
        }
        for &mut word in words {
            self.keep(lane.transfer(), lane.aligned(), word);
            lane.advance();
        }
        self.blocks.dma.leave_emptied(channels, &lane);
        self.dma_transfers += count as u64;
        true
    }

    /// How many of the next words go to memory, where nobody is told of them or counts them.
    fn words_to_memory(&self, mut lane: Lane, most: usize) -> usize {
        let is_memory = if self.blocks.bus_ctrl.is_counting() { is_striped } else { is_sram };
        let is_at_hand = |_: &usize| {
            let to = lane.aligned();
            let is_at_hand = lane.goes_on() && is_memory(to) && !self.sram.is_near_code(to);
            lane.advance();
            is_at_hand
        };
        (0..most).take_while(is_at_hand).count()
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
