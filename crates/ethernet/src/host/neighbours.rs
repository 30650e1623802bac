//! Who is at which Ethernet address, asked for over IPv4 by ARP (RFC 826) and over IPv6 by neighbour solicitations (RFC 4861), and
//! as Linux does: three requests a second apart while packets wait, and a few to the neighbour itself once nothing was heard of it
//! for long (arp(7)).

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};

use smoltcp::wire::{ArpOperation, ArpPacket, ArpRepr, EthernetAddress, Ipv4Cidr};
use units::Picoseconds;

use super::ip::{ETHERNET_HEADER_BYTES, ETHERTYPE_ARP, Way};
use super::ipv6::{self, Own, ndisc};

/// `mcast_solicit` and `ucast_solicit`, and the time between (`retrans_time_ms`).
const MOST_REQUESTS: u32 = 3;
const REQUEST_INTERVAL: Picoseconds = Picoseconds::new(units::PS_PER_S);

/// `base_reachable_time_ms`, which Linux multiplies by a random number from 0.5 to 1.5, and `delay_first_probe_time`.
const REACHABLE: Picoseconds = Picoseconds::new(30 * units::PS_PER_S);
const PROBE_DELAY: Picoseconds = Picoseconds::new(5 * units::PS_PER_S);

/// Packets that wait for a neighbour (`unres_qlen`); more push out the oldest.
const MOST_WAITING: usize = 101;

/// Neighbours that are known (`gc_thresh3`), and those that are asked for.
const MOST_NEIGHBOURS: usize = 1_024;

const EVERYONE: [u8; 6] = [0xFF; 6];

/// A neighbour that is known.
#[derive(Debug, Clone)]
pub(super) struct Known {
    mac: [u8; 6],
    heard: Picoseconds,
    probes: u32,
    probe_at: Option<Picoseconds>,
    /// As whom the PC spoke to it last.
    local: IpAddr,
}

impl Known {
    /// One that was heard just now.
    pub(super) fn at(now: Picoseconds, mac: [u8; 6], local: IpAddr) -> Self {
        Self { mac, heard: now, probes: 0, probe_at: None, local }
    }
}

#[derive(Debug, Clone)]
struct Sought {
    requests: u32,
    again_at: Picoseconds,
    local: IpAddr,
    waiting: VecDeque<Vec<u8>>,
}

/// All neighbours.
#[derive(Debug, Clone)]
pub(super) struct Neighbours {
    mac: [u8; 6],
    network: Ipv4Cidr,
    gateway: Option<Ipv4Addr>,
    /// Every address is a neighbour's.
    everywhere: bool,
    own_over_ipv6: Own,
    known: BTreeMap<IpAddr, Known>,
    sought: BTreeMap<IpAddr, Sought>,
    /// Packets that were pushed out while they waited.
    pub(super) dropped: u64,
}

impl Neighbours {
    pub(super) fn new(
        mac: [u8; 6],
        network: Ipv4Cidr,
        gateway: Option<Ipv4Addr>,
        everywhere: bool,
        own_over_ipv6: Own,
    ) -> Self {
        Self {
            mac,
            network,
            gateway,
            everywhere,
            own_over_ipv6,
            known: BTreeMap::new(),
            sought: BTreeMap::new(),
            dropped: 0,
        }
    }

    /// The PC is in another network from here on; those whom it knew it has to find again.
    pub(super) fn become_host(&mut self, network: Ipv4Cidr, gateway: Option<Ipv4Addr>) {
        (self.network, self.gateway) = (network, gateway);
        self.known.retain(|address, _| address.is_ipv6());
    }

    /// Whether there is a way to an address.
    pub(super) fn has_route(&self, to: IpAddr) -> bool {
        match to {
            IpAddr::V4(_) => self.gateway.is_some() || self.is_near(to),
            IpAddr::V6(to) => to.is_multicast() || self.own_over_ipv6.is_near(to),
        }
    }

    /// Whether frames for an address go to itself.
    pub(super) fn is_near(&self, to: IpAddr) -> bool {
        match to {
            IpAddr::V4(to) => self.everywhere || self.network.contains_addr(&to),
            IpAddr::V6(to) => self.own_over_ipv6.is_near(to),
        }
    }

