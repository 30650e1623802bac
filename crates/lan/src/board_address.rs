//! Which address a board has, as its network can know: the chip's own where the chip does TCP/IP, else the one that the stack of
//! the firmware speaks from. A stack that says nothing of itself after DHCP has the address that it was given.

use std::net::Ipv4Addr;

use units::Picoseconds;

use super::Wired;

/// A stack that checks its new address is silent for at most so long before it announces it: a second, three probes two seconds
/// apart and two seconds more (RFC 5227, section 1.1). One that has said nothing by then says nothing of itself.
const SILENT_AFTER_LEASE: Picoseconds = Picoseconds::new(10 * units::PS_PER_S);

const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
const ETHERTYPE_ARP: [u8; 2] = [0x08, 0x06];
const UDP: u8 = 17;
/// Server to client (RFC 2131, section 4.1).
const DHCP_PORTS: [u8; 4] = [0, 67, 0, 68];
const BOOT_REPLY: u8 = 2;
/// Option 53 with the value of DHCPACK (RFC 2132, section 9.6).
const DHCP_ACK: [u8; 3] = [53, 1, 5];

/// What was heard of the address of the board at the end of a wire.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Heard {
    /// The address that its frames come from.
    pub(super) spoken: Option<Ipv4Addr>,
    /// The hardware address that they come from.
    mac: Option<[u8; 6]>,
    /// The address that a DHCP server gave it, and when.
    leased: Option<(Ipv4Addr, Picoseconds)>,
}

impl Heard {
    /// What is kept of it in a file.
    pub(super) fn of(spoken: Option<Ipv4Addr>) -> Self {
        Self { spoken, ..Self::default() }
    }

    /// The board sends a frame; `own` is the address that its device has by itself. From that one the chip answers too, so it
    /// says nothing against another.
    pub(super) fn sent(&mut self, frame: &[u8], own: Option<Ipv4Addr>) {
        self.mac = frame.get(6..12).and_then(|mac| mac.try_into().ok()).or(self.mac);
        let sender = sender(frame);
        if self.spoken.is_none() || sender != own {
            self.spoken = sender.or(self.spoken);
        }
    }

    /// A frame is there for the board.
    pub(super) fn received(&mut self, now: Picoseconds, frame: &[u8]) {
        if frame.get(34..38) == Some(&DHCP_PORTS) {
            let given =
                given(frame, self.mac).filter(|&address| self.leased.is_none_or(|(had, _)| had != address));
            self.leased = given.map(|address| (address, now)).or(self.leased);
        }
    }

    /// When an address that was given counts though nobody has spoken from it.
    pub(super) fn lease_counts_at(&self) -> Option<Picoseconds> {
        self.leased.filter(|_| self.spoken.is_none()).map(|(_, at)| at + SILENT_AFTER_LEASE)
    }

    fn address(&self, now: Picoseconds) -> Option<Ipv4Addr> {
        let leased = self.leased.filter(|(_, at)| *at + SILENT_AFTER_LEASE <= now);
        self.spoken.or(leased.map(|(address, _)| address))
    }
}

impl Wired {
    /// The board's address, as far as it is known.
    pub(super) fn address(&self, now: Picoseconds) -> Option<Ipv4Addr> {
        let own = self.device.address().filter(|_| !self.device.is_bare_mac());
        own.or_else(|| self.line.heard.address(now))
    }
}

/// The IPv4 address that a frame says it comes from.
fn sender(frame: &[u8]) -> Option<Ipv4Addr> {
    let at = match frame.get(12..14)?.try_into().ok()? {
        ETHERTYPE_ARP => 28,
        ETHERTYPE_IPV4 => 26,
        _ => return None,
    };
    address(frame, at).filter(|address| !address.is_unspecified())
}

/// The address that a DHCP server gives the station of a hardware address.
fn given(frame: &[u8], mac: Option<[u8; 6]>) -> Option<Ipv4Addr> {
    let is_dhcp = frame.get(12..14)? == ETHERTYPE_IPV4 && *frame.get(14)? == 0x45 && *frame.get(23)? == UDP;
    let message = frame.get(42..).filter(|_| is_dhcp)?;
    let is_answer = *message.first()? == BOOT_REPLY && message.get(28..34)? == mac?;
    let accepts = message.get(240..)?.windows(DHCP_ACK.len()).any(|option| option == DHCP_ACK);
    address(message, 16).filter(|address| is_answer && accepts && !address.is_unspecified())
}

fn address(bytes: &[u8], at: usize) -> Option<Ipv4Addr> {
    let octets: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(octets.into())
}
