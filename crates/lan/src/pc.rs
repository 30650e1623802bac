//! The PC of a network and what runs on it: clients and servers are seated when they are asked for, or once their time has come
//! and the board that they are for has an address and a link.

use std::any::Any;
use std::net::{Ipv4Addr, Ipv6Addr};

use ::traffic::Machine;
use ethernet::{Host, Impairments, SeatId, Station, StationId};
use units::Picoseconds;

use super::{Lan, MachineSeat, TrafficSetup, Wired};

/// A board has an address once that has been the same for so long while its link was up: an address is written byte by byte,
/// and firmware opens its sockets when the link is there.
pub(super) const SETTLING: Picoseconds = Picoseconds::new(100 * units::PS_PER_MS);

/// What runs on the PC.
#[derive(Debug, Clone)]
pub(super) struct Seated {
    /// The name that its user gave.
    pub(super) name: String,
    /// Its kind; the name where it was not made by a kind.
    pub(super) kind: String,
    pub(super) seat: SeatId,
}

impl Lan {
    /// The PC.
    pub fn pc(&self) -> Option<StationId> {
        self.pc
    }

    /// The PC, for something that is done to it now; what follows on that is taken up. Nothing where there is none.
    pub fn with_pc<T>(&mut self, act: impl FnOnce(&mut Host) -> T) -> Option<T> {
        let pc = self.pc?;
        let host: &mut dyn Any = self.network.station_mut(pc)?;
        let host: &mut Host = host.downcast_mut()?;
        // Of its own accord a PC is at the last thing that happened to it.
        host.advance(self.now);
        let result = act(host);
        self.network.poke(self.now, pc);
        self.bring_in();
        self.changed();
        Some(result)
    }

    /// Seats a client or a server on the PC, under a name; false where there is no PC.
    pub fn seat(&mut self, name: &str, machine: Box<dyn Machine>) -> bool {
        self.seat_kind(name, name, machine)
    }

    fn seat_kind(&mut self, name: &str, kind: &str, machine: Box<dyn Machine>) -> bool {
        let seat = self.with_pc(|host| host.seat(Box::new(MachineSeat::new(machine))));
        let seated = |seat| Seated { name: name.to_owned(), kind: kind.to_owned(), seat };
        self.seats.extend(seat.map(seated));
        seat.is_some()
    }

    /// A client or a server of the PC by its name, as what it is; nothing where there is none, or of another kind.
    pub fn machine<M: Machine + Clone>(&mut self, name: &str) -> Option<M> {
        let seat = self.seats.iter().find(|known| known.name == name)?.seat;
        self.with_pc(|host| {
            let seat = host.application_as::<MachineSeat>(seat)?;
            let machine: &dyn Any = seat.machine();
            machine.downcast_ref::<M>().cloned()
        })?
    }

    /// The addresses that the chips take for their own.
    pub fn addresses(&self) -> impl Iterator<Item = Ipv4Addr> {
        self.wired.iter().filter_map(|wired| wired.address(self.now))
    }

    /// The link-local addresses of IPv6 that boards speak from, or have probed for.
    pub fn link_local_addresses(&self) -> impl Iterator<Item = Ipv6Addr> {
        self.wired.iter().filter_map(|wired| wired.line.heard.link_local_address(self.now))
    }

    /// An address of the PC's network that neither it nor a chip has, with its prefix length: for whoever joins that network.
    /// Nothing where there is no PC.
    pub fn free_address(&self) -> Option<(Ipv4Addr, u8)> {
        let pc = self.setup.pc.as_ref()?;
        let prefix = u32::from(pc.prefix.min(32));
        let hosts = u32::MAX.checked_shr(prefix).unwrap_or(0);
        let first = u32::from(pc.address) & !hosts;
        let taken = |address: Ipv4Addr| address == pc.address || self.addresses().any(|chip| chip == address);
        // Neither the network's own address nor that of everyone in it.
        let free =
            (1..hosts.min(256)).map(|host| Ipv4Addr::from(first + host)).find(|&address| !taken(address));
        free.map(|address| (address, pc.prefix))
    }

    /// Whether frames may be lost on the way, as a network file or a command line asks for.
    pub fn loses_frames(&self) -> bool {
        let unimpaired = Impairments::default();
        self.setup.wifi.is_some() || self.setup.impairments.iter().any(|one| *one != unimpaired)
    }

    /// Looks for a board with an address and a link; whether it is another than before.
    pub(super) fn look_for_board(&mut self) -> bool {
        let linked = || self.wired.iter().filter(|wired| wired.device.has_link());
        let ipv4 = linked().find_map(|wired| wired.address(self.now));
        let ipv6 = linked().find_map(|wired| wired.line.heard.link_local_address(self.now));
        let is_silent = ipv4.is_none() && self.wired.iter().any(Wired::is_silent);
        let roll_call_begins = self.roll_call.note(self.now, is_silent);
        self.board.note(self.now, ipv4, ipv6) || roll_call_begins
    }

    /// Begins what waits for its time, or for the board.
    pub(super) fn begin_traffic(&mut self) {
        self.look_for_board();
        let now = self.now;
        let board = self.board.settled(now, SETTLING);
        let is_there = self.pc_is_there();
        let may_begin = |one: &TrafficSetup| !one.is_client() || is_there;
        let ready = |one: &TrafficSetup| one.start <= now && may_begin(one) && one.waits_for(board).is_none();
        let (begun, awaited) = std::mem::take(&mut self.awaited).into_iter().partition(ready);
        self.awaited = awaited;
        let begun: Vec<TrafficSetup> = begun;
        for one in begun {
            let machine = one
                .machine(self.setup.pc.as_ref(), board)
                .expect("the options of traffic were checked when they were read");
            self.seat_kind(&one.name, &one.kind, machine);
        }
    }
}
