//! A small driver for all five chips over an [`SpiController`]: registers, open, listen, connect, send, receive. Each socket
//! keeps the 2 KiB of memory in each direction that it has after reset.

use std::net::Ipv4Addr;

use lan::{ChipId, Lan, NetworkSetup, SpiController};
use testing::w6100;
use units::{Hertz, Picoseconds};
use wiznet::{Chip, Model, Options};

pub(crate) const MODELS: [Model; 5] = [Model::W5100, Model::W5100S, Model::W5200, Model::W5500, Model::W6100];

pub(crate) const BOARD: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 100);
pub(crate) const BOARD_MAC: [u8; 6] = [0x02, 0x08, 0xDC, 1, 2, 3];
pub(crate) const PC: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 1);

/// A socket's registers, by their offset on the chips before the W6100; the driver has them where the W6100 has them.
pub(crate) mod sn {
    pub(crate) const MR: u16 = 0x00;
    pub(crate) const CR: u16 = 0x01;
    pub(crate) const IR: u16 = 0x02;
    pub(crate) const SR: u16 = 0x03;
    pub(crate) const PORT: u16 = 0x04;
    pub(crate) const DIPR: u16 = 0x0C;
    pub(crate) const DPORT: u16 = 0x10;
    pub(crate) const TX_FSR: u16 = 0x20;
    pub(crate) const TX_WR: u16 = 0x24;
    pub(crate) const RX_RSR: u16 = 0x26;
    pub(crate) const RX_RD: u16 = 0x28;
}

pub(crate) mod command {
    pub(crate) const OPEN: u8 = 0x01;
    pub(crate) const LISTEN: u8 = 0x02;
    pub(crate) const CONNECT: u8 = 0x04;
    pub(crate) const DISCON: u8 = 0x08;
    pub(crate) const CLOSE: u8 = 0x10;
    pub(crate) const SEND: u8 = 0x20;
    pub(crate) const RECV: u8 = 0x40;
}

/// Bits of Sn_IR.
pub(crate) mod interrupt {
    pub(crate) const DISCON: u8 = 0x02;
    pub(crate) const TIMEOUT: u8 = 0x08;
    pub(crate) const SENDOK: u8 = 0x10;
}

/// Values of Sn_SR.
pub(crate) mod status {
    pub(crate) const CLOSED: u8 = 0x00;
    pub(crate) const INIT: u8 = 0x13;
    pub(crate) const LISTEN: u8 = 0x14;
    pub(crate) const SYNRECV: u8 = 0x16;
    pub(crate) const ESTABLISHED: u8 = 0x17;
    pub(crate) const UDP: u8 = 0x22;
}

pub(crate) const TCP: u8 = 1;
pub(crate) const UDP: u8 = 2;

pub(crate) fn ms(n: i64) -> Picoseconds {
    Picoseconds::new(n * units::PS_PER_MS)
}

pub(crate) fn us(n: i64) -> Picoseconds {
    Picoseconds::new(n * units::PS_PER_US)
}

/// The default network with nothing running on its PC, which is itself and nobody else: strangers stay strangers.
pub(crate) fn quiet() -> NetworkSetup {
    let mut setup = NetworkSetup { traffic: Vec::new(), ..NetworkSetup::default() };
    setup.pc.as_mut().expect("the default network has a PC").answers_for_all = false;
    setup
}

/// A driver and its chip.
pub(crate) struct Driver {
    pub(crate) spi: SpiController,
    pub(crate) model: Model,
}

impl Driver {
    /// A chip with addresses and a link, on a network.
    pub(crate) fn on(model: Model, setup: &NetworkSetup) -> Self {
        let mut driver = Self::unconfigured(model, setup);
        driver.wait(ms(300));
        driver.configure();
        driver
    }

    pub(crate) fn new(model: Model) -> Self {
        Self::on(model, &quiet())
    }

    fn unconfigured(model: Model, setup: &NetworkSetup) -> Self {
        let mut lan = Lan::new(setup);
        let options = Options { link_up_time: ms(10), ..Options::of(model) };
        let chip = lan.attach("board", Chip::new(options));
        let clock_hz = if model == Model::W5100 { 14_000_000 } else { 33_000_000 };
        Self { spi: SpiController::new(lan, chip, Hertz::new(clock_hz).expect("not zero")), model }
    }

