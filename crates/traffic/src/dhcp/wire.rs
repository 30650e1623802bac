//! DHCP messages (RFC 2131 section 2, options of RFC 2132) on smoltcp's packet view: a request as the server needs it and
//! a reply. Options in `sname` and `file` (overload) are not read; options split over several instances are not joined.

use std::net::Ipv4Addr;

use smoltcp::wire::{
    ArpHardware, DhcpFlags, DhcpMessageType, DhcpOpCode, DhcpOption, DhcpPacket, EthernetAddress,
};

use super::settings::HardwareAddress;

/// RFC 1542 section 2.1: old relays and clients drop what is shorter than a BOOTP message.
const LEAST_BYTES: usize = 300;
const OPTIONS_AT: usize = 240;
/// RFC 2131 section 3.
const MAGIC_COOKIE: u32 = 0x6382_5363;
/// Longer client identifiers are told apart by hardware address instead, so that a reply stays small.
const MOST_CLIENT_ID_BYTES: usize = 64;

/// Option numbers of RFC 2132.
pub(super) mod option {
    pub(in crate::dhcp) const SUBNET_MASK: u8 = 1;
    pub(in crate::dhcp) const ROUTER: u8 = 3;
    pub(in crate::dhcp) const DOMAIN_NAME_SERVER: u8 = 6;
    pub(in crate::dhcp) const HOST_NAME: u8 = 12;
    pub(in crate::dhcp) const DOMAIN_NAME: u8 = 15;
    pub(in crate::dhcp) const BROADCAST_ADDRESS: u8 = 28;
    pub(in crate::dhcp) const NTP_SERVERS: u8 = 42;
    pub(in crate::dhcp) const REQUESTED_IP_ADDRESS: u8 = 50;
    pub(in crate::dhcp) const IP_ADDRESS_LEASE_TIME: u8 = 51;
    pub(in crate::dhcp) const MESSAGE_TYPE: u8 = 53;
    pub(in crate::dhcp) const SERVER_IDENTIFIER: u8 = 54;
    pub(super) const PARAMETER_REQUEST_LIST: u8 = 55;
    pub(in crate::dhcp) const MESSAGE: u8 = 56;
    pub(in crate::dhcp) const RENEWAL_TIME_VALUE: u8 = 58;
    pub(in crate::dhcp) const REBINDING_TIME_VALUE: u8 = 59;
    pub(in crate::dhcp) const CLIENT_IDENTIFIER: u8 = 61;
    pub(super) const END: u8 = 255;
}

/// What a client sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) kind: DhcpMessageType,
    pub(super) xid: u32,
    pub(super) broadcast: bool,
    pub(super) ciaddr: Ipv4Addr,
    pub(super) giaddr: Ipv4Addr,
    pub(super) chaddr: HardwareAddress,
    pub(super) client_id: Option<Vec<u8>>,
    pub(super) requested: Option<Ipv4Addr>,
    pub(super) server: Option<Ipv4Addr>,
    pub(super) lease_s: Option<u32>,
    pub(super) hostname: Option<Vec<u8>>,
    /// None when the client sent no list: it gets all there is.
    pub(super) wanted: Option<Vec<u8>>,
}

fn address(data: &[u8]) -> Option<Ipv4Addr> {
    <[u8; 4]>::try_from(data).ok().map(Ipv4Addr::from)
}

