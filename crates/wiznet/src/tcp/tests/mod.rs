//! Tests of the TCP engine through its calls. [`Bench`] is a socket with a scripted peer: the test says what the peer sends
//! and looks at what the chip sends and at the interrupt bits.

mod closing;
mod opening;
mod peer;
mod random;
mod timing;
mod transfer;
mod wire;

use std::net::{IpAddr, Ipv4Addr};

use units::{PS_PER_MS, PS_PER_US, Picoseconds};

use super::*;

pub(super) const CHIP_PORT: u16 = 5000;
pub(super) const PEER_PORT: u16 = 40_000;
pub(super) const PEER_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 168, 1, 2));
pub(super) const PEER_ISN: u32 = 0x1000_0000;
pub(super) const ACK: u8 = flag::ACK;
pub(super) const SYN: u8 = flag::SYN;
pub(super) const FIN: u8 = flag::FIN;
pub(super) const RST: u8 = flag::RST;
pub(super) const PSH: u8 = flag::PSH;

pub(super) fn ms(milliseconds: i64) -> Picoseconds {
    Picoseconds::new(milliseconds * PS_PER_MS)
}

pub(super) fn us(microseconds: i64) -> Picoseconds {
    Picoseconds::new(microseconds * PS_PER_US)
}

/// A segment of the chip, numbers counted from the first data bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) flags: u8,
    pub(super) sequence: u32,
    pub(super) acknowledgement: u32,
    pub(super) window: u16,
    pub(super) payload: Vec<u8>,
    pub(super) mss: Option<u16>,
}

#[derive(Debug, Clone)]
pub(super) struct Bench {
    pub(super) connection: Connection,
    pub(super) pointers: Pointers,
    pub(super) tx: Vec<u8>,
    pub(super) rx: Vec<u8>,
    pub(super) settings: Settings,
    pub(super) now: Picoseconds,
    /// Sn_TX_WR and Sn_RX_RD, which are the driver's.
    pub(super) tx_write: u16,
    pub(super) rx_read: u16,
    pub(super) chip_isn: u32,
    pub(super) peer_isn: u32,
}

impl Bench {
    /// An opened socket with 2 KiB each way.
    pub(super) fn new() -> Self {
        let mut bench = Self {
            connection: Connection::new(),
            pointers: Pointers::default(),
            tx: vec![0; 2048],
            rx: vec![0; 2048],
            settings: Settings::at_reset(),
            now: Picoseconds::ZERO,
            tx_write: 0,
            rx_read: 0,
            chip_isn: 0xFFFF_FF00,
            peer_isn: PEER_ISN,
        };
        bench.connection.open(&mut bench.pointers);
        bench
    }

    /// A client that has just connected to a peer with a window of 65535 bytes.
    pub(super) fn connected() -> Self {
        let mut bench = Self::new();
        bench.connect();
        bench.sent();
        bench.deliver(SYN | ACK, u32::MAX, 0, 65_535, &[]);
        bench.sent();
        assert_eq!(bench.status(), Status::Established);
        assert_eq!(bench.interrupts(), interrupt::CON);
        bench
    }

    pub(super) fn connect(&mut self) {
        let endpoints =
            Endpoints { local_port: CHIP_PORT, remote_port: PEER_PORT, remote_address: PEER_ADDRESS };
        assert!(self.connection.connect(endpoints, self.chip_isn));
    }

    pub(super) fn listen(&mut self) {
        assert!(self.connection.listen(CHIP_PORT, self.chip_isn));
    }

    pub(super) fn status(&self) -> Status {
        self.connection.status()
    }

    pub(super) fn interrupts(&mut self) -> u8 {
        self.connection.take_interrupts()
    }

    /// A segment from the peer; its numbers count from the first data bytes, so that SYN is at `u32::MAX`.
    pub(super) fn deliver(
        &mut self,
        flags: u8,
        sequence: u32,
        acknowledgement: u32,
        window: u16,
        payload: &[u8],
    ) {
        let header = Header {
            source_port: PEER_PORT,
            destination_port: CHIP_PORT,
            sequence: self.peer_isn.wrapping_add(1).wrapping_add(sequence),
            acknowledgement: self.chip_isn.wrapping_add(1).wrapping_add(acknowledgement),
            flags,
            window,
            mss: (flags & SYN != 0).then_some(1460),
        };
        self.deliver_header(&header, payload);
    }

