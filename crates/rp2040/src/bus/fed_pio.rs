//! Leads a PIO block that nobody notices together with the transfers of the DMA that feed and empty one of its machines: at the
//! same times and in the same order as by appointment, but nobody else is told of anything before the end.

use units::Picoseconds;

use crate::bus::access::replicate;
use crate::bus::dma::is_sram;
use crate::bus::flow::{bring, is_at_hand};
use crate::bus::{Bus, Size};
use crate::flash::Alias;
use crate::memory::SRAM_BASE;
use crate::peripherals::dma::Transfer;
use crate::peripherals::dma::flow::{Channels, Next, Port};
use crate::peripherals::pio::Pio;
use crate::peripherals::pio::reach::{Heard, Reach};
use crate::peripherals::{Peripheral, Source};

/// No appointment.
const NEVER: Picoseconds = Picoseconds::new(i64::MAX);
const STRIPED_BYTES: u32 = 4 * 64 * 1024;
const BLOCKS: [Source; 2] = [Source::Pio0, Source::Pio1];
/// How long a transfer from a block, and one to it, occupies the DMA's way to the bus: both are on the AHB.
pub(super) const OCCUPIED_CYCLES: [u32; 2] = [1, 1];

/// A transfer that was made beside what a block does.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedBeside {
    /// When the next one is due.
    pub(super) due: Picoseconds,
    /// Whether it was one of the block's words, and not one of another channel.
    is_of_flow: bool,
}

/// Whether an address is in the four banks that take turns word by word (RP2040 datasheet 2.6.2).
pub(super) fn is_striped(address: u32) -> bool {
    address.wrapping_sub(SRAM_BASE) < STRIPED_BYTES
}

impl Bus {
    /// Lets block and DMA go on up to and including `until`, before which nobody else has anything to do; where nobody looks then, as
    /// far as words move up to there. False, before anything has happened, where the DMA does more than to feed and empty one machine.
    pub(super) fn lead_fed(
        &mut self,
        block: usize,
        (reach, heard): (&Reach, Heard),
        (until, is_looked_at): (Picoseconds, bool),
    ) -> bool {
        let Some((port, channels)) = self.fed_machine(block, reach) else {
            return self.lead_fed_block(block, (reach, heard), (until, is_looked_at));
        };
        loop {
            let due = |source| self.io.due(source).unwrap_or(NEVER);
            let (cycle, transfer) = (due(BLOCKS[block]), due(Source::Dma));
            if cycle.min(transfer) > until {
                return true;
            }
            if transfer <= until && self.move_word_early(block, &port, &channels, transfer) {
                continue;
            }
            // Of one instant the block comes first, as in the agenda.
            if cycle <= transfer {
                let is_known = match self.blocks.pio[block].may_work_alone(port.machine) {
                    true => {
                        self.take_words_in(block, until, (&port, &channels)).is_some()
                            || self.pass_words(block, (reach, heard), until, (&port, &channels))
                    }
                    false => self.take_words_in_beside(block, (reach, heard), until, (&port, &channels)),
                };
                if !is_known {
                    if !is_looked_at && self.blocks.pio[block].moves_no_word(until) {
                        return true;
                    }
                    self.run_unnoticed(block, (reach, heard), until.min(transfer), true);
                    self.let_dma_hear(&channels);
                }
                if self.attention || !self.io.reactions.is_empty() {
                    return true;
                }
            } else if !self.move_fed_word((block, heard), &port, &channels, transfer) {
                return true;
            }
        }
    }

    fn fed_machine(&self, block: usize, reach: &Reach) -> Option<(Port, Channels)> {
        let io = &self.io;
        if !self.may_lead_words() || self.blocks.bus_ctrl.counts_besides_scratch() {
            return None;
        }
        let pio = &self.blocks.pio[block];
        let heard = self.blocks.dma.heard(pio.requests(reach));
        let port = pio.as_port(heard)?;
        let channels = self.blocks.dma.channels_of(&port, OCCUPIED_CYCLES, self.sampling.is_some(), io)?;
        Some((port, channels))
    }

