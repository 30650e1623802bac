//! The DMA controller (RP2040 datasheet 2.5): twelve channels that take turns, paced by requests, triggered by registers
//! or by each other. It touches no memory: when `Source::Dma` is due, the bus asks for [`Dma::next_transfer`], moves
//! the value, and says so with [`Dma::transferred`]. Its registers are in `registers.rs`, who waits for what in `requests.rs`.
//!
//! A transfer is one instant here where the chip has a pipeline of issue, read and write. That gives these differences:
//! - The latency of a trigger, a chain and a request is one constant, an estimate of 4 cycles of clk_sys.
//! - FIFO_LEVELS reads 0; an abort is over at once and never raises the interrupt of RP2040-E13; the addresses of a
//!   wrapping or fixed transfer read as they are, without RP2040-E12.
//! - A request that is a level (all but PWM wraps and timers) is looked at before each transfer instead of counted, and
//!   CHx_DBG_CTDREQ shows 1 for it; two channels on one request therefore share it without loss.
//!
//! Where the datasheet is silent: a channel that is triggered with a count of 0 completes after the latency; after a bus
//! error a channel is no longer busy and keeps its count; a null trigger looks at IRQ_QUIET as it was before the write;
//! requests that come as events while a channel is idle are lost; addresses are aligned down for the bus, not in the
//! register. A SET, CLR or XOR alias writes back what it read, so on INTR, INTS0 and INTS1 it clears what it read as 1.

mod arbiter;
pub(crate) mod beside;
mod channel;
pub(crate) mod flow;
pub(crate) mod lane;
mod pacing;
mod registers;
mod requests;
mod rows;
mod schedule;
mod sniffer;
#[cfg(test)]
mod tests;

use std::ops::Range;

use units::Picoseconds;

use self::arbiter::Arbiter;
use self::channel::{Channel, IRQ_QUIET, READ_ERROR, SNIFF_EN, TREQ_PERMANENT, WRITE_ERROR};
use self::lane::Lane;
use self::pacing::PacingTimer;
use self::schedule::Schedule;
use self::sniffer::Sniffer;
use crate::io::Io;
use crate::lines::Irq;

pub(crate) use self::rows::Row;
pub(crate) use self::schedule::LATENCY_CYCLES;

/// The channels of the RP2040.
pub const CHANNEL_COUNT: usize = 12;
const TIMER_COUNT: usize = 4;
const PERMANENT: u64 = 1 << TREQ_PERMANENT;
/// No appointment.
const NEVER: Picoseconds = Picoseconds::new(i64::MAX);

/// What the bus moves for the DMA in one go: one read, one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Whose transfer it is.
    pub channel: usize,
    /// Where to read, a multiple of `bytes`.
    pub read_address: u32,
    /// Where to write, a multiple of `bytes`.
    pub write_address: u32,
    /// 1, 2 or 4.
    pub bytes: u8,
    /// Whether the bytes change places on the way.
    pub byte_swap: bool,
}

impl Transfer {
    /// What is to be written when `value` was read; this is also what [`Dma::transferred`] wants to know.
    ///
    /// ```
    /// use rp2040::peripherals::dma::Transfer;
    /// let transfer = Transfer { channel: 0, read_address: 0, write_address: 0, bytes: 2, byte_swap: true };
    /// assert_eq!(transfer.written(0x1234), 0x3412);
    /// ```
    #[inline]
    #[must_use]
    pub fn written(&self, value: u32) -> u32 {
        match (self.byte_swap, self.bytes) {
            (true, 2) => (value as u16).swap_bytes().into(),
            (true, 4) => value.swap_bytes(),
            _ => value,
        }
    }
}

/// Which half of a transfer met a bus error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusError {
    /// Nothing answers at the read address.
    Read,
    /// Nothing takes the value at the write address.
    Write,
}

/// The DMA controller.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Dma {
    channels: [Channel; CHANNEL_COUNT],
    /// Channels that are under way or paused on it.
    busy: u16,
    /// Channels of high priority.
    high: u16,
    /// Channels that are under way and whose request stands (or stood when it was last looked at).
    ready: u16,
    /// From when on a ready channel may move.
    ready_at: [Picoseconds; CHANNEL_COUNT],
    /// The request that each channel under way waits for.
    listens_to: [Option<u8>; CHANNEL_COUNT],
    /// The channels that wait for each request, and the requests that anybody waits for.
    #[serde(with = "sim::state::array")]
    listeners: [u16; 64],
    listening: u64,
    /// Requests that always stand: the permanent one, and timers that tick in every cycle.
    standing: u64,
    arbiter: Arbiter,
    schedule: Schedule,
    /// When it is to be woken.
    due: Picoseconds,
    /// The channel that moved last.
    current: usize,
    /// Cycles that the bus needs for the present transfer beyond one.
    wait_cycles: u32,
    timers: [PacingTimer; TIMER_COUNT],
    /// When the timers tick that somebody waits for.
    next_tick: Picoseconds,
    sniffer: Sniffer,
    raw_interrupts: u32,
    enabled_interrupts: [u32; 2],
    forced_interrupts: [u32; 2],
}