impl Request {
    /// None for what is no request of an Ethernet client.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let packet = DhcpPacket::new_checked(bytes).ok()?;
        let ethernet = packet.hardware_type() == ArpHardware::Ethernet && packet.hardware_len() == 6;
        if packet.opcode() != DhcpOpCode::Request || packet.magic_number() != MAGIC_COOKIE || !ethernet {
            return None;
        }
        let mut request = Self {
            kind: DhcpMessageType::Unknown(0),
            xid: packet.transaction_id(),
            broadcast: packet.flags().contains(DhcpFlags::BROADCAST),
            ciaddr: packet.client_ip(),
            giaddr: packet.relay_agent_ip(),
            chaddr: packet.client_hardware_address().0,
            client_id: None,
            requested: None,
            server: None,
            lease_s: None,
            hostname: None,
            wanted: None,
        };
        for option in packet.options() {
            request.take(option);
        }
        (request.kind != DhcpMessageType::Unknown(0)).then_some(request)
    }

    fn take(&mut self, option: DhcpOption<'_>) {
        let data = option.data;
        match option.kind {
            option::MESSAGE_TYPE if data.len() == 1 => self.kind = DhcpMessageType::from(data[0]),
            option::REQUESTED_IP_ADDRESS => self.requested = address(data),
            option::SERVER_IDENTIFIER => self.server = address(data),
            option::IP_ADDRESS_LEASE_TIME => self.lease_s = data.try_into().ok().map(u32::from_be_bytes),
            option::CLIENT_IDENTIFIER if (2..=MOST_CLIENT_ID_BYTES).contains(&data.len()) => {
                self.client_id = Some(data.to_vec());
            }
            option::HOST_NAME => self.hostname = Some(data.to_vec()),
            option::PARAMETER_REQUEST_LIST => self.wanted = Some(data.to_vec()),
            _ => {}
        }
    }

    pub(super) fn wants(&self, kind: u8) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.contains(&kind))
    }

    /// How this client is told from others: its identifier, or hardware type and address (RFC 2131 section 4.2).
    pub(super) fn key(&self) -> Vec<u8> {
        self.client_id.clone().unwrap_or_else(|| [&[1][..], &self.chaddr].concat())
    }
}

/// A reply under construction: its options, in order.
#[derive(Debug)]
pub(super) struct Reply {
    options: Vec<u8>,
}

impl Reply {
    pub(super) fn new(kind: DhcpMessageType) -> Self {
        Self { options: vec![option::MESSAGE_TYPE, 1, kind.into()] }
    }

    pub(super) fn add(&mut self, kind: u8, data: &[u8]) {
        let length =
            u8::try_from(data.len()).expect("settings and requests bound what a reply repeats to 255 bytes");
        self.options.extend([kind, length]);
        self.options.extend(data);
    }

    pub(super) fn add_addresses(&mut self, kind: u8, addresses: &[Ipv4Addr]) {
        if !addresses.is_empty() {
            let data: Vec<u8> = addresses.iter().flat_map(|address| address.octets()).collect();
            self.add(kind, &data);
        }
    }

    /// The message. `yiaddr` and `ciaddr` may be unspecified.
    pub(super) fn into_bytes(mut self, request: &Request, ciaddr: Ipv4Addr, yiaddr: Ipv4Addr) -> Vec<u8> {
        self.options.push(option::END);
        let mut bytes = vec![0; OPTIONS_AT];
        bytes.append(&mut self.options);
        bytes.resize(bytes.len().max(LEAST_BYTES), 0);
        let mut packet = DhcpPacket::new_unchecked(&mut bytes[..]);
        packet.set_opcode(DhcpOpCode::Reply);
        packet.set_hardware_type(ArpHardware::Ethernet);
        packet.set_hardware_len(6);
        packet.set_transaction_id(request.xid);
        packet.set_flags(if request.broadcast { DhcpFlags::BROADCAST } else { DhcpFlags::empty() });
        packet.set_client_ip(ciaddr);
        packet.set_your_ip(yiaddr);
        packet.set_relay_agent_ip(request.giaddr);
        packet.set_client_hardware_address(EthernetAddress(request.chaddr));
        packet.set_magic_number(MAGIC_COOKIE);
        bytes
    }
}

/// A client's message under construction: its options, in order.
#[derive(Debug)]
pub(super) struct ClientMessage(Reply);

impl ClientMessage {
    pub(super) fn new(kind: DhcpMessageType) -> Self {
        Self(Reply::new(kind))
    }

    pub(super) fn add(&mut self, kind: u8, data: &[u8]) {
        self.0.add(kind, data);
    }

    /// The message of a client without an address, which wants its answers broadcast.
    pub(super) fn into_bytes(self, xid: u32, client: HardwareAddress) -> Vec<u8> {
        let own = Request {
            kind: DhcpMessageType::Unknown(0),
            xid,
            broadcast: true,
            ciaddr: Ipv4Addr::UNSPECIFIED,
            giaddr: Ipv4Addr::UNSPECIFIED,
            chaddr: client,
            client_id: None,
            requested: None,
            server: None,
            lease_s: None,
            hostname: None,
            wanted: None,
        };
        let mut bytes = self.0.into_bytes(&own, Ipv4Addr::UNSPECIFIED, Ipv4Addr::UNSPECIFIED);
        DhcpPacket::new_unchecked(&mut bytes[..]).set_opcode(DhcpOpCode::Request);
        bytes
    }
}
