//! The firmware of a composite device (serial port, disk, keyboard with mouse) over driver.rs, and the rig that runs it
//! against the host in virtual time.

use units::Picoseconds;

use super::super::Usb;
use super::driver::{Driver, Event};
use crate::io::Io;
use crate::lines::Irq;
use crate::peripherals::{Peripheral, Source};

pub(super) const SERIAL_OUT: u8 = 0x02;
pub(super) const SERIAL_IN: u8 = 0x82;
pub(super) const DISK_OUT: u8 = 0x03;
pub(super) const DISK_IN: u8 = 0x83;
pub(super) const INPUT_IN: u8 = 0x84;
pub(super) const DISK_SECTORS: usize = 64;

/// Keyboard as report 1, mouse as report 2 (HID 1.11 appendix B, with report numbers).
#[rustfmt::skip]
const REPORT_DESCRIPTOR: &[u8] = &[
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x85, 0x01, 0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01, 0x95, 0x06, 0x75, 0x08, 0x15, 0x00,
    0x26, 0xff, 0x00, 0x05, 0x07, 0x19, 0x00, 0x29, 0xff, 0x81, 0x00, 0xc0,
    0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x85, 0x02, 0x09, 0x01, 0xa1, 0x00, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03,
    0x15, 0x00, 0x25, 0x01, 0x95, 0x03, 0x75, 0x01, 0x81, 0x02, 0x95, 0x01, 0x75, 0x05, 0x81, 0x01, 0x05, 0x01,
    0x09, 0x30, 0x09, 0x31, 0x15, 0x81, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06, 0xc0, 0xc0,
];

