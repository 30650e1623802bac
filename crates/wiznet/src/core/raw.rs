//! MACRAW (whole frames, socket 0 only) and IPRAW (the payload of one IP protocol).

use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, Icmpv6Message, Icmpv6Packet, IpProtocol, Ipv6Packet,
};
use units::Picoseconds;

use crate::chips::is_set;
use crate::map::Side;

use super::mac::{Completion, LONGEST_BYTES};
use super::receive::{Cast, Origin};
use super::socket::status;
use super::{Core, WarningKind};

impl Core {
    /// A frame that no other socket took, for socket 0: two bytes of length, which count themselves, and the frame.
    pub(super) fn receive_raw(&mut self, frame: &[u8], cast: Option<Cast>) {
        const LENGTH_BYTES: usize = 2;
        if !self.is_network_card() {
            return;
        }
        let header = EthernetFrame::new_unchecked(frame);
        let is_ipv6 = header.ethertype() == EthernetProtocol::Ipv6;
        let (filter, registers) = (&self.facts.filter, &self.sockets[0].registers);
        let unwanted = match cast {
            None => is_set(filter.strangers, registers),
            Some(Cast::All) => is_set(filter.broadcast, registers),
            Some(Cast::Many | Cast::Solicited) => self.blocks_multicast(header.dst_addr()),
            Some(Cast::One) => false,
        };
        if unwanted || (is_ipv6 && is_set(filter.ipv6, registers)) {
            return self.tell_of_filtered(frame);
        }
        let length = (frame.len() + LENGTH_BYTES) as u16;
        self.deliver(0, [&length.to_be_bytes(), frame]);
    }

    fn blocks_multicast(&self, destination: EthernetAddress) -> bool {
        let (filter, registers) = (&self.facts.filter, &self.sockets[0].registers);
        let is_blocked = is_set(filter.multicast, registers);
        if !is_set(filter.strangers, registers) {
            return is_blocked && !filter.multicast_needs_mac_filter;
        }
        match destination.0 {
            _ if !filter.mac_filter_knows_ip => is_blocked,
            [0x33, 0x33, ..] => is_set(filter.multicast_ipv6, registers),
            [0x01, 0x00, 0x5E, ..] => is_blocked,
            _ => true,
        }
    }

    /// A driver that never hears who asks for its addresses can be reached by nobody, and its image says nothing of that.
    fn tell_of_filtered(&mut self, frame: &[u8]) {
        let told = match EthernetFrame::new_unchecked(frame).ethertype() {
            EthernetProtocol::Arp => Some((WarningKind::ArpFiltered, "ARP requests")),
            EthernetProtocol::Ipv6 if is_neighbor_solicitation(frame) => {
                Some((WarningKind::NeighborSolicitationFiltered, "IPv6 neighbour solicitations"))
            }
            _ => None,
        };
        let Some((kind, questions)) = told else { return };
        self.warnings.tell(self.now, kind, || {
            format!(
                "the filter of socket 0, in its mode register, keeps {questions} from the driver: \
                 who asks for the board's address gets no answer"
            )
        });
    }

    /// SEND in MACRAW mode: what was written is a frame.
    pub(super) fn send_raw_frame(&mut self) {
        let bytes = self.pending_bytes(0);
        if bytes > LONGEST_BYTES {
            self.warnings.tell(self.now, WarningKind::FrameTooLong, || {
                format!(
                    "a frame of {bytes} bytes was given to MACRAW; more than {LONGEST_BYTES} are not sent"
                )
            });
            return self.taken_over(0, self.now);
        }
        let mut frame = Vec::with_capacity(bytes);
        self.buffers.read_transmit(0, self.sockets[0].pointers.tx_read, bytes, &mut frame);
        let end = self.transmit(frame);
        self.taken_over(0, end);
    }

    /// The MAC has what was written before SEND; the memory is free, and SENDOK stands, once it is out.
    pub(super) fn taken_over(&mut self, socket: usize, at: Picoseconds) {
        let pointers = &mut self.sockets[socket].pointers;
        pointers.tx_read = pointers.tx_boundary;
        self.mac.tell(Completion { at, socket, boundary: pointers.tx_boundary });
    }

    /// How much the driver has written before SEND, at most what fits.
    pub(super) fn pending_bytes(&self, n: usize) -> usize {
        let pointers = &self.sockets[n].pointers;
        let size = self.buffers.span(Side::Transmit, n).size;
        usize::from(pointers.tx_boundary.wrapping_sub(pointers.tx_read).min(size))
    }

    /// A packet of a protocol other than TCP and UDP for the sockets in IPRAW mode. Whether one took it.
    pub(super) fn receive_ip_raw(&mut self, origin: &Origin, protocol: IpProtocol, payload: &[u8]) -> bool {
        let number = u8::from(protocol);
        let wants = |core: &Self, n: usize| {
            let socket = &core.sockets[n];
            let is_raw = matches!(socket.status(), status::IPRAW | status::IPRAW6);
            is_raw && socket.opened.ip_protocol == number && socket.opened.mode.takes(origin.address)
        };
        let Some(n) = (0..self.sockets.len()).find(|&n| wants(self, n)) else {
            return false;
        };
        let info = self.packet_info(origin, None, payload.len());
        self.deliver(n, [&info, payload]);
        true
    }
}

/// Whether a frame of IPv6 asks for somebody's hardware address.
fn is_neighbor_solicitation(frame: &[u8]) -> bool {
    let packet = Ipv6Packet::new_checked(EthernetFrame::new_unchecked(frame).payload());
    packet.is_ok_and(|packet| {
        packet.next_header() == IpProtocol::Icmpv6
            && Icmpv6Packet::new_checked(packet.payload())
                .is_ok_and(|message| message.msg_type() == Icmpv6Message::NeighborSolicit)
    })
}
