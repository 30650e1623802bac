//! A driver that moves the pins.

use cyw43::{AccessPoint, Chip, Command, Function, Joiner, Latencies, Options, Passive, Security, WordOrder};
use units::Picoseconds;

/// 31.25 MHz.
const HALF_BIT: Picoseconds = Picoseconds::new(16_000);

/// At which edge of the clock a driver takes the chip's bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    AtRise,
    AtFall,
}

pub(crate) const ADDRESS: [u8; 6] = [0x28, 0xcd, 0xc1, 1, 2, 3];
pub(crate) const RAM_BYTES: u32 = 0x8_0000;
const ARM: u32 = 0x1810_3000;

/// How a driver sets the bus up: the first word that it writes, and what follows from that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Habit {
    pub(crate) config: u32,
    pub(crate) order: WordOrder,
    pub(crate) status: bool,
}

/// The Pico SDK's driver and PicoWi without status words, Embassy and soypat with them.
pub(crate) const HABITS: [Habit; 3] = [
    Habit { config: 0x0002_04b3, order: WordOrder::LowFirst, status: false },
    Habit { config: 0x0003_04b1, order: WordOrder::HighFirst, status: true },
    Habit { config: 0x0002_00b3, order: WordOrder::LowFirst, status: false },
];

#[derive(Clone)]
pub(crate) struct Driver {
    pub(crate) chip: Chip,
    pub(crate) now: Picoseconds,
    pub(crate) order: WordOrder,
    pub(crate) status: bool,
    pub(crate) half_bit: Picoseconds,
    pub(crate) takes: Takes,
    /// Status words as they came.
    pub(crate) last_status: u32,
    sequence: u8,
    id: u16,
}

pub(crate) fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * units::PS_PER_MS)
}

pub(crate) fn access_point(name: Option<&str>, security: Security, key: Option<&str>) -> AccessPoint {
    AccessPoint {
        ssid: name.map(str::to_owned),
        bssid: [2, 0, 0, 0, 0, 1],
        channel: 6,
        security,
        passphrase: key.map(str::to_owned),
        rssi_dbm: -40,
        gone_at: None,
        back_at: None,
        throws_out_at: None,
    }
}

impl Driver {
    pub(crate) fn new(air: Vec<AccessPoint>) -> Self {
        Self::among(air, Vec::new())
    }

    /// One among access points and stations that join the chip's own network.
    pub(crate) fn among(air: Vec<AccessPoint>, joiners: Vec<Joiner>) -> Self {
        let latencies = Latencies { receive: ms(1), transmit: ms(1) };
        let mut chip = Chip::new(Options { address: ADDRESS, latencies, air, joiners });
        chip.set_power(ms(1), true);
        let order = WordOrder::default();
        let (half_bit, takes) = (HALF_BIT, Takes::AtFall);
        Self { chip, now: ms(50), order, status: false, half_bit, takes, last_status: 0, sequence: 0, id: 0 }
    }

    /// One whose bus is set up.
    pub(crate) fn with(habit: Habit, air: Vec<AccessPoint>) -> Self {
        let mut driver = Self::new(air);
        driver.begin(habit);
        driver
    }

    /// Sets the bus up of a chip that has just got power.
    pub(crate) fn begin(&mut self, habit: Habit) {
        (self.order, self.status, self.sequence) = (WordOrder::default(), false, 0);
        self.write(Function::Bus, 0, 4, habit.config);
        (self.order, self.status) = (habit.order, habit.status);
    }

    pub(crate) fn wait(&mut self, time: Picoseconds) {
        self.now = self.now + time;
        self.chip.advance(self.now);
    }

    fn put(&mut self, word: u32) {
        let word = self.order.swap(word);
        for bit in (0..32).rev() {
            self.now = self.now + self.half_bit;
            self.chip.clock_rises(self.now, word >> bit & 1 == 1);
            self.now = self.now + self.half_bit;
            self.chip.clock_falls(self.now);
        }
    }

    /// A bit is taken as it is just before the edge.
    fn get(&mut self) -> u32 {
        let mut word = 0;
        for _ in 0..32 {
            self.now = self.now + self.half_bit;
            let before_rise = self.chip.line();
            self.chip.clock_rises(self.now, false);
            self.now = self.now + self.half_bit;
            let before_fall = self.chip.line();
            self.chip.clock_falls(self.now);
            let taken = if self.takes == Takes::AtRise { before_rise } else { before_fall };
            word = word << 1 | u32::from(taken == Some(true));
        }
        self.order.swap(word)
    }

