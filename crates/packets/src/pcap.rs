//! Recordings in the older format: a header, then packets with their times (draft-ietf-opsawg-pcap).
//!
//! Lengths in the header and beyond the bytes of a packet are not held against each other: recorders that keep only headers,
//! or that say a snapshot length of 0, are everyday.

use std::io::Read;

use crate::file::{MOST_BYTES, NS_PER_S, Order, Stop, bytes};
use crate::link::Link;

const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;
/// Of an old patch of libpcap, with more in front of each packet; Wireshark still writes it.
const PATCHED: u32 = 0xa1b2_cd34;
/// Behind the magic number.
const HEADER_BYTES: u32 = 20;
const LINK_AT: usize = 16;
const RECORD_BYTES: u32 = 16;
const PATCHED_RECORD_BYTES: u32 = 24;

/// What the first bytes say of the rest.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    order: Order,
    ns_per_tick: i128,
    record_bytes: u32,
}

impl Kind {
    /// What a file with these first bytes is; nothing where it is another format.
    pub(crate) fn of(magic: [u8; 4]) -> Option<Self> {
        [(Order::Big, u32::from_be_bytes(magic)), (Order::Little, u32::from_le_bytes(magic))]
            .into_iter()
            .find_map(|(order, magic)| match magic {
                MICROSECONDS => Some(Self { order, ns_per_tick: 1000, record_bytes: RECORD_BYTES }),
                NANOSECONDS => Some(Self { order, ns_per_tick: 1, record_bytes: RECORD_BYTES }),
                PATCHED => Some(Self { order, ns_per_tick: 1000, record_bytes: PATCHED_RECORD_BYTES }),
                _ => None,
            })
    }
}

/// Reads what stands behind the first four bytes.
pub(crate) fn read(
    mut file: impl Read,
    kind: Kind,
    take: &mut impl FnMut(i128, Link, Vec<u8>),
) -> Result<(), Stop> {
    let Kind { order, ns_per_tick, record_bytes } = kind;
    let header = bytes(&mut file, HEADER_BYTES).map_err(Stop::in_header)?;
    // Above these 16 bits stands how long the check sequence of a frame is.
    let link = Link::of(order.u32(&header, LINK_AT).unwrap_or_default() as u16);
    loop {
        let record = bytes(&mut file, record_bytes)?;
        let number = |at| order.u32(&record, at).unwrap_or_default();
        let [seconds, ticks, kept] = [number(0), number(4), number(8)];
        if kept > MOST_BYTES {
            return Stop::because(format!("the next packet has {kept} bytes, more than any; record again"));
        }
        let packet = bytes(&mut file, kept)?;
        take(i128::from(seconds) * NS_PER_S + i128::from(ticks) * ns_per_tick, link, packet);
    }
}
