//! One channel: its four registers, and how its addresses move (RP2040 datasheet 2.5.1). When it may move is the
//! controller's business (`mod.rs`).

/// Fields of CHx_CTRL_TRIG (RP2040 datasheet 2.5.7).
pub(super) const EN: u32 = 1 << 0;
pub(super) const HIGH_PRIORITY: u32 = 1 << 1;
const DATA_SIZE_LSB: u32 = 2;
const INCR_READ: u32 = 1 << 4;
const INCR_WRITE: u32 = 1 << 5;
const RING_SIZE_LSB: u32 = 6;
const RING_SEL: u32 = 1 << 10;
const CHAIN_TO_LSB: u32 = 11;
const TREQ_SEL_LSB: u32 = 15;
pub(super) const IRQ_QUIET: u32 = 1 << 21;
const BSWAP: u32 = 1 << 22;
pub(super) const SNIFF_EN: u32 = 1 << 23;
const BUSY: u32 = 1 << 24;
pub(super) const WRITE_ERROR: u32 = 1 << 29;
pub(super) const READ_ERROR: u32 = 1 << 30;
const AHB_ERROR: u32 = 1 << 31;
/// What software may set; the error flags are cleared by writing ones.
const WRITABLE: u32 = 0x00ff_ffff;

/// The reserved DATA_SIZE.
pub(super) const DATA_SIZE_RESERVED: u32 = 3;
/// TREQ_SEL of the first pacing timer.
pub(super) const TREQ_TIMER0: u8 = 0x3b;
/// TREQ_SEL of a channel that is paced by nothing.
pub(super) const TREQ_PERMANENT: u8 = 0x3f;
/// DBG_CTDREQ has six bits, and counts up to their end.
const CREDIT_MAX: u8 = 63;

/// The registers of a channel, with CTRL taken apart where a transfer needs it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Channel {
    pub(super) read_address: u32,
    pub(super) write_address: u32,
    /// Transfers that this sequence still has to do.
    pub(super) remaining: u32,
    /// The length of the next sequence.
    pub(super) reload: u32,
    /// The part of CTRL that software sets.
    pub(super) control: u32,
    pub(super) errors: u32,
    pub(super) busy: bool,
    /// Requests that came as events and are not served yet.
    pub(super) credit: u8,
    pub(super) bytes: u8,
    pub(super) treq: u8,
    pub(super) byte_swap: bool,
    read_increment: u32,
    write_increment: u32,
    /// The bits of an address that may change.
    read_ring: u32,
    write_ring: u32,
}

impl Channel {
    pub(super) fn new() -> Self {
        Self {
            read_address: 0,
            write_address: 0,
            remaining: 0,
            reload: 0,
            control: 0,
            errors: 0,
            busy: false,
            credit: 0,
            bytes: 1,
            treq: 0,
            byte_swap: false,
            read_increment: 0,
            write_increment: 0,
            read_ring: u32::MAX,
            write_ring: u32::MAX,
        }
    }

    pub(super) fn has(&self, flag: u32) -> bool {
        self.control & flag != 0
    }

    /// It is under way and not paused.
    pub(super) fn is_active(&self) -> bool {
        self.busy && self.has(EN)
    }

    pub(super) fn chain_to(&self) -> usize {
        (self.control >> CHAIN_TO_LSB & 0xf) as usize
    }

    pub(super) fn data_size(control: u32) -> u32 {
        control >> DATA_SIZE_LSB & 3
    }

    pub(super) fn read_control(&self) -> u32 {
        let busy = if self.busy { BUSY } else { 0 };
        let error = if self.errors != 0 { AHB_ERROR } else { 0 };
        self.control | self.errors | busy | error
    }

    pub(super) fn write_control(&mut self, value: u32) {
        self.errors &= !value;
        self.control = value & WRITABLE;
        // The reserved size moves words.
        let size = Self::data_size(value).min(2);
        self.bytes = 1 << size;
        self.treq = (value >> TREQ_SEL_LSB & 0x3f) as u8;
        self.byte_swap = self.has(BSWAP);
        let increment = |flag| if value & flag != 0 { 1 << size } else { 0 };
        (self.read_increment, self.write_increment) = (increment(INCR_READ), increment(INCR_WRITE));
        let ring = match value >> RING_SIZE_LSB & 0xf {
            0 => u32::MAX,
            bits => (1 << bits) - 1,
        };
        (self.read_ring, self.write_ring) =
            if self.has(RING_SEL) { (u32::MAX, ring) } else { (ring, u32::MAX) };
    }

    /// Starts a sequence; false when it is paused or already under way.
    pub(super) fn start(&mut self) -> bool {
        if self.busy || !self.has(EN) {
            return false;
        }
        self.busy = true;
        self.remaining = self.reload;
        self.credit = 0;
        true
    }

    /// Takes note of a request that came as an event.
    pub(super) fn add_credit(&mut self, requests: u64) {
        self.credit = u64::from(self.credit).saturating_add(requests).min(CREDIT_MAX.into()) as u8;
    }

    /// Whether it reads, or else writes, one register all the time.
    #[inline]
    pub(super) fn stays_at(&self, register: u32, reads: bool) -> bool {
        let (address, increment, _) = self.way(!reads);
        increment == 0 && address & !3 == register
    }

    /// The address where it writes, or else reads, by how much that moves and which of its bits may.
    #[inline]
    pub(super) fn way(&self, writes: bool) -> (u32, u32, u32) {
        match writes {
            true => (self.write_address, self.write_increment, self.write_ring),
            false => (self.read_address, self.read_increment, self.read_ring),
        }
    }

    /// Several transfers are done, which moved the address where it writes, or else reads.
    #[inline]
    pub(super) fn go_to(&mut self, address: u32, writes: bool, remaining: u32) {
        self.remaining = remaining;
        match writes {
            true => self.write_address = address,
            false => self.read_address = address,
        }
    }

    /// One transfer is done.
    #[inline]
    pub(super) fn advance(&mut self) {
        let step = |address: u32, increment: u32, ring: u32| {
            (address & !ring) | (address.wrapping_add(increment) & ring)
        };
        self.read_address = step(self.read_address, self.read_increment, self.read_ring);
        self.write_address = step(self.write_address, self.write_increment, self.write_ring);
        self.remaining = self.remaining.saturating_sub(1);
    }
}
