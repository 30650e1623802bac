//! Cycles that an access to a register finds a picosecond before their edge, and carries out: what they do happens at its time.

use units::Picoseconds;

use super::Pio;

/// As many as are remembered: those of a transfer each way, and of one that came late.
const MOST: usize = 3;

/// The cycles that accesses found since the last word began, the oldest first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Early {
    met: [(u64, Picoseconds); MOST],
    count: usize,
}

impl Early {
    /// When a cycle was carried out, if that was before its edge.
    #[inline]
    pub(super) fn time_of(&self, cycle: u64) -> Option<Picoseconds> {
        if self.count == 0 { None } else { self.find(cycle) }
    }

    fn find(&self, cycle: u64) -> Option<Picoseconds> {
        self.all().find(|&(met, _)| met == cycle).map(|(_, at)| at)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (u64, Picoseconds)> {
        self.met.into_iter().take(self.count)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn has_room(&self) -> bool {
        self.count < MOST
    }

    pub(super) fn add(&mut self, cycle: u64, at: Picoseconds) {
        if let Some(place) = self.met.get_mut(self.count) {
            *place = (cycle, at);
            self.count += 1;
        }
    }
}

impl Pio {
    /// The cycle that an access at a time finds a picosecond before its edge.
    pub(super) fn met_early(&self, at: Picoseconds) -> Option<u64> {
        let cycle = self.edges.cycle_at(at);
        self.edges.time_of(cycle).is_some_and(|edge| edge > at).then_some(cycle)
    }
}
