//! A small driver for the controller, as firmware has one: it works through registers and memory alone, clears bits
//! through the CLR alias, makes buffers available by a second write, and sends long transfers in packets, with one
//! buffer or two. What the device is for is in firmware.rs.

use std::collections::BTreeMap;

use super::super::Usb;
use super::super::registers as reg;
use crate::io::Io;
use crate::peripherals::Peripheral;

const BASE: u32 = 0x5011_0000;
const PACKET_BYTES: usize = 64;
const FULL: u32 = 1 << 15;
const LAST: u32 = 1 << 14;
const DATA1: u32 = 1 << 13;
const RESET: u32 = 1 << 12;
pub(super) const STALL: u32 = 1 << 11;
const AVAILABLE: u32 = 1 << 10;

/// What the driver tells its firmware.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    BusReset,
    Setup([u8; 8]),
    /// A transfer is done; the data of an OUT transfer.
    Done(u8, Vec<u8>),
    Suspended,
    Resumed,
    Sof(u32),
}

#[derive(Debug, Clone, Default)]
struct Transfer {
    data: Vec<u8>,
    /// Bytes that are not in a buffer yet, or not asked for yet.
    remaining: usize,
    active: bool,
    data1: bool,
    buffer_offset: u32,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Driver {
    transfers: BTreeMap<u8, Transfer>,
    /// Bulk IN endpoints use both buffers.
    pub(super) double_buffered: bool,
    next_buffer_offset: u32,
}

pub(super) fn write(usb: &mut Usb, io: &mut Io, offset: u32, value: u32) {
    io.address = BASE + offset;
    usb.write(offset, value, io);
}

/// The CLR alias, as the bus carries it out.
pub(super) fn clear(usb: &mut Usb, io: &mut Io, offset: u32, bits: u32) {
    io.address = BASE + 0x3000 + offset;
    let handed_through = Usb::write_clear_mask(offset);
    let value = usb.peek(offset, io) & !bits;
    usb.write(offset, value & !handed_through | bits & handed_through, io);
}

/// The SET alias, as the bus carries it out.
pub(super) fn set(usb: &mut Usb, io: &mut Io, offset: u32, bits: u32) {
    io.address = BASE + 0x2000 + offset;
    let value = usb.peek(offset, io) | bits;
    usb.write(offset, value, io);
}

pub(super) fn read(usb: &mut Usb, io: &mut Io, offset: u32) -> u32 {
    io.address = BASE + offset;
    usb.read(offset, io)
}

/// Where the buffer control word of an endpoint address is.
pub(super) fn buffer_control(address: u8) -> u32 {
    0x80 + 8 * u32::from(address & 15) + if address & 0x80 == 0 { 4 } else { 0 }
}

pub(super) fn endpoint_control(address: u8) -> u32 {
    8 * u32::from(address & 15) + if address & 0x80 == 0 { 4 } else { 0 }
}

/// The bit of an endpoint address in BUFF_STATUS and its like.
pub(super) fn bit(address: u8) -> u32 {
    1 << (2 * u32::from(address & 15) + u32::from(address & 0x80 == 0))
}

fn copy_in(usb: &mut Usb, io: &mut Io, offset: u32, bytes: &[u8]) {
    for (at, &byte) in (offset..).zip(bytes) {
        usb.dpram_write(at, 1, u32::from(byte) * 0x0101_0101, io);
    }
}

impl Driver {
    pub(super) fn start(&mut self, usb: &mut Usb, io: &mut Io) {
        for offset in (0..0x1000).step_by(4) {
            usb.dpram_write(offset, 4, 0, io);
        }
        write(usb, io, reg::USB_MUXING, 0x9);
        write(usb, io, reg::USB_PWR, 0xc);
        write(usb, io, reg::MAIN_CTRL, 1);
        write(usb, io, reg::SIE_CTRL, 1 << 29);
        write(usb, io, reg::INTE, 1 << 4 | 1 << 12 | 1 << 14 | 1 << 15 | 1 << 16);
        self.forget_endpoints();
        set(usb, io, reg::SIE_CTRL, 1 << 16);
    }

