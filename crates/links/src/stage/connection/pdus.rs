//! What a message is on the air of a Bluetooth LE connection: link-layer PDUs with their exact airtimes, each in an
//! exchange of the central's packet and the peripheral's answer.
//!
//! Sources: Bluetooth Core Specification 5.4, Vol 6 Part B, 2.1 and 2.2 (packet formats), 2.4 (data channel PDU),
//! 4.1.1 (inter-frame space); Vol 3 Part A, 3.1 (L2CAP basic header); Vol 3 Part F, 3.4.5 and 3.4.7 (ATT header of a
//! write and of a notification).

use units::Picoseconds;

/// Between two packets of one connection event.
pub(crate) const INTER_FRAME_SPACE: Picoseconds = Picoseconds::from_ns(150_000);
/// The longest payload of a PDU before a data length update (connInitialMaxTxOctets, Vol 6 Part B, 4.5.10).
pub(crate) const SHORT_PDU_BYTES: u32 = 27;
/// L2CAP's length and channel, and ATT's operation and handle.
const UPPER_HEADER_BYTES: u32 = 4 + 3;
const MESSAGE_INTEGRITY_BYTES: u32 = 4;

/// The physical layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phy {
    /// LE 1M.
    OneMegabit,
    /// LE 2M.
    TwoMegabit,
}

impl Phy {
    /// The time of a packet on the air: preamble, access address, header, payload, CRC.
    pub fn airtime(self, payload_bytes: u32) -> Picoseconds {
        let (preamble, ns_per_byte) = match self {
            Phy::OneMegabit => (1, 8_000),
            Phy::TwoMegabit => (2, 4_000),
        };
        Picoseconds::from_ns(i64::from(preamble + 4 + 2 + payload_bytes + 3) * ns_per_byte)
    }

    /// A PDU one way and an empty one the other way, up to where the next exchange may start.
    pub(crate) fn exchange(self, payload_bytes: u32) -> Picoseconds {
        self.airtime(payload_bytes) + INTER_FRAME_SPACE + self.airtime(0) + INTER_FRAME_SPACE
    }
}

/// Which way the data goes, and who has to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the peripheral, in its answers to the central.
    Notify,
    /// From the central, without a response of the application.
    Write,
    /// From the central; the next chunk waits for the peripheral's response to this one.
    WriteWithResponse,
}

/// How messages are cut.
#[derive(Debug, Clone, Copy)]
pub struct Framing {
    /// What the application hands over at once.
    pub chunk_bytes: u32,
    /// The longest payload of a link-layer PDU, without integrity code.
    pub pdu_bytes: u32,
    /// Whether PDUs carry a message integrity code.
    pub encrypted: bool,
    /// The physical layer.
    pub phy: Phy,
    /// Which way.
    pub direction: Direction,
}

/// A link-layer PDU of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pdu {
    /// From the start of its exchange to the start of the next.
    pub(crate) exchange: Picoseconds,
    /// From the start of its exchange until its last bit has arrived.
    pub(crate) delivered: Picoseconds,
    /// The chunk that it is a part of.
    pub(crate) chunk: u32,
    pub(crate) ends_chunk: bool,
}

impl Framing {
    /// The PDUs of a message.
    pub(crate) fn pdus(&self, payload_bytes: u32) -> Vec<Pdu> {
        let mut pdus = Vec::new();
        for chunk in 0..payload_bytes.div_ceil(self.chunk_bytes) {
            let data = (payload_bytes - chunk * self.chunk_bytes).min(self.chunk_bytes);
            let mut left = data + UPPER_HEADER_BYTES;
            while left > 0 {
                let bytes = left.min(self.pdu_bytes);
                left -= bytes;
                pdus.push(self.pdu(bytes, chunk, left == 0));
            }
        }
        pdus
    }

    fn pdu(&self, bytes: u32, chunk: u32, ends_chunk: bool) -> Pdu {
        let integrity = if self.encrypted { MESSAGE_INTEGRITY_BYTES } else { 0 };
        let (data, empty) = (self.phy.airtime(bytes + integrity), self.phy.airtime(0));
        let exchange = self.phy.exchange(bytes + integrity);
        let delivered = match self.direction {
            Direction::Notify => empty + INTER_FRAME_SPACE + data,
            Direction::Write | Direction::WriteWithResponse => data,
        };
        Pdu { exchange, delivered, chunk, ends_chunk }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(pdu_bytes: u32, phy: Phy) -> Framing {
        Framing { chunk_bytes: 193, pdu_bytes, encrypted: false, phy, direction: Direction::Notify }
    }

    #[test]
    fn packets_take_the_times_of_the_specification() {
        // The longest packets of Vol 6 Part B, 4.5.10: 328 us and 2120 us are with the integrity code on 1M.
        assert_eq!(Phy::OneMegabit.airtime(27 + 4), Picoseconds::from_ns(328_000));
        assert_eq!(Phy::OneMegabit.airtime(251 + 4), Picoseconds::from_ns(2_120_000));
        assert_eq!(Phy::TwoMegabit.airtime(251 + 4), Picoseconds::from_ns(1_064_000));
        assert_eq!(Phy::OneMegabit.airtime(0), Picoseconds::from_ns(80_000));
        assert_eq!(Phy::TwoMegabit.airtime(0), Picoseconds::from_ns(44_000));
    }

    #[test]
    fn fragments_follow_each_other_as_a_sniffer_saw_them() {
        // esp32-nimble/L2CAP-fragment-behaviour: 26 B fragments start 666 us apart, 229 us after the central's poll,
        // with inter-frame spaces of 149 us; five of them and one of 5 B make 135 B.
        let pdus = framing(26, Phy::OneMegabit).pdus(128);
        assert_eq!(pdus.len(), 6);
        assert!((pdus[0].exchange.ps() - 666_000_000).abs() <= 2_000_000);
        let last_start: i64 = pdus[..5].iter().map(|pdu| pdu.exchange.ps()).sum::<i64>() + 230_000_000;
        assert!((last_start - 3_559_000_000).abs() <= 12_000_000, "{last_start}");
    }

    #[test]
    fn every_byte_and_header_is_carried_once() {
        for (payload, expected) in [(1, 1), (19, 1), (20, 2), (193, 8), (194, 9), (1024, 43)] {
            let pdus = framing(26, Phy::OneMegabit).pdus(payload);
            assert_eq!(pdus.len(), expected, "{payload}");
            let chunks = payload.div_ceil(193);
            assert_eq!(pdus.iter().filter(|pdu| pdu.ends_chunk).count() as u32, chunks);
            let data_us = |pdu: &Pdu| pdu.exchange.ps() / 1_000_000 - 380;
            let bytes: i64 = pdus.iter().map(|pdu| data_us(pdu) / 8 - 10).sum();
            assert_eq!(bytes, i64::from(payload + 7 * chunks));
        }
    }

    #[test]
    fn a_central_delivers_before_the_peripheral_answers() {
        let write = Framing { direction: Direction::Write, ..framing(251, Phy::TwoMegabit) };
        assert_eq!(write.pdus(12)[0].delivered, Picoseconds::from_ns(120_000));
        assert_eq!(framing(251, Phy::TwoMegabit).pdus(12)[0].delivered, Picoseconds::from_ns(314_000));
    }
}