    /// Addresses, and every socket's interrupts on the pin.
    pub(crate) fn configure(&mut self) {
        if self.model == Model::W6100 {
            self.write((0, w6100::NETLCKR.0), &[w6100::NETLCKR.1]);
        }
        self.write_common(0x01, &PC.octets());
        self.write_common(0x05, &[255, 255, 255, 0]);
        self.write_common(0x09, &BOARD_MAC);
        self.write_common(0x0F, &BOARD.octets());
        let (mask, sockets) = match self.model {
            Model::W5500 => (0x18, 0xFF),
            Model::W6100 => (0x2114, 0xFF),
            Model::W5200 => (0x16, 0xFF),
            Model::W5100 | Model::W5100S => (0x16, 0x0F),
        };
        self.write_common(mask, &[sockets]);
    }

    pub(crate) fn chip(&self) -> &Chip {
        self.spi.lan().device(self.spi.chip()).expect("the chip is on this network")
    }

    pub(crate) fn chip_id(&self) -> ChipId {
        self.spi.chip()
    }

    pub(crate) fn sockets(&self) -> u8 {
        match self.model {
            Model::W5500 | Model::W6100 | Model::W5200 => 8,
            Model::W5100 | Model::W5100S => 4,
        }
    }

    pub(crate) fn now(&self) -> Picoseconds {
        self.spi.now()
    }

    pub(crate) fn wait(&mut self, time: Picoseconds) {
        self.spi.wait(time);
    }

    /// Waits until something is true, at most so long; whether it is.
    pub(crate) fn wait_until(
        &mut self,
        most: Picoseconds,
        mut is_true: impl FnMut(&mut Self) -> bool,
    ) -> bool {
        let end = self.now() + most;
        while !is_true(self) {
            if self.now() >= end {
                return false;
            }
            self.wait(us(200));
        }
        true
    }

    /// One SPI transaction; what stood on MISO.
    pub(crate) fn frame(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        self.spi.select(true);
        self.spi.transfer(&mut bytes);
        self.spi.select(false);
        bytes
    }

    fn header(&self, (block, address): (u8, u16), bytes: usize, write: bool) -> Vec<u8> {
        let [high, low] = address.to_be_bytes();
        match self.model {
            Model::W5500 | Model::W6100 => vec![high, low, block << 3 | u8::from(write) << 2],
            Model::W5200 => {
                let [length_high, length_low] = (bytes as u16 | u16::from(write) << 15).to_be_bytes();
                vec![high, low, length_high, length_low]
            }
            Model::W5100 | Model::W5100S => vec![if write { 0xF0 } else { 0x0F }, high, low],
        }
    }

    pub(crate) fn read(&mut self, place: (u8, u16), bytes: usize) -> Vec<u8> {
        if self.model == Model::W5100 && bytes > 1 {
            let (block, address) = place;
            return (0..bytes as u16).flat_map(|n| self.read((block, address.wrapping_add(n)), 1)).collect();
        }
        let mut frame = self.header(place, bytes, false);
        let header_bytes = frame.len();
        frame.resize(header_bytes + bytes, 0);
        self.frame(&frame).split_off(header_bytes)
    }

    pub(crate) fn write(&mut self, place: (u8, u16), data: &[u8]) {
        if self.model == Model::W5100 && data.len() > 1 {
            let (block, address) = place;
            for (n, byte) in (0..).zip(data) {
                self.write((block, address.wrapping_add(n)), &[*byte]);
            }
            return;
        }
        let mut frame = self.header(place, data.len(), true);
        frame.extend_from_slice(data);
        self.frame(&frame);
    }

    pub(crate) fn read_common(&mut self, address: u16, bytes: usize) -> Vec<u8> {
        self.read((0, self.common(address, false)), bytes)
    }

    pub(crate) fn write_common(&mut self, address: u16, data: &[u8]) {
        self.write((0, self.common(address, true)), data);
    }

    fn common(&self, address: u16, write: bool) -> u16 {
        if self.model == Model::W6100 { w6100::common_address(address, write) } else { address }
    }

    fn register(&self, n: u8, offset: u16, write: bool) -> (u8, u16) {
        match self.model {
            Model::W6100 => (4 * n + 1, w6100::socket_offset(offset, write)),
            Model::W5500 => (4 * n + 1, offset),
            Model::W5200 => (0, 0x4000 + 0x100 * u16::from(n) + offset),
            Model::W5100 | Model::W5100S => (0, 0x0400 + 0x100 * u16::from(n) + offset),
        }
    }

    pub(crate) fn read_socket(&mut self, n: u8, offset: u16, bytes: usize) -> Vec<u8> {
        self.read(self.register(n, offset, false), bytes)
    }

    pub(crate) fn write_socket(&mut self, n: u8, offset: u16, data: &[u8]) {
        self.write(self.register(n, offset, true), data);
    }

    pub(crate) fn u8(&mut self, n: u8, offset: u16) -> u8 {
        self.read_socket(n, offset, 1)[0]
    }