impl Default for Dma {
    fn default() -> Self {
        Self::new()
    }
}

impl Dma {
    /// The controller after reset.
    pub fn new() -> Self {
        Self {
            channels: std::array::from_fn(|_| Channel::new()),
            busy: 0,
            high: 0,
            ready: 0,
            ready_at: [Picoseconds::ZERO; CHANNEL_COUNT],
            listens_to: [None; CHANNEL_COUNT],
            listeners: [0; 64],
            listening: 0,
            standing: PERMANENT,
            arbiter: Arbiter::default(),
            schedule: Schedule::default(),
            due: NEVER,
            current: 0,
            wait_cycles: 0,
            timers: Default::default(),
            next_tick: NEVER,
            sniffer: Sniffer::default(),
            raw_interrupts: 0,
            enabled_interrupts: [0; 2],
            forced_interrupts: [0; 2],
        }
    }

    /// The transfer that is due now. When nothing is, the next appointment is made.
    #[inline]
    pub fn next_transfer(&mut self, io: &mut Io) -> Option<Transfer> {
        self.due = NEVER;
        if !self.schedule.follow(io.clocks.sys_hz) {
            return None;
        }
        if self.next_tick <= io.now {
            self.take_ticks(io);
        }
        let mut candidates = self.candidates(io);
        while candidates != 0 {
            let index = self.arbiter.pick(candidates, self.high);
            if self.channels[index].remaining != 0 {
                self.schedule.begin(io.now);
                self.current = index;
                self.wait_cycles = 0;
                return Some(self.transfer(index));
            }
            candidates &= !(1 << index);
            self.complete(index, io);
        }
        self.arm(io);
        None
    }

    /// The bus says how many cycles beyond one an access of this transfer takes, before it calls [`Dma::transferred`]:
    /// a target behind the APB bridge or a miss in flash holds the port for several. Reads and writes overlap with
    /// those of the next transfer, so that the slower of the two counts.
    #[inline]
    pub fn wait(&mut self, cycles: u32) {
        self.wait_cycles = self.wait_cycles.max(cycles);
    }

    /// The bus has moved `value` ([`Transfer::written`]) for a channel, or failed to.
    #[inline]
    pub fn transferred(&mut self, channel: usize, value: u32, error: Option<BusError>, io: &mut Io) {
        self.schedule.occupy(self.wait_cycles.saturating_add(1));
        if self.channels[channel].busy {
            match error {
                None => self.count(channel, value, io),
                Some(error) => self.halt(channel, error, io),
            }
        }
        self.arm(io);
    }

    /// The transfer whose turn it is now, where it is one between memories of a channel that waits for nothing, while others are about to
    /// move as well; nothing, before anything has happened, where it is not.
    pub(crate) fn next_single(&mut self, is_memory: impl Fn(u32) -> bool, io: &mut Io) -> Option<Transfer> {
        let candidates = self.candidates(io);
        // Where nobody else is, several are made at one go.
        if self.ready.is_power_of_two() || self.next_tick != NEVER {
            return None;
        }
        let mut arbiter = self.arbiter;
        let index = if candidates == 0 { return None } else { arbiter.pick(candidates, self.high) };
        let (channel, transfer) = (&self.channels[index], self.transfer(index));
        let is_plain = channel.remaining >= 2 && self.standing >> channel.treq & 1 != 0;
        if !is_plain || !is_memory(transfer.read_address) || !is_memory(transfer.write_address) {
            return None;
        }
        self.arbiter = arbiter;
        self.schedule.begin(io.now);
        Some(transfer)
    }

    /// Such a transfer was made.
    pub(crate) fn copied(&mut self, index: usize, value: u32) {
        self.schedule.occupy(1);
        self.sniff(index, value);
        self.channels[index].advance();
    }

    /// The channels that are under way.
    #[inline]
    fn busy_channels(&self) -> impl Iterator<Item = (usize, &Channel)> {
        let mut left = self.busy;
        std::iter::from_fn(move || {
            let index = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some((index, &self.channels[index]))
        })
    }

    /// Whether no channel is under way.
    #[inline]
    pub(crate) fn is_at_rest(&self) -> bool {
        self.busy == 0
    }

