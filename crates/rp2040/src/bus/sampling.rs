//! A PIO block whose machines go on for a while without being noticed: round in loops in which they read pins whose levels were foretold,
//! or straight through instructions that only move pins and words. Others wait for words that nobody brings, or for pins that stay. What
//! they do behind that may be noticed, but it is known up to when they stay there: so long the block is led on later.

use mcu::{Foretold, Reaction};
use units::Picoseconds;

use crate::bus::Bus;
use crate::bus::block::Block;
use crate::bus::unnoticed::Listeners;
use crate::foretold::ForetoldCourse;
use crate::memory::{SRAM_BASE, SRAM_BYTES};
use crate::peripherals::Source;
use crate::peripherals::pio::GoingOn;
use crate::peripherals::pio::reach::{Heard, Reach};

const BLOCKS: [Source; 2] = [Source::Pio0, Source::Pio1];
pub(super) const FORETOLD: u64 = 1 << Source::Foretold as usize;

/// Such a block, from here on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampling {
    pub(super) block: usize,
    /// What its machines may do, and the requests that they may raise.
    pub(super) reach: Reach,
    pub(super) requests: u64,
    /// The pins that it moves of which somebody outside is told.
    pub(super) heard: Heard,
    /// The pins that machines of it wait for, the requests with which others wait for words, and the machines that go on, a bit each.
    awaits: u32,
    waiting: u64,
    going_on: u8,
    /// What was foretold when it was found.
    foretold: Option<u64>,
    /// Up to when it does nothing else.
    pub(super) until: Picoseconds,
}

impl Sampling {
    /// The block as a source.
    pub(super) fn source(&self) -> u64 {
        1 << BLOCKS[self.block].index()
    }
}

impl Bus {
    /// Whether nobody but the DMA and those outside has to do with a block, whatever it does but raise flags.
    pub(super) fn may_sample(&self, n: usize, others: &Reach) -> bool {
        !self.blocks.is_held(Block::Pio(n)) && !others.looks_at_pins && !self.blocks.pwm.listens()
    }

    /// Finds out whether a block is such a one from here on.
    pub(super) fn find_sampling(&mut self, may_sample: [bool; 2], listeners: &Listeners) {
        if may_sample == [false; 2] || !self.may_foretold_be_late(listeners) {
            self.sampling = None;
            return;
        }
        if self.sampling.is_some_and(|sampling| self.still_samples(&sampling)) {
            return;
        }
        self.sampling = (0..BLOCKS.len())
            .filter(|&block| may_sample[block])
            .find_map(|block| self.sampling_of(block, listeners));
    }

    /// Whether what was found of a block is so as long as it was said: nothing else came for it.
    fn still_samples(&self, sampling: &Sampling) -> bool {
        let is_before = self.io.due(BLOCKS[sampling.block]).is_some_and(|due| due < sampling.until);
        is_before
            && self.blocks.pio[sampling.block].going_on() == sampling.going_on
            && !self.blocks.dma.hears(sampling.waiting)
            && self.foretold_number() == sampling.foretold
    }

    fn foretold_number(&self) -> Option<u64> {
        self.io.foretold.as_ref().map(ForetoldCourse::number)
    }

    fn sampling_of(&mut self, block: usize, listeners: &Listeners) -> Option<Sampling> {
        let due = self.io.due(BLOCKS[block])?;
        let at_once = self.io.pins.wired_with(listeners.at_once);
        let found = self.blocks.pio[block].goes_on_unnoticed(at_once, &self.io)?;
        let reads_pins = self.io.foretold.is_some() || found.awaits != 0;
        if found.until <= due || !reads_pins || self.blocks.dma.hears(found.waiting) {
            return None;
        }
        let heard = self.heard_late(found.reach.pins, listeners)?;
        let GoingOn { reach, requests, waiting, awaits, until } = found;
        let (going_on, foretold) = (self.blocks.pio[block].going_on(), self.foretold_number());
        Some(Sampling { block, reach, requests, heard, awaits, waiting, going_on, foretold, until })
    }

    /// Whether nobody but PIO blocks looks at the pins whose levels are foretold, and nothing else says what levels these have. Between two
    /// such frames there are none.
    fn may_foretold_be_late(&self, listeners: &Listeners) -> bool {
        let Some(course) = &self.io.foretold else { return self.io.foretold_count != 0 };
        let (pins, mask) = (&self.io.pins, course.foretold().mask());
        course.next_change().is_some()
            && mask & !pins.left_to_outside() == 0
            && mask & (listeners.all() | pins.recorded()) == 0
    }