    fn forget_endpoints(&mut self) {
        self.transfers.clear();
        for address in [0x00, 0x80] {
            self.transfers.insert(address, Transfer { buffer_offset: 0x100, ..Transfer::default() });
        }
        self.next_buffer_offset = 0x180;
    }

    pub(super) fn open(&mut self, usb: &mut Usb, io: &mut Io, address: u8, kind: u32) {
        let buffer_offset = self.next_buffer_offset;
        self.next_buffer_offset += 128;
        self.transfers.insert(address, Transfer { buffer_offset, ..Transfer::default() });
        usb.dpram_write(buffer_control(address), 4, 0, io);
        usb.dpram_write(endpoint_control(address), 4, 1 << 31 | 1 << 29 | kind << 26 | buffer_offset, io);
    }

    pub(super) fn busy(&self, address: u8) -> bool {
        self.transfers.get(&address).is_some_and(|transfer| transfer.active)
    }

    pub(super) fn send(&mut self, usb: &mut Usb, io: &mut Io, address: u8, data: &[u8]) {
        self.begin(usb, io, address, data.to_vec(), data.len());
    }

    pub(super) fn receive(&mut self, usb: &mut Usb, io: &mut Io, address: u8, bytes: usize) {
        self.begin(usb, io, address, Vec::new(), bytes);
    }

    fn begin(&mut self, usb: &mut Usb, io: &mut Io, address: u8, data: Vec<u8>, bytes: usize) {
        let double = self.double_buffered && address & 0x80 != 0 && address & 15 != 0;
        let transfer = self.transfers.get_mut(&address).expect("an open endpoint");
        assert!(!transfer.active, "endpoint {address:#x} is busy");
        (transfer.data, transfer.remaining, transfer.active) = (data, bytes, true);
        let mut word = transfer.prepare(usb, io, address, 0) | RESET;
        if double {
            let control = usb.dpram_read(endpoint_control(address), 4) & !(1 << 30);
            let both = transfer.remaining > 0;
            usb.dpram_write(endpoint_control(address), 4, control | u32::from(both) << 30, io);
            if both {
                word |= transfer.prepare(usb, io, address, 1) << 16;
            }
        }
        let available = word & (AVAILABLE | AVAILABLE << 16);
        usb.dpram_write(buffer_control(address), 4, word & !available, io);
        usb.dpram_write(buffer_control(address), 4, word, io);
    }

    pub(super) fn stall(&mut self, usb: &mut Usb, io: &mut Io, address: u8) {
        if address & 15 == 0 {
            set(usb, io, reg::EP_STALL_ARM, if address == 0x80 { 1 } else { 2 });
        }
        self.abort(usb, io, address);
        usb.dpram_write(buffer_control(address), 4, STALL, io);
    }

    pub(super) fn clear_stall(&mut self, usb: &mut Usb, io: &mut Io, address: u8) {
        usb.dpram_write(buffer_control(address), 4, 0, io);
        if let Some(transfer) = self.transfers.get_mut(&address) {
            (transfer.data1, transfer.active) = (false, false);
        }
    }

    fn abort(&mut self, usb: &mut Usb, io: &mut Io, address: u8) {
        set(usb, io, reg::EP_ABORT, bit(address));
        assert_ne!(read(usb, io, reg::EP_ABORT_DONE) & bit(address), 0, "no transaction is under way");
        usb.dpram_write(buffer_control(address), 4, 0, io);
        clear(usb, io, reg::EP_ABORT_DONE, bit(address));
        clear(usb, io, reg::EP_ABORT, bit(address));
        if let Some(transfer) = self.transfers.get_mut(&address) {
            transfer.active = false;
        }
    }