    fn transfer(&mut self, command: &Command, within: impl FnOnce(&mut Self)) {
        self.chip.select(self.now, true);
        self.put(command.word());
        within(self);
        if self.status {
            self.last_status = self.get();
        }
        self.now = self.now + self.half_bit;
        self.chip.select(self.now, false);
    }

    pub(crate) fn write_bytes(&mut self, function: Function, address: u32, bytes: &[u8]) {
        let command =
            Command { is_write: true, increments: true, function, address, bytes: bytes.len() as u32 };
        self.transfer(&command, |driver| {
            for word in bytes.chunks(4) {
                let mut whole = [0; 4];
                whole[..word.len()].copy_from_slice(word);
                driver.put(u32::from_le_bytes(whole));
            }
        });
    }

    pub(crate) fn read_bytes(&mut self, function: Function, address: u32, bytes: usize) -> Vec<u8> {
        let command = Command { is_write: false, increments: true, function, address, bytes: bytes as u32 };
        let mut read = Vec::new();
        self.transfer(&command, |driver| {
            if function == Function::Backplane {
                driver.get();
            }
            while read.len() < bytes {
                read.extend(driver.get().to_le_bytes());
            }
        });
        read.truncate(bytes);
        read
    }

    pub(crate) fn write(&mut self, function: Function, address: u32, bytes: usize, value: u32) {
        self.write_bytes(function, address, &value.to_le_bytes()[..bytes]);
    }

    pub(crate) fn read(&mut self, function: Function, address: u32, bytes: usize) -> u32 {
        let mut value = [0; 4];
        value[..bytes].copy_from_slice(&self.read_bytes(function, address, bytes));
        u32::from_le_bytes(value)
    }

    fn window(&mut self, address: u32) -> u32 {
        for (register, shift) in [(0x1_000a, 8), (0x1_000b, 16), (0x1_000c, 24)] {
            let mask = if shift == 8 { 0x80 } else { 0xff };
            self.write(Function::Backplane, register, 1, address >> shift & mask);
        }
        address & 0x7fff | 0x8000
    }

    pub(crate) fn write_backplane(&mut self, address: u32, bytes: &[u8]) {
        for (n, block) in bytes.chunks(64).enumerate() {
            let at = self.window(address + 64 * n as u32);
            self.write_bytes(Function::Backplane, at, block);
        }
    }

    pub(crate) fn read_backplane(&mut self, address: u32, bytes: usize) -> Vec<u8> {
        let at = self.window(address);
        self.read_bytes(Function::Backplane, at, bytes)
    }

    pub(crate) fn set_core(&mut self, control: u32, reset: u32) {
        self.write_backplane(ARM + 0x408, &control.to_le_bytes());
        self.write_backplane(ARM + 0x800, &reset.to_le_bytes());
    }

    /// Uploads something in the place of firmware, and NVRAM with its token.
    pub(crate) fn upload(&mut self, token: u32) {
        let image: Vec<u8> = (0..4096u32).map(|n| (n * 7 + 1) as u8).collect();
        self.write_backplane(0, &image);
        self.write_backplane(RAM_BYTES - 4, &token.to_le_bytes());
    }

    /// Starts the firmware and waits for it.
    pub(crate) fn start(&mut self) {
        self.upload(186 | !186 << 16);
        self.set_core(1, 0);
        self.wait(ms(200));
        assert!(self.is_ready(), "function 2 is ready");
        self.write(Function::Bus, 0x06, 2, 0x00be);
        while self.take_frame().is_some() {}
    }

    pub(crate) fn status_register(&mut self) -> u32 {
        self.read(Function::Bus, 0x08, 4)
    }

    pub(crate) fn is_ready(&mut self) -> bool {
        self.status_register() >> 5 & 1 == 1
    }

