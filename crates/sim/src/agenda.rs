//! An agenda: a fixed number of sources, each with at most one appointment. To arm a source again replaces its
//! appointment, so nothing stale is ever delivered. Of appointments at one instant the lower source comes first.
//!
//! Few of the sources have an appointment at a time, so that a bit for each of these and the known first of them are cheaper than any
//! tree.

use units::Picoseconds;

/// No appointment.
const NEVER: Picoseconds = Picoseconds::new(i64::MAX);

/// Who is due next, among a fixed number of sources.
///
/// ```
/// use sim::Agenda;
/// use units::Picoseconds;
///
/// let mut agenda = Agenda::new(3);
/// agenda.arm(2, Picoseconds::from_ns(10));
/// agenda.arm(0, Picoseconds::from_ns(30));
/// agenda.arm(0, Picoseconds::from_ns(5));
/// assert_eq!(agenda.next(), Some((Picoseconds::from_ns(5), 0)));
/// agenda.disarm(0);
/// assert_eq!(agenda.next(), Some((Picoseconds::from_ns(10), 2)));
/// ```
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Agenda {
    due: Box<[Picoseconds]>,
    /// A bit for each source that has an appointment.
    armed: u64,
    /// The first appointment and whose it is.
    first: (Picoseconds, usize),
}

impl Agenda {
    /// An empty agenda of `sources` sources.
    ///
    /// # Panics
    /// With no source, or more than 64.
    pub fn new(sources: usize) -> Self {
        assert!((1..=64).contains(&sources), "an agenda has 1 to 64 sources");
        Self { due: vec![NEVER; sources].into(), armed: 0, first: (NEVER, 0) }
    }

    /// Sets a source's appointment; it replaces the one before.
    ///
    /// # Panics
    /// When there is no such source.
    #[inline]
    pub fn arm(&mut self, source: usize, at: Picoseconds) {
        self.due[source] = at;
        self.armed |= 1 << source;
        if (at, source) < self.first {
            self.first = (at, source);
        } else if self.first.1 == source {
            self.find_first();
        }
    }

    /// Drops a source's appointment.
    #[inline]
    pub fn disarm(&mut self, source: usize) {
        self.armed &= !(1 << source);
        self.due[source] = NEVER;
        if self.first.1 == source {
            self.find_first();
        }
    }

    /// Sets the appointments of two sources at one go, or drops them at the end of time.
    ///
    /// # Panics
    /// When there is no such source.
    #[inline]
    pub fn set_two(&mut self, appointments: [(usize, Picoseconds); 2]) {
        for (source, at) in appointments {
            self.due[source] = at;
            self.armed = self.armed & !(1 << source) | u64::from(at != NEVER) << source;
        }
        self.find_first();
    }

    /// When a source is due.
    #[inline]
    pub fn due(&self, source: usize) -> Option<Picoseconds> {
        Some(self.due[source]).filter(|&at| at != NEVER)
    }

    /// The first appointment and whose it is.
    #[inline]
    pub fn next(&self) -> Option<(Picoseconds, usize)> {
        Some(self.first).filter(|&(at, _)| at != NEVER)
    }

    /// When the first appointment is; the end of time when there is none.
    #[inline]
    pub fn next_time(&self) -> Picoseconds {
        self.first.0
    }

    /// When somebody has to be served at the latest, if the sources in the mask `patient` may wait for `patience`, and those in
    /// `unnoticed` for good.
    #[inline]
    pub fn latest(&self, patient: u64, patience: Picoseconds, unnoticed: u64) -> Picoseconds {
        if self.armed & (patient | unnoticed) == 0 {
            return self.first.0;
        }
        let mut latest = NEVER;
        let mut armed = self.armed & !unnoticed;
        while armed != 0 {
            let source = armed.trailing_zeros() as usize;
            armed &= armed - 1;
            let wait = if patient >> source & 1 == 1 { patience.ps() } else { 0 };
            latest = latest.min(Picoseconds::new(self.due[source].ps().saturating_add(wait)));
        }
        latest
    }

    /// When the first appointment is of those that are not in a mask of sources; the end of time when there is none.
    #[inline]
    pub fn next_time_besides(&self, mask: u64) -> Picoseconds {
        let (mut first, mut others) = (NEVER, self.armed & !mask);
        while others != 0 {
            first = first.min(self.due[others.trailing_zeros() as usize]);
            others &= others - 1;
        }
        first
    }

    #[inline]
    fn find_first(&mut self) {
        let mut first = (NEVER, 0);
        let mut armed = self.armed;
        while armed != 0 {
            let source = armed.trailing_zeros() as usize;
            armed &= armed - 1;
            if self.due[source] < first.0 {
                first = (self.due[source], source);
            }
        }
        self.first = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_patient_source_may_be_served_later_but_not_after_its_patience() {
        let mut agenda = Agenda::new(8);
        let ns = Picoseconds::from_ns;
        agenda.arm(1, ns(10));
        agenda.arm(2, ns(25));
        assert_eq!(agenda.latest(0, ns(100), 0), ns(10));
        assert_eq!(agenda.latest(1 << 1, ns(100), 0), ns(25));
        assert_eq!(agenda.latest(1 << 1 | 1 << 2, ns(100), 0), ns(110));
        assert_eq!(agenda.latest(0, ns(100), 1 << 1), ns(25));
        assert_eq!(agenda.latest(1 << 2, ns(100), 1 << 1), ns(125));
    }

    #[test]
    fn of_one_instant_the_lower_source_comes_first() {
        let mut agenda = Agenda::new(40);
        for source in [39, 7, 22] {
            agenda.arm(source, Picoseconds::from_ns(1));
        }
        assert_eq!(agenda.next(), Some((Picoseconds::from_ns(1), 7)));
    }

    #[test]
    fn two_appointments_are_set_or_dropped_at_one_go() {
        let mut agenda = Agenda::new(8);
        let ns = Picoseconds::from_ns;
        agenda.arm(3, ns(20));
        agenda.set_two([(5, ns(10)), (1, ns(10))]);
        assert_eq!(agenda.next(), Some((ns(10), 1)));
        agenda.set_two([(5, ns(30)), (1, NEVER)]);
        assert_eq!((agenda.next(), agenda.due(1), agenda.due(5)), (Some((ns(20), 3)), None, Some(ns(30))));
    }

    proptest! {
        #[test]
        fn the_next_is_the_least_of_all_appointments(
            sources in 1usize..65,
            steps in prop::collection::vec((0usize..64, prop::option::of(0i64..50)), 1..200),
        ) {
            let mut agenda = Agenda::new(sources);
            let mut model = vec![None; sources];
            for (source, at) in steps {
                let source = source % sources;
                match at {
                    Some(at) => agenda.arm(source, Picoseconds::new(at)),
                    None => agenda.disarm(source),
                }
                model[source] = at;
                let least = (0..sources).filter_map(|s| model[s].map(|at| (at, s))).min();
                prop_assert_eq!(agenda.next(), least.map(|(at, s)| (Picoseconds::new(at), s)));
                let others = (0..sources).filter(|&s| s != source).filter_map(|s| model[s]).min();
                let others = others.map_or(NEVER, Picoseconds::new);
                prop_assert_eq!(agenda.next_time_besides(1 << source), others);
            }
        }
    }
}
