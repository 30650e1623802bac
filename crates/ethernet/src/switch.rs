//! The switch: it learns which address is behind which cable, and decides where a frame goes. Store and forward: a frame
//! has arrived whole before it is looked at. Left out: VLANs, spanning tree, PAUSE frames, multicast snooping.

use std::collections::BTreeMap;

use units::Picoseconds;

use crate::{Frame, SwitchCounters};

/// How long an address is remembered (IEEE 802.1D-2004 table 7-5: 300 s unless changed).
const AGEING: Picoseconds = Picoseconds::new(300 * units::PS_PER_S);
/// Addresses in the table, as in small unmanaged switches.
const TABLE_ENTRIES: usize = 1024;
/// A full table is searched for aged addresses this often at most.
const SEARCH_PERIOD: Picoseconds = Picoseconds::new(units::PS_PER_S);
/// The longest frame with a VLAN tag, without its check sequence (IEEE 802.3 clause 3).
const LONGEST_BYTES: usize = 1518;

/// Where a frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    To(usize),
    Flood,
    Nowhere,
}

#[derive(Debug, Clone)]
struct Entry {
    cable: usize,
    seen: Picoseconds,
}

/// A learning switch.
#[derive(Debug, Clone)]
pub(crate) struct Switch {
    table: BTreeMap<[u8; 6], Entry>,
    next_search: Picoseconds,
    pub(crate) latency: Picoseconds,
    pub(crate) longest_bytes: usize,
    pub(crate) counters: SwitchCounters,
}

impl Default for Switch {
    fn default() -> Self {
        Self {
            table: BTreeMap::new(),
            next_search: Picoseconds::ZERO,
            latency: Picoseconds::ZERO,
            longest_bytes: LONGEST_BYTES,
            counters: SwitchCounters::default(),
        }
    }
}

impl Switch {
    /// Learns the source of an intact frame and says where it goes.
    pub(crate) fn decide(&mut self, now: Picoseconds, from: usize, frame: &Frame) -> Way {
        self.counters.received_frames += 1;
        if frame.bytes.len() > self.longest_bytes {
            self.counters.giant_frames += 1;
            return Way::Nowhere;
        }
        let (destination, source) = addresses(frame);
        self.learn(now, from, source);
        if destination[..5] == [0x01, 0x80, 0xc2, 0, 0] && destination[5] < 0x10 {
            self.counters.reserved_frames += 1;
            return Way::Nowhere;
        }
        let known = self.table.get(&destination).filter(|entry| now - entry.seen < AGEING);
        match known.map(|entry| entry.cable) {
            Some(cable) if cable == from => {
                self.counters.filtered_frames += 1;
                Way::Nowhere
            }
            Some(cable) => {
                self.counters.forwarded_frames += 1;
                Way::To(cable)
            }
            None => {
                self.counters.flooded_frames += 1;
                Way::Flood
            }
        }
    }

    /// Forgets what was learned behind a cable that was pulled.
    pub(crate) fn forget(&mut self, cable: usize) {
        self.table.retain(|_, entry| entry.cable != cable);
    }

    fn learn(&mut self, now: Picoseconds, cable: usize, source: [u8; 6]) {
        if is_group(source) {
            return;
        }
        if let Some(entry) = self.table.get_mut(&source) {
            *entry = Entry { cable, seen: now };
            return;
        }
        if self.table.len() >= TABLE_ENTRIES && now >= self.next_search {
            self.next_search = now + SEARCH_PERIOD;
            self.table.retain(|_, entry| now - entry.seen < AGEING);
        }
        if self.table.len() >= TABLE_ENTRIES {
            self.counters.unlearned_addresses += 1;
            return;
        }
        self.table.insert(source, Entry { cable, seen: now });
    }
}

fn is_group(address: [u8; 6]) -> bool {
    address[0] & 1 == 1
}

fn addresses(frame: &Frame) -> ([u8; 6], [u8; 6]) {
    let address =
        |at: usize| frame.bytes[at..at + 6].try_into().expect("a frame on a wire has room for a header");
    (address(0), address(6))
}
