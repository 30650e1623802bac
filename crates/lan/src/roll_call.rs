//! How the PC finds a board that says nothing of itself: it asks for every address of its network by ARP (RFC 826), one after the
//! other, as scanners do. Firmware is as silent as that where it has a stack and an address of its own and does not announce it.

use std::net::Ipv4Addr;

use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::traffic::Family;
use super::{Lan, Wired};

/// By then a stack with DHCP has sent its first message, and one that announces its address has done so.
const SILENT: Picoseconds = Picoseconds::new(5 * PS_PER_S);
/// So far apart the questions fill no chip's memory.
const BETWEEN: Picoseconds = Picoseconds::new(PS_PER_MS);
/// The addresses of the largest network that is asked as a whole.
const MOST_ADDRESSES: u32 = 1022;

/// When the PC asks next, and for which address of its network, counted from its beginning; nothing while no board is silent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RollCall {
    next: Option<(Picoseconds, u32)>,
}

impl RollCall {
    /// Takes in whether there is a silent board; whether that is new.
    pub(super) fn note(&mut self, now: Picoseconds, is_silent: bool) -> bool {
        let begins = is_silent && self.next.is_none();
        if begins {
            self.next = Some((now + SILENT, 1));
        } else if !is_silent {
            self.next = None;
        }
        begins
    }

    pub(super) fn next_event(&self) -> Option<Picoseconds> {
        self.next.map(|(at, _)| at)
    }
}

impl Wired {
    /// Whether frames could tell the board's address, and none has.
    pub(super) fn is_silent(&self) -> bool {
        self.device.has_link() && self.device.takes_frames() && self.line.heard.knows_nothing()
    }
}

impl Lan {
    /// Asks for the next address, if its time has come and something waits for the board's.
    pub(super) fn call_the_roll(&mut self) {
        let now = self.now;
        let Some((_, number)) = self.roll_call.next.filter(|(at, _)| *at <= now) else { return };
        let known = self.board.settled(now, Picoseconds::ZERO);
        let is_wanted = self.awaited.iter().any(|one| one.waits_for(known) == Some(Family::Ipv4));
        let address =
            self.address_of_network(number).filter(|_| is_wanted && (self.pc_is_there() || self.is_on_usb()));
        let next = if address.is_some() { (now + BETWEEN, number + 1) } else { (now + SILENT, 1) };
        self.roll_call.next = Some(next);
        if let Some(frame) = address.and_then(|address| self.question(address)) {
            self.with_pc(|pc| pc.send_frame(now, frame));
        }
    }

    /// The address with that number in the PC's network; nothing behind the last one.
    fn address_of_network(&self, number: u32) -> Option<Ipv4Addr> {
        let pc = self.setup.pc.as_ref()?;
        let hosts = u32::MAX.checked_shr(u32::from(pc.prefix)).unwrap_or(0);
        let address = Ipv4Addr::from((u32::from(pc.address) & !hosts) + number);
        (number < hosts && number <= MOST_ADDRESSES).then_some(address)
    }

    /// Who has that address? Nobody is asked for the PC's own.
    fn question(&self, address: Ipv4Addr) -> Option<Vec<u8>> {
        const BROADCAST: [u8; 6] = [0xFF; 6];
        const ETHERTYPE_ARP: [u8; 2] = [0x08, 0x06];
        /// Ethernet's addresses for those of IPv4, and a request.
        const HEAD: [u8; 8] = [0, 1, 0x08, 0, 6, 4, 0, 1];
        let pc = self.setup.pc.as_ref().filter(|pc| pc.address != address)?;
        let (own, wanted) = (pc.address.octets(), address.octets());
        let parts: [&[u8]; 8] = [&BROADCAST, &pc.mac, &ETHERTYPE_ARP, &HEAD, &pc.mac, &own, &[0; 6], &wanted];
        Some(parts.concat())
    }
}
