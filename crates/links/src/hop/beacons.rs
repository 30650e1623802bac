//! An access point's beacons: when each is due, and for which of them a station wakes.

use sim::RandomStream;
use units::Picoseconds;

use super::WIFI_HOP;
use super::station::Listens;
use crate::Settings;
use crate::stage::PhyRate;

/// Which DTIM a station begins to count with is drawn among so many beacons.
const COUNTED_FROM: u64 = 1_000_000;

/// The beacons.
#[derive(Debug, Clone)]
pub(super) struct Beacons {
    pub(super) interval: Picoseconds,
    dtim_period: u32,
    /// Before a beacon its map of who is to be given something is closed for so long.
    pub(super) lead: Picoseconds,
    missed: f64,
    /// How long one is on the air.
    pub(super) air: Picoseconds,
    phase: Picoseconds,
    counted_from: i64,
    random: RandomStream,
    /// The first that nobody has dealt with.
    pub(super) next: Picoseconds,
}

impl Beacons {
    pub(super) fn new(settings: &Settings, seed: u64, path: &str) -> Self {
        let params = WIFI_HOP.params();
        let mut random = RandomStream::named(seed, &format!("{path}/beacon"));
        let interval = settings.time("beacon_interval");
        let phase = random.time_below(interval);
        Self {
            interval,
            dtim_period: settings.integer("dtim_period") as u32,
            lead: params.time("announcement_lead"),
            missed: params.number("beacon_missed"),
            air: PhyRate::named("1M").airtime(params.integer("beacon_bytes") as u32),
            phase,
            counted_from: random.below(COUNTED_FROM) as i64,
            random,
            next: phase,
        }
    }

    /// Beacons from one for which a station wakes to the next.
    pub(super) fn heard_each(&self, listens: Listens) -> u32 {
        match listens {
            Listens::Dtims(count) => self.dtim_period * count.max(1),
            Listens::Beacons(count) => count.max(1),
        }
    }

    /// The first beacon at or after a time for which a station wakes.
    pub(super) fn next_heard(&self, from: Picoseconds, listens: Listens) -> Picoseconds {
        let each = i64::from(self.heard_each(listens));
        let (period, first) = (each * self.interval.ps(), self.first_heard(each));
        let since = (from - first).ps();
        let periods = since.div_euclid(period) + i64::from(since.rem_euclid(period) != 0);
        first + Picoseconds::new(periods * period)
    }

    /// How many of those come after a time and not after another.
    pub(super) fn heard_between(&self, from: Picoseconds, until: Picoseconds, listens: Listens) -> i64 {
        let each = i64::from(self.heard_each(listens));
        let (period, first) = (each * self.interval.ps(), self.first_heard(each));
        ((until - first).ps().div_euclid(period) - (from - first).ps().div_euclid(period)).max(0)
    }

    fn first_heard(&self, each: i64) -> Picoseconds {
        self.phase + Picoseconds::new((-self.counted_from).rem_euclid(each) * self.interval.ps())
    }

    /// Whether a station wakes for one that is due at a time.
    pub(super) fn is_heard(&self, due: Picoseconds, listens: Listens) -> bool {
        self.next_heard(due, listens) == due
    }

    /// Whether a station that woke for it misses it all the same.
    pub(super) fn is_missed(&mut self) -> bool {
        self.random.chance(self.missed)
    }

    /// Passes over those that nobody waited for, and that were off the air by a time. One that is due while something else is
    /// on the air comes behind that.
    pub(super) fn pass_over(&mut self, now: Picoseconds, idle_from: Picoseconds) {
        if now < idle_from + self.air {
            return;
        }
        let behind = (now - self.air - self.next).ps();
        if behind >= 0 {
            let beacons = behind / self.interval.ps() + 1;
            self.next = self.next + Picoseconds::new(beacons * self.interval.ps());
        }
    }
}
