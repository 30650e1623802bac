//! The record of SPI accesses: frames of bytes to what they read and write. Frames of one byte (the W5100's) are put together
//! as long as they go on in the same register or memory.

use units::Picoseconds;

use crate::access::values;
use crate::chips::Facts;
use crate::map::{Map, Place, SocketRegister};
use crate::{Access, Command};

/// How many data bytes of an access are kept.
const KEPT_BYTES: usize = 64;
/// How many accesses wait to be taken.
const MOST_WAITING: usize = 1 << 20;
const MOST_SOCKETS: usize = 8;

/// An access under way.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Open {
    start: Picoseconds,
    end: Picoseconds,
    write: bool,
    address: u16,
    block: u8,
    data: Vec<u8>,
    bytes: u32,
}

/// The record.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Record {
    on: bool,
    merges: bool,
    /// When the first bit of the present frame came.
    frame_start: Option<Picoseconds>,
    open: Option<Open>,
    #[serde(skip)]
    done: Vec<Access>,
    pub(crate) lost: u64,
    /// Sn_TX_WR of each socket as of the last SEND, and as it was written since.
    tx_write: [(u16, u16); MOST_SOCKETS],
}

impl Record {
    pub(crate) fn new(facts: &Facts) -> Self {
        Self {
            on: false,
            merges: facts.frame.is_of_one_byte,
            frame_start: None,
            open: None,
            done: Vec::new(),
            lost: 0,
            tx_write: [(0, 0); MOST_SOCKETS],
        }
    }

    pub(crate) fn switch(&mut self, on: bool) {
        self.on = on;
        self.open = None;
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// A byte begins: the first of a frame begins the access.
    pub(crate) fn byte_begins(&mut self, at: Picoseconds) {
        if self.frame_start.is_none() {
            self.frame_start = Some(at);
        }
    }

    /// Data bytes passed, the last of which ended at `end`.
    pub(crate) fn data(&mut self, write: bool, block: u8, address: u16, data: &[u8], end: Picoseconds) {
        if !self.on {
            return;
        }
        let start = self.frame_start.unwrap_or(end);
        let open = self.open.get_or_insert_with(|| Open {
            start,
            end,
            write,
            address,
            block,
            data: Vec::new(),
            bytes: 0,
        });
        let room = KEPT_BYTES.saturating_sub(open.data.len());
        open.data.extend_from_slice(&data[..data.len().min(room)]);
        open.bytes = open.bytes.saturating_add(data.len() as u32);
        open.end = end;
    }

    /// The frame is over.
    pub(crate) fn end_frame(&mut self, facts: &Facts) {
        let map = &facts.map;
        self.frame_start = None;
        let Some(open) = self.open.take() else { return };
        if self.merges
            && let Some(last) = self.done.last_mut()
            && continues(map, last, &open)
        {
            let room = KEPT_BYTES.saturating_sub(last.data.len());
            last.data.extend(open.data.into_iter().take(room));
            last.bytes += open.bytes;
            last.end = open.end;
            self.heed_send(map);
            return;
        }
        if self.done.len() >= MOST_WAITING {
            self.lost += 1;
            return;
        }
        let Open { start, end, write, address, block, data, bytes } = open;
        let (target, command) = values(map, block, address, bytes, &data);
        let command = command.filter(|_| write);
        let (model, send_bytes) = (facts.model, None);
        self.done.push(Access {
            model,
            start,
            end,
            write,
            address,
            block,
            data,
            bytes,
            target,
            command,
            send_bytes,
        });
        self.heed_send(map);
    }

    /// Says of a SEND how many bytes it is for: by as much as the driver moved Sn_TX_WR on since the one before.
    fn heed_send(&mut self, map: &Map) {
        let Some(access) = self.done.last_mut() else { return };
        let Place::Socket(socket, register, index) = map.place(access.block, access.address) else { return };
        let Some((sent, written)) = self.tx_write.get_mut(socket) else { return };
        match (register.field, access.command) {
            (SocketRegister::TxWr, _) => {
                let pointer = if access.write { written } else { sent };
                let mut bytes = pointer.to_be_bytes();
                for (byte, &value) in bytes.iter_mut().skip(index.into()).zip(&access.data) {
                    *byte = value;
                }
                *pointer = u16::from_be_bytes(bytes);
            }
            // It begins anew, with Sn_TX_WR at 0.
            (SocketRegister::Cr, Some(Command::Open)) => (*sent, *written) = (0, 0),
            (SocketRegister::Cr, Some(Command::Send | Command::SendMac | Command::Send6)) => {
                access.send_bytes = Some(written.wrapping_sub(*sent));
                *sent = *written;
            }
            _ => {}
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Access> {
        std::mem::take(&mut self.done)
    }
}

/// Whether an access goes on where the last one ended, in the same register or memory.
fn continues(map: &Map, last: &Access, next: &Open) -> bool {
    let follows = last.address.wrapping_add(last.bytes as u16) == next.address;
    if !follows || last.write != next.write {
        return false;
    }
    match (map.place(0, last.address), map.place(0, next.address)) {
        (Place::Common(a, _), Place::Common(b, _)) => a.address == b.address,
        (Place::Socket(m, a, _), Place::Socket(n, b, _)) => m == n && a.address == b.address,
        (Place::Memory(a, _), Place::Memory(b, _)) => a == b,
        _ => false,
    }
}