    /// The interrupt handler.
    pub(super) fn interrupt(&mut self, usb: &mut Usb, io: &mut Io) -> Vec<Event> {
        let mut events = Vec::new();
        let status = read(usb, io, reg::INTS);
        if status & 1 << 17 != 0 {
            events.push(Event::Sof(read(usb, io, reg::SOF_RD)));
        }
        if status & 1 << 4 != 0 {
            self.buffers_done(usb, io, &mut events);
        }
        if status & 1 << 16 != 0 {
            for address in [0x00, 0x80] {
                if self.busy(address) {
                    self.abort(usb, io, address);
                }
                self.transfers.get_mut(&address).expect("endpoint 0").data1 = true;
            }
            let setup = std::array::from_fn(|n| usb.dpram_read(n as u32, 1) as u8);
            events.push(Event::Setup(setup));
            clear(usb, io, reg::SIE_STATUS, 1 << 17);
        }
        if status & 1 << 12 != 0 {
            write(usb, io, reg::ADDR_ENDP, 0);
            self.forget_endpoints();
            events.push(Event::BusReset);
            clear(usb, io, reg::SIE_STATUS, 1 << 19);
        }
        if status & 1 << 14 != 0 {
            if read(usb, io, reg::SIE_STATUS) & 1 << 4 != 0 {
                events.push(Event::Suspended);
            }
            clear(usb, io, reg::SIE_STATUS, 1 << 4);
        }
        if status & 1 << 15 != 0 {
            events.push(Event::Resumed);
            clear(usb, io, reg::SIE_STATUS, 1 << 11);
        }
        events
    }

    fn buffers_done(&mut self, usb: &mut Usb, io: &mut Io, events: &mut Vec<Event>) {
        for n in 0..32 {
            let address = (n / 2) as u8 | if n % 2 == 0 { 0x80 } else { 0 };
            for _ in 0..2 {
                if read(usb, io, reg::BUFF_STATUS) & 1 << n == 0 {
                    break;
                }
                let buffer = read(usb, io, reg::BUFF_CPU_SHOULD_HANDLE) >> n & 1;
                clear(usb, io, reg::BUFF_STATUS, 1 << n);
                if let Some(transfer) = self.transfers.get_mut(&address)
                    && let Some(data) = transfer.buffer_done(usb, io, address, buffer)
                {
                    events.push(Event::Done(address, data));
                }
            }
        }
    }
}

impl Transfer {
    /// Fills a buffer, or asks for one to be filled: its half of the buffer control word.
    fn prepare(&mut self, usb: &mut Usb, io: &mut Io, address: u8, buffer: u32) -> u32 {
        let bytes = self.remaining.min(PACKET_BYTES);
        let mut half = bytes as u32 | AVAILABLE;
        if address & 0x80 != 0 {
            let from = self.data.len() - self.remaining;
            let data = self.data[from..from + bytes].to_vec();
            copy_in(usb, io, self.buffer_offset + 64 * buffer, &data);
            half |= FULL;
        }
        self.remaining -= bytes;
        half |= if self.data1 { DATA1 } else { 0 } | if self.remaining == 0 { LAST } else { 0 };
        self.data1 = !self.data1;
        half
    }

    /// Takes note of a buffer that is done; the data of the transfer when it is over.
    fn buffer_done(&mut self, usb: &mut Usb, io: &mut Io, address: u8, buffer: u32) -> Option<Vec<u8>> {
        if !self.active {
            return None;
        }
        let at = buffer_control(address) + 2 * buffer;
        let half = usb.dpram_read(at, 2);
        let bytes = (half & 0x3ff) as usize;
        if address & 0x80 == 0 {
            assert_ne!(half & FULL, 0, "a received buffer is full");
            let offset = self.buffer_offset + 64 * buffer;
            self.data.extend((0..bytes as u32).map(|n| usb.dpram_read(offset + n, 1) as u8));
            if bytes < PACKET_BYTES {
                self.remaining = 0;
            }
        } else {
            assert_eq!(half & (FULL | AVAILABLE), 0, "a sent buffer is empty");
        }
        if half & LAST != 0 || bytes < PACKET_BYTES {
            self.active = false;
            return Some(std::mem::take(&mut self.data));
        }
        if self.remaining > 0 {
            let half = self.prepare(usb, io, address, buffer);
            usb.dpram_write(at, 2, half & !AVAILABLE, io);
            usb.dpram_write(at, 2, half, io);
        }
        None
    }
}