    /// The frame that waits: its channel, and what is behind the header.
    pub(crate) fn take_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let frame = self.take_whole_frame()?;
        let start = usize::from(frame[7]);
        Some((frame[5], frame[start.min(frame.len())..].to_vec()))
    }

    /// The same with its header.
    pub(crate) fn take_whole_frame(&mut self) -> Option<Vec<u8>> {
        let status = self.status_register();
        if status >> 8 & 1 == 0 {
            return None;
        }
        let bytes = (status >> 9 & 0x7ff) as usize;
        let frame = self.read_bytes(Function::Wlan, 0, bytes);
        assert_eq!(usize::from(u16::from_le_bytes([frame[0], frame[1]])), bytes, "as the status says");
        Some(frame)
    }

    fn send(&mut self, channel: u8, body: &[u8]) {
        let total = 12 + body.len();
        let mut frame = vec![0; 12];
        frame[0..2].copy_from_slice(&(total as u16).to_le_bytes());
        frame[2..4].copy_from_slice(&(!(total as u16)).to_le_bytes());
        (frame[4], frame[5], frame[7]) = (self.sequence, channel, 12);
        self.sequence = self.sequence.wrapping_add(1);
        frame.extend(body);
        self.write_bytes(Function::Wlan, 0, &frame);
    }

    /// Asks the firmware; the answer's data. What comes before is thrown away.
    pub(crate) fn ask(&mut self, command: u32, sets: bool, data: &[u8]) -> Vec<u8> {
        self.ask_from(0, command, sets, data)
    }

    /// Asks for one of the interfaces.
    pub(crate) fn ask_from(&mut self, interface: u16, command: u32, sets: bool, data: &[u8]) -> Vec<u8> {
        self.id += 1;
        let mut body = command.to_le_bytes().to_vec();
        body.extend((data.len() as u32).to_le_bytes());
        body.extend((u16::from(sets) << 1 | interface << 12).to_le_bytes());
        body.extend(self.id.to_le_bytes());
        body.extend([0; 4]);
        body.extend(data);
        self.send(0, &body);
        for _ in 0..100 {
            self.wait(ms(1));
            while let Some((channel, body)) = self.take_frame() {
                if channel == 0 && body[10..12] == self.id.to_le_bytes() {
                    assert_eq!(body[12..16], [0; 4], "its status");
                    return body[16..].to_vec();
                }
            }
        }
        panic!("request {command} is not answered");
    }

    pub(crate) fn set_variable(&mut self, name: &str, value: &[u8]) {
        let data = [name.as_bytes(), &[0], value].concat();
        self.ask(263, true, &data);
    }

    pub(crate) fn get_variable(&mut self, name: &str, bytes: usize) -> Vec<u8> {
        let mut data = [name.as_bytes(), &[0]].concat();
        data.resize(data.len().max(bytes), 0);
        let mut value = self.ask(262, false, &data);
        value.truncate(bytes);
        value
    }

    /// Wants to hear of everything.
    pub(crate) fn hear_events(&mut self) {
        self.set_variable("bsscfg:event_msgs", &[&[0; 4][..], &[0xff; 19]].concat());
    }

    /// Events until a time, each as a frame behind its header of four bytes.
    pub(crate) fn event_frames(&mut self, time: Picoseconds) -> Vec<Vec<u8>> {
        let (end, mut frames) = (self.now + time, Vec::new());
        while self.now < end {
            self.wait(ms(1));
            while let Some((channel, body)) = self.take_frame() {
                // BDC, Ethernet, and the header of events stand before the version.
                if channel == 1 && body.len() >= 76 {
                    assert_eq!(
                        (body[16..18].to_vec(), body[28..30].to_vec()),
                        (vec![0x88, 0x6c], vec![0, 2])
                    );
                    frames.push(body);
                }
            }
        }
        frames
    }

    /// Events until a time: type, status, reason, flags.
    pub(crate) fn events(&mut self, time: Picoseconds) -> Vec<(u32, u32, u32, u16)> {
        let event = |body: Vec<u8>| {
            let word = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|n| body[at + n]));
            (word(32), word(36), word(40), u16::from_be_bytes([body[30], body[31]]))
        };
        self.event_frames(time).into_iter().map(event).collect()
    }

    pub(crate) fn send_ethernet(&mut self, frame: &[u8]) {
        self.send_from(0, frame);
    }

    /// An Ethernet frame of an interface.
    pub(crate) fn send_from(&mut self, interface: u8, frame: &[u8]) {
        self.send(2, &[&[0x20, 0, interface, 0][..], frame].concat());
    }

    /// Joins a network.
    pub(crate) fn join(&mut self, ssid: &str, key: Option<&str>) {
        self.ask(134, true, &u32::from(key.is_some()).to_le_bytes());
        if let Some(key) = key {
            let mut data = (key.len() as u16).to_le_bytes().to_vec();
            data.extend(1u16.to_le_bytes());
            data.extend(key.as_bytes());
            data.resize(68, 0);
            self.ask(268, true, &data);
        }
        let mut data = (ssid.len() as u32).to_le_bytes().to_vec();
        data.extend(ssid.as_bytes());
        data.resize(36, 0);
        self.ask(26, true, &data);
    }
}
