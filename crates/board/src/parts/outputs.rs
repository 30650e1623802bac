//! Outputs of parts that are on no pin of the MCU: nets of the board, numbered behind its pins.

use mcu::Edge;
use units::Picoseconds;

/// Pins and outputs have a bit each in 32.
pub(crate) const MOST_NETS: u8 = 32;

/// The outputs.
#[derive(Debug, Clone)]
pub(super) struct Outputs {
    next: u8,
    levels: u32,
    /// Their edges, where they are recorded.
    edges: Option<Vec<Edge>>,
}

impl Outputs {
    pub(super) fn behind(pins: u8) -> Self {
        Self { next: pins, levels: 0, edges: None }
    }

    /// Places for a part's outputs; the first of them.
    ///
    /// # Panics
    /// Where there are more than 32 pins and outputs; board files with so many are refused.
    pub(super) fn reserve(&mut self, count: usize) -> u8 {
        let first = self.next;
        self.next += count as u8;
        assert!(self.next <= MOST_NETS, "a board has at most {MOST_NETS} pins and outputs of parts");
        first
    }

    pub(super) fn levels(&self) -> u32 {
        self.levels
    }

    pub(super) fn set(&mut self, at: Picoseconds, net: u8, level: bool) {
        let bit = 1 << net;
        if (self.levels & bit != 0) != level {
            self.levels ^= bit;
            self.edges.iter_mut().for_each(|edges| edges.push(Edge { at, pin: net, level }));
        }
    }

    pub(super) fn record(&mut self) {
        self.edges.get_or_insert_default();
    }

    pub(super) fn take_edges(&mut self) -> Vec<Edge> {
        self.edges.as_mut().map_or_else(Vec::new, std::mem::take)
    }
}
