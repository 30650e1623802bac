//! Chips on a network, in virtual time: [`Lan`] joins devices ([`NetDevice`]: the chips of crate `wiznet`, the ideal MAC) with
//! the ports of an [`ethernet::Network`]; a [`SpiController`] is the driver's side of a chip where no board is, and [`MachineSeat`] seats
//! the clients and servers of crate `traffic` on a virtual PC.
//!
//! Here is what a [`Lan`] consists of; what runs on its PC is in `pc`, and how time passes in it in `events`. What a board does
//! with a chip is in `board/parts`.

mod access_points;
mod board_address;
mod calls;
mod capture;
mod completion;
mod controller;
mod cyw43_chip;
mod device;
mod events;
mod file;
mod ideal_mac;
pub mod lan8720;
mod pc;
mod pc_station;
mod radio;
mod results;
mod roll_call;
mod schema;
mod seat;
pub mod segment;
mod setup;
mod supply;
mod trace;
mod traffic;
mod usb_network;
mod wifi;
mod wire;
mod wiznet_chip;

use std::any::Any;
use std::net::{Ipv4Addr, Ipv6Addr};

use board_address::{BoardAddresses, Heard};
use ethernet::{Cable, HopId, Network, PortId, Speed, StationId};
use pc::Seated;
use units::Picoseconds;
use wire::OpenWire;
use wiznet::Warning;

pub use access_points::ACCESS_POINT_FIELDS;
pub use calls::{Call, Transport};
pub use capture::{LanCaptureError, in_words};
pub use completion::{complete_impairments, complete_traffic};
pub use controller::{BusUse, Computing, Dropped, ReceivedDatagram, SeenFrame, SpiController};
pub use device::{Deed, DeedKind, DeviceId, NetDevice, Radio, SentFrame};
pub use file::{NETWORK_FIELDS, NetworkError, NetworkField};
pub use ideal_mac::{IDEAL_MAC_BYTES, IdealMac};
pub use pc_station::{PC_STATION_FIELDS, PcStation};
pub use radio::RadioEnergy;
pub use results::{Awaited, Latency, TrafficResults};
pub use schema::{network_reference, network_schema};
pub use seat::MachineSeat;
pub use setup::NetworkSetup;
pub use sim::Passive;
pub use supply::{Supply, SupplyKind, radio_amperes};
pub use trace::{LanTrace, TracedFrame};
pub use traffic::TrafficSetup;
pub use usb_network::UsbNetwork;
pub use wifi::{PC_WIFI_FIELDS, WIFI_FIELDS, WifiChannel};
pub use wire::WireFrame;

/// A chip of WIZnet on a [`Lan`].
pub type ChipId = DeviceId<wiznet::Chip>;

#[derive(Debug)]
struct Wired {
    name: String,
    device: Box<dyn NetDevice>,
    line: Line,
}

/// How a device stands with the network.
#[derive(Debug, Clone, Copy)]
struct Line {
    port: PortId,
    /// What its frames say of the board's address.
    heard: Heard,
    /// When something happens in the device of its own accord, and the level of its interrupt output: known, so that a byte on
    /// a bus does not ask every device.
    due: Option<Picoseconds>,
    interrupt_is_low: bool,
    /// The speed that the network was told of its link.
    speed: Option<Speed>,
    /// What the air knows of its radio, where it has one.
    radio: Option<Radio>,
    /// Which station of the channel it is, where it is on one.
    station: Option<usize>,
}

/// The devices of a network, to be kept in a file: each one's state, and the addresses that its frames came from.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct SavedLan {
    now: Picoseconds,
    devices: Vec<(Vec<u8>, Option<Ipv4Addr>, Option<Ipv6Addr>)>,
}

/// Chips and the network that they are on.
#[derive(Debug)]
pub struct Lan {
    network: Network,
    pc: Option<StationId>,
    /// The channel of the access point, where anything is on it.
    air: Option<HopId>,
    cable: Cable,
    setup: NetworkSetup,
    wired: Vec<Wired>,
    /// The end of a wire to another board, in the place of the chip's cable.
    open: Option<OpenWire>,
    /// What runs on the PC.
    seats: Vec<Seated>,
    /// What begins later: once its time has come and the board has an address.
    awaited: Vec<TrafficSetup>,
    /// How far the PC has come, where it is a station of the board's own network.
    progress: pc_station::Progress,
    /// The addresses of a board whose link is up; known while something waits for them.
    board: BoardAddresses,
    /// How far the PC is with asking for a board that says nothing of itself.
    roll_call: roll_call::RollCall,
    /// When anything happens next that is not a chip's; known so that an access of a chip asks that chip alone.
    next_outside: Option<Picoseconds>,
    /// When anything happens next; known so that a byte on a bus costs one comparison.
    next: Option<Picoseconds>,
    now: Picoseconds,
    capture: Option<capture::LanCapture>,
    /// Whom the board called, where somebody wants to know.
    calls: Option<calls::Calls>,
}

