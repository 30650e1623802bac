//! PIO blocks and the PWM, of which nobody notices anything until he looks: no interrupt of theirs is switched on, no channel of the
//! DMA waits for their words or wraps, and what listens at pins listens at others. Such a block stops no core. It is led on when
//! something looks at a register or happens, and at the end of a run, through all that it would have done at its own times.

use units::Picoseconds;

use crate::bus::Bus;
use crate::bus::block::Block;
use crate::bus::sampling::{FORETOLD, Sampling};
use crate::lines::Dreq;
use crate::peripherals::Source;
use crate::peripherals::pio::Pio;
use crate::peripherals::pio::reach::{Heard, Reach};
use crate::pins::Function;

/// Transfers that the DMA makes at the most while it may be looked at late, a cycle each at 300 MHz, and those that it may be behind
/// with; the same while what was foretold may be.
const QUIET_TRANSFERS_OF_PIO: u32 = 308 + 8;
const QUIET_TRANSFERS_OF_FORETOLD_WORDS: u32 = 4 * 308 + 8;
const BLOCKS: [Source; 2] = [Source::Pio0, Source::Pio1];
const PWM: u64 = 1 << Source::Pwm as usize;
/// The requests of all slices.
const WRAPS: u64 = 0xff << Dreq::PWM_WRAP0.0;

/// What is known of the blocks until somebody writes to a register that has to do with them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PioOutlook {
    /// The blocks of which nobody notices anything but their requests, as sources (a bit each).
    silent: u64,
    /// Those of them of which somebody outside is told later.
    told_late: u64,
    /// Of each block: the requests that its machines may raise, what else they may do, and the pins of which outside is told.
    requests: [u64; 2],
    reaches: [Reach; 2],
    heard: [Heard; 2],
    /// Whether each block may be one that is led on although it may be noticed in a while.
    may_sample: [bool; 2],
    listeners: Listeners,
    /// The PWM as a source, while nobody notices anything of it but its requests.
    silent_pwm: u64,
}

/// The pins at which something listens that is no PIO block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Listeners {
    /// Those of which somebody hears at once, and those outside of which somebody is told late, in order.
    pub(super) at_once: u32,
    late: u32,
    /// What those outside may move in answer to the latter.
    answers: u32,
}

impl Listeners {
    /// All of these pins.
    pub(super) fn all(&self) -> u32 {
        self.at_once | self.late
    }
}

impl Bus {
    fn pio_outlook(&mut self) -> PioOutlook {
        match self.pio_outlook {
            Some(outlook) => outlook,
            None => *self.pio_outlook.insert(self.find_pio_outlook()),
        }
    }

    /// The sources, a bit each, that nobody notices from here on, and those of which nobody but the DMA notices anything, and
    /// that not at once. Where no core executes before something happens (`all_sleep`), nobody notices the end of a sequence early.
    #[inline]
    pub(super) fn waiting_pio(&mut self, all_sleep: bool) -> (u64, u64) {
        match &self.pio_outlook {
            Some(outlook) if outlook.silent | outlook.silent_pwm == 0 && !self.may_be_sampling(outlook) => {
                self.sampling = None;
                (0, 0)
            }
            _ => self.find_waiting_pio(all_sleep),
        }
    }

    #[inline(never)]
    fn find_waiting_pio(&mut self, all_sleep: bool) -> (u64, u64) {
        let outlook = self.pio_outlook();
        self.find_sampling(outlook.may_sample, &outlook.listeners);
        let (sampled, is_told) = self.sampling.map_or((0, false), |sampling| {
            (sampling.source(), sampling.heard.pins != 0 || self.blocks.dma.hears(sampling.requests))
        });
        let fed = outlook.silent & !sampled & (self.fed_sources(&outlook) | outlook.told_late);
        let fed = if is_told { fed | sampled } else { fed };
        let waits = fed != 0 && (all_sleep || self.may_wait(fed));
        let pwm = if self.blocks.dma.hears(WRAPS) { 0 } else { outlook.silent_pwm };
        let patient = if waits { fed } else { 0 };
        let unnoticed = (outlook.silent | sampled) & !fed | pwm;
        if sampled & (patient | unnoticed) != 0 {
            return (unnoticed | FORETOLD, patient);
        }
        self.sampling = None;
        (unnoticed, patient)
    }