    /// Whether nobody else has to hear of what words bring about before they have moved.
    pub(super) fn may_lead_words(&self) -> bool {
        let io = &self.io;
        let stops = self.stop_at.console && self.console_speaks();
        io.lines.are_settled() && io.reactions.is_empty() && !stops && !self.shares_memory
    }

    /// Whose turn it is of the channels, at a time at which a transfer is due. Where accesses are counted, words move only from and to
    /// memories of which nobody counts any. Those from the flash move while no core uses its cache, or where the core cannot tell.
    fn next_fed(&mut self, channels: &Channels, at: Picoseconds) -> Next {
        let (requests, xip) = (self.io.lines.dreq(), &self.xip);
        let (is_counting, is_free) = (self.blocks.bus_ctrl.is_counting(), self.flash_is_free);
        let is_in_flash = |address| match is_free {
            true => Alias::of(address).is_some(),
            false => is_at_hand(xip, address),
        };
        let is_memory = |address, writes: bool| match is_counting {
            true => is_striped(address),
            false => is_sram(address) || !writes && is_in_flash(address),
        };
        self.blocks.dma.next_in_flow(channels, requests, at, is_memory)
    }

    /// A word for the block from memory, and the cycles that the memory lets it wait.
    fn fetch(&mut self, transfer: &Transfer) -> (u32, u32) {
        let address = transfer.read_address;
        let Some(alias) = Alias::of(address) else { return (bring(&self.sram, transfer, address), 0) };
        let waited = self.xip.access_of_dma(alias, address & 0xff_ffff);
        (transfer.written(self.peek_flash(address, Size::of_bytes(transfer.bytes))), waited)
    }

    fn let_dma_hear(&mut self, channels: &Channels) {
        if let Some(due) = self.heard_by_dma(channels) {
            self.expect_transfer(due);
        }
    }

    /// The DMA hears of requests that rose; gives when its next transfer is due, if that is another time than before.
    #[inline]
    pub(super) fn heard_by_dma(&mut self, channels: &Channels) -> Option<Picoseconds> {
        let io = &mut self.io;
        let rose = io.lines.take_dreq_rose();
        if rose { self.blocks.dma.hear(channels, io.lines.dreq(), io.now) } else { None }
    }

    pub(super) fn expect_transfer(&mut self, due: Picoseconds) {
        match due {
            NEVER => self.io.cancel(Source::Dma),
            _ => self.io.wake_at(Source::Dma, due),
        }
    }

    /// A transfer is due; false when it is one for the long way, before anything has happened.
    fn move_fed_word(
        &mut self,
        (block, heard): (usize, Heard),
        port: &Port,
        channels: &Channels,
        at: Picoseconds,
    ) -> bool {
        let now = self.io.now.max(at);
        match self.next_fed(channels, now) {
            Next::Special => return false,
            Next::Others if self.move_beside_flow(now) => self.io.now = now,
            Next::Others => return false,
            Next::Nothing => self.io.now = now,
            Next::Transfer(transfer) => {
                self.io.now = now;
                // The access may find a cycle there that is a picosecond ahead, of which outside has to hear before the next.
                self.blocks.pio[block].set_heard(heard);
                let moved = match channels.receives(transfer.channel) {
                    true => (self.take_fed_word(block, port, &transfer), 0),
                    false => self.bring_fed_word(block, port, &transfer),
                };
                self.blocks.pio[block].set_heard(Heard::default());
                self.dma_transfers += 1;
                let requests = self.io.lines.dreq();
                self.blocks.dma.flowed(channels, transfer.channel, moved, requests);
            }
        }
        let due = self.blocks.dma.expect();
        self.expect_transfer(due);
        self.let_dma_hear(channels);
        true
    }

    /// Makes a transfer before the block has come to its time, where the block has nothing to do with its FIFO before that.
    fn move_word_early(&mut self, block: usize, port: &Port, channels: &Channels, at: Picoseconds) -> bool {
        let leaves_alone = self.blocks.pio[block].leaves_fifos_alone(port.machine, at);
        let due = if leaves_alone { self.move_word_beside(block, port, channels, at) } else { None };
        due.inspect(|moved| self.expect_transfer(moved.due)).is_some()
    }