    /// Addresses a frame with a packet. What it answers goes out: the frame, or a request while that waits.
    pub(super) fn address(&mut self, now: Picoseconds, mut frame: Vec<u8>) -> Option<Vec<u8>> {
        let Way { from, to } = Way::of(&frame);
        let mac = match self.group(to) {
            Some(group) => group,
            None => {
                let hop = if self.is_near(to) { to } else { self.gateway?.into() };
                match self.mac_of(now, hop, from) {
                    Some(mac) => mac,
                    None => return self.seek(now, hop, from, frame),
                }
            }
        };
        frame[..6].copy_from_slice(&mac);
        frame[6..12].copy_from_slice(&self.mac);
        Some(frame)
    }

    /// The Ethernet address of more than one station, where an address is theirs.
    fn group(&self, to: IpAddr) -> Option<[u8; 6]> {
        match to {
            IpAddr::V4(to) if to.is_broadcast() || self.network.broadcast() == Some(to) => Some(EVERYONE),
            IpAddr::V4(to) if to.is_multicast() => {
                let [_, b, c, d] = to.octets();
                Some([0x01, 0x00, 0x5E, b & 0x7F, c, d])
            }
            IpAddr::V6(to) if to.is_multicast() => Some(ipv6::group_mac(to)),
            _ => None,
        }
    }

    /// As whom the PC speaks to a neighbour that has just told of itself.
    fn own(&self, neighbour: IpAddr) -> IpAddr {
        match neighbour {
            IpAddr::V4(_) => self.network.address().into(),
            IpAddr::V6(neighbour) => self.own_over_ipv6.local_for(neighbour).into(),
        }
    }

    /// A packet told of a neighbour; answers the frames that waited for it.
    pub(super) fn learn(&mut self, now: Picoseconds, address: IpAddr, mac: [u8; 6]) -> Vec<Vec<u8>> {
        if self.known.len() >= MOST_NEIGHBOURS && !self.known.contains_key(&address) {
            let oldest = self.known.iter().min_by_key(|(_, known)| known.heard).map(|(&address, _)| address);
            oldest.map(|oldest| self.known.remove(&oldest));
        }
        let local = self.own(address);
        self.known.insert(address, Known::at(now, mac, local));
        let waiting = self.sought.remove(&address).map(|sought| sought.waiting).unwrap_or_default();
        waiting.into_iter().filter_map(|frame| self.address(now, frame)).collect()
    }

    /// Puts in what is known of an address; answers what was known before.
    pub(super) fn replace(&mut self, address: IpAddr, known: Option<Known>) -> Option<Known> {
        match known {
            Some(known) => self.known.insert(address, known),
            None => self.known.remove(&address),
        }
    }

    /// A neighbour that is sought or known says where it is (RFC 4861 section 7.2.5); answers the frames that waited for it.
    pub(super) fn advertised(&mut self, now: Picoseconds, told: ndisc::Advertisement) -> Vec<Vec<u8>> {
        let address = told.target.into();
        match (self.known.get(&address).map(|known| known.mac), told.mac) {
            (Some(known), mac) if mac.is_none_or(|mac| mac == known) => self.heard(now, address, &known),
            (Some(_), Some(mac)) if told.overrides => return self.learn(now, address, mac),
            (None, Some(mac)) if self.sought.contains_key(&address) => return self.learn(now, address, mac),
            _ => {}
        }
        Vec::new()
    }

    /// Takes over the address of a neighbour that is known already; the packet was not for the PC.
    pub(super) fn correct(&mut self, now: Picoseconds, address: IpAddr, mac: [u8; 6]) {
        if self.known.contains_key(&address) {
            self.learn(now, address, mac);
        }
    }

    /// A packet came from a neighbour.
    pub(super) fn heard(&mut self, now: Picoseconds, address: IpAddr, mac: &[u8]) {
        if let Some(known) = self.known.get_mut(&address)
            && known.mac == mac
        {
            (known.heard, known.probes, known.probe_at) = (now, 0, None);
        }
    }

    /// When it asks again.
    pub(super) fn next(&self) -> Option<Picoseconds> {
        let sought = self.sought.values().map(|sought| sought.again_at);
        sought.chain(self.known.values().filter_map(|known| known.probe_at)).min()
    }