    /// Whether none of the next `transfers` transfers ends a sequence, so that nothing but memory and registers changes.
    #[inline]
    pub(crate) fn is_quiet(&self, transfers: u32) -> bool {
        let ends_late =
            |channel: &Channel| channel.remaining > transfers && self.standing >> channel.treq & 1 == 0;
        self.next_tick == NEVER && self.busy_channels().all(|(_, channel)| ends_late(channel))
    }

    /// Whether whatever moves at one go from here on ends no sequence and meets no error: channels that wait for nothing move between
    /// memories.
    pub(crate) fn ends_nothing_at_once(&self, is_memory: impl Fn(u32) -> bool) -> bool {
        let stands = |channel: &Channel| self.standing >> channel.treq & 1 != 0;
        let is_safe = |channel: &Channel| is_memory(channel.read_address) && is_memory(channel.write_address);
        self.next_tick == NEVER
            && self
                .busy_channels()
                .all(|(_, channel)| channel.remaining >= 2 && (!stands(channel) || is_safe(channel)))
    }

    /// Whether nothing follows on the next transfers but that words move: each channel that is asked moves them between memory and a
    /// FIFO, which is known by the request (its address, and whether it is read), or within memory where `copies` are allowed.
    pub(crate) fn moves_words(
        &self,
        copies: bool,
        fifo_of: impl Fn(u8) -> Option<(u32, bool)>,
        is_memory: impl Fn(u32) -> bool,
        io: &Io,
    ) -> bool {
        let is_safe = |(index, channel): (usize, &Channel)| {
            let Some(treq) = self.listens_to[index] else { return true };
            let others = || is_memory(channel.read_address) && is_memory(channel.write_address);
            channel.remaining >= 2
                && match fifo_of(treq) {
                    Some((fifo, is_read)) => {
                        let memory = if is_read { channel.write_address } else { channel.read_address };
                        channel.credit == 0 && channel.stays_at(fifo, is_read) && is_memory(memory)
                    }
                    None if self.standing >> treq & 1 != 0 => copies && others(),
                    None => self.ready >> index & 1 == 0 && io.lines.dreq() >> treq & 1 == 0,
                }
        };
        self.next_tick == NEVER && self.schedule.is_of(io.clocks.sys_hz) && self.busy_channels().all(is_safe)
    }

    /// The same where the end of a sequence may be noticed late by whoever looks: none of them raises an interrupt that is switched
    /// on, or starts another channel. Such ends are no matter where `is_foreseen` by the request and what remains, nor are channels that
    /// wait for nothing where `copies`.
    #[inline]
    pub(crate) fn is_quiet_unless_looked_at(
        &self,
        transfers: u32,
        copies: bool,
        is_foreseen: impl Fn(u8, u32) -> bool,
    ) -> bool {
        let standing = |channel: &Channel| !copies && self.standing >> channel.treq & 1 != 0;
        let mut ends = self.noticed_ends(transfers);
        self.next_tick == NEVER
            && !self.busy_channels().any(|(_, channel)| standing(channel))
            && ends.all(|(treq, remaining)| is_foreseen(treq, remaining))
    }

