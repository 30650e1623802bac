//! Frames out of an input: raw ones, and ones whose lengths, checksums and sequence numbers are right, so that they get past
//! the first checks. It listens to what the other side sends, to go on where a connection is.

use super::Input;

/// Who sends the frames, and to whom.
#[derive(Clone, Copy)]
pub struct Ends {
    pub sender: ([u8; 6], [u8; 4]),
    pub target: ([u8; 6], [u8; 4]),
}

/// The last TCP segment of the other side.
#[derive(Clone, Copy, Default)]
struct Heard {
    port: u16,
    own_port: u16,
    /// What it will send next, and what it expects.
    next: u32,
    expects: u32,
}

pub struct Forge {
    ends: Ends,
    heard: Heard,
    last: Vec<u8>,
}

const PORTS: [u16; 6] = [80, 5000, 7000, 53, 68, 4000];

fn checksum(pieces: &[&[u8]]) -> [u8; 2] {
    let mut sum = 0u32;
    for word in pieces.iter().flat_map(|piece| piece.chunks(2)) {
        sum += u32::from(word[0]) << 8 | word.get(1).map_or(0, |&low| u32::from(low));
    }
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    (!(sum as u16)).to_be_bytes()
}

impl Forge {
    pub fn new(ends: Ends) -> Self {
        Self { ends, heard: Heard::default(), last: Vec::new() }
    }

    /// Looks at a frame of the other side; its answer where it asks by ARP.
    pub fn hear(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        if frame.len() >= 42
            && frame[12..14] == [8, 6]
            && frame[21] == 1
            && frame[38..42] == self.ends.sender.1
        {
            return Some(self.arp(2, self.ends.sender.1, self.ends.target.1));
        }
        if frame.len() >= 54 && frame[12..15] == [8, 0, 0x45] && frame[23] == 6 {
            let word = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
            let long = |at: usize| u32::from(word(at)) << 16 | u32::from(word(at + 2));
            let headers = 20 + usize::from(frame[46] >> 4) * 4;
            let text = usize::from(word(16)).saturating_sub(headers) as u32;
            let flags = u32::from(frame[47]);
            let next = long(38).wrapping_add(text).wrapping_add(flags & 1).wrapping_add(flags >> 1 & 1);
            self.heard = Heard { port: word(34), own_port: word(36), next, expects: long(42) };
        }
        None
    }

    /// The next frame of an input.
    pub fn frame(&mut self, input: &mut Input<'_>) -> Vec<u8> {
        let kind = input.byte();
        let frame = match kind % 8 {
            0 => {
                let length = usize::from(input.word()) % 2_000;
                input.take(length).to_vec()
            }
            1 => {
                let addresses = [self.ends.sender.1, self.ends.target.1, [0; 4], [10, 0, 0, 77]];
                let (operation, from, to) =
                    (input.byte() % 4, input.one_of(&addresses), input.one_of(&addresses));
                self.arp(operation, from, to)
            }
            2 => {
                let mut message = input.take(usize::from(kind >> 3) * 8 + 8).to_vec();
                message.resize(message.len().max(8), 0);
                message[2..4].fill(0);
                let sum = checksum(&[&message]);
                message[2..4].copy_from_slice(&sum);
                self.packet(1, &message)
            }
            3 => self.datagram(input),
            4 | 5 => self.segment(input),
            6 => {
                let protocol = input.byte();
                let length = usize::from(input.byte());
                self.packet(protocol, input.take(length))
            }
            _ => {
                let mut frame = self.last.clone();
                let (at, bit) = (usize::from(input.word()), input.byte() % 8);
                if let Some(at) = at.checked_rem(frame.len()) {
                    frame[at] ^= 1 << bit;
                }
                frame
            }
        };
        self.last.clone_from(&frame);
        frame
    }

    fn ethernet(&self, to: [u8; 6], kind: [u8; 2], body: &[u8]) -> Vec<u8> {
        let mut frame = [&to[..], &self.ends.sender.0, &kind, body].concat();
        frame.resize(frame.len().max(60), 0);
        frame
    }

    fn arp(&self, operation: u8, from: [u8; 4], to: [u8; 4]) -> Vec<u8> {
        let body =
            [&[0, 1, 8, 0, 6, 4, 0, operation][..], &self.ends.sender.0, &from, &self.ends.target.0, &to];
        self.ethernet(if operation == 2 { self.ends.target.0 } else { [0xFF; 6] }, [8, 6], &body.concat())
    }

    fn packet(&self, protocol: u8, payload: &[u8]) -> Vec<u8> {
        let [high, low] = (20 + payload.len() as u16).to_be_bytes();
        let mut header = vec![0x45, 0, high, low, 0, 0, 0, 0, 64, protocol, 0, 0];
        header.extend(self.ends.sender.1);
        header.extend(self.ends.target.1);
        let sum = checksum(&[&header]);
        header[10..12].copy_from_slice(&sum);
        self.ethernet(self.ends.target.0, [8, 0], &[&header, payload].concat())
    }

    fn pseudo_header(&self, protocol: u8, bytes: usize) -> Vec<u8> {
        let [high, low] = (bytes as u16).to_be_bytes();
        [&self.ends.sender.1[..], &self.ends.target.1, &[0, protocol, high, low]].concat()
    }

    fn datagram(&self, input: &mut Input<'_>) -> Vec<u8> {
        let (from, to) = (input.one_of(&PORTS), input.one_of(&PORTS));
        let length = usize::from(input.word()) % 1_473;
        let payload = input.take(length);
        let size = ((8 + payload.len()) as u16).to_be_bytes();
        let mut bytes = [&from.to_be_bytes()[..], &to.to_be_bytes(), &size, &[0, 0], payload].concat();
        let sum = checksum(&[&self.pseudo_header(17, bytes.len()), &bytes]);
        bytes[6..8].copy_from_slice(&sum);
        self.packet(17, &bytes)
    }

    fn segment(&self, input: &mut Input<'_>) -> Vec<u8> {
        let how = input.byte();
        let flags = input.byte();
        let Heard { port, own_port, next, expects } = self.heard;
        let (from, to, mut sequence, mut acknowledges) = match how & 1 {
            0 => (own_port, port, expects, next),
            _ => (input.one_of(&PORTS), input.one_of(&PORTS), input.long(), input.long()),
        };
        if how & 2 != 0 {
            sequence = sequence.wrapping_add_signed(i32::from(input.byte() as i8) * 16);
        }
        if how & 4 != 0 {
            acknowledges = acknowledges.wrapping_add_signed(i32::from(input.byte() as i8) * 16);
        }
        let window = if how & 8 != 0 { input.word() } else { 8_192 };
        let options = input.take(usize::from(how >> 4) % 11 * 4);
        let options = &options[..options.len() / 4 * 4];
        let length = usize::from(input.word()) % 1_461;
        let payload = input.take(length.min(1_460 - options.len()));
        let mut bytes = [from.to_be_bytes(), to.to_be_bytes()].concat();
        bytes.extend(sequence.to_be_bytes());
        bytes.extend(acknowledges.to_be_bytes());
        bytes.extend([(5 + options.len() as u8 / 4) << 4, flags]);
        bytes.extend(window.to_be_bytes());
        bytes.extend([0; 4]);
        bytes.extend(options);
        bytes.extend(payload);
        let sum = checksum(&[&self.pseudo_header(6, bytes.len()), &bytes]);
        bytes[16..18].copy_from_slice(&sum);
        self.packet(6, &bytes)
    }
}
