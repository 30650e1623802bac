//! Chips on a network, in virtual time: [`Lan`] joins the chips of crate `wiznet`, and the ideal MAC, with the ports of an
//! [`ethernet::Network`]; a [`SpiController`] is the driver's side of a chip where no board is, and [`MachineSeat`] seats
//! the clients and servers of crate `traffic` on a virtual PC.
//!
//! Here is what a [`Lan`] consists of; what runs on its PC is in `pc`, and how time passes in it in `events`. What a board does
//! with a chip is in `board/parts`.

mod capture;
mod controller;
mod device;
mod events;
mod file;
mod ideal_mac;
mod pc;
mod results;
mod schema;
mod seat;
pub mod segment;
mod setup;
mod trace;
mod traffic;
mod wifi;
mod wire;

use std::net::Ipv4Addr;

use ethernet::{Cable, Network, PortId, StationId};
use units::Picoseconds;
use wiznet::Chip;

use device::Device;
use pc::Seated;
use wire::OpenWire;

pub use capture::{LanCaptureError, in_words};
pub use controller::{BusUse, SpiController};
pub use file::{NETWORK_FIELDS, NetworkError, NetworkField};
pub use ideal_mac::{IDEAL_MAC_BYTES, IdealMac};
pub use results::{Latency, TrafficResults};
pub use schema::{network_reference, network_schema};
pub use seat::MachineSeat;
pub use setup::NetworkSetup;
pub use trace::{LanTrace, TracedFrame};
pub use traffic::TrafficSetup;
pub use wifi::{WIFI_FIELDS, WifiAccessPoint};
pub use wire::WireFrame;

/// A chip of a [`Lan`], or an ideal MAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChipId(usize);

#[derive(Debug)]
struct Wired {
    name: String,
    device: Device,
    port: PortId,
    /// The address that its frames come from, where the chip has none of its own.
    spoken: Option<Ipv4Addr>,
}

/// The chips of a network, to be kept in a file.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct SavedLan {
    now: Picoseconds,
    chips: Vec<(Chip, Option<Ipv4Addr>)>,
}

/// Chips and the network that they are on.
#[derive(Debug)]
pub struct Lan {
    network: Network,
    pc: Option<StationId>,
    cable: Cable,
    setup: NetworkSetup,
    wired: Vec<Wired>,
    /// The end of a wire to another board, in the place of the chip's cable.
    open: Option<OpenWire>,
    /// What runs on the PC.
    seats: Vec<Seated>,
    /// What begins later: once its time has come and the board has an address.
    awaited: Vec<TrafficSetup>,
    /// The address of a board whose link is up, and since when; known while something waits for it.
    board: Option<(Ipv4Addr, Picoseconds)>,
    /// When anything happens next that is not a chip's; known so that an access of a chip asks that chip alone.
    next_outside: Option<Picoseconds>,
    /// When anything happens next; known so that a byte on a bus costs one comparison.
    next: Option<Picoseconds>,
    now: Picoseconds,
    capture: Option<capture::LanCapture>,
}

impl Lan {
    /// A network without chips.
    pub fn new(setup: &NetworkSetup) -> Self {
        let (network, pc) = setup.build();
        let mut lan = Self {
            network,
            pc,
            cable: setup.cable(),
            setup: setup.clone(),
            wired: Vec::new(),
            open: None,
            seats: Vec::new(),
            awaited: setup.traffic.clone(),
            board: None,
            next_outside: None,
            next: None,
            now: Picoseconds::ZERO,
            capture: None,
        };
        lan.begin_traffic();
        lan.changed();
        lan
    }

    /// Puts a chip on the network, by a cable as the network's setup has it.
    pub fn attach(&mut self, name: &str, chip: Chip) -> ChipId {
        self.attach_device(name, Device::Wiznet(Box::new(chip)))
    }

    /// The same for an ideal MAC.
    pub fn attach_ideal_mac(&mut self, name: &str) -> ChipId {
        self.attach_device(name, Device::IdealMac(IdealMac::default()))
    }

    fn attach_device(&mut self, name: &str, mut device: Device) -> ChipId {
        let port = self.add_port(name);
        device.set_cable(self.now, self.network.carrier(port));
        self.wired.push(Wired { name: name.to_owned(), device, port, spoken: None });
        self.changed();
        ChipId(self.wired.len() - 1)
    }

    fn add_port(&mut self, name: &str) -> PortId {
        let port = self.network.add_port(name, self.cable.clone());
        self.setup.impair(&mut self.network, port);
        self.network.set_hop(port, self.setup.hop(name));
        port
    }

    /// The chips as they are, and the addresses that their frames came from; nothing where one is an ideal MAC.
    pub fn saved(&self) -> Option<SavedLan> {
        let chips = self.wired.iter().map(|wired| Some((wired.device.chip()?.clone(), wired.spoken)));
        Some(SavedLan { now: self.now, chips: chips.collect::<Option<_>>()? })
    }