#[rustfmt::skip]
pub(super) fn configuration() -> Vec<u8> {
    let mut bytes = vec![
        9, 2, 0, 0, 4, 1, 0, 0x80, 50,
        // The serial port: control and data interface.
        8, 11, 0, 2, 2, 2, 0, 0,
        9, 4, 0, 0, 1, 2, 2, 0, 4, 5, 0x24, 0, 0x10, 1, 5, 0x24, 1, 0, 1, 4, 0x24, 2, 2, 5, 0x24, 6, 0, 1,
        7, 5, 0x81, 3, 8, 0, 16,
        9, 4, 1, 0, 2, 10, 0, 0, 0, 7, 5, 0x02, 2, 64, 0, 0, 7, 5, 0x82, 2, 64, 0, 0,
        // The disk.
        9, 4, 2, 0, 2, 8, 6, 0x50, 0, 7, 5, 0x03, 2, 64, 0, 0, 7, 5, 0x83, 2, 64, 0, 0,
        // Keyboard and mouse.
        9, 4, 3, 0, 1, 3, 0, 0, 0, 9, 0x21, 0x11, 1, 0, 1, 0x22, REPORT_DESCRIPTOR.len() as u8, 0,
        7, 5, 0x84, 3, 16, 0, 10,
    ];
    let length = bytes.len() as u16;
    bytes[2..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// The firmware.
#[derive(Debug, Clone)]
pub(super) struct Firmware {
    pub(super) driver: Driver,
    pub(super) device: Vec<u8>,
    pub(super) configuration: Vec<u8>,
    pub(super) strings: Vec<String>,
    pub(super) setups: Vec<[u8; 8]>,
    pub(super) events: Vec<Event>,
    pub(super) configured: bool,
    pub(super) line_state: u16,
    pub(super) line_coding: Vec<u8>,
    /// What goes out over the serial port.
    pub(super) printed: Vec<u8>,
    pub(super) echoes: bool,
    pub(super) disk: Vec<u8>,
    /// Operation codes of the commands that the disk got.
    pub(super) commands: Vec<u8>,
    /// The disk refuses this operation: STALL in the data stage, status 1.
    pub(super) refuses: Option<u8>,
    pub(super) reports: Vec<Vec<u8>>,
    pending_address: Option<u8>,
    empty_packet_due: bool,
    data_out: Option<[u8; 8]>,
    /// The status that follows the data stage on the bus.
    status: Option<[u8; 13]>,
    writing: Option<(usize, usize, [u8; 4])>,
}

impl Firmware {
    fn new() -> Self {
        Self {
            driver: Driver::default(),
            device: vec![18, 1, 0x00, 0x02, 0xef, 2, 1, 64, 0x8a, 0x2e, 0x0a, 0, 0, 1, 1, 2, 3, 1],
            configuration: configuration(),
            strings: ["Maker", "Thing", "0123456789abcdef0123456789abcde", "Port"].map(String::from).to_vec(),
            setups: Vec::new(),
            events: Vec::new(),
            configured: false,
            line_state: 0,
            line_coding: Vec::new(),
            printed: Vec::new(),
            echoes: true,
            disk: (0..DISK_SECTORS * 512).map(|n| (n / 512 + n) as u8).collect(),
            commands: Vec::new(),
            refuses: None,
            reports: Vec::new(),
            pending_address: None,
            empty_packet_due: false,
            data_out: None,
            status: None,
            writing: None,
        }
    }

    fn string(&self, index: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0, 3];
        match index {
            0 => bytes.extend([0x09, 0x04]),
            _ => bytes.extend(self.strings.get(index - 1)?.encode_utf16().flat_map(u16::to_le_bytes)),
        }
        bytes[0] = bytes.len() as u8;
        Some(bytes)
    }

    fn answer(&self, setup: &[u8; 8]) -> Option<Vec<u8>> {
        match *setup {
            [0x80, 6, _, 1, ..] => Some(self.device.clone()),
            [0x80, 6, _, 2, ..] => Some(self.configuration.clone()),
            [0x80, 6, index, 3, ..] => self.string(usize::from(index)),
            [0x81, 6, _, 0x22, ..] => Some(REPORT_DESCRIPTOR.to_vec()),
            [0xa1, 0xfe, ..] => Some(vec![0]),
            _ => None,
        }
    }

    fn setup(&mut self, setup: [u8; 8], usb: &mut Usb, io: &mut Io) {
        self.setups.push(setup);
        let length = usize::from(u16::from_le_bytes([setup[6], setup[7]]));
        if setup[0] & 0x80 != 0 {
            match self.answer(&setup) {
                Some(mut data) => {
                    data.truncate(length);
                    // Less than the host asks for, in whole packets: an empty one has to say that it is all.
                    self.empty_packet_due = data.len() < length && data.len() % 64 == 0;
                    self.driver.send(usb, io, 0x80, &data);
                }
                None => self.driver.stall(usb, io, 0x80),
            }
            return;
        }
        match setup {
            [0x00, 5, address, ..] => self.pending_address = Some(address),
            [0x00, 9, 1, ..] => self.configure(usb, io),
            [0x21, 0x22, low, high, ..] => self.line_state = u16::from_le_bytes([low, high]),
            [0x02, 1, 0, 0, address, ..] => {
                self.driver.clear_stall(usb, io, address);
                self.halt_cleared(address, usb, io);
            }
            [0x21, 0x0a | 0xff, ..] | [0x21, 0x20, ..] => {}
            _ => return self.driver.stall(usb, io, 0x80),
        }
        if length == 0 {
            self.driver.send(usb, io, 0x80, &[]);
        } else {
            self.data_out = Some(setup);
            self.driver.receive(usb, io, 0x00, length);
        }
    }

    fn configure(&mut self, usb: &mut Usb, io: &mut Io) {
        let endpoints =
            [(0x81, 3), (SERIAL_OUT, 2), (SERIAL_IN, 2), (DISK_OUT, 2), (DISK_IN, 2), (INPUT_IN, 3)];
        for (address, kind) in endpoints {
            self.driver.open(usb, io, address, kind);
        }
        self.driver.receive(usb, io, SERIAL_OUT, 64);
        self.driver.receive(usb, io, DISK_OUT, 31);
        self.configured = true;
    }

    fn done(&mut self, address: u8, data: &[u8], usb: &mut Usb, io: &mut Io) {
        match address {
            0x80 => {
                if let Some(address) = self.pending_address.take() {
                    super::driver::write(usb, io, super::super::registers::ADDR_ENDP, u32::from(address));
                } else if std::mem::take(&mut self.empty_packet_due) {
                    self.driver.send(usb, io, 0x80, &[]);
                } else if self.setups.last().is_some_and(|setup| setup[0] & 0x80 != 0) {
                    self.driver.receive(usb, io, 0x00, 0);
                }
            }
            0x00 if self.data_out.take().is_some_and(|setup| setup[1] == 0x20) => {
                self.line_coding = data.to_vec();
                self.driver.send(usb, io, 0x80, &[]);
            }
            SERIAL_OUT => {
                if self.echoes {
                    self.printed.extend(data);
                }
                self.driver.receive(usb, io, SERIAL_OUT, 64);
            }
            DISK_OUT => self.disk_out(data, usb, io),
            DISK_IN => {
                if let Some(status) = self.status.take() {
                    self.driver.send(usb, io, DISK_IN, &status);
                } else {
                    self.driver.receive(usb, io, DISK_OUT, 31);
                }
            }
            _ => {}
        }
    }

    fn halt_cleared(&mut self, address: u8, usb: &mut Usb, io: &mut Io) {
        if address == DISK_IN
            && let Some(status) = self.status.take()
        {
            self.driver.send(usb, io, DISK_IN, &status);
        }
    }

    fn disk_out(&mut self, data: &[u8], usb: &mut Usb, io: &mut Io) {
        let status = |tag: [u8; 4], code: u8| {
            let [a, b, c, d] = tag;
            [0x55, 0x53, 0x42, 0x53, a, b, c, d, 0, 0, 0, 0, code]
        };
        if let Some((at, bytes, tag)) = self.writing.take() {
            let sectors = self.disk.get_mut(at..at + bytes).filter(|sectors| sectors.len() == data.len());
            let ok = sectors.map(|sectors| sectors.copy_from_slice(data)).is_some();
            return self.driver.send(usb, io, DISK_IN, &status(tag, u8::from(!ok)));
        }
        if data.len() != 31 {
            // Not a command at all.
            return self.driver.receive(usb, io, DISK_OUT, 31);
        }
        let tag = [data[4], data[5], data[6], data[7]];
        let asked = u32::from_le_bytes([data[8], data[9], data[10], data[11]]) as usize;
        let (first, sectors) = (usize::from(data[20]), usize::from(data[23]));
        self.commands.push(data[15]);
        if self.refuses == Some(data[15]) {
            self.status = Some(status(tag, 1));
            return self.driver.stall(usb, io, DISK_IN);
        }
        let answer = match data[15] {
            0x12 => [&[0, 0x80, 2, 2, 31, 0, 0, 0], b"Maker   Thing disk      1.0 ".as_slice()].concat(),
            0x25 => vec![0, 0, 0, DISK_SECTORS as u8 - 1, 0, 0, 2, 0],
            0x1a => vec![3, 0, 0, 0],
            0x03 => vec![0x70; 18],
            0x28 => self.disk.get(first * 512..(first + sectors) * 512).unwrap_or(&[]).to_vec(),
            0x2a => {
                self.writing = Some((first * 512, asked, tag));
                return self.driver.receive(usb, io, DISK_OUT, asked);
            }
            _ => Vec::new(),
        };
        if asked == 0 {
            return self.driver.send(usb, io, DISK_IN, &status(tag, 0));
        }
        self.status = Some(status(tag, 0));
        self.driver.send(usb, io, DISK_IN, &answer);
    }

    fn interrupt(&mut self, usb: &mut Usb, io: &mut Io) {
        for event in self.driver.interrupt(usb, io) {
            match &event {
                Event::Setup(setup) => self.setup(*setup, usb, io),
                Event::Done(address, data) => self.done(*address, data, usb, io),
                Event::BusReset => {
                    (self.configured, self.line_state, self.empty_packet_due) = (false, 0, false);
                    (self.pending_address, self.data_out, self.status, self.writing) =
                        (None, None, None, None);
                }
                _ => {}
            }
            if !matches!(event, Event::Done(..) | Event::Setup(_)) {
                self.events.push(event);
            }
        }
    }

    /// The main loop's share.
    fn work(&mut self, usb: &mut Usb, io: &mut Io) {
        if !self.configured {
            return;
        }
        if self.line_state & 1 != 0 && !self.printed.is_empty() && !self.driver.busy(SERIAL_IN) {
            let data = std::mem::take(&mut self.printed);
            self.driver.send(usb, io, SERIAL_IN, &data);
        }
        if !self.reports.is_empty() && !self.driver.busy(INPUT_IN) {
            let report = self.reports.remove(0);
            self.driver.send(usb, io, INPUT_IN, &report);
        }
    }
}

/// The firmware, the controller and the host.
#[derive(Debug, Clone)]
pub(super) struct Rig<F = Firmware> {
    pub(super) usb: Usb,
    pub(super) firmware: F,
    /// From the interrupt to its handler.
    pub(super) latency: Picoseconds,
    /// Events of the host so far.
    pub(super) events: u64,
}

impl Rig {
    pub(super) fn new() -> Self {
        Self { usb: Usb::new(), firmware: Firmware::new(), latency: Picoseconds::from_ns(2_000), events: 0 }
    }

    pub(super) fn start(&mut self, io: &mut Io) {
        io.clocks.usb_hz = 48_000_000;
        self.firmware.driver.start(&mut self.usb, io);
    }

    /// Runs until a time.
    pub(super) fn run(&mut self, io: &mut Io, until: Picoseconds) {
        let mut handler = None;
        for _ in 0..2_000_000 {
            if io.lines.irq() >> Irq::USBCTRL.0 & 1 == 1 {
                handler = handler.or(Some(io.now + self.latency));
            }
            let host = io.due(Source::UsbHost);
            let Some(next) = host.into_iter().chain(handler).min().filter(|&next| next <= until) else {
                io.now = until;
                return;
            };
            io.now = next;
            if handler == Some(next) {
                handler = None;
                self.firmware.interrupt(&mut self.usb, io);
                self.firmware.work(&mut self.usb, io);
            } else {
                self.events += 1;
                io.cancel(Source::UsbHost);
                self.usb.wake(Source::UsbHost, io);
            }
        }
        panic!("the rig does not come to rest");
    }

    /// Runs so much longer.
    pub(super) fn run_for(&mut self, io: &mut Io, us: i64) {
        self.run(io, io.now + Picoseconds::from_ns(us * 1_000));
    }

    /// The firmware has something to print.
    pub(super) fn print(&mut self, io: &mut Io, bytes: &[u8]) {
        self.firmware.printed.extend(bytes);
        self.firmware.work(&mut self.usb, io);
    }

    pub(super) fn console(&mut self) -> Vec<u8> {
        self.usb.take_console().into_iter().map(|(_, byte)| byte).collect()
    }
}
