//! The disk of the device: bulk-only transport and a few SCSI commands, eight sectors whose bytes are their numbers.

use std::collections::VecDeque;

const SECTOR_BYTES: usize = 512;
const SECTORS: u32 = 8;
const PACKET_BYTES: usize = 64;
const COMMAND_BYTES: usize = 31;

/// What sectors hold.
pub(super) fn sectors(first: u32, count: usize) -> Vec<u8> {
    (first..).take(count).flat_map(|number| vec![number as u8; SECTOR_BYTES]).collect()
}

/// The disk's end of the transport.
#[derive(Debug, Default)]
pub(super) struct Disk {
    /// Packets for the host, the status last.
    outgoing: VecDeque<Vec<u8>>,
    /// Bytes that the host still writes, and the status behind them.
    awaited: Option<(usize, Vec<u8>)>,
}

impl Disk {
    pub(super) fn next(&self) -> Option<&[u8]> {
        self.outgoing.front().map(Vec::as_slice)
    }

    pub(super) fn taken(&mut self) {
        self.outgoing.pop_front();
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        if let Some((left, status)) = self.awaited.take() {
            match left.saturating_sub(bytes.len()) {
                0 => self.outgoing.push_back(status),
                left => self.awaited = Some((left, status)),
            }
        } else if let Ok(block) = bytes.try_into()
            && bytes.starts_with(b"USBC")
        {
            self.command(block);
        }
    }

    fn command(&mut self, block: &[u8; COMMAND_BYTES]) {
        let asked = u32::from_le_bytes([block[8], block[9], block[10], block[11]]) as usize;
        let status = [b"USBS", &block[4..8], &[0; 5]].concat();
        self.outgoing.clear();
        if block[12] & 0x80 == 0 && asked > 0 {
            self.awaited = Some((asked, status));
            return;
        }
        let mut data = answer(&block[15..]);
        data.resize(asked, 0);
        self.outgoing.extend(data.chunks(PACKET_BYTES).map(<[u8]>::to_vec));
        self.outgoing.push_back(status);
    }
}

fn answer(command: &[u8]) -> Vec<u8> {
    match command[0] {
        0x12 => [&[0, 0x80, 4, 2, 31, 0, 0, 0][..], b"FUZZ    DISK            1.00"].concat(),
        0x25 => [(SECTORS - 1).to_be_bytes(), (SECTOR_BYTES as u32).to_be_bytes()].concat(),
        0x28 => sectors(u32::from(command[5]), usize::from(command[8])),
        _ => Vec::new(),
    }
}