    /// When anybody may notice anything next; the end of time where that never is.
    #[inline]
    pub(crate) fn next_noticed(&self) -> Picoseconds {
        let next = self.io.next_noticed();
        self.sampling.map_or(next, |sampling| next.min(sampling.until))
    }

    /// Levels will come that the chip carries out.
    #[cold]
    pub(super) fn expect_foretold(&mut self, foretold: Foretold) {
        let io = &mut self.io;
        io.foretold_count += 1;
        let course = ForetoldCourse::new(foretold, io.foretold_count);
        io.wake_at(Source::Foretold, course.next_change().unwrap_or(io.now));
        io.foretold = Some(course);
        // What was found before knew nothing of them.
        self.sample_no_more();
    }

    /// Pins changed. If a machine of the block waited for one of them, it does more from here on.
    #[inline]
    pub(super) fn pins_came(&mut self, pins: u32) {
        if self.sampling.is_some_and(|sampling| sampling.awaits & pins != 0) {
            self.sample_no_more();
        }
    }

    fn sample_no_more(&mut self) {
        self.sampling = None;
        self.notice_pio();
    }

    /// What is due outside before anything else but the block, up to and including `until`, happens while the block is behind: nobody hears
    /// of it. False, before anything has happened, where somebody may. If something comes of it, the block is led up to there first.
    pub(crate) fn let_outside_come_first(&mut self, until: Picoseconds) -> bool {
        let Some(at) = self.io.due(Source::Outside).filter(|&at| at <= until) else { return false };
        let Some(sampling) = self.sampling.filter(|sampling| at < sampling.until) else { return false };
        let own = sampling.source() | 1 << Source::Dma.index() | FORETOLD;
        let is_unheard = sampling.heard.pins == 0
            && self.foretold_number() == sampling.foretold
            && self.io.foretold.is_some()
            && self.io.next_wake() < at
            && self.io.next_wake_besides(own | 1 << Source::Outside.index()) > at
            && self.io.reactions.is_empty()
            && self.io.lines.are_settled()
            && self.blocks.dma.stores_only(&(SRAM_BASE..SRAM_BASE + SRAM_BYTES));
        if !is_unheard {
            return false;
        }
        self.io.cancel(Source::Outside);
        let mut reactions = std::mem::take(&mut self.io.reactions);
        self.io.outside.advance(at, &mut reactions);
        // When the next thing happens there is asked for in any case.
        reactions.retain(|reaction| !matches!(reaction, Reaction::Rescheduled));
        if !reactions.is_empty() {
            self.process_events(Picoseconds::new(at.ps() - 1));
            self.io.now = self.io.now.max(at);
            self.flow = None;
            self.io.reactions = reactions;
            self.outside_changed();
            self.settle();
            return true;
        }
        self.io.reactions = reactions;
        self.outside_changed();
        true
    }

    /// A block is about to be led on that knows what was foretold.
    pub(super) fn begin_sampling(&mut self, block: usize) -> Option<Sampling> {
        let sampling = self.sampling.filter(|sampling| sampling.block == block)?;
        self.blocks.pio[block].look_ahead(&self.io);
        Some(sampling)
    }

    /// It was led on up to a time, or no further than it has come where something has to be looked at first.
    pub(super) fn end_sampling(&mut self, block: usize, until: Picoseconds) {
        let io = &mut self.io;
        let is_settled = io.lines.are_settled() && io.reactions.is_empty();
        let is_later = |source| io.due(source).is_none_or(|due| due > until);
        let has_come = is_later(BLOCKS[block]) && is_later(Source::Dma);
        if is_settled
            && has_come
            && !self.attention
            && let Some(last) = io.foretold.as_ref().and_then(|course| course.last_until(until))
        {
            io.now = io.now.max(last);
        }
        self.blocks.pio[block].look_ahead_no_more(io);
        self.carry_out_foretold(self.io.now);
        self.io.moved_unnoticed = true;
    }

    /// The pins have come as far as the blocks.
    pub(super) fn carry_out_foretold(&mut self, until: Picoseconds) {
        let io = &mut self.io;
        let Some(mut course) = io.foretold.take() else { return };
        course.carry_out(until, &mut io.pins);
        match course.next_change() {
            Some(at) => {
                io.wake_at(Source::Foretold, at);
                io.foretold = Some(course);
            }
            None => io.cancel(Source::Foretold),
        }
    }
}