    /// Lets block and DMA go on from word to word, as far as that takes no more than that; false when not one word came.
    fn pass_words(
        &mut self,
        block: usize,
        (reach, heard): (&Reach, Heard),
        until: Picoseconds,
        (port, channels): (&Port, &Channels),
    ) -> bool {
        let found = self.blocks.pio[block].begin_row(port.machine, (reach, heard), until, &self.io);
        let Some(mut row) = found else { return false };
        let had_attention = self.attention;
        let mut transfer = self.io.due(Source::Dma).unwrap_or(NEVER);
        let mut goes_on = true;
        while goes_on
            && let Some(word) = self.blocks.pio[block].next_of_row(&row)
            && self.io.reactions.is_empty()
            && self.attention == had_attention
        {
            if transfer < word.takes {
                let meeting = self.blocks.pio[block].meeting(&row, transfer).filter(|_| transfer <= until);
                let Some(meeting) = meeting else { break };
                let Some(moved) = self.move_word_beside(block, port, channels, transfer) else { break };
                transfer = moved.due;
                if moved.is_of_flow {
                    Pio::meet(&mut row, meeting);
                }
                continue;
            }
            let is_due = word.ends <= until && word.ends <= transfer;
            if !is_due || !self.blocks.pio[block].pass_word(&mut row, &mut self.io) {
                break;
            }
            transfer = self.heard_by_dma(channels).unwrap_or(transfer);
            self.blocks.pio[block].give_word(&row, word, &mut self.io);
            transfer = self.heard_by_dma(channels).unwrap_or(transfer);
            if self.attention == had_attention {
                goes_on = self.pass_in_step(block, &mut row, (port, channels), until);
                transfer = self.blocks.dma.expect();
            }
        }
        if self.io.due(Source::Dma).unwrap_or(NEVER) != transfer {
            self.expect_transfer(transfer);
        }
        let has_gone_on = self.blocks.pio[block].end_row(row, &mut self.io);
        self.io.moved_unnoticed |= has_gone_on;
        has_gone_on
    }

    /// Makes a transfer that has nothing to do with what the block does meanwhile; nothing, before anything has happened, when it is
    /// one for the long way.
    pub(super) fn move_word_beside(
        &mut self,
        block: usize,
        port: &Port,
        channels: &Channels,
        at: Picoseconds,
    ) -> Option<MovedBeside> {
        let n = port.machine;
        let moved = |due, is_of_flow| MovedBeside { due, is_of_flow };
        let transfer = match self.next_fed(channels, at) {
            Next::Transfer(transfer) => transfer,
            Next::Others if self.move_beside_flow(at) => return Some(moved(self.blocks.dma.expect(), false)),
            Next::Others => return None,
            Next::Nothing | Next::Special => return None,
        };
        self.blocks.pio[block].note_meeting(at);
        let word = if channels.receives(transfer.channel) {
            self.io.address = port.from;
            let word = self.blocks.pio[block].hand_over(n, &mut self.io);
            (self.keep(&transfer, transfer.write_address, word), 0)
        } else {
            self.io.address = port.to;
            let (value, waited) = self.fetch(&transfer);
            let word = replicate(value, Size::of_bytes(transfer.bytes));
            self.blocks.pio[block].be_handed(n, word, &mut self.io);
            (value, waited)
        };
        self.dma_transfers += 1;
        let requests = self.io.lines.dreq();
        self.blocks.dma.flowed(channels, transfer.channel, word, requests);
        Some(moved(self.blocks.dma.expect(), true))
    }

    fn bring_fed_word(&mut self, block: usize, port: &Port, transfer: &Transfer) -> (u32, u32) {
        let (value, waited) = self.fetch(transfer);
        self.io.address = port.to;
        let word = replicate(value, Size::of_bytes(transfer.bytes));
        self.blocks.pio[block].write(port.to & 0xffc, word, &mut self.io);
        (value, waited)
    }

    fn take_fed_word(&mut self, block: usize, port: &Port, transfer: &Transfer) -> u32 {
        self.io.address = port.from;
        let word = self.blocks.pio[block].read(port.from & 0xffc, &mut self.io);
        self.keep(transfer, transfer.write_address, word)
    }
}