impl Lan {
    /// A network without chips.
    pub fn new(setup: &NetworkSetup) -> Self {
        let (network, pc, air) = setup.build();
        let mut lan = Self {
            network,
            pc,
            air,
            cable: setup.cable(),
            setup: setup.clone(),
            wired: Vec::new(),
            open: None,
            seats: Vec::new(),
            awaited: setup.traffic.clone(),
            progress: pc_station::Progress::default(),
            board: BoardAddresses::default(),
            roll_call: roll_call::RollCall::default(),
            next_outside: None,
            next: None,
            now: Picoseconds::ZERO,
            capture: None,
            calls: None,
        };
        lan.begin_traffic();
        lan.changed();
        lan
    }

    /// Puts a device on the network, by a cable as the network's setup has it.
    pub fn attach<D: NetDevice>(&mut self, name: &str, mut device: D) -> DeviceId<D> {
        let (port, station) = self.add_port(name, device.radio(), device.has_cable());
        if device.hears_bits() {
            self.network.hear_bits(port);
        }
        device.set_cable(self.now, self.network.carrier(port));
        let (due, interrupt_is_low) = (device.next_event(), device.interrupt_is_low());
        let radio = device.radio();
        let line = Line { port, heard: Heard::default(), due, interrupt_is_low, speed: None, radio, station };
        self.wired.push(Wired { name: name.to_owned(), device: Box::new(device), line });
        self.changed();
        DeviceId::new(self.wired.len() - 1)
    }

    fn add_port(&mut self, name: &str, radio: Option<Radio>, has_cable: bool) -> (PortId, Option<usize>) {
        // What is in the place of a cable costs next to nothing: a station's hop is the air, and the USB is the chip's affair.
        let cable = match has_cable && radio.is_none() {
            true => self.cable.clone(),
            false => Cable::new(Speed::Mbps1000),
        };
        let port = self.network.add_port(name, cable);
        self.setup.impair(&mut self.network, port);
        (port, self.add_station(name, port, radio))
    }

    /// What a station finds on the air.
    pub fn access_points(&self) -> Vec<cyw43::AccessPoint> {
        match self.setup.access_points.as_slice() {
            [] => vec![access_points::any()],
            some => some.to_vec(),
        }
    }

    /// The devices as they are, and the addresses that their frames came from; nothing where one cannot be saved.
    pub fn saved(&self) -> Option<SavedLan> {
        let devices = self.wired.iter().map(|wired| {
            let Heard { spoken, link_local, .. } = wired.line.heard;
            Some((wired.device.saved()?, spoken, link_local))
        });
        Some(SavedLan { now: self.now, devices: devices.collect::<Option<_>>()? })
    }

    /// Puts devices back that were saved; false when these are others. They are plugged in anew, into a switch and a PC that
    /// have just been switched on: traffic begins so long after that moment as its setup says.
    pub fn put_back(&mut self, saved: SavedLan) -> bool {
        let restored = |(wired, (state, ..)): (&Wired, &(Vec<u8>, _, _))| wired.device.restored(state);
        let devices: Option<Vec<_>> = self.wired.iter().zip(&saved.devices).map(restored).collect();
        let Some(devices) = devices.filter(|_| saved.devices.len() == self.wired.len()) else {
            return false;
        };
        self.now = saved.now;
        for ((wired, device), (_, spoken, link_local)) in
            self.wired.iter_mut().zip(devices).zip(saved.devices)
        {
            (wired.device, wired.line.heard) = (device, Heard::of(spoken, link_local));
        }
        self.switch_on();
        true
    }

    /// A network as it is at the beginning, from now on.
    fn switch_on(&mut self) {
        (self.network, self.pc, self.air) = self.setup.build();
        (self.seats, self.board, self.capture) = (Vec::new(), BoardAddresses::default(), None);
        (self.progress, self.roll_call) = Default::default();
        let later = |one: &TrafficSetup| TrafficSetup { start: self.now + one.start, ..one.clone() };
        self.awaited = self.setup.traffic.iter().map(later).collect();
        self.network.advance(self.now);
        for index in 0..self.wired.len() {
            let name = self.wired[index].name.clone();
            let (radio, has_cable) = (self.wired[index].device.radio(), self.wired[index].device.has_cable());
            let (port, station) = self.add_port(&name, radio, has_cable);
            (self.wired[index].line.radio, self.wired[index].line.station) = (radio, station);
            self.wired[index].line.speed = None;
            if self.wired[index].device.hears_bits() {
                self.network.hear_bits(port);
            }
            let carrier = self.network.carrier(port);
            self.wired[index].line.port = port;
            self.wired[index].device.set_cable(self.now, carrier);
            self.carry_out(index);
        }
        self.begin_traffic();
        self.changed();
    }

