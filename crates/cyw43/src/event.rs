//! Events: what the firmware tells the driver unasked, as Ethernet frames of a type of their own.

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Kind {
    SetSsid = 0,
    Join = 1,
    Authenticated = 3,
    DeauthenticatedByPeer = 6,
    Associated = 7,
    AssociatedByPeer = 8,
    Disassociated = 11,
    Link = 16,
    KeyExchange = 46,
    ScanResult = 69,
    AssociationRequest = 87,
    AssociationResponse = 88,
}

/// How it ended.
pub(crate) mod status {
    pub(crate) const SUCCESS: u32 = 0;
    pub(crate) const FAILED: u32 = 1;
    pub(crate) const NO_NETWORKS: u32 = 3;
    /// Of a key exchange that is done.
    pub(crate) const KEYED: u32 = 6;
    /// Of a scan that goes on, and of a key exchange that waits for the third message.
    pub(crate) const PARTIAL: u32 = 8;
}

/// Why.
pub(crate) mod reason {
    pub(crate) const NONE: u32 = 0;
    /// No beacon came for too long.
    pub(crate) const BEACONS_LOST: u32 = 1;
    /// The access point said so.
    pub(crate) const DEAUTHENTICATED: u32 = 2;
    /// The access point ended a key exchange.
    pub(crate) const KEY_REFUSED: u32 = 14;
}

const TYPE: [u8; 2] = [0x88, 0x6c];
const OUI: [u8; 3] = [0x00, 0x10, 0x18];
const SUBTYPE: u16 = 0x8001;
const USER_SUBTYPE: u16 = 1;
const VERSION: u16 = 2;
const INTERFACE: &[u8; 16] = b"wl0\0\0\0\0\0\0\0\0\0\0\0\0\0";
/// What follows the length in front of the version.
const MESSAGE_BYTES: usize = 48;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    pub(crate) flags: u16,
    pub(crate) status: u32,
    pub(crate) reason: u32,
    pub(crate) peer: [u8; 6],
    /// That of the station, or of the chip's own network.
    pub(crate) interface: u8,
    pub(crate) data: Vec<u8>,
}

impl Event {
    pub(crate) fn of(kind: Kind, status: u32, peer: [u8; 6]) -> Self {
        Self { kind, flags: 0, status, reason: reason::NONE, peer, interface: 0, data: Vec::new() }
    }

    pub(crate) fn because(self, reason: u32) -> Self {
        Self { reason, ..self }
    }

    /// The frame for the host.
    pub(crate) fn frame(&self, own: [u8; 6]) -> Vec<u8> {
        let mut frame = Vec::with_capacity(72 + self.data.len());
        frame.extend(own);
        // Its sender is the chip itself, with a locally administered address.
        frame.extend([own[0] | 2, own[1], own[2], own[3], own[4], own[5]]);
        frame.extend(TYPE);
        frame.extend(SUBTYPE.to_be_bytes());
        frame.extend(((10 + MESSAGE_BYTES + self.data.len()) as u16).to_be_bytes());
        frame.push(0);
        frame.extend(OUI);
        frame.extend(USER_SUBTYPE.to_be_bytes());
        frame.extend(VERSION.to_be_bytes());
        frame.extend(self.flags.to_be_bytes());
        for word in [self.kind as u32, self.status, self.reason, 0, self.data.len() as u32] {
            frame.extend(word.to_be_bytes());
        }
        frame.extend(self.peer);
        frame.extend(INTERFACE);
        frame.extend([self.interface, self.interface]);
        frame.extend(&self.data);
        frame
    }
}

/// Which events the driver wants to hear of: a bit each, in bytes.
pub(crate) fn is_wanted(mask: &[u8], kind: Kind) -> bool {
    let number = kind as usize;
    mask.get(number / 8).is_some_and(|byte| byte >> (number % 8) & 1 == 1)
}
