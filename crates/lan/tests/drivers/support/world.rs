//! One chip, one PC, and the cable between them.

use std::cell::{Cell, RefCell};
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;
use std::rc::Rc;

use ethernet::{DropReason, HostOptions, Impairments, PortId, Probability};
use lan::{BusUse, Lan, NetworkSetup, SpiController};
use traffic::{IpEndpoint, Machine, dhcp, dns};
use units::{Hertz, PS_PER_MS, PS_PER_S, Picoseconds};
use wiznet::{Chip, Model, Options};

use super::hal::{Delay, Device, ResetPin, Shared};

/// The PC's address.
pub(crate) const PC: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 2);
/// The chip's address where it is static.
pub(crate) const CHIP: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 50);
/// The network's mask.
pub(crate) const MASK: Ipv4Addr = Ipv4Addr::new(255, 255, 255, 0);
/// The chip's Ethernet address.
pub(crate) const CHIP_MAC: [u8; 6] = [0x02, 0x08, 0xDC, 0x01, 0x02, 0x03];
/// The addresses that DHCP gives out.
pub(crate) const POOL: RangeInclusive<Ipv4Addr> =
    Ipv4Addr::new(192, 168, 1, 100)..=Ipv4Addr::new(192, 168, 1, 199);

const PC_MAC: [u8; 6] = [0x02, 0x00, 0x00, 0x00, 0x00, 0x02];

/// `w5500-ll` on the chip's bus.
pub(crate) type Driver = w5500_ll::eh1::vdm::W5500<Device>;

/// Milliseconds.
pub(crate) const fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_MS)
}

/// Seconds.
pub(crate) const fn seconds(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_S)
}

/// An address and a port.
pub(crate) const fn endpoint(address: Ipv4Addr, port: u16) -> IpEndpoint {
    IpEndpoint { address: std::net::IpAddr::V4(address), port }
}

/// How much a transfer moves in each direction.
pub(crate) fn transfer_bytes() -> u64 {
    let set = std::env::var("AIRWIRE_TRANSFER_BYTES").ok();
    set.map_or(65_536, |text| text.parse().expect("AIRWIRE_TRANSFER_BYTES is a number of bytes"))
}

/// So long at most may so many bytes take each way where nothing is lost: three times what the SPI alone does at 33.3 MHz.
/// A single time-out of a retransmission, on either side, would be longer at 64 KiB.
pub(crate) fn time_without_loss(bytes: u64) -> Picoseconds {
    let clock = Hertz::new(33_300_000).expect("the clock runs");
    clock.edge(3 * 2 * 8 * bytes)
}

/// What a world is made of.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    /// The chip.
    pub(crate) model: Model,
    /// Its SPI clock.
    pub(crate) clock_hz: u64,
    /// How many of a hundred frames are lost on the chip's cable, in each direction.
    pub(crate) loss_percent: u32,
    /// How long auto-negotiation takes.
    pub(crate) link_up: Picoseconds,
    /// Of everything that is random.
    pub(crate) seed: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self { model: Model::W5500, clock_hz: 33_300_000, loss_percent: 0, link_up: ms(1_500), seed: 1 }
    }
}

/// A machine's place on the PC.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seat(u32);

impl Seat {
    fn name(self) -> String {
        format!("machine {}", self.0)
    }
}

/// The chip's surroundings.
#[derive(Debug)]
pub(crate) struct World {
    controller: Shared,
    port: PortId,
    seats: Cell<u32>,
}

impl World {
    /// A chip without power cycles behind it, and a PC that runs nothing.
    pub(crate) fn new(setup: &Setup) -> Self {
        let loss = Probability::per_million(u64::from(setup.loss_percent) * 10_000);
        let impairments = Impairments { loss, ..Impairments::default() };
        let mut lan = Lan::new(&NetworkSetup {
            seed: setup.seed,
            impairments: [impairments.clone(), impairments],
            pc: Some(HostOptions::new("pc", PC_MAC, PC, 24)),
            traffic: Vec::new(),
            ..NetworkSetup::default()
        });
        let options = Options { link_up_time: setup.link_up, seed: setup.seed, ..Options::of(setup.model) };
        let chip = lan.attach("chip", Chip::new(options));
        let port = lan.port(chip).unwrap();
        let clock = Hertz::new(setup.clock_hz).expect("the clock runs");
        let controller = Rc::new(RefCell::new(SpiController::new(lan, chip, clock)));
        Self { controller, port, seats: Cell::new(0) }
    }