    /// Puts chips back that were saved; false when these are others. They are plugged in anew, into a switch and a PC that
    /// have just been switched on: traffic begins so long after that moment as its setup says.
    pub fn put_back(&mut self, saved: SavedLan) -> bool {
        let fits = |(wired, (chip, _)): (&Wired, &(Chip, _))| {
            wired.device.chip().is_some_and(|own| own.model() == chip.model())
        };
        if saved.chips.len() != self.wired.len() || !self.wired.iter().zip(&saved.chips).all(fits) {
            return false;
        }
        self.now = saved.now;
        for (wired, (chip, spoken)) in self.wired.iter_mut().zip(saved.chips) {
            (wired.device, wired.spoken) = (Device::Wiznet(Box::new(chip)), spoken);
        }
        self.switch_on();
        true
    }

    /// A network as it is at the beginning, from now on.
    fn switch_on(&mut self) {
        (self.network, self.pc) = self.setup.build();
        (self.seats, self.board, self.capture) = (Vec::new(), None, None);
        let later = |one: &TrafficSetup| TrafficSetup { start: self.now + one.start, ..one.clone() };
        self.awaited = self.setup.traffic.iter().map(later).collect();
        self.network.advance(self.now);
        for index in 0..self.wired.len() {
            let name = self.wired[index].name.clone();
            let port = self.add_port(&name);
            let carrier = self.network.carrier(port);
            self.wired[index].port = port;
            self.wired[index].device.set_cable(self.now, carrier);
            self.carry_out(index);
        }
        self.begin_traffic();
        self.changed();
    }

    /// All chips, in the order in which they were attached.
    pub fn chips(&self) -> impl Iterator<Item = ChipId> + use<> {
        (0..self.wired.len()).map(ChipId)
    }

    /// A chip.
    ///
    /// # Panics
    /// When it is an ideal MAC.
    pub fn chip(&self, id: ChipId) -> &Chip {
        match &self.wired[id.0].device {
            Device::Wiznet(chip) => chip,
            Device::IdealMac(_) => panic!("{id:?} is an ideal MAC"),
        }
    }

    /// An ideal MAC.
    ///
    /// # Panics
    /// When it is another chip.
    pub fn ideal_mac(&self, id: ChipId) -> &IdealMac {
        match &self.wired[id.0].device {
            Device::IdealMac(mac) => mac,
            Device::Wiznet(_) => panic!("{id:?} is no ideal MAC"),
        }
    }

    /// The port of the network that a chip is on.
    pub fn port(&self, id: ChipId) -> PortId {
        self.wired[id.0].port
    }

    /// A chip, for something that is done to it now; what follows on that is taken up.
    ///
    /// # Panics
    /// When it is an ideal MAC.
    pub fn with_chip<T>(&mut self, id: ChipId, act: impl FnOnce(&mut Chip) -> T) -> T {
        let Device::Wiznet(chip) = &mut self.wired[id.0].device else { panic!("{id:?} is an ideal MAC") };
        let result = act(chip);
        self.take_up(id.0);
        result
    }

    /// An ideal MAC, likewise.
    ///
    /// # Panics
    /// When it is another chip.
    pub fn with_ideal_mac<T>(&mut self, id: ChipId, act: impl FnOnce(&mut IdealMac) -> T) -> T {
        let Device::IdealMac(mac) = &mut self.wired[id.0].device else { panic!("{id:?} is no ideal MAC") };
        let result = act(mac);
        self.take_up(id.0);
        result
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network, for something that is done to it now; what follows on that is taken up.
    pub fn with_network<T>(&mut self, act: impl FnOnce(&mut Network) -> T) -> T {
        let result = act(&mut self.network);
        self.changed();
        result
    }

    /// Plugs in the cable of a chip, or pulls it.
    pub fn set_plugged(&mut self, at: Picoseconds, id: ChipId, plugged: bool) {
        self.advance(at);
        // A network whose own time lies behind would plug later, and its carrier would be that of before.
        self.network.advance(at);
        let wired = &mut self.wired[id.0];
        self.network.set_plugged(at, wired.port, plugged);
        wired.device.set_cable(at, self.network.carrier(wired.port));
        self.carry_out(id.0);
        self.changed();
    }

    /// A copy in the same state, that captures nothing; nothing when the network cannot be copied.
    pub fn snapshot(&self) -> Option<Self> {
        let wired = self.wired.iter().map(|wired| Wired {
            name: wired.name.clone(),
            device: wired.device.clone(),
            port: wired.port,
            spoken: wired.spoken,
        });
        Some(Self {
            network: self.network.snapshot()?,
            pc: self.pc,
            cable: self.cable.clone(),
            setup: self.setup.clone(),
            wired: wired.collect(),
            open: self.open.clone(),
            seats: self.seats.clone(),
            awaited: self.awaited.clone(),
            board: self.board,
            next_outside: self.next_outside,
            next: self.next,
            now: self.now,
            capture: None,
        })
    }
}
