//! A chip under bytes on SPI, resets, waits and frames. Whatever comes: time goes on, what it sends is whole and in order on
//! the wire, a burst is the same as its bytes one by one, and after a reset it answers as at first.

use testing::w6100;
use units::Picoseconds;
use wiznet::{Chip, Duplex, LinkPartner, Model, Options, Speed};

use super::Input;
use super::frames::{Ends, Forge};

const MODELS: [Model; 4] = [Model::W5100, Model::W5100S, Model::W5200, Model::W5500];
/// The bit of the first byte that chooses the W6100, whatever the others choose.
const CHOOSES_W6100: u8 = 0x10;
const CLOCK_HZ: u64 = 10_000_000;
const CHIP: ([u8; 6], [u8; 4]) = ([2, 8, 0xDC, 1, 2, 3], [10, 0, 0, 2]);
const PEER: ([u8; 6], [u8; 4]) = ([2, 0, 0, 0, 0, 1], [10, 0, 0, 1]);
const CABLE: LinkPartner = LinkPartner { speed: Speed::Mbps100, duplex: Duplex::Full };
/// More events than this in one wait mean that time stands still: a frame a microsecond for a second.
const MOST_EVENTS: u32 = 1_000_000;

/// SPI byte streams with selects, resets and waits.
pub fn wiznet_spi(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let mut bench = Bench::new(input.byte());
    while !input.is_over() {
        bench.spi_happening(&mut input);
    }
    bench.check_reset();
    Ok(())
}

/// Frames into a chip whose sockets are open in several modes, with a driver that takes and sends now and then.
pub fn wiznet_frames(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let mut bench = Bench::new(input.byte());
    bench.prologue(input.byte());
    while !input.is_over() {
        bench.wire_happening(&mut input);
    }
    for n in 0..bench.sockets() {
        let stored = bench.read_word(n, 0x26);
        assert!(stored <= 0x4000, "{:?}: socket {n} holds {stored} bytes", bench.chip.model());
    }
    bench.check_reset();
    Ok(())
}

struct Bench {
    chip: Chip,
    now: Picoseconds,
    forge: Forge,
    /// When the wire is free after the last frame that was sent.
    wire_free: Picoseconds,
    cable: bool,
    reset: bool,
    selected: bool,
}

impl Bench {
    fn new(choice: u8) -> Self {
        let model = if choice & CHOOSES_W6100 == 0 { MODELS[usize::from(choice % 4)] } else { Model::W6100 };
        let link_up_time = Picoseconds::ZERO;
        let send_ok_waits_for_acknowledgement = choice & 4 != 0;
        let receive_time = Picoseconds::from_ns(if choice & 8 == 0 { 1_000 } else { 0 });
        let options =
            Options { link_up_time, send_ok_waits_for_acknowledgement, receive_time, ..Options::of(model) };
        let mut chip = Chip::new(options);
        chip.set_cable(Picoseconds::ZERO, Some(CABLE));
        let forge = Forge::new(Ends { sender: PEER, target: CHIP });
        let now = Picoseconds::ZERO;
        let mut bench = Self { chip, now, forge, wire_free: now, cable: true, reset: false, selected: false };
        bench.wait(Picoseconds::from_ns(200_000_000));
        if model == Model::W6100 {
            bench.write((0, w6100::NETLCKR.0), &[w6100::NETLCKR.1]);
        }
        for (address, value) in [(1, &PEER.1[..]), (5, &[255, 0, 0, 0]), (9, &CHIP.0), (15, &CHIP.1)] {
            bench.write((0, bench.common(address)), value);
        }
        bench
    }

    fn sockets(&self) -> u8 {
        if matches!(self.chip.model(), Model::W5100 | Model::W5100S) { 4 } else { 8 }
    }

    /// Lets time pass, and answers what the chip asks by ARP.
    fn wait(&mut self, time: Picoseconds) {
        let end = self.now + time;
        for _ in 0..MOST_EVENTS {
            self.take_sent();
            let Some(next) = self.chip.next_event().filter(|&next| next <= end) else {
                self.chip.advance(end);
                self.now = end;
                self.take_sent();
                return;
            };
            self.now = self.now.max(next);
            self.chip.advance(self.now);
        }
        panic!("time stands still at {}", self.now);
    }

    fn take_sent(&mut self) {
        while let Some(sent) = self.chip.take_sent() {
            assert!((60..=1514).contains(&sent.bytes.len()), "a frame of {} bytes", sent.bytes.len());
            assert!(sent.start >= self.wire_free, "frames overlap at {}", sent.start);
            self.wire_free = sent.start + Picoseconds::from_ns((sent.bytes.len() as i64 + 12) * 80);
            if let Some(answer) = self.forge.hear(&sent.bytes) {
                self.chip.receive(self.now, &answer, true);
            }
        }
    }