    /// The controller, to share.
    pub(crate) fn controller(&self) -> Shared {
        self.controller.clone()
    }

    /// What the bus was used for so far.
    pub(crate) fn used(&self) -> BusUse {
        self.controller.borrow().used()
    }

    /// The virtual time.
    pub(crate) fn now(&self) -> Picoseconds {
        self.controller.borrow().now()
    }

    /// The virtual time as drivers with a clock of seconds have it.
    pub(crate) fn whole_seconds(&self) -> u32 {
        u32::try_from(self.now().ps() / PS_PER_S).expect("a test is over within an age")
    }

    /// Waits.
    pub(crate) fn wait(&self, time: Picoseconds) {
        self.controller.borrow_mut().wait(time);
    }

    /// Asks at an interval until the answer is yes; panics when that takes longer than `limit`.
    pub(crate) fn poll(&self, limit: Picoseconds, interval: Picoseconds, mut ask: impl FnMut() -> bool) {
        let end = self.now() + limit;
        while !ask() {
            assert!(
                self.now() < end,
                "what the driver waits for did not come within {} s",
                limit.ps() / PS_PER_S
            );
            self.wait(interval);
        }
    }

    /// Resets the chip by its pin, as `w5500-ll` does it, and answers that driver.
    pub(crate) fn reset_chip(&self) -> Driver {
        let (mut pin, mut delay) = (ResetPin(self.controller()), Delay(self.controller()));
        w5500_ll::eh1::reset(&mut pin, &mut delay).expect("a pin cannot fail");
        Driver::new(Device(self.controller()))
    }

    /// Starts a machine on the PC.
    pub(crate) fn seat(&self, machine: impl Machine) -> Seat {
        let seat = Seat(self.seats.replace(self.seats.get() + 1));
        let mut controller = self.controller.borrow_mut();
        assert!(controller.lan_mut().seat(&seat.name(), Box::new(machine)), "there is a PC");
        seat
    }

    /// Looks at a machine on the PC.
    pub(crate) fn machine<M: Machine + Clone, T>(&self, seat: Seat, look: impl FnOnce(&M) -> T) -> T {
        let mut controller = self.controller.borrow_mut();
        look(&controller.lan_mut().machine(&seat.name()).expect("the machine is what was seated"))
    }

    /// Starts a DHCP server on the PC.
    pub(crate) fn serve_dhcp(&self) {
        let settings = dhcp::Settings {
            server: PC,
            subnet_mask: MASK,
            router: Some(PC),
            dns: vec![PC],
            first: *POOL.start(),
            last: *POOL.end(),
            ..dhcp::Settings::default()
        };
        self.seat(dhcp::Server::new(settings));
    }

    /// Starts a name server on the PC that knows one name.
    pub(crate) fn serve_dns(&self, name: &str, address: Ipv4Addr) {
        let record = dns::Record::new(name, address).expect("the name is one");
        self.seat(dns::Server::new(dns::Settings { records: vec![record], ..dns::Settings::default() }));
    }

    /// Plugs in the chip's cable, or pulls it.
    pub(crate) fn set_plugged(&self, plugged: bool) {
        let mut controller = self.controller.borrow_mut();
        let (at, chip) = (controller.now(), controller.chip());
        controller.lan_mut().set_plugged(at, chip, plugged);
    }

    /// Whether impairments took any frame of the chip's cable.
    pub(crate) fn lost_any(&self) -> bool {
        let counters = self.controller.borrow().lan().network().counters(self.port);
        counters.sent.dropped(DropReason::Loss) + counters.received.dropped(DropReason::Loss) > 0
    }
}