    fn may_be_sampling(&self, outlook: &PioOutlook) -> bool {
        outlook.may_sample != [false; 2] && self.io.foretold_count != 0
    }

    /// Whether some blocks may wait while a core executes: the DMA does nothing that is noticed, or it is known how long it needs
    /// words of theirs before it does.
    fn may_wait(&mut self, blocks: u64) -> bool {
        for (n, source) in BLOCKS.into_iter().enumerate() {
            if blocks >> source.index() & 1 == 1 {
                self.blocks.pio[n].decode();
            }
        }
        let foreseen = |treq, remaining| self.end_of(treq, remaining).is_some();
        let copies = self.sampling.is_some();
        self.blocks.dma.is_quiet_unless_looked_at(self.quiet_transfers(), copies, foreseen)
    }

    /// How many transfers the DMA may be behind with at the most.
    pub(super) fn quiet_transfers(&self) -> u32 {
        self.sampling.map_or(QUIET_TRANSFERS_OF_PIO, |_| QUIET_TRANSFERS_OF_FORETOLD_WORDS)
    }

    /// When a sequence that a block feeds or empties ends at the earliest, if that needs more of its words.
    fn end_of(&self, treq: u8, remaining: u32) -> Option<Picoseconds> {
        self.blocks.pio.iter().find_map(|pio| pio.end_of_sequence(treq, remaining))
    }

    /// When a word of a patient block may have waited for so long, or the DMA may do something with one that is noticed.
    pub(super) fn latest_word(&self, patience: Picoseconds) -> Picoseconds {
        let patient = |n: &usize| self.io.patient_pio >> BLOCKS[*n].index() & 1 == 1;
        let words = (0..BLOCKS.len()).filter(patient).map(|n| self.blocks.pio[n].next_word());
        let first = words.min().unwrap_or(Picoseconds::new(i64::MAX));
        let latest = Picoseconds::new(first.ps().saturating_add(patience.ps()));
        let ends = self.blocks.dma.noticed_ends(self.quiet_transfers());
        ends.filter_map(|(treq, remaining)| self.end_of(treq, remaining)).fold(latest, Picoseconds::min)
    }

    /// Whether a channel of the DMA waits for words of a block.
    pub(super) fn is_fed(&self, block: usize) -> bool {
        let pio = &self.blocks.pio[block];
        self.blocks.dma.hears(pio.requests(&pio.reach()))
    }

    fn fed_sources(&self, outlook: &PioOutlook) -> u64 {
        let heard = (0..BLOCKS.len()).filter(|&n| self.blocks.dma.hears(outlook.requests[n]));
        heard.map(|n| 1 << BLOCKS[n].index()).sum()
    }

    fn find_pio_outlook(&self) -> PioOutlook {
        let reaches = self.blocks.pio.each_ref().map(|pio| pio.reach());
        let listeners = self.find_listeners();
        let silent_pwm = if self.is_pwm_silent(&reaches, &listeners) { PWM } else { 0 };
        let mut outlook = PioOutlook { reaches, silent_pwm, listeners, ..PioOutlook::default() };
        for (n, source) in BLOCKS.into_iter().enumerate() {
            outlook.may_sample[n] = self.may_sample(n, &reaches[1 - n]);
            outlook.requests[n] = self.blocks.pio[n].requests(&reaches[n]);
            if reaches[n] != Reach::default()
                && let Some(heard) = self.heard_outside(n, &reaches, &listeners)
            {
                outlook.silent |= 1 << source.index();
                outlook.told_late |= u64::from(heard.pins != 0) << source.index();
                outlook.heard[n] = heard;
            }
        }
        outlook
    }

    /// The pins of a block of which outside is to be told, late and in order; nothing where anybody has to hear of any at once.
    fn heard_outside(&self, n: usize, reaches: &[Reach; 2], listeners: &Listeners) -> Option<Heard> {
        let (own, other) = (&reaches[n], &reaches[1 - n]);
        // A clock at a pin has edges only for a machine that is seen to wait for one.
        let waits_for_clocks =
            own.looks_at_pins && (self.io.pins.selected(Function::Clock) | self.io.pins.clocked) != 0;
        let is_silent = !self.blocks.is_held(Block::Pio(n))
            && !waits_for_clocks
            && !other.looks_at_pins
            && !self.blocks.pio[n].may_interrupt(own)
            && !self.blocks.pwm.listens();
        if is_silent { self.heard_late(own.pins, listeners) } else { None }
    }