    /// Bytes in one burst.
    fn burst(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut answers = bytes.to_vec();
        self.chip.spi_burst(self.now, &mut answers, CLOCK_HZ);
        self.now = self.now + Picoseconds::from_ns(800 * bytes.len() as i64);
        self.take_sent();
        answers
    }

    /// Bytes in one burst, and the same one by one in a copy, and in another as many at once as stay inside the chip: the answers are
    /// the same.
    fn burst_and_bytes(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut copy = self.chip.clone();
        let (inside, next) = self.bytes_inside(bytes);
        let mut together = bytes.to_vec();
        self.chip.spi_burst(self.now, &mut together, CLOCK_HZ);
        let byte_time = Picoseconds::from_ns(800);
        for (sent, together) in bytes.iter().zip(&together) {
            self.now = self.now + byte_time;
            let alone = copy.spi_byte(self.now, *sent, CLOCK_HZ);
            assert_eq!(alone, *together, "{:?}: a burst is the same as its bytes", self.chip.model());
        }
        assert_eq!(
            inside,
            together,
            "{:?}: bytes that stay inside are the same as a burst",
            self.chip.model()
        );
        assert_eq!(copy.next_event(), self.chip.next_event(), "{:?}", self.chip.model());
        assert_eq!(next, self.chip.next_event(), "{:?}", self.chip.model());
        self.take_sent();
        together
    }

    /// What a copy of the chip answers that takes as many bytes at once as stay inside of it, and when it does something next.
    fn bytes_inside(&self, bytes: &[u8]) -> (Vec<u8>, Option<Picoseconds>) {
        let mut chip = self.chip.clone();
        let (mut now, mut answers, mut done) = (self.now, bytes.to_vec(), 0);
        while done < bytes.len() {
            let inside = chip.bytes_inside().min(bytes.len() - done);
            let after = |bytes: usize| now + Picoseconds::from_ns(800 * bytes as i64);
            let is_quiet = |&count: &usize| chip.next_event().is_none_or(|next| after(count) < next);
            let count = (1..=inside).rev().find(is_quiet).unwrap_or(0);
            now = after(count.max(1));
            match count {
                0 => answers[done] = chip.spi_byte(now, bytes[done], CLOCK_HZ),
                _ => chip.pass_inside(now, &mut answers[done..done + count], CLOCK_HZ),
            }
            done += count.max(1);
        }
        (answers, chip.next_event())
    }

    fn select(&mut self, selected: bool) {
        self.selected = selected;
        self.chip.select(self.now, selected);
    }

    fn transaction(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.select(true);
        let answer = self.burst(bytes);
        self.select(false);
        self.now = self.now + Picoseconds::from_ns(100);
        answer
    }

    fn header(&self, (block, address): (u8, u16), bytes: usize, write: bool) -> Vec<u8> {
        let [high, low] = address.to_be_bytes();
        match self.chip.model() {
            Model::W5500 | Model::W6100 => vec![high, low, block << 3 | u8::from(write) << 2],
            Model::W5200 => vec![high, low, u8::from(write) << 7 | (bytes >> 8) as u8 & 0x7F, bytes as u8],
            Model::W5100 | Model::W5100S => vec![if write { 0xF0 } else { 0x0F }, high, low],
        }
    }

    fn write(&mut self, (block, address): (u8, u16), data: &[u8]) {
        let step = if self.chip.model() == Model::W5100 { 1 } else { data.len().max(1) };
        for (n, piece) in (0..).zip(data.chunks(step)) {
            let header = self.header((block, address.wrapping_add(n)), piece.len(), true);
            self.transaction(&[&header, piece].concat());
        }
    }

    fn common(&self, address: u16) -> u16 {
        if self.chip.model() == Model::W6100 { w6100::common_address(address, true) } else { address }
    }

    fn register(&self, n: u8, offset: u16, write: bool) -> (u8, u16) {
        match self.chip.model() {
            Model::W6100 => (4 * n + 1, w6100::socket_offset(offset, write)),
            Model::W5500 => (4 * n + 1, offset),
            Model::W5200 => (0, 0x4000 + 0x100 * u16::from(n) + offset),
            Model::W5100 | Model::W5100S => (0, 0x0400 + 0x100 * u16::from(n) + offset),
        }
    }

    fn read_byte(&mut self, place: (u8, u16)) -> u8 {
        let header = self.header(place, 1, false);
        self.transaction(&[&header[..], &[0]].concat())[header.len()]
    }

    fn read_word(&mut self, n: u8, offset: u16) -> u16 {
        let high = self.read_byte(self.register(n, offset, false));
        let low = self.read_byte(self.register(n, offset + 1, false));
        u16::from_be_bytes([high, low])
    }

    fn write_socket(&mut self, n: u8, offset: u16, data: &[u8]) {
        self.write(self.register(n, offset, true), data);
    }

    fn command(&mut self, n: u8, code: u8) {
        self.write_socket(n, 1, &[code]);
        self.wait(Picoseconds::from_ns(10_000));
    }

