//! The end of a channel that moves through memory.

use super::{Channel, Transfer};

/// The end of a channel that moves through memory, while it goes at a beat.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lane {
    pub(super) address: u32,
    increment: u32,
    ring: u32,
    pub(super) remaining: u32,
    /// The rest of the transfer; its address in memory is of the beginning.
    transfer: Transfer,
}

impl Lane {
    pub(super) fn new(channel: &Channel, transfer: Transfer, writes: bool) -> Self {
        let (address, increment, ring) = channel.way(writes);
        Self { address, increment, ring, remaining: channel.remaining, transfer }
    }

    /// Where the next word comes from or goes to in memory, a multiple of its bytes.
    #[inline]
    pub(crate) fn aligned(&self) -> u32 {
        self.address & !(u32::from(self.transfer.bytes) - 1)
    }

    /// The transfer, but for its address in memory.
    #[inline]
    pub(crate) fn transfer(&self) -> &Transfer {
        &self.transfer
    }

    /// Whether the next words may all be read before any of those is written: none is read after it was written.
    pub(crate) fn is_read_before(&self, written: &Lane) -> bool {
        let [(from, from_end), (to, to_end)] = [self, written].map(Lane::span);
        let moves_on = self.increment != 0 && self.ring == u32::MAX;
        let is_alike = (self.increment, self.ring) == (written.increment, written.ring);
        from_end <= to || to_end <= from || moves_on && is_alike && self.aligned() >= written.aligned()
    }

    /// Whether the memory of the next `count` transfers is apart from that of the rest of another sequence.
    pub(crate) fn is_apart_from(&self, count: u32, other: &Lane) -> bool {
        let [(from, from_end), (to, to_end)] = [self, other].map(Lane::span);
        if from_end <= to || to_end <= from {
            return true;
        }
        // Two pieces of one ring.
        let (ring, bytes) =
            (self.ring, |lane: &Lane, count: u32| u64::from(count) * u64::from(lane.increment));
        let is_one = ring != u32::MAX && (ring, from) == (other.ring, to);
        let ahead =
            |lane: &Lane, other: &Lane| u64::from(other.aligned().wrapping_sub(lane.aligned()) & ring);
        is_one
            && ahead(self, other) >= bytes(self, count)
            && ahead(other, self) >= bytes(other, other.remaining)
            && self.increment == u32::from(self.transfer.bytes)
            && other.increment == u32::from(other.transfer.bytes)
    }

    /// Whether all that the rest of the sequence reaches lies between two addresses.
    pub(crate) fn lies_within(&self, range: std::ops::Range<u32>) -> bool {
        let (from, end) = self.span();
        u64::from(range.start) <= from && end <= u64::from(range.end)
    }

    /// Whether so many of its transfers are a piece of memory, one behind the other and as it is.
    pub(crate) fn is_piece(&self, count: u32) -> bool {
        let bytes = u32::from(self.transfer.bytes);
        let left_in_ring = (self.ring - (self.aligned() & self.ring)) / bytes;
        self.increment == bytes && !self.transfer.byte_swap && count <= left_in_ring.saturating_add(1)
    }

    /// Some transfers are made.
    pub(crate) fn pass(&mut self, count: u32) {
        let address = self.address.wrapping_add(count * self.increment);
        self.address = (self.address & !self.ring) | (address & self.ring);
        self.remaining -= count;
    }

    /// The first address that the rest of a sequence may reach, and the one behind the last.
    fn span(&self) -> (u64, u64) {
        let bytes = match self.ring {
            u32::MAX => u64::from(self.increment) * u64::from(self.remaining) + 4,
            ring => u64::from(ring) + 1,
        };
        let from =
            u64::from(if self.ring == u32::MAX { self.address & !3 } else { self.address & !self.ring });
        (from, from + bytes)
    }

    /// Whether the next transfer is not the last one of the sequence.
    #[inline]
    pub(crate) fn goes_on(&self) -> bool {
        self.remaining >= 2
    }

    /// Whether more than so many transfers are left of the sequence.
    pub(crate) fn has_more_than(&self, count: u32) -> bool {
        self.remaining > count
    }

    /// A transfer is made.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.address = (self.address & !self.ring) | (self.address.wrapping_add(self.increment) & self.ring);
        self.remaining -= 1;
    }
}