    /// The requests of the channels that end a sequence within so many transfers and are noticed then, and what remains of each.
    pub(crate) fn noticed_ends(&self, transfers: u32) -> impl Iterator<Item = (u8, u32)> + '_ {
        let enabled = self.enabled_interrupts[0] | self.enabled_interrupts[1];
        self.busy_channels().filter_map(move |(index, channel)| {
            let tells = !channel.has(IRQ_QUIET) && enabled >> index & 1 == 1;
            let starts = channel.chain_to() != index && channel.chain_to() < CHANNEL_COUNT;
            let ends = channel.remaining <= transfers && (tells || starts);
            ends.then_some((channel.treq, channel.remaining))
        })
    }

    /// Whether a channel that is under way stores where a memory is.
    pub(crate) fn stores(&self, is_memory: impl Fn(u32) -> bool) -> bool {
        self.busy_channels().any(|(_, channel)| is_memory(channel.write_address))
    }

    /// Whether all channels that are under way store only there.
    pub(crate) fn stores_only(&self, memory: &Range<u32>) -> bool {
        self.busy_channels()
            .map(|(index, channel)| Lane::new(channel, self.transfer(index), true))
            .all(|end| end.lies_within(memory.clone()))
    }

    /// Whether a channel that is under way reads where a memory is.
    pub(crate) fn reads(&self, is_memory: impl Fn(u32) -> bool) -> bool {
        self.busy_channels().any(|(_, channel)| is_memory(channel.read_address))
    }

    /// How many transfers of the channel that [`Dma::next_transfer`] gave last may be done in one go, a cycle each,
    /// before anybody else's turn can come. The last one of a sequence always is an event of its own, so that what
    /// follows from it happens at its time. The bus may do fewer, and must when an access is more than memory.
    pub fn batch(&self) -> u32 {
        let channel = &self.channels[self.current];
        let alone = self.ready == 1 << self.current && self.next_tick == NEVER;
        if !alone || self.standing >> channel.treq & 1 == 0 {
            return 1;
        }
        channel.remaining.saturating_sub(1).max(1)
    }

    /// Within a batch: counts the transfer that was just made, and gives the one that follows it a cycle later. The
    /// last of the batch is reported with [`Dma::transferred`] instead.
    #[inline]
    pub fn next_in_batch(&mut self, value: u32) -> Transfer {
        let index = self.current;
        self.schedule.occupy(1);
        self.sniff(index, value);
        self.channels[index].advance();
        self.transfer(index)
    }

    /// Both ends of the channel that [`Dma::next_transfer`] gave last, where it reads and where it writes.
    pub(crate) fn ends_of_batch(&self) -> (Lane, Lane) {
        let channel = &self.channels[self.current];
        let transfer = self.transfer(self.current);
        (Lane::new(channel, transfer, false), Lane::new(channel, transfer, true))
    }

    /// Within a batch: counts transfers that were made a cycle each, of these bytes, and gives the one that follows them.
    pub(crate) fn go_on_in_batch(&mut self, (from, to): (&Lane, &Lane), bytes: &[u8]) -> Transfer {
        let index = self.current;
        let channel = &mut self.channels[index];
        let size = channel.bytes;
        self.schedule.occupy(bytes.len() as u32 / u32::from(size));
        channel.go_to(from.address, false, from.remaining);
        channel.go_to(to.address, true, to.remaining);
        if self.sniffer.watches(index) && channel.has(SNIFF_EN) {
            self.sniffer.observe_many(bytes, size);
        }
        self.transfer(index)
    }

    #[inline]
    fn transfer(&self, index: usize) -> Transfer {
        let channel = &self.channels[index];
        let aligned = !(u32::from(channel.bytes) - 1);
        Transfer {
            channel: index,
            read_address: channel.read_address & aligned,
            write_address: channel.write_address & aligned,
            bytes: channel.bytes,
            byte_swap: channel.byte_swap,
        }
    }

    /// A transfer was made.
    #[inline]
    fn count(&mut self, index: usize, value: u32, io: &mut Io) {
        self.sniff(index, value);
        let requested = self.level(self.channels[index].treq, io);
        let channel = &mut self.channels[index];
        channel.advance();
        if !requested {
            channel.credit = channel.credit.saturating_sub(1);
        }
        if channel.remaining == 0 {
            self.complete(index, io);
        } else if !requested && channel.credit == 0 {
            self.ready &= !(1 << index);
        }
    }

    #[inline]
    fn sniff(&mut self, index: usize, value: u32) {
        let channel = &self.channels[index];
        if self.sniffer.watches(index) && channel.has(SNIFF_EN) {
            self.sniffer.observe(value, channel.bytes);
        }
    }

    fn halt(&mut self, index: usize, error: BusError, io: &mut Io) {
        let channel = &mut self.channels[index];
        channel.errors |= match error {
            BusError::Read => READ_ERROR,
            BusError::Write => WRITE_ERROR,
        };
        channel.busy = false;
        self.refresh(index, io);
        self.raise(index, io);
    }

    fn complete(&mut self, index: usize, io: &mut Io) {
        let channel = &mut self.channels[index];
        channel.busy = false;
        let (quiet, next) = (channel.has(IRQ_QUIET), channel.chain_to());
        self.refresh(index, io);
        if !quiet {
            self.raise(index, io);
        }
        if next != index && next < CHANNEL_COUNT {
            self.start(next, io);
        }
    }

    fn start(&mut self, index: usize, io: &Io) {
        if self.channels[index].start() {
            self.refresh(index, io);
        }
    }

    fn raise(&mut self, index: usize, io: &mut Io) {
        self.raw_interrupts |= 1 << index;
        self.show_interrupts(io);
    }

    fn interrupts(&self, line: usize) -> u32 {
        self.raw_interrupts & self.enabled_interrupts[line] | self.forced_interrupts[line]
    }

    fn show_interrupts(&self, io: &mut Io) {
        io.lines.set_irq(Irq::DMA_0, self.interrupts(0) != 0);
        io.lines.set_irq(Irq::DMA_1, self.interrupts(1) != 0);
    }
}