    /// Sockets by the bits of a choice; all of the peer's ports that the forge knows lead somewhere.
    fn prologue(&mut self, choice: u8) {
        let modes: [(u8, u16); 4] =
            [[(4, 0), (1, 80), (3, 0), (2, 68)][usize::from(choice % 4)], (2, 5000), (1, 80), (1, 4000)];
        for (n, (mode, port)) in (0..).zip(modes) {
            let mode = if self.chip.model() == Model::W6100 { w6100::mode(mode) } else { mode };
            self.write_socket(n, 0, &[mode | choice & 0x20]);
            self.write_socket(n, 4, &port.to_be_bytes());
            self.write_socket(n, 0x0C, &PEER.1);
            self.write_socket(n, 0x10, &7000u16.to_be_bytes());
            self.command(n, 0x01);
        }
        for (n, code) in [(0, 0x02), (2, 0x02), (3, 0x04)] {
            self.command(n, code);
        }
        self.wait(Picoseconds::from_ns(1_000_000));
    }

    /// One thing that happens on SPI or to the chip's pins.
    fn spi_happening(&mut self, input: &mut Input<'_>) {
        let what = input.byte();
        match what {
            0x00..=0x4F => {
                let length = if what < 0x40 { usize::from(what) + 1 } else { 64 << (what & 7) };
                self.select(true);
                self.burst_and_bytes(input.take(length));
                self.select(false);
            }
            0x50..=0x5F => drop(self.burst_and_bytes(input.take(usize::from(what & 15) + 1))),
            0x60..=0x6F => self.select(what & 1 == 1),
            0x70..=0x8F => self.wait(Picoseconds::from_ns(1 << (what - 0x70))),
            0x90..=0x97 => self.plug(what & 1 == 1),
            0x98..=0x9F => self.set_reset(what & 1 == 1),
            0xA0..=0xA7 => {
                self.chip.record(what & 1 == 1);
                let accesses = self.chip.take_accesses();
                assert!(
                    accesses.iter().all(|access| access.start <= access.end && !access.meaning().is_empty())
                );
            }
            0xA8..=0xBF => {
                let frame = self.forge.frame(input);
                self.chip.receive(self.now, &frame, what & 7 != 7);
                self.wait(Picoseconds::from_ns(100_000));
            }
            0xC0..=0xDF => {
                let offset = u16::from(input.byte() % 0x38);
                self.write_socket(what >> 3 & 3, offset, input.take(usize::from(what & 7)));
            }
            _ => self.command(what & 7, input.byte()),
        }
    }

    fn plug(&mut self, plugged: bool) {
        self.cable = plugged;
        self.chip.set_cable(self.now, plugged.then_some(CABLE));
    }

    fn set_reset(&mut self, low: bool) {
        self.reset = low;
        self.chip.set_reset(self.now, !low);
    }

    /// One thing that happens on the wire, or that a driver does about it.
    fn wire_happening(&mut self, input: &mut Input<'_>) {
        let what = input.byte();
        let n = what & 3;
        match what >> 2 {
            0..=40 => {
                let frame = self.forge.frame(input);
                self.chip.receive(self.now, &frame, what != 0xA0);
                self.wait(Picoseconds::from_ns(20_000));
            }
            41..=46 => self.wait(Picoseconds::from_ns(1 << (input.byte() % 35))),
            47..=50 => {
                let (stored, read) = (self.read_word(n, 0x26), self.read_word(n, 0x28));
                self.write_socket(n, 0x28, &read.wrapping_add(stored).to_be_bytes());
                self.command(n, 0x40);
            }
            51..=56 => {
                let (free, written) = (self.read_word(n, 0x20), self.read_word(n, 0x24));
                let bytes = input.word() % free.max(1);
                self.write_socket(n, 0x24, &written.wrapping_add(bytes).to_be_bytes());
                self.command(n, if what & 0x80 == 0 { 0x21 } else { 0x20 });
            }
            57 => self.plug(!self.cable),
            _ => {
                let code = input.one_of(&[0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x22, 0x40]);
                self.command(n, code);
            }
        }
    }

    /// After a reset by its pin the chip has the registers of a new one.
    fn check_reset(&mut self) {
        if self.selected {
            self.select(false);
        }
        self.set_reset(true);
        self.wait(Picoseconds::from_ns(10_000_000));
        self.set_reset(false);
        self.wait(Picoseconds::from_ns(200_000_000));
        let is_late = matches!(self.chip.model(), Model::W5500 | Model::W6100);
        let rtr = self.common(if is_late { 0x19 } else { 0x17 });
        assert_eq!((self.read_byte((0, rtr)), self.read_byte((0, rtr + 1))), (0x07, 0xD0));
        for n in 0..self.sockets() {
            assert_eq!(self.read_byte(self.register(n, 3, false)), 0, "socket {n} is closed");
            assert_eq!(self.read_word(n, 0x26), 0, "socket {n} holds nothing");
            assert_eq!(self.read_word(n, 0x20), 2048, "socket {n} is free");
        }
    }
}
