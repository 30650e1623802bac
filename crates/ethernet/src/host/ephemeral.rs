//! Ports and initial sequence numbers of connections that the PC opens or accepts, chosen as Linux does.
//!
//! Ports follow RFC 6056, algorithm 4 (double-hash port selection): each destination begins at a place of its own, and each
//! connection goes on behind the one before, so that a port comes back only when all others have been used. Sequence numbers
//! follow RFC 6528: a clock that ticks every 64 ns, and an offset of the connection's own.

use sim::RandomStream;
use units::Picoseconds;

use super::segment::Tuple;

/// Linux's `ip_local_port_range`.
pub(super) const FIRST_EPHEMERAL: u16 = 32_768;
pub(super) const EPHEMERALS: u64 = 28_232;
/// `connect` takes every other port, so that `bind` finds some too.
const STEP: u64 = 2;
/// Counters of algorithm 4 (RFC 6056, section 3.3.4); which one a destination shares is its second hash.
const COUNTERS: u64 = 256;
/// Linux counts `ktime >> 6` (`seq_scale` in net/core/secure_seq.c).
const PS_PER_TICK: i64 = 64_000;
/// One first choice in so many is passed over, so that an observer does not know the next port (Linux 5.15).
const SKIPS_ONE_IN: u64 = 16;

/// What the next connection of a PC gets.
#[derive(Debug, Clone)]
pub(super) struct Ephemeral {
    seed: u64,
    host: String,
    counters: Vec<u64>,
    noise: RandomStream,
}

impl Ephemeral {
    pub(super) fn new(seed: u64, host: &str) -> Self {
        let noise = RandomStream::named(seed, &format!("host/{host}/ports"));
        Self { seed, host: host.to_owned(), counters: vec![0; COUNTERS as usize], noise }
    }

    /// A port for a connection; `base` has its other three numbers.
    pub(super) fn port_for(&mut self, base: &Tuple, is_free: impl Fn(&Tuple) -> bool) -> Option<Tuple> {
        let Tuple { local, remote, remote_port, .. } = *base;
        let mut place = self.hash("port", &format!("{local} {remote}:{remote_port}"));
        let counter = place.below(COUNTERS) as usize;
        let first = (place.below(EPHEMERALS) + self.counters[counter]) % EPHEMERALS / STEP * STEP;
        let skipped = u64::from(self.noise.below(SKIPS_ONE_IN) == 0);
        // The even ones from there on, then the odd ones.
        let every = EPHEMERALS / STEP;
        let order = (skipped..EPHEMERALS).chain(0..skipped);
        for (offset, parity) in order.map(|n| (n * STEP, n / every)) {
            let port = FIRST_EPHEMERAL + ((first + offset) % EPHEMERALS + parity) as u16;
            let tuple = Tuple { local_port: port, ..*base };
            if is_free(&tuple) {
                self.counters[counter] += offset % EPHEMERALS + STEP;
                return Some(tuple);
            }
        }
        None
    }

    /// What smoltcp's generator begins with, for a connection that begins now.
    pub(super) fn seed_for(&self, now: Picoseconds, tuple: &Tuple) -> u64 {
        let Tuple { local, local_port, remote, remote_port } = tuple;
        let offset = self.hash("isn", &format!("{local}:{local_port} {remote}:{remote_port}")).below(1 << 32);
        seed_of(offset.wrapping_add((now.ps() / PS_PER_TICK) as u64) as u32)
    }

    /// A keyed hash, as the first numbers of a stream of that name.
    fn hash(&self, what: &str, of: &str) -> RandomStream {
        RandomStream::named(self.seed, &format!("host/{}/{what}/{of}", self.host))
    }
}

/// smoltcp draws an initial sequence number from its generator and takes none from outside. Its generator (sPCG32) can be run
/// backwards, so this is the seed whose second number is the one that is wanted; an interface draws the first for itself.
fn seed_of(wanted: u32) -> u64 {
    (0..)
        .map(|low: u64| before(u64::from(wanted) << 29 | low))
        // An interface draws again for an identification of 0.
        .find(|&first| folded(output(first)) != 0)
        .map(before)
        .expect("of all states with that output some follow another identification")
}

const FACTOR: u64 = 0xbb2e_fcec_3c39_611d;
const SUMMAND: u64 = 0x7590_ef39;

/// The state before a state.
fn before(state: u64) -> u64 {
    // Newton's iteration for the inverse of an odd number modulo 2^64: each step doubles the bits that are right, from 3.
    let inverse =
        (0..5).fold(FACTOR, |guess, _| guess.wrapping_mul(2_u64.wrapping_sub(FACTOR.wrapping_mul(guess))));
    state.wrapping_sub(SUMMAND).wrapping_mul(inverse)
}

fn output(state: u64) -> u32 {
    (state >> (29 - (state >> 61))) as u32
}

fn folded(number: u32) -> u16 {
    (number ^ (number >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_that_is_run_backwards_gives_the_number_that_is_wanted() {
        for wanted in [0, 1, 0x1234_5678, u32::MAX] {
            let next = |state: u64| state.wrapping_mul(FACTOR).wrapping_add(SUMMAND);
            let first = next(seed_of(wanted));
            assert_ne!(folded(output(first)), 0);
            assert_eq!(output(next(first)), wanted);
        }
    }

    #[test]
    fn every_port_is_used_before_one_comes_back() {
        let mut ephemeral = Ephemeral::new(1, "PC");
        let base = Tuple {
            local: [10, 0, 0, 1].into(),
            remote: [10, 0, 0, 2].into(),
            remote_port: 80,
            local_port: 0,
        };
        let ports: Vec<u16> =
            (0..13_000).map(|_| ephemeral.port_for(&base, |_| true).unwrap().local_port).collect();
        let different: std::collections::BTreeSet<u16> = ports.iter().copied().collect();
        assert_eq!(different.len(), ports.len());
        assert!(different.iter().all(|port| (32_768..=60_999).contains(port) && port % 2 == 0));
        let only = |wanted| ephemeral.clone().port_for(&base, move |tuple| tuple.local_port == wanted);
        assert!(only(32_769).is_some() && only(60_999).is_some() && only(61_000).is_none());
    }
}