    /// Of pins that are moved, those of which somebody outside is told late; nothing where anybody has to hear of any at once.
    pub(super) fn heard_late(&self, pins: u32, listeners: &Listeners) -> Option<Heard> {
        let moved = self.io.pins.wired_with(pins);
        let heard = moved & listeners.late;
        let moved = if heard == 0 { moved } else { moved | listeners.answers };
        let in_rows = listeners.answers == 0 && self.io.pins.wired_with(heard) == heard;
        (moved & listeners.at_once == 0).then_some(Heard { pins: heard, in_rows })
    }

    /// Who hears of pins and is no PIO block.
    fn find_listeners(&self) -> Listeners {
        let (outside, patience) = (self.io.outside.listens_to(), self.io.outside.patience());
        Listeners {
            at_once: outside & !patience.heard | self.stop_at.pins | self.listened_inside(),
            late: outside & patience.heard,
            answers: patience.moved,
        }
    }

    /// The pins at which something of the chip listens that is no PIO block, and those at which lines to other boards begin.
    fn listened_inside(&self) -> u32 {
        self.blocks.io_bank0.listens_to() | self.io.pins.lines_out() | self.buses_listen_to()
    }

    fn is_pwm_silent(&self, reaches: &[Reach; 2], listeners: &Listeners) -> bool {
        let pwm = &self.blocks.pwm;
        if !pwm.counts_silently() || self.blocks.is_held(Block::Pwm) {
            return false;
        }
        let moved = self.io.pins.wired_with(pwm.moves() & self.io.pins.selected(Function::Pwm));
        moved == 0 || moved & listeners.all() == 0 && !reaches.iter().any(|reach| reach.looks_at_pins)
    }

    fn buses_listen_to(&self) -> u32 {
        let of_uarts = self.blocks.uart.iter().map(|uart| uart.listens_to(&self.io.pins));
        let of_i2cs = self.blocks.i2c.iter().map(|i2c| i2c.listens_to(&self.io.pins));
        let of_spis = self.blocks.spi.iter().map(|spi| spi.listens_to(&self.io.pins));
        of_uarts.chain(of_i2cs).chain(of_spis).fold(0, |pins, own| pins | own)
    }

    /// The DMA moved on by itself: a channel may wait for the words of a block from here on.
    pub(super) fn dma_moved_on(&mut self) {
        if self.io.unnoticed != 0 && self.waiting_pio(false).0 != self.io.unnoticed {
            self.notice_pio();
        }
    }

    /// A register was written, or something else changed, by which somebody may notice a block from here on.
    pub(crate) fn pio_outlook_changed(&mut self) {
        self.pio_outlook = None;
        self.sampling = None;
        self.blocks.pio.iter_mut().for_each(Pio::forget_ahead);
        self.notice_pio();
    }

    /// The blocks are noticed until it is found out again whether they need be: a channel of the DMA may wait for their words.
    pub(super) fn notice_pio(&mut self) {
        if self.io.patient_pio != 0 {
            self.lose_patience();
        }
        if self.io.unnoticed != 0 {
            self.io.unnoticed = 0;
            self.io.tell_agenda_changed();
        }
    }

    /// Whether there is a block that may be led on.
    #[inline]
    pub(super) fn may_lead_on(&self) -> bool {
        self.io.unnoticed | self.io.patient_pio != 0
    }

    /// Leads a block on whose event is due first, up to and including `until` and as far as nothing else happens; false when
    /// it is one that is noticed, or something else comes first.
    #[inline(never)]
    pub(super) fn lead_on(&mut self, source: Source, until: Picoseconds) -> bool {
        let own = 1 << source.index();
        let is_fed = self.io.patient_pio & own != 0;
        if self.io.unnoticed & own == 0 && !is_fed {
            return false;
        }
        if source == Source::Pwm {
            return self.lead_pwm_on(until);
        }
        let due = self.io.next_wake();
        let has_led = match (self.sampling, source) {
            (Some(sampling), Source::Foretold) => self.lead_block_on(sampling.block, until, due),
            (None, Source::Foretold) => false,
            _ => self.lead_block_on(usize::from(source == Source::Pio1), until, due),
        };
        has_led && self.io.due(source).is_none_or(|next| next > due)
    }

