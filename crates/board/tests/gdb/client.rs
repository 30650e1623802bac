//! A small client of the GDB remote protocol, and the board that it talks to.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use board::gdb::{GdbEnd, GdbServer};
use mcu::image::LoadOptions;
use record::Control;
use rp2040::chip::{Rp2040, Setup};

/// Counts at 0x20000100: LDR R0, MOVS R1, then ADDS, STR, LDR and B in a loop.
pub(crate) const COUNT: u32 = 0x1000_0040;
pub(crate) const LOOP: u32 = 0x1000_0044;
pub(crate) const COUNTER: u32 = 0x2000_0100;
/// Reads from 0x30000000.
pub(crate) const FAULTS: u32 = 0x1000_0060;
/// B to itself, the handler of faults.
pub(crate) const FAULT_HANDLER: u32 = 0x1000_0070;
/// BKPT #3, then semihosting's exit.
pub(crate) const TRAPS: u32 = 0x1000_0080;
/// Launches core 1 and counts.
pub(crate) const BOTH: u32 = 0x1000_00a0;
/// What core 1 does: it counts at 0x20000200.
pub(crate) const SECOND_LOOP: u32 = 0x1000_0104;
pub(crate) const SECOND_COUNTER: u32 = 0x2000_0200;
/// Sleeps until an interrupt comes.
pub(crate) const SLEEPS: u32 = 0x1000_0118;

/// The code: `count` at 0x40, `fault` at 0x60, two handlers at 0x70, `trap` at 0x80, `both` at 0xa0 with what it sends to
/// core 1 at 0xe0, `second` at 0x100, `sleeper` at 0x118. `.` pads.
const CODE: [(usize, &[u16]); 8] = [
    (0x40, &[0x4802, 0x2100, 0x3101, 0x6001, 0x6802, 0xe7fb, 0x0100, 0x2000]),
    (0x60, &[0x4800, 0x6801, 0x0000, 0x3000]),
    (0x70, &[0xe7fe, 0x4770]),
    (0x80, &[0xbe03, 0x2107, 0x2018, 0x4901, 0xbeab, 0x0000, 0x0026, 0x0002]),
    (
        0xa0,
        &[
            0x4806, 0x4c07, 0x2500, 0x5961, 0x6541, 0xbf40, 0x6d02, 0x0852, 0xd3fc, 0x6d82, 0x3504, 0x2d18,
            0xd1f5, 0xe7c1, 0x0000, 0xd000, 0x00e0, 0x1000,
        ],
    ),
    (0xe0, &[0, 0, 0, 0, 1, 0, 0x0000, 0x1000, 0x1000, 0x2004, 0x0101, 0x1000]),
    (0x100, &[0x4802, 0x2100, 0x3101, 0x6001, 0x46c0, 0xe7fb, 0x0200, 0x2000]),
    (0x118, &[0x4802, 0x2101, 0xbf30, 0x3101, 0xe7fa, 0x0000, 0x0100, 0x2000]),
];

/// An image for flash that starts at `entry`, its vector table first.
pub(crate) fn image_bytes(entry: u32) -> Vec<u8> {
    let mut bytes = vec![0; 0x140];
    let vectors = [(0, 0x2004_2000), (4, entry | 1), (12, FAULT_HANDLER | 1), (60, (FAULT_HANDLER + 2) | 1)];
    for (at, word) in vectors {
        bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(word));
    }
    for (start, halfwords) in CODE {
        for (i, halfword) in halfwords.iter().enumerate() {
            bytes[start + 2 * i..][..2].copy_from_slice(&halfword.to_le_bytes());
        }
    }
    bytes
}

pub(crate) fn chip(entry: u32) -> Rp2040 {
    let image = rp2040::load_image(&image_bytes(entry), "own.bin", &LoadOptions::default()).unwrap();
    let mut chip = Rp2040::new(&Setup::default()).unwrap();
    chip.load(&image).unwrap();
    chip
}

/// A board that is served on a free port in a thread of its own.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) control: Arc<Control>,
    thread: JoinHandle<(Rp2040, GdbEnd)>,
}