    /// All devices, in the order in which they were attached.
    pub fn devices(&self) -> impl Iterator<Item = DeviceId<dyn NetDevice>> + use<> {
        (0..self.wired.len()).map(DeviceId::new)
    }

    /// Those of them that are a `D`, likewise.
    pub fn devices_of<D: NetDevice>(&self) -> impl Iterator<Item = DeviceId<D>> {
        let is_one = |wired: &Wired| (&*wired.device as &dyn Any).is::<D>();
        self.wired
            .iter()
            .enumerate()
            .filter(move |(_, wired)| is_one(wired))
            .map(|(index, _)| DeviceId::new(index))
    }

    /// All devices, to be looked at.
    pub fn attached(&self) -> impl Iterator<Item = &dyn NetDevice> {
        self.wired.iter().map(|wired| &*wired.device)
    }

    /// A device.
    pub fn device<D: NetDevice>(&self, id: DeviceId<D>) -> Option<&D> {
        let device: &dyn Any = &*self.wired.get(id.index)?.device;
        device.downcast_ref()
    }

    /// A device, for something that is done to it now; what follows on that is taken up.
    #[inline]
    pub fn with_device<D: NetDevice, T>(
        &mut self,
        id: DeviceId<D>,
        act: impl FnOnce(&mut D) -> T,
    ) -> Option<T> {
        let Wired { device, line, .. } = self.wired.get_mut(id.index)?;
        let device: &mut dyn Any = &mut **device;
        let device: &mut D = device.downcast_mut()?;
        let result = act(device);
        if self.awaited.is_empty() {
            // Asked as what it is, and not as any device: this is done for every byte on a bus.
            let sent_any = line.carry_out(device, self.open.as_mut(), &mut self.network, self.calls.as_mut());
            self.taken_up(sent_any);
        } else {
            // The device may have been given the address that something waits for.
            let found = self.look_for_board();
            let sent_any = self.carry_out(id.index);
            self.taken_up(sent_any || found);
        }
        Some(result)
    }

    /// The level of a device's interrupt output.
    #[inline]
    pub fn interrupt_is_low<D: ?Sized>(&self, id: DeviceId<D>) -> bool {
        self.wired.get(id.index).is_some_and(|wired| wired.line.interrupt_is_low)
    }

    /// The port of the network that a device is on.
    pub fn port<D: ?Sized>(&self, id: DeviceId<D>) -> Option<PortId> {
        self.wired.get(id.index).map(|wired| wired.line.port)
    }

    /// What the devices complain of since the last call.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        self.wired.iter_mut().flat_map(|wired| wired.device.take_warnings()).collect()
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

    /// Plugs in the cable of a device, or pulls it.
    pub fn set_plugged<D: ?Sized>(&mut self, at: Picoseconds, id: DeviceId<D>, plugged: bool) {
        self.advance(at);
        // A network whose own time lies behind would plug later, and its carrier would be that of before.
        self.network.advance(at);
        let Some(Wired { device, line, .. }) = self.wired.get_mut(id.index) else { return };
        self.network.set_plugged(at, line.port, plugged);
        device.set_cable(at, self.network.carrier(line.port));
        self.carry_out(id.index);
        self.changed();
    }

    /// A copy in the same state, that captures nothing; nothing when the network cannot be copied.
    pub fn snapshot(&self) -> Option<Self> {
        let wired = self.wired.iter().map(|wired| Wired {
            name: wired.name.clone(),
            device: wired.device.boxed_clone(),
            line: wired.line,
        });
        Some(Self {
            network: self.network.snapshot()?,
            pc: self.pc,
            air: self.air,
            cable: self.cable.clone(),
            setup: self.setup.clone(),
            wired: wired.collect(),
            open: self.open.clone(),
            seats: self.seats.clone(),
            awaited: self.awaited.clone(),
            progress: self.progress,
            board: self.board,
            roll_call: self.roll_call,
            next_outside: self.next_outside,
            next: self.next,
            now: self.now,
            capture: None,
            calls: self.calls.clone(),
        })
    }
}