    /// The same for a block, where it or what it reads is `due`; false where something else comes first.
    fn lead_block_on(&mut self, block: usize, until: Picoseconds, due: Picoseconds) -> bool {
        let own = 1 << BLOCKS[block].index();
        let is_fed = self.io.patient_pio & own != 0;
        let outlook = self.pio_outlook();
        let (sampling, (reach, heard), until) = self.begin_to_lead(block, until);
        let before = |others| until.min(just_before(others));
        let others = before(self.io.next_wake_besides(own | 1 << Source::Dma.index()));
        let feeds = is_fed && due <= others && self.lead_fed(block, (&reach, heard), (others, true));
        let mut until = others;
        if !feeds {
            until = before(self.io.next_wake_besides(own));
            let requests = sampling.map_or(outlook.requests[block], |sampling| sampling.requests);
            let heeds_fifos = self.heeds_words || is_fed && self.blocks.dma.hears(requests);
            if due <= until {
                self.run_unnoticed(block, (&reach, heard), until, heeds_fifos);
            }
        }
        if sampling.is_some() {
            self.end_sampling(block, until);
        }
        self.settle();
        feeds || due <= until
    }

    /// What a block that is to be led on may do, of which pins somebody is told, and up to when it may be led.
    fn begin_to_lead(
        &mut self,
        block: usize,
        until: Picoseconds,
    ) -> (Option<Sampling>, (Reach, Heard), Picoseconds) {
        match self.begin_sampling(block) {
            Some(sampling) => {
                let until = until.min(just_before(sampling.until));
                (Some(sampling), (sampling.reach, sampling.heard), until)
            }
            None => {
                let outlook = self.pio_outlook();
                (None, (outlook.reaches[block], outlook.heard[block]), until)
            }
        }
    }

    /// Lets the words move through the block that the DMA feeds, up to and including `until`, where a core goes on that does not look;
    /// false where more than that may be due.
    pub(crate) fn lead_words(&mut self, until: Picoseconds) -> bool {
        let own = self.io.patient_pio;
        let Some(block) = BLOCKS.iter().position(|source| own == 1 << source.index()) else { return false };
        if self.io.next_wake_besides(own | 1 << Source::Dma.index()) <= until {
            return false;
        }
        let (sampling, (reach, heard), until) = self.begin_to_lead(block, until);
        let has_led = self.lead_fed(block, (&reach, heard), (until, false));
        if sampling.is_some() {
            self.end_sampling(block, self.io.now);
        }
        self.settle();
        has_led
    }

    /// The same for the PWM.
    fn lead_pwm_on(&mut self, until: Picoseconds) -> bool {
        let due = self.io.next_wake();
        let until = until.min(just_before(self.io.next_wake_besides(PWM)));
        if due > until {
            return false;
        }
        self.blocks.pwm.run_unnoticed(until, &mut self.io);
        self.io.moved_unnoticed = true;
        self.settle();
        self.io.due(Source::Pwm).is_none_or(|next| next > due)
    }

    /// Runs a block up to and including `until`; a core that waits for a flag of FDEBUG looks again when one rose.
    pub(super) fn run_unnoticed(
        &mut self,
        block: usize,
        (reach, heard): (&Reach, Heard),
        until: Picoseconds,
        heeds_fifos: bool,
    ) {
        let pio = &mut self.blocks.pio[block];
        pio.run_unnoticed(until, reach, heard, heeds_fifos, &mut self.io);
        self.attention |= pio.take_debug_rose();
        self.io.moved_unnoticed = true;
    }

    /// The same while no core executes.
    pub(crate) fn lead_all_asleep(&mut self, until: Picoseconds) {
        self.flash_is_free = true;
        self.lead_all_on(until);
        self.flash_is_free = false;
    }

    /// Leads all blocks on that nobody noticed, up to and including `until`.
    pub(crate) fn lead_all_on(&mut self, until: Picoseconds) {
        while self.may_lead_on()
            && let Some(first) = self.io.first_due(until)
            && self.lead_on(first, until)
        {}
    }
}

/// The last instant before another.
fn just_before(at: Picoseconds) -> Picoseconds {
    Picoseconds::new(at.ps().saturating_sub(1))
}
