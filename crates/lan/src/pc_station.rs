//! The PC as a station of the board's own network: the table `[pc.station]` of network files, and how it gets there. It joins when
//! the board's radio makes that network, then asks the board's DHCP server for an address, and has that from there on. On a network
//! that the board offers over USB it asks as well, and has its own address until it is given another one.
//!
//! Left out: it never renews its lease, and keeps its address when the network goes and comes again.

use std::any::Any;

use ::traffic::dhcp::{Client, ClientSettings};
use cyw43::Joiner;
use ethernet::SeatId;
use fields::{Field, Settings, Takes, Value};

use sim::Passive;
use units::Picoseconds;

use super::{DeviceId, Lan, MachineSeat, UsbNetwork};

/// The fields of `[pc.station]`.
pub const PC_STATION_FIELDS: &[Field] = &[
    Field::open(
        "ssid",
        Takes::Text("a text"),
        "the network that it joins, which the board's radio makes; without it, whichever that is",
        "\"board\"",
    ),
    Field::open(
        "passphrase",
        Takes::Text("a text"),
        "the passphrase that it joins with; without it, it has the right one",
        "\"correct horse\"",
    ),
];

/// How the PC joins the board's own network.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PcStation {
    /// The network that it joins; nothing for whichever there is.
    pub ssid: Option<String>,
    /// The passphrase that it joins with; nothing for the right one.
    pub passphrase: Option<String>,
}

/// How far the PC has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Progress {
    /// It has no address, and asks for none.
    #[default]
    Outside,
    /// Its DHCP client asks for an address.
    Asks(SeatId),
    HasAddress,
}

impl PcStation {
    /// Out of the fields of a table.
    pub(super) fn of(settings: &Settings) -> Result<Self, String> {
        let text = |field: &str| settings.get(field).map(Value::to_string);
        let (ssid, passphrase) = (text("ssid"), text("passphrase"));
        if ssid.as_ref().is_some_and(|name| !(1..=32).contains(&name.len())) {
            return Err("ssid takes 1 to 32 bytes".to_owned());
        }
        if passphrase.as_ref().is_some_and(|key| !(8..=63).contains(&key.len())) {
            return Err("passphrase takes 8 to 63 characters".to_owned());
        }
        Ok(Self { ssid, passphrase })
    }
}

impl Lan {
    /// The stations that join the network of a board's radio.
    pub fn joiners(&self) -> Vec<Joiner> {
        let pc = self.setup.pc.as_ref().zip(self.setup.pc_station.as_ref());
        let joiner = |(pc, station): (&ethernet::HostOptions, &PcStation)| Joiner {
            address: pc.mac,
            ssid: station.ssid.clone(),
            passphrase: station.passphrase.clone(),
        };
        pc.map(joiner).into_iter().collect()
    }

    /// Whether clients may begin as far as the PC is concerned: it has the address that it is to have.
    pub(super) fn pc_is_there(&self) -> bool {
        let joins = self.setup.pc_station.is_some();
        match self.progress {
            Progress::HasAddress => true,
            _ if joins => false,
            _ => !self.is_on_usb() || self.board_is_near(),
        }
    }

    /// Whether the network is one that the board offers over USB.
    pub(super) fn is_on_usb(&self) -> bool {
        self.wired.iter().any(|wired| !wired.device.has_cable())
    }

    /// Whether the board has an address of the network that the PC has by itself.
    fn board_is_near(&self) -> bool {
        let Some((pc, (board, _))) = self.setup.pc.as_ref().zip(self.board.ipv4) else { return false };
        let hosts = u32::MAX.checked_shr(pc.prefix.into()).unwrap_or(0);
        (u32::from(pc.address) ^ u32::from(board)) & !hosts == 0
    }

    /// The PC's driver of the network on USB begins to carry frames in both directions, or ends.
    pub fn set_usb_link(&mut self, at: Picoseconds, id: DeviceId<UsbNetwork>, has_link: bool) {
        self.advance(at);
        self.with_device(id, |device| device.set_link(has_link));
        self.follow_pc_station();
        self.changed();
    }

    /// Takes the PC further into the board's own network, where it is a station of that.
    pub(super) fn follow_pc_station(&mut self) {
        let asks = self.setup.pc_station.is_some() || self.is_on_usb();
        let Some(address) = self.setup.pc.as_ref().filter(|_| asks).map(|pc| pc.mac) else { return };
        match self.progress {
            Progress::Outside if self.wired.iter().any(|wired| wired.device.has_station(address)) => {
                let client = Client::new(ClientSettings { client: address });
                let seat = self.with_pc(|host| host.seat(Box::new(MachineSeat::new(Box::new(client)))));
                self.progress = seat.map_or(Progress::Outside, Progress::Asks);
            }
            Progress::Asks(seat) => self.take_lease(seat),
            Progress::Outside | Progress::HasAddress => {}
        }
    }

    fn take_lease(&mut self, seat: SeatId) {
        let progress = self.with_pc(|host| {
            let machine = host.application_as::<MachineSeat>(seat)?.machine();
            let is_done = machine.is_done();
            let machine: &dyn Any = machine;
            let given = machine.downcast_ref::<Client>().and_then(Client::leased);
            let Some(given) = given else { return is_done.then_some(Progress::Outside) };
            let takes = host.set_address(given.address, given.prefix, given.router);
            // In a network of the board's it plays nobody else.
            host.answer_for_all(false);
            // One that no host can have is asked for anew.
            Some(if takes.is_ok() { Progress::HasAddress } else { Progress::Outside })
        });
        self.progress = progress.flatten().unwrap_or(self.progress);
    }
}
