//! Who may wait while cores execute: transfers and words of which nobody notices for a while whether they have moved yet, and how long so.

use units::Picoseconds;

use crate::bus::Bus;
use crate::bus::sampling::Sampling;
use crate::peripherals::Source;

/// How long a transfer between a serial port and memory may wait: 64 cycles at 125 MHz.
pub(super) const PATIENCE: Picoseconds = Picoseconds::from_ns(512);
/// The same for a word between a PIO block and memory, which takes 128 cycles where a bit takes four.
const PATIENCE_WITH_WORDS: Picoseconds = Picoseconds::from_ns(1024);
/// The same for a word of what was foretold of a frame: the time of 51 bytes at 100 Mbit/s, less than the shortest frame takes.
const PATIENCE_WITH_FORETOLD_WORDS: Picoseconds = Picoseconds::from_ns(4096);
/// The requests of PIO blocks to the DMA.
const PIO_REQUESTS: u64 = 0xffff;
/// Transfers that a serial port may ask for in that time, and those that its FIFO may have asked for before.
const QUIET_TRANSFERS: u32 = 24;
/// The same where a frame takes a quarter of that time at least: FIFO, four frames, and one that was under way.
const QUIET_TRANSFERS_OF_SLOW_FRAMES: u32 = 8 + 4 + 1;
const SLOW_FRAME: Picoseconds = Picoseconds::new(PATIENCE.ps() / 4);

impl Bus {
    /// When an event has to be looked at the latest. The transfers between a serial port and memory that end no sequence and
    /// raise no interrupt may wait a little: registers show them in time all the same, because every access to one lets come
    /// first what is due before it; memory shows them this much later.
    #[inline]
    pub(crate) fn latest_wake(&mut self) -> Picoseconds {
        self.find_patient(false);
        self.latest_of_patient()
    }

    /// Finds out who may wait from here on, while cores execute or while none does before something happens (`all_sleep`).
    #[inline]
    pub(crate) fn find_patient(&mut self, all_sleep: bool) {
        self.io.patient = self.patient_sources();
        (self.io.unnoticed, self.io.patient_pio) = self.waiting_pio(all_sleep);
        if self.io.patient_pio != 0 {
            self.io.patient |= self.io.patient_pio | 1 << Source::Dma.index();
        } else if self.blocks.dma.hears(PIO_REQUESTS) {
            // What a block does with a word may be noticed at once.
            self.io.patient = 0;
        }
    }

    /// The same where it is known who may wait: PIO blocks that the DMA feeds until a word may have waited for that long.
    #[inline]
    pub(super) fn latest_of_patient(&self) -> Picoseconds {
        let words = self.sampling.filter(|sampling| self.moves_words_alone(sampling));
        let latest = match words {
            Some(_) => self.io.latest_wake_besides(Source::Dma, PATIENCE, PATIENCE_WITH_FORETOLD_WORDS),
            None => self.io.latest_wake(PATIENCE),
        };
        let latest = self.sampling.map_or(latest, |sampling| latest.min(sampling.until));
        if self.io.patient_pio == 0 {
            return latest;
        }
        let patience = self.sampling.map_or(PATIENCE_WITH_WORDS, |_| PATIENCE_WITH_FORETOLD_WORDS);
        latest.min(self.latest_word(patience))
    }

    /// Whether the transfers that the DMA is about to make are words of a patient block, which wait as those do that come.
    fn moves_words_alone(&self, sampling: &Sampling) -> bool {
        self.io.patient_pio != 0 && self.blocks.dma.is_asked_by(sampling.requests)
    }

    /// Whether words of a block have waited for as long as they may at `now`.
    #[inline]
    pub(crate) fn words_are_due(&self, now: Picoseconds) -> bool {
        // The horizon was found with it, and lies no later.
        self.io.patient_pio != 0 && self.horizon <= now && self.latest_of_patient() <= now
    }

    fn patient_sources(&self) -> u64 {
        if !self.blocks.dma.is_quiet(QUIET_TRANSFERS_OF_SLOW_FRAMES) {
            return 0;
        }
        let slow = self.blocks.spi.iter().all(|spi| spi.is_at_rest() || spi.frame() >= SLOW_FRAME);
        let transfers = if slow { QUIET_TRANSFERS_OF_SLOW_FRAMES } else { QUIET_TRANSFERS };
        if !self.blocks.dma.is_quiet(transfers) {
            return 0;
        }
        let spi = [Source::Spi0, Source::Spi1].into_iter().zip(&self.blocks.spi);
        let quiet = spi.filter(|(_, spi)| spi.is_quiet()).map(|(source, _)| 1 << source.index());
        quiet.fold(1 << Source::Dma.index(), |mask, bit: u64| mask | bit)
    }

    /// What may wait from here on has to be found out anew.
    pub(super) fn lose_patience(&mut self) {
        if self.io.patient != 0 {
            (self.io.patient, self.io.patient_pio) = (0, 0);
            self.io.tell_agenda_changed();
        }
    }
}