    fn u16(&mut self, n: u8, offset: u16) -> u16 {
        let bytes = self.read_socket(n, offset, 2);
        u16::from_be_bytes([bytes[0], bytes[1]])
    }

    pub(crate) fn status(&mut self, n: u8) -> u8 {
        self.u8(n, sn::SR)
    }

    /// A size register, read until two reads agree.
    pub(crate) fn size(&mut self, n: u8, offset: u16) -> usize {
        let mut last = self.u16(n, offset);
        for _ in 0..100 {
            let again = self.u16(n, offset);
            if again == last {
                return usize::from(again);
            }
            last = again;
        }
        panic!("a size register never read the same twice");
    }

    pub(crate) fn command(&mut self, n: u8, code: u8) {
        self.write_socket(n, sn::CR, &[code]);
        let taken = (0..100).any(|_| self.u8(n, sn::CR) == 0);
        assert!(taken, "command 0x{code:02X} of socket {n} was never taken");
    }

    /// What stands in Sn_IR, which is cleared.
    pub(crate) fn take_interrupts(&mut self, n: u8) -> u8 {
        let interrupts = self.u8(n, sn::IR);
        if interrupts != 0 {
            self.write_socket(n, sn::IR, &[interrupts]);
        }
        interrupts
    }

    pub(crate) fn open(&mut self, n: u8, mode: u8, port: u16) {
        let mode = if self.model == Model::W6100 { w6100::mode(mode) } else { mode };
        self.write_socket(n, sn::MR, &[mode]);
        self.write_socket(n, sn::PORT, &port.to_be_bytes());
        self.command(n, command::OPEN);
    }

    pub(crate) fn listen(&mut self, n: u8, port: u16) {
        self.open(n, TCP, port);
        self.command(n, command::LISTEN);
        assert_eq!(self.status(n), status::LISTEN);
    }

    pub(crate) fn aim(&mut self, n: u8, to: Ipv4Addr, port: u16) {
        self.write_socket(n, sn::DIPR, &to.octets());
        self.write_socket(n, sn::DPORT, &port.to_be_bytes());
    }

    /// Opens a socket and gives CONNECT.
    pub(crate) fn begin_connect(&mut self, n: u8, local_port: u16, port: u16) {
        self.open(n, TCP, local_port);
        self.aim(n, PC, port);
        self.command(n, command::CONNECT);
    }

    pub(crate) fn connect(&mut self, n: u8, local_port: u16, port: u16) {
        self.begin_connect(n, local_port, port);
        let connected = self.wait_until(ms(60_000), |driver| driver.status(n) == status::ESTABLISHED);
        assert!(connected, "{:?}: socket {n} is not connected", self.model);
    }

    /// Where a socket's pointer is in its memory, and how many bytes it is to where that wraps.
    fn memory(&self, n: u8, pointer: u16, transmit: bool) -> ((u8, u16), usize) {
        const SIZE: u16 = 2048;
        let within = pointer % SIZE;
        let flat = |base: u16| ((0, base + SIZE * u16::from(n) + within), usize::from(SIZE - within));
        match (self.model, transmit) {
            (Model::W5500 | Model::W6100, _) => ((4 * n + if transmit { 2 } else { 3 }, pointer), usize::MAX),
            (Model::W5200, true) => flat(0x8000),
            (Model::W5200, false) => flat(0xC000),
            (_, true) => flat(0x4000),
            (_, false) => flat(0x6000),
        }
    }

    /// Writes into a socket's transmit memory and gives SEND.
    pub(crate) fn send(&mut self, n: u8, data: &[u8]) {
        let pointer = self.u16(n, sn::TX_WR);
        let (place, run) = self.memory(n, pointer, true);
        let (first, second) = data.split_at(data.len().min(run));
        self.write(place, first);
        if !second.is_empty() {
            let (place, _) = self.memory(n, pointer.wrapping_add(first.len() as u16), true);
            self.write(place, second);
        }
        self.write_socket(n, sn::TX_WR, &pointer.wrapping_add(data.len() as u16).to_be_bytes());
        self.command(n, command::SEND);
    }

    /// Takes so many bytes out of a socket's receive memory.
    pub(crate) fn receive(&mut self, n: u8, bytes: usize) -> Vec<u8> {
        let pointer = self.u16(n, sn::RX_RD);
        let (place, run) = self.memory(n, pointer, false);
        let mut data = self.read(place, bytes.min(run));
        if data.len() < bytes {
            let (place, _) = self.memory(n, pointer.wrapping_add(data.len() as u16), false);
            data.extend(self.read(place, bytes - data.len()));
        }
        self.write_socket(n, sn::RX_RD, &pointer.wrapping_add(bytes as u16).to_be_bytes());
        self.command(n, command::RECV);
        data
    }
}