impl Served {
    pub(crate) fn new(mut chip: Rp2040) -> Self {
        let server = GdbServer::bind(":0").unwrap();
        let address = server.address();
        let control = Arc::new(Control::default());
        let inner = Arc::clone(&control);
        let thread = std::thread::spawn(move || {
            let end = server.serve(&mut chip, &inner, &mut |_| {}).unwrap();
            (chip, end)
        });
        Self { address, control, thread }
    }

    /// How it ended.
    pub(crate) fn end(self) -> (Rp2040, GdbEnd) {
        self.thread.join().unwrap()
    }

    pub(crate) fn stop(self) -> (Rp2040, GdbEnd) {
        self.control.stop();
        self.end()
    }
}

/// A client.
pub(crate) struct Client {
    stream: TcpStream,
    /// What was said to the user.
    pub(crate) told: String,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut client = Self { stream, told: String::new() };
        let supported = client.ask("qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+");
        assert!(supported.contains("qXfer:memory-map:read+"), "{supported}");
        assert_eq!(client.ask("QStartNoAckMode"), "OK");
        client
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, body: &str) {
        self.send_bytes(body.as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, body: &[u8]) {
        let checksum = body.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
        let packet = [b"$", body, format!("#{checksum:02x}").as_bytes()].concat();
        self.write(&packet);
    }

    /// The next answer; what is said to the user is kept aside.
    pub(crate) fn answer(&mut self) -> String {
        loop {
            let body = self.packet();
            match body.strip_prefix('O') {
                Some(hex) if body != "OK" => self.told += &text_of(hex),
                _ => return body,
            }
        }
    }

    pub(crate) fn ask(&mut self, body: &str) -> String {
        self.send(body);
        self.answer()
    }

    fn byte(&mut self) -> u8 {
        let mut byte = [0];
        self.stream.read_exact(&mut byte).unwrap();
        byte[0]
    }

    fn packet(&mut self) -> String {
        while self.byte() != b'$' {}
        let mut raw = Vec::new();
        loop {
            match self.byte() {
                b'#' => break,
                byte => raw.push(byte),
            }
        }
        let checksum = String::from_utf8(vec![self.byte(), self.byte()]).unwrap();
        let sum = raw.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
        assert_eq!(checksum, format!("{sum:02x}"));
        let mut body = String::new();
        let mut bytes = raw.into_iter();
        while let Some(byte) = bytes.next() {
            if byte == b'*' {
                let last = body.chars().last().unwrap();
                let count = bytes.next().unwrap() - 29;
                body.extend(std::iter::repeat_n(last, usize::from(count)));
            } else {
                body.push(char::from(byte));
            }
        }
        body
    }

    pub(crate) fn register(&mut self, thread: u32, number: u32) -> u32 {
        assert_eq!(self.ask(&format!("Hgp1.{thread}")), "OK");
        word(&self.ask(&format!("p{number:x}")))
    }

    pub(crate) fn set_register(&mut self, thread: u32, number: u32, value: u32) {
        assert_eq!(self.ask(&format!("Hgp1.{thread}")), "OK");
        assert_eq!(self.ask(&format!("P{number:x}={:08x}", value.swap_bytes())), "OK");
    }

    pub(crate) fn pc(&mut self, thread: u32) -> u32 {
        self.register(thread, 15)
    }

    pub(crate) fn word(&mut self, address: u32) -> u32 {
        word(&self.ask(&format!("m{address:x},4")))
    }

    pub(crate) fn set_word(&mut self, address: u32, value: u32) {
        assert_eq!(self.ask(&format!("M{address:x},4:{:08x}", value.swap_bytes())), "OK");
    }

    pub(crate) fn monitor(&mut self, command: &str) -> String {
        self.told.clear();
        let hex: String = command.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(self.ask(&format!("qRcmd,{hex}")), "OK");
        self.told.clone()
    }

    /// The cycle that `monitor time` tells.
    pub(crate) fn cycle(&mut self) -> u64 {
        let time = self.monitor("time");
        let after = time.split("cycle ").nth(1).unwrap();
        after.split(' ').next().unwrap().parse().unwrap()
    }
}

fn text_of(hex: &str) -> String {
    let digits: Vec<char> = hex.chars().collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    String::from_utf8(digits.chunks(2).map(byte).collect()).unwrap()
}

fn word(hex: &str) -> u32 {
    let value = u32::from_str_radix(hex, 16).unwrap_or_else(|_| panic!("{hex:?} is no word"));
    value.swap_bytes()
}
