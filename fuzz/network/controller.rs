//! What a driver's author can do with an SPI controller, in any order: chips, buses, frames, datagrams, captures of accesses.
//! Time goes on by what was asked for and no less, frames come in their order, and what is refused is refused in one line.

use std::net::Ipv4Addr;

use lan::{ChipId, Computing, Lan, NetworkSetup, SpiController};
use units::{Hertz, Picoseconds};
use wiznet::{Chip, Model, Options};

use super::Input;

const MODELS: [Model; 4] = [Model::W5100, Model::W5100S, Model::W5200, Model::W5500];
const MOST_CHIPS: usize = 3;

/// The first bytes choose network and chip, then things are done.
pub fn spi_controller(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let mut author = Author::new(&mut input);
    while !input.is_over() {
        author.does(&mut input);
    }
    Ok(())
}

struct Author {
    spi: SpiController,
    chips: Vec<ChipId>,
    last_frame: Picoseconds,
}

fn chip(choice: u8) -> Chip {
    let link_up_time = Picoseconds::from_ns(if choice & 4 == 0 { 1_000 } else { 50_000_000 });
    let model = if choice & 0x10 == 0 { MODELS[usize::from(choice % 4)] } else { Model::W6100 };
    Chip::new(Options {
        link_up_time,
        send_ok_waits_for_acknowledgement: choice & 8 != 0,
        ..Options::of(model)
    })
}

impl Author {
    fn new(input: &mut Input<'_>) -> Self {
        let mut setup = NetworkSetup::default();
        let choice = input.byte();
        if choice & 1 != 0 {
            setup.set_impairments("loss=5%,duplicate=5%,delay=1ms,jitter=500us").expect("they fit");
        }
        for traffic in [&["ping to=board interval=10ms"][..], &["ftp", "talk to=board:80 send=a"], &[], &[]]
            [usize::from(choice >> 1 & 3)]
        {
            setup.add_traffic(traffic).expect("it fits");
        }
        let mut lan = Lan::new(&setup);
        let first = lan.attach("chip", chip(choice >> 3));
        let clock = Hertz::new(1 << (choice % 27)).expect("not zero");
        Self { spi: SpiController::new(lan, first, clock), chips: vec![first], last_frame: Picoseconds::ZERO }
    }

    /// One thing, after which the time is not before what it was.
    fn does(&mut self, input: &mut Input<'_>) {
        let before = self.spi.now();
        let what = input.byte();
        match what {
            0..=0x3F => self.transacts(input.take(usize::from(what) + 1)),
            0x40..=0x4F => self.spi.select(what & 1 == 0),
            0x50..=0x5F => {
                let mut bytes = input.take(usize::from(what & 15)).to_vec();
                self.spi.transfer(&mut bytes);
            }
            0x60..=0x7F => self.waits(what & 31, what & 1 == 0),
            0x80..=0x87 => self.adds_or_turns(what),
            0x88..=0x8F => self.computes(input),
            0x90..=0x9F => self.watches(what),
            0xA0..=0xBF => {
                let length = usize::from(input.word()) % 1_600;
                one_line(self.spi.send_frame(input.take(length), what & 1 == 0));
            }
            0xC0..=0xCF => self.speaks(what, input),
            0xD0..=0xDF => self.spi.set_reset(what & 1 == 0),
            0xE0..=0xEF => {
                let (now, chip) = (self.spi.now(), self.spi.chip());
                self.spi.lan_mut().set_plugged(now, chip, what & 1 == 0);
            }
            _ => self.looks(),
        }
        assert!(self.spi.now() >= before, "time goes back from {before} to {}", self.spi.now());
    }

    fn transacts(&mut self, bytes: &[u8]) {
        let used = self.spi.used();
        self.spi.select(true);
        let mut moved = bytes.to_vec();
        self.spi.transfer(&mut moved);
        self.spi.select(false);
        assert_eq!(self.spi.used().bytes, used.bytes + bytes.len() as u64);
    }

    fn waits(&mut self, exponent: u8, for_interrupt: bool) {
        let (before, time) = (self.spi.now(), Picoseconds::from_ns(1 << (exponent % 27)));
        if for_interrupt {
            let end = before + time;
            let is_low = self.spi.wait_for_interrupt(end);
            assert!(is_low || self.spi.now() >= end, "it comes back early, without an interrupt");
            assert!(self.spi.now() <= end, "it waits for longer than it was told");
        } else {
            self.spi.wait(time);
            assert_eq!(self.spi.now(), before + time);
        }
    }

    fn adds_or_turns(&mut self, what: u8) {
        if what & 1 == 0 && self.chips.len() < MOST_CHIPS {
            let name = format!("chip-{}", self.chips.len() + 1);
            let id = self.spi.attach(&name, chip(what >> 1));
            self.chips.push(id);
            let bus = self.spi.add_bus(id, Hertz::new(8_000_000).expect("not zero"));
            assert_eq!(bus + 1, self.chips.len());
        }
        // One past the last is none, which changes nothing.
        self.spi.turn_to(usize::from(what >> 1) % (self.chips.len() + 1));
    }

    fn computes(&mut self, input: &mut Input<'_>) {
        let [least, spread] = [input.byte(), input.byte()].map(|byte| Picoseconds::from_ns(1 << (byte % 20)));
        self.spi.set_computing(Computing::new(least, spread, 1));
        let clock = Hertz::new(u64::from(input.long()).max(1)).expect("not zero");
        self.spi.set_clock(clock);
    }

    fn watches(&mut self, what: u8) {
        match what & 3 {
            0 => one_line(self.spi.keep_frames(what & 4 == 0)),
            1 => one_line(self.spi.record(what & 4 == 0)),
            2 => {
                for access in self.spi.take_accesses() {
                    assert!(access.start <= access.end && !access.meaning().is_empty());
                }
            }
            _ => {
                for frame in self.spi.take_frames() {
                    assert!(frame.start <= self.spi.now() && frame.bytes.len() >= 14, "{frame:?}");
                    self.last_frame = self.last_frame.max(frame.start);
                }
            }
        }
    }

    fn speaks(&mut self, what: u8, input: &mut Input<'_>) {
        const PORTS: [u16; 4] = [40_000, 53, 67, 5000];
        let port = PORTS[usize::from(what >> 1 & 3)];
        if what & 1 == 0 {
            if let Ok(datagrams) = self.spi.take_datagrams(port) {
                assert!(datagrams.iter().all(|one| one.at <= self.spi.now()));
            }
            return;
        }
        let to = Ipv4Addr::from(
            [[192, 168, 1, 50], [255; 4], [239, 1, 2, 3], [0; 4]][usize::from(input.byte() & 3)],
        );
        let to = (to, input.word());
        let length = usize::from(input.word()) % 1_600;
        one_line(self.spi.send_datagram(port, to, input.take(length)));
    }

    /// What is asked for when all is done.
    fn looks(&mut self) {
        let lan = self.spi.lan();
        for results in lan.results() {
            assert!(!results.results.summary.contains('\n'), "{}", results.results.summary);
        }
        let dropped = self.spi.dropped();
        assert!(dropped.to_chip.iter().chain(&dropped.from_chip).all(|(reason, _)| !reason.is_empty()));
        let _ = self.spi.interrupt_is_low();
    }
}

fn one_line(result: Result<(), String>) {
    if let Err(message) = result {
        assert!(!message.is_empty() && !message.contains('\n'), "{message}");
    }
}
