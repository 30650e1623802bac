//! Frames that no honest stack sends, written by hand, and an application of the PC that sends them at a pace and looks at
//! every frame that comes back.

use std::fmt;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use ethernet::{Application, SeenFrame, Sockets};
use units::Picoseconds;

use crate::driver::{BOARD, BOARD_MAC, Driver};

pub(crate) const PC_MAC: [u8; 6] = [0x02, 0x41, 0x57, 0, 0, 1];

pub(crate) const SYN: u8 = 0x02;
pub(crate) const RST: u8 = 0x04;
pub(crate) const ACK: u8 = 0x10;

/// The complement of the sum of 16-bit words (RFC 1071).
fn checksum(pieces: &[&[u8]]) -> u16 {
    let mut sum = 0u32;
    for piece in pieces {
        for word in piece.chunks(2) {
            sum += u32::from(u16::from_be_bytes([word[0], *word.get(1).unwrap_or(&0)]));
        }
    }
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

/// An IPv4 packet to the board (RFC 791).
pub(crate) fn packet(source: Ipv4Addr, protocol: u8, payload: &[u8]) -> Vec<u8> {
    let length = (20 + payload.len() as u16).to_be_bytes();
    let mut header = vec![0x45, 0, length[0], length[1], 0, 0, 0, 0, 64, protocol, 0, 0];
    header.extend(source.octets());
    header.extend(BOARD.octets());
    let sum = checksum(&[&header]).to_be_bytes();
    header[10..12].copy_from_slice(&sum);
    let mut frame = [&BOARD_MAC[..], &PC_MAC, &[8, 0], &header, payload].concat();
    frame.resize(frame.len().max(60), 0);
    frame
}

/// A TCP segment without data to the board (RFC 9293).
pub(crate) fn segment(source: (Ipv4Addr, u16), port: u16, sequence: u32, flags: u8) -> Vec<u8> {
    let mut bytes = [source.1.to_be_bytes(), port.to_be_bytes()].concat();
    bytes.extend(sequence.to_be_bytes());
    bytes.extend([0, 0, 0, 0, 0x50, flags, 0x20, 0, 0, 0, 0, 0]);
    let pseudo = [&source.0.octets()[..], &BOARD.octets(), &[0, 6, 0, 20]].concat();
    let sum = checksum(&[&pseudo, &bytes]).to_be_bytes();
    bytes[16..18].copy_from_slice(&sum);
    packet(source.0, 6, &bytes)
}

/// An ARP request (1) or reply (2) to everyone (RFC 826).
pub(crate) fn arp(operation: u8, sender: ([u8; 6], Ipv4Addr), target: Ipv4Addr) -> Vec<u8> {
    let mut frame = [&[0xFF; 6][..], &sender.0, &[8, 6, 0, 1, 8, 0, 6, 4, 0, operation]].concat();
    frame.extend(sender.0);
    frame.extend(sender.1.octets());
    frame.extend([0; 6]);
    frame.extend(target.octets());
    frame.resize(60, 0);
    frame
}

/// Source port, destination port and flags of a frame, where it is a TCP segment.
pub(crate) fn tcp_of(frame: &[u8]) -> Option<(u16, u16, u8)> {
    let is_tcp = frame.len() >= 54 && frame[12..15] == [8, 0, 0x45] && frame[23] == 6;
    let port = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
    is_tcp.then(|| (port(34), port(36), frame[47]))
}

/// Whether a frame is an ARP reply of the board.
pub(crate) fn is_arp_reply(frame: &[u8]) -> bool {
    frame.len() >= 42 && frame[12..14] == [8, 6] && frame[21] == 2 && frame[22..28] == BOARD_MAC
}

type Make = Box<dyn FnMut(u32) -> Vec<u8> + Send>;

/// Sends `count` frames, one each `gap`, and keeps what `keeps` keeps of the frames that the PC receives.
pub(crate) struct Flooder<T> {
    make: Make,
    count: u32,
    gap: Picoseconds,
    sent: u32,
    due: Option<Picoseconds>,
    keeps: fn(&SeenFrame) -> Option<T>,
    kept: Arc<Mutex<Vec<T>>>,
}

impl<T: Send + 'static> Flooder<T> {
    /// Puts it on the PC; it begins now.
    pub(crate) fn seat(
        driver: &mut Driver,
        count: u32,
        gap: Picoseconds,
        keeps: fn(&SeenFrame) -> Option<T>,
        make: impl FnMut(u32) -> Vec<u8> + Send + 'static,
    ) -> Arc<Mutex<Vec<T>>> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let make = Box::new(make);
        let flooder = Self { make, count, gap, sent: 0, due: None, keeps, kept: kept.clone() };
        driver.spi.lan_mut().with_pc(|host| host.seat(Box::new(flooder))).expect("there is a PC");
        kept
    }
}

/// Sends frames once, and looks at nothing.
pub(crate) fn send_frames(driver: &mut Driver, frames: Vec<Vec<u8>>) {
    let at = driver.now();
    driver.spi.lan_mut().with_pc(|host| {
        for frame in frames {
            host.send_frame(at, frame);
        }
    });
}

impl<T> fmt::Debug for Flooder<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Flooder: {} of {} frames", self.sent, self.count)
    }
}

impl<T: Send + 'static> Application for Flooder<T> {
    fn run(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        sockets.watch_frames(true);
        while sockets.take_news().is_some() {}
        let mut kept = self.kept.lock().expect("no test has panicked");
        while let Some(frame) = sockets.take_frame() {
            kept.extend((self.keeps)(&frame));
        }
        let due = self.due.get_or_insert(now);
        while self.sent < self.count && *due <= now {
            sockets.send_frame((self.make)(self.sent));
            self.sent += 1;
            *due = *due + self.gap;
        }
        (self.sent < self.count).then_some(*due)
    }
}
