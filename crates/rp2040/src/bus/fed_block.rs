//! Leads a PIO block of which several machines move words together with the DMA, which feeds and empties them: one sends while another
//! receives. Cycle by cycle and transfer by transfer, at the same times and in the same order as by appointment, but nobody else is told
//! of anything before the end.

use units::Picoseconds;

use crate::bus::Bus;
use crate::bus::dma::is_far_from_end;
use crate::peripherals::Source;
use crate::peripherals::pio::reach::{Heard, Reach};

/// No appointment.
const NEVER: Picoseconds = Picoseconds::new(i64::MAX);
const BLOCKS: [Source; 2] = [Source::Pio0, Source::Pio1];

impl Bus {
    /// Lets block and DMA go on up to and including `until`, as [`Bus::lead_fed`] does for one machine. False, before anything has
    /// happened, where the DMA moves no words of it or does more than that, or a core looks at each of them.
    pub(super) fn lead_fed_block(
        &mut self,
        block: usize,
        (reach, heard): (&Reach, Heard),
        (until, is_looked_at): (Picoseconds, bool),
    ) -> bool {
        let is_heard = self.blocks.dma.hears(self.blocks.pio[block].requests(reach));
        if !is_heard || self.heeds_words || !self.moves_words_of(block) {
            return false;
        }
        self.flow = None;
        loop {
            let due = |source| self.io.due(source).unwrap_or(NEVER);
            let (cycle, transfer) = (due(BLOCKS[block]), due(Source::Dma));
            if cycle.min(transfer) > until {
                return true;
            }
            // Of one instant the block comes first, as in the agenda.
            if cycle <= transfer {
                if !is_looked_at && self.blocks.pio[block].moves_no_word(until) {
                    return true;
                }
                if !self.take_words_in_beside_fed(block, (reach, heard), until) {
                    self.run_unnoticed(block, (reach, heard), until.min(transfer), true);
                }
            } else {
                if !self.moves_words_of(block) {
                    return true;
                }
                self.move_words_at(transfer, (block, heard));
            }
            if self.io.lines.take_dreq_rose() {
                self.blocks.dma.requests_changed(&mut self.io);
            }
            if self.attention || !self.io.reactions.is_empty() {
                return true;
            }
        }
    }

    /// Whether the next transfers of the DMA are words that move between machines of a block and memory, or within memory, and nothing
    /// follows from them but that.
    fn moves_words_of(&self, block: usize) -> bool {
        let copies = self.sampling.is_some();
        let pio = &self.blocks.pio[block];
        let fifo_of = |request| pio.fifo_of(request);
        self.may_lead_words()
            && !self.blocks.bus_ctrl.is_counting()
            && self.blocks.dma.moves_words(copies, fifo_of, is_far_from_end, &self.io)
    }

    fn move_words_at(&mut self, at: Picoseconds, (block, heard): (usize, Heard)) {
        self.io.now = self.io.now.max(at);
        // The access may find a cycle there that is a picosecond ahead, of which outside has to hear before the next.
        self.blocks.pio[block].set_heard(heard);
        self.move_data();
        self.blocks.pio[block].set_heard(Heard::default());
        let due = self.blocks.dma.expect();
        self.expect_transfer(due);
    }
}