    /// Asks again where it is time: the requests to send, and the frames that were given up.
    pub(super) fn advance(&mut self, now: Picoseconds) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let (mut requests, mut lost) = (Vec::new(), Vec::new());
        for (&address, sought) in self.sought.iter_mut().filter(|(_, sought)| sought.again_at <= now) {
            sought.again_at = now + REQUEST_INTERVAL;
            sought.requests += 1;
            if sought.requests > MOST_REQUESTS {
                lost.extend(sought.waiting.drain(..));
            } else {
                requests.push(request(self.mac, sought.local, address, None));
            }
        }
        self.sought.retain(|_, sought| sought.requests <= MOST_REQUESTS);
        for (&address, known) in self.known.iter_mut() {
            if known.probe_at.is_some_and(|at| at <= now) {
                known.probe_at = Some(now + REQUEST_INTERVAL);
                known.probes += 1;
                if known.probes <= MOST_REQUESTS {
                    requests.push(request(self.mac, known.local, address, Some(known.mac)));
                }
            }
        }
        self.known.retain(|_, known| known.probes <= MOST_REQUESTS);
        (requests, lost)
    }

    fn mac_of(&mut self, now: Picoseconds, hop: IpAddr, local: IpAddr) -> Option<[u8; 6]> {
        let known = self.known.get_mut(&hop)?;
        known.local = local;
        if known.probe_at.is_none() && now > known.heard + REACHABLE {
            known.probe_at = Some(now + PROBE_DELAY);
        }
        Some(known.mac)
    }

    fn seek(&mut self, now: Picoseconds, hop: IpAddr, local: IpAddr, frame: Vec<u8>) -> Option<Vec<u8>> {
        let is_new = !self.sought.contains_key(&hop);
        if is_new && self.sought.len() >= MOST_NEIGHBOURS {
            self.dropped += 1;
            return None;
        }
        let sought = self.sought.entry(hop).or_insert_with(|| Sought {
            requests: 1,
            again_at: now + REQUEST_INTERVAL,
            local,
            waiting: VecDeque::new(),
        });
        if sought.waiting.len() >= MOST_WAITING {
            sought.waiting.pop_front();
            self.dropped += 1;
        }
        sought.waiting.push_back(frame);
        is_new.then(|| request(self.mac, local, hop, None))
    }
}

/// The question where an address is: to everyone who may have it, or to the neighbour that had it.
fn request(mac: [u8; 6], local: IpAddr, wanted: IpAddr, to: Option<[u8; 6]>) -> Vec<u8> {
    let (local, wanted) = match (local, wanted) {
        (IpAddr::V4(local), IpAddr::V4(wanted)) => (local, wanted),
        (IpAddr::V6(local), IpAddr::V6(wanted)) => return ndisc::solicitation(mac, local, wanted, to),
        _ => unreachable!("both ends of a packet are of one family"),
    };
    let repr = ArpRepr::EthernetIpv4 {
        operation: ArpOperation::Request,
        source_hardware_addr: EthernetAddress(mac),
        source_protocol_addr: local,
        target_hardware_addr: EthernetAddress([0; 6]),
        target_protocol_addr: wanted,
    };
    arp(mac, to.unwrap_or(EVERYONE), &repr)
}

/// The answer to a request that `to` sent.
pub(super) fn reply(mac: [u8; 6], own: Ipv4Addr, to_mac: [u8; 6], to: Ipv4Addr) -> Vec<u8> {
    let repr = ArpRepr::EthernetIpv4 {
        operation: ArpOperation::Reply,
        source_hardware_addr: EthernetAddress(mac),
        source_protocol_addr: own,
        target_hardware_addr: EthernetAddress(to_mac),
        target_protocol_addr: to,
    };
    arp(mac, to_mac, &repr)
}

fn arp(from: [u8; 6], to: [u8; 6], repr: &ArpRepr) -> Vec<u8> {
    let mut frame = vec![0; ETHERNET_HEADER_BYTES + repr.buffer_len()];
    frame[..6].copy_from_slice(&to);
    frame[6..12].copy_from_slice(&from);
    frame[12..14].copy_from_slice(&ETHERTYPE_ARP);
    repr.emit(&mut ArpPacket::new_unchecked(&mut frame[ETHERNET_HEADER_BYTES..]));
    frame
}