    pub(super) fn deliver_header(&mut self, header: &Header, payload: &[u8]) {
        let mut memory = Memory { tx: &self.tx, rx: &mut self.rx, pointers: &mut self.pointers };
        self.connection.receive(self.now, PEER_ADDRESS, header, payload, &self.settings, &mut memory);
    }

    /// One segment of the chip.
    pub(super) fn take(&mut self) -> Option<(Header, Vec<u8>)> {
        let expected = self.connection.has_segment(&self.pointers);
        let mut memory = Memory { tx: &self.tx, rx: &mut self.rx, pointers: &mut self.pointers };
        let taken = self.connection.take_segment(self.now, &self.settings, &mut memory);
        assert!(taken.is_some() == expected || self.tx.is_empty());
        taken.map(|outgoing| {
            let payload = outgoing.payload(&self.tx).concat();
            assert_eq!(payload.len(), usize::from(outgoing.payload_bytes));
            (outgoing.header, payload)
        })
    }

    /// All segments that the chip has to send now.
    pub(super) fn sent(&mut self) -> Vec<Seen> {
        let mut seen = Vec::new();
        while let Some((header, payload)) = self.take() {
            let acknowledges = header.flags & ACK != 0;
            let acknowledgement = header.acknowledgement.wrapping_sub(self.peer_isn.wrapping_add(1));
            seen.push(Seen {
                flags: header.flags,
                sequence: header.sequence.wrapping_sub(self.chip_isn.wrapping_add(1)),
                acknowledgement: if acknowledges { acknowledgement } else { 0 },
                window: header.window,
                payload,
                mss: header.mss,
            });
            assert!(seen.len() < 100_000, "the chip never stops sending");
        }
        seen
    }

    /// Flags and sequence numbers of what the chip has to send now.
    pub(super) fn sent_briefly(&mut self) -> Vec<(u8, u32, usize)> {
        self.sent().iter().map(|seen| (seen.flags, seen.sequence, seen.payload.len())).collect()
    }

    /// The driver writes bytes behind Sn_TX_WR and gives SEND.
    pub(super) fn send(&mut self, bytes: &[u8]) -> bool {
        let size = self.tx.len();
        for &byte in bytes {
            self.tx[usize::from(self.tx_write) % size] = byte;
            self.tx_write = self.tx_write.wrapping_add(1);
        }
        let mut memory = Memory { tx: &self.tx, rx: &mut self.rx, pointers: &mut self.pointers };
        self.connection.send(self.now, self.tx_write, &self.settings, &mut memory)
    }

    /// Sn_TX_FSR.
    pub(super) fn tx_free(&self) -> usize {
        self.tx.len() - usize::from(self.tx_write.wrapping_sub(self.pointers.tx_acknowledged))
    }

    /// Sn_RX_RSR.
    pub(super) fn received_bytes(&self) -> usize {
        usize::from(self.pointers.rx_write.wrapping_sub(self.pointers.rx_read))
    }

    /// The driver reads that many bytes and gives RECV.
    pub(super) fn read(&mut self, bytes: usize) -> Vec<u8> {
        let size = self.rx.len();
        let start = usize::from(self.rx_read);
        let read = (start..start + bytes).map(|index| self.rx[index % size]).collect();
        self.rx_read = self.rx_read.wrapping_add(bytes as u16);
        self.connection.recv(self.rx_read, &mut self.pointers);
        read
    }

    pub(super) fn read_all(&mut self) -> Vec<u8> {
        self.read(self.received_bytes())
    }

    pub(super) fn next_event(&self) -> Option<Picoseconds> {
        self.connection.next_event(&self.settings)
    }

    pub(super) fn advance_to(&mut self, now: Picoseconds) {
        self.now = now;
        self.connection.advance(now, &self.settings, &self.pointers);
    }

    /// Goes to the next timer, and says when that was.
    pub(super) fn advance(&mut self) -> Picoseconds {
        let at = self.next_event().expect("a timer runs");
        assert!(at >= self.now, "timers never lie in the past");
        self.advance_to(at);
        at
    }

    /// When the chip sends something, without an answer, until it gives up.
    pub(super) fn times_until_silence(&mut self) -> Vec<Picoseconds> {
        let mut times = Vec::new();
        loop {
            if !self.sent().is_empty() {
                times.push(self.now);
            }
            if self.next_event().is_none() {
                return times;
            }
            self.advance();
        }
    }
}
