//! Which addresses a board has, as its network can know. Where the chip does TCP/IP, the address is the chip's own. Elsewhere it is
//! the one that the firmware's stack speaks from. A stack that says nothing of itself after DHCP has the address that it was given.
//! Over IPv6 it is the link-local address that the board speaks from, or has probed for.

use std::net::{Ipv4Addr, Ipv6Addr};

use units::Picoseconds;

use super::Wired;

/// A stack that checks its new address sends the first probe within a second (RFC 5227, section 1.1: PROBE_WAIT), by timers that
/// tick each half second at the slowest. One that has sent none by then says nothing of itself.
const SILENT_AFTER_LEASE: Picoseconds = Picoseconds::new(1_500 * units::PS_PER_MS);
/// Behind a probe it sends another within two seconds, or announces its address two seconds later (there: PROBE_MAX and
/// ANNOUNCE_WAIT).
const SILENT_AFTER_CHECK: Picoseconds = Picoseconds::new(4 * units::PS_PER_S);

/// An address for which nobody answered a probe is the board's after a second (RFC 4862, section 5.4: `RetransTimer` is that).
const SILENT_AFTER_PROBE: Picoseconds = Picoseconds::new(units::PS_PER_S);

const ETHERTYPE_IPV6: [u8; 2] = [0x86, 0xDD];
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
    /// The link-local address that its frames come from.
    pub(super) link_local: Option<Ipv6Addr>,
    /// The one that it asked for before it had any, and when.
    probed: Option<(Ipv6Addr, Picoseconds)>,
    /// The hardware address that they come from.
    mac: Option<[u8; 6]>,
    /// The address that a DHCP server gave it, and when.
    leased: Option<(Ipv4Addr, Picoseconds)>,
    /// When it last asked who else has that address.
    checked: Option<Picoseconds>,
}

impl Heard {
    /// What is kept of it in a file.
    pub(super) fn of(spoken: Option<Ipv4Addr>, link_local: Option<Ipv6Addr>) -> Self {
        Self { spoken, link_local, ..Self::default() }
    }

    /// The board sends a frame; `own` is the address that its device has by itself. From that one the chip answers too, so it
    /// says nothing against another.
    pub(super) fn sent(&mut self, at: Picoseconds, frame: &[u8], own: Option<Ipv4Addr>) {
        self.mac = frame.get(6..12).and_then(|mac| mac.try_into().ok()).or(self.mac);
        self.link_local = link_local(frame).or(self.link_local);
        self.probed = probed(frame).map(|address| (address, at)).or(self.probed);
        if self.leased.is_some_and(|(leased, _)| checks(frame, leased)) {
            self.checked = Some(at);
        }
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
            if let Some(address) = given {
                (self.leased, self.checked) = (Some((address, now)), None);
            }
        }
    }

    /// The address that a DHCP server gave it, and when that counts though nothing was said from it.
    fn leased_from(&self) -> Option<(Ipv4Addr, Picoseconds)> {
        let (address, leased_at) = self.leased?;
        let silent = self.checked.map(|at| at + SILENT_AFTER_CHECK);
        Some((address, silent.unwrap_or(leased_at + SILENT_AFTER_LEASE)))
    }

    /// Whether it spoke from no address and was given none.
    pub(super) fn knows_nothing(&self) -> bool {
        self.spoken.is_none() && self.leased.is_none()
    }

    /// When addresses count though nobody has spoken from them: one that was given, and one that was probed for.
    pub(super) fn counts_at(&self) -> impl Iterator<Item = Picoseconds> {
        let leased = self.leased_from().filter(|_| self.spoken.is_none()).map(|(_, from)| from);
        let probed = self.probed.filter(|_| self.link_local.is_none()).map(|(_, at)| at + SILENT_AFTER_PROBE);
        leased.into_iter().chain(probed)
    }

    /// The board's link-local address, as far as it is known.
    pub(super) fn link_local_address(&self, now: Picoseconds) -> Option<Ipv6Addr> {
        let probed = self.probed.filter(|(_, at)| *at + SILENT_AFTER_PROBE <= now);
        self.link_local.or(probed.map(|(address, _)| address))
    }

    fn address(&self, now: Picoseconds) -> Option<Ipv4Addr> {
        let leased = self.leased_from().filter(|(_, from)| *from <= now);
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

/// The addresses of a board of which something may wait, and since when each has been the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BoardAddresses {
    pub(super) ipv4: Option<(Ipv4Addr, Picoseconds)>,
    pub(super) ipv6: Option<(Ipv6Addr, Picoseconds)>,
}

impl BoardAddresses {
    /// Takes in what the addresses are now; whether one is another than before.
    pub(super) fn note(&mut self, now: Picoseconds, ipv4: Option<Ipv4Addr>, ipv6: Option<Ipv6Addr>) -> bool {
        let before = *self;
        if ipv4 != self.ipv4.map(|(address, _)| address) {
            self.ipv4 = ipv4.map(|address| (address, now));
        }
        if ipv6 != self.ipv6.map(|(address, _)| address) {
            self.ipv6 = ipv6.map(|address| (address, now));
        }
        *self != before
    }

    /// When an address that settles will have been the same for so long.
    pub(super) fn settled_at(&self, after: Picoseconds) -> impl Iterator<Item = Picoseconds> {
        let since = [self.ipv4.map(|(_, since)| since), self.ipv6.map(|(_, since)| since)];
        since.into_iter().flatten().map(move |since| since + after)
    }

    /// Those that have been the same for so long.
    pub(super) fn settled(&self, now: Picoseconds, after: Picoseconds) -> Known {
        let is_settled = |since: Picoseconds| since + after <= now;
        Known {
            ipv4: self.ipv4.filter(|(_, since)| is_settled(*since)).map(|(address, _)| address),
            ipv6: self.ipv6.filter(|(_, since)| is_settled(*since)).map(|(address, _)| address),
        }
    }
}

/// The addresses of a board that may be spoken to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) ipv4: Option<Ipv4Addr>,
    pub(super) ipv6: Option<Ipv6Addr>,
}

/// The link-local address of IPv6 that a frame comes from.
fn link_local(frame: &[u8]) -> Option<Ipv6Addr> {
    address_of_ipv6(frame, 22).filter(Ipv6Addr::is_unicast_link_local)
}

/// The link-local address that a frame asks for which comes from nobody yet (RFC 4862, section 5.4.2).
fn probed(frame: &[u8]) -> Option<Ipv6Addr> {
    const ICMPV6: u8 = 58;
    const SOLICITATION: u8 = 135;
    let source = address_of_ipv6(frame, 22)?;
    let asks = source.is_unspecified() && frame[20] == ICMPV6 && frame.get(54) == Some(&SOLICITATION);
    address_of_ipv6(frame, 62).filter(|wanted| asks && wanted.is_unicast_link_local())
}

fn address_of_ipv6(frame: &[u8], at: usize) -> Option<Ipv6Addr> {
    let octets: [u8; 16] = frame.get(at..at + 16)?.try_into().ok()?;
    (frame[12..14] == ETHERTYPE_IPV6).then(|| octets.into())
}

/// Whether a frame asks by ARP who has an address, from nobody's (RFC 5227, section 1.1: an ARP Probe).
fn checks(frame: &[u8], address: Ipv4Addr) -> bool {
    let is_probe = frame.get(12..14) == Some(&ETHERTYPE_ARP) && frame.get(28..32) == Some(&[0; 4]);
    is_probe && frame.get(38..42) == Some(&address.octets())
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
