//! Leads a PIO block that takes in words from pins whose levels were foretold together with the DMA, which takes them from there: word by
//! word, at the same times and in the same order as by appointment.

use units::Picoseconds;

use super::fed_pio::{OCCUPIED_CYCLES, is_striped};
use crate::bus::access::narrow;
use crate::bus::dma::{is_far_from_end, is_sram};
use crate::bus::{Bus, Size};
use crate::memory::{CODE_PAGE_BYTES, SRAM_BASE};
use crate::peripherals::Source;
use crate::peripherals::dma::flow::{Channels, Port};
use crate::peripherals::dma::lane::Lane;
use crate::peripherals::pio::intake::Intake;
use crate::peripherals::pio::reach::{Heard, Reach};

const NEVER: Picoseconds = Picoseconds::new(i64::MAX);
/// Words that are taken at once at the most, and at the least; and those that pass one by one before that is tried again.
pub(super) const MOST_WORDS: usize = 128;
pub(super) const FEWEST_WORDS: usize = 3;
const WORDS_ALONE: u32 = 7;
const _: () = assert!(
    MOST_WORDS <= CODE_PAGE_BYTES,
    "a piece of bytes begins in one page, and ends there or in the next"
);

impl Bus {
    /// Lets block and DMA go on up to and including `until`, as far as that takes no more than words; gives the last
    /// cycle in which the machine did anything.
    pub(super) fn take_words_in(
        &mut self,
        block: usize,
        until: Picoseconds,
        (port, channels): (&Port, &Channels),
    ) -> Option<u64> {
        let mut intake = self.blocks.pio[block].begin_intake(port.machine, until, &self.io)?;
        let mut transfer = self.io.due(Source::Dma).unwrap_or(NEVER);
        let mut words_alone = 0;
        while let Some(word) = self.blocks.pio[block].next_of_intake(&intake) {
            if word.min(transfer) > until {
                break;
            }
            if words_alone == 0 && self.blocks.dma.waits_for_no_word(channels) {
                let takes_many = match transfer {
                    NEVER => self.take_many_in(block, &mut intake, channels, until),
                    _ => self.take_many_in_beside_copy(block, &mut intake, channels, until),
                };
                if takes_many {
                    self.io.address = port.from;
                    transfer = self.blocks.dma.expect();
                    continue;
                }
                words_alone = WORDS_ALONE;
            }
            // Of one instant the block comes first, as in the agenda.
            if word <= transfer {
                if !self.blocks.pio[block].take_word_in(&mut intake, &mut self.io) {
                    break;
                }
                transfer = self.heard_by_dma(channels).unwrap_or(transfer);
                words_alone = words_alone.saturating_sub(1);
            } else {
                if self.blocks.pio[block].meets_word(&intake, transfer) {
                    break;
                }
                let Some(moved) = self.move_word_beside(block, port, channels, transfer) else { break };
                transfer = moved.due;
            }
        }
        if self.io.due(Source::Dma).unwrap_or(NEVER) != transfer {
            self.expect_transfer(transfer);
        }
        self.blocks.pio[block].end_intake(intake, &mut self.io)
    }

    /// The same while another machine goes on beside, which follows up to there; false where nothing was done.
    pub(super) fn take_words_in_beside(
        &mut self,
        block: usize,
        (reach, heard): (&Reach, Heard),
        until: Picoseconds,
        words: (&Port, &Channels),
    ) -> bool {
        if self.sampling.is_none() || self.heeds_words {
            return false;
        }
        let pio = &mut self.blocks.pio[block];
        let Some(other) = pio.goes_on_beside(words.0.machine) else { return false };
        let is_fed = self.blocks.dma.hears(pio.requests_of(other));
        let Some(last) = pio.known_beside(words.0.machine, (other, is_fed), until) else { return false };
        if !pio.put_aside(other, (reach, heard), &self.io) {
            return false;
        }
        let last = self.take_words_in(block, last, words);
        let pio = &mut self.blocks.pio[block];
        let has_gone_on = pio.let_follow(last, (reach, heard), &mut self.io);
        self.attention |= pio.take_debug_rose();
        self.io.moved_unnoticed |= has_gone_on;
        has_gone_on
    }

    /// The same where the DMA also feeds the other machine, as long as that one asks for nothing.
    pub(super) fn take_words_in_beside_fed(
        &mut self,
        block: usize,
        (reach, heard): (&Reach, Heard),
        until: Picoseconds,
    ) -> bool {
        let (pio, dma) = (&self.blocks.pio[block], &self.blocks.dma);
        let of_reader = |n: usize| pio.as_port(dma.heard(pio.requests_of(n)));
        let Some(port) = pio.reads_foretold().and_then(of_reader) else { return false };
        let channels = dma.channels_of(&port, OCCUPIED_CYCLES, true, &self.io);
        channels.is_some_and(|channels| {
            self.take_words_in_beside(block, (reach, heard), until, (&port, &channels))
        })
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
        if count < FEWEST_WORDS
            || !self.blocks.pio[block].take_many_in(intake, &even, (words, latency), &mut self.io)
        {
            return false;
        }
        self.keep_many(&mut lane, words);
        self.blocks.dma.leave_emptied(channels, &lane);
        self.dma_transfers += count as u64;
        true
    }

    /// Stores what the channel takes.
    pub(super) fn keep_many(&mut self, lane: &mut Lane, words: &[u32]) {
        let count = words.len() as u32;
        if lane.transfer().bytes == 1 && lane.is_piece(count) {
            let from = lane.transfer().read_address;
            let mut bytes = [0; MOST_WORDS];
            for (byte, &word) in bytes.iter_mut().zip(words) {
                *byte = narrow(word, from, Size::Byte) as u8;
            }
            self.sram.store(lane.aligned() - SRAM_BASE, &bytes[..words.len()]);
            return lane.pass(count);
        }
        for &word in words {
            self.keep(lane.transfer(), lane.aligned(), word);
            lane.advance();
        }
    }

    /// How many of the next words go to memory, where nobody is told of them or counts them.
    pub(super) fn words_to_memory(&self, mut lane: Lane, most: usize) -> usize {
        let is_memory = if self.blocks.bus_ctrl.is_counting() { is_striped } else { is_sram };
        if lane.transfer().bytes == 1 && lane.is_piece(most as u32) && lane.has_more_than(most as u32) {
            // No longer than a page that may hold code.
            let ends = [lane.aligned(), lane.aligned() + (most as u32).saturating_sub(1)];
            if ends.iter().all(|&end| is_memory(end) && !self.sram.is_near_code(end)) {
                return most;
            }
        }
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
        let later = self.io.now.max(at);
        let come = std::mem::replace(&mut self.io.now, later);
        let has_copied = self.copy_single();
        let moves = has_copied || self.blocks.dma.ends_nothing_at_once(is_far_from_end);
        if moves && !has_copied {
            self.move_data();
        }
        self.io.now = come;
        moves
    }
}
