//! A frame's way over one Wi-Fi hop at 2.4 GHz: carrier sensing with random backoff, the frame on the air, and
//! doing it again when no acknowledgement comes. Other stations' traffic is not modelled here.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;
use crate::site::Interference;

/// IEEE 802.11-2016, tables 15-7, 18-5 and 19-25: aSIFSTime in the 2.4 GHz band.
const SIFS_US: i64 = 10;
/// IEEE 802.11-2016, 10.3.2.9: ACKTimeout ends aRxPHYStartDelay after SIFS and a slot (20 us for ERP-OFDM).
const PHY_START_US: i64 = 20;
/// IEEE 802.11-2016, tables 16-4, 18-5 and 19-25: aCWmax.
const CW_MAX: u64 = 1023;
/// IEEE 802.11-2016, annex C: dot11ShortRetryLimit is 7 by default.
pub(crate) const ATTEMPTS: u32 = 7;
/// IEEE 802.11-2016, 18.3.2.4 and 19.3.2: 6 us without signal end every OFDM frame at 2.4 GHz.
const SIGNAL_EXTENSION_US: i64 = 6;

/// IEEE 802.11-2016, 9.3.1.4: an acknowledgement frame.
const ACK_BYTES: u32 = 14;
/// IEEE 802.11-2016, 9.3.1.9: a compressed block acknowledgement.
const BLOCK_ACK_BYTES: u32 = 32;
/// IEEE 802.11-2016, 9.7: what stands in front of each frame of an A-MPDU, which begins at a multiple of four bytes.
const DELIMITER_BYTES: u32 = 4;

/// The names under which rates are set.
pub const PHY_RATES: [&str; 20] = [
    "1M", "2M", "5.5M", "11M", "6M", "9M", "12M", "18M", "24M", "36M", "48M", "54M", "mcs0", "mcs1", "mcs2",
    "mcs3", "mcs4", "mcs5", "mcs6", "mcs7",
];
/// Data bits per 4 us symbol of 6 to 54 Mbit/s (IEEE 802.11-2016, table 17-4).
const OFDM_BITS: [i64; 8] = [24, 36, 48, 72, 96, 144, 192, 216];
/// Data bits per 4 us symbol of MCS 0 to 7 at 20 MHz (IEEE 802.11-2016, table 19-27).
const HT_BITS: [i64; 8] = [26, 52, 78, 104, 156, 208, 234, 260];

/// How a frame is modulated, and with it the channel's slot times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhyRate {
    /// 802.11b with the long preamble.
    Dsss {
        /// Bits a second.
        bits_per_second: i64,
    },
    /// 802.11g.
    Ofdm {
        /// Data bits a symbol.
        bits_per_symbol: i64,
    },
    /// 802.11n, one stream at 20 MHz with the long guard interval, mixed format.
    HighThroughput {
        /// Data bits a symbol.
        bits_per_symbol: i64,
    },
}

impl PhyRate {
    /// The rate of a name out of [`PHY_RATES`].
    ///
    /// # Panics
    /// When it is none of them.
    pub fn named(name: &str) -> Self {
        let index = PHY_RATES.iter().position(|&known| known == name).expect("a rate out of the list");
        match index {
            0..4 => Self::Dsss { bits_per_second: [1_000_000, 2_000_000, 5_500_000, 11_000_000][index] },
            4..12 => Self::Ofdm { bits_per_symbol: OFDM_BITS[index - 4] },
            _ => Self::HighThroughput { bits_per_symbol: HT_BITS[index - 12] },
        }
    }

    /// The time on the air of a frame of `mpdu_bytes`, checksum included.
    pub fn airtime(self, mpdu_bytes: u32) -> Picoseconds {
        let bits = 8 * i64::from(mpdu_bytes);
        // Service field and tail bits: 16 and 6.
        let symbols_us = |bits_per_symbol: i64| 4 * ((22 + bits + bits_per_symbol - 1) / bits_per_symbol);
        match self {
            Self::Dsss { bits_per_second } => {
                us(192) + Picoseconds::new(bits * 1_000_000_000_000 / bits_per_second)
            }
            Self::Ofdm { bits_per_symbol } => us(20 + symbols_us(bits_per_symbol) + SIGNAL_EXTENSION_US),
            Self::HighThroughput { bits_per_symbol } => {
                us(36 + symbols_us(bits_per_symbol) + SIGNAL_EXTENSION_US)
            }
        }
    }

    /// The time on the air of frames in one A-MPDU, or of a single one.
    pub(crate) fn airtime_of_all(self, mpdu_bytes: &[u32]) -> Picoseconds {
        match mpdu_bytes {
            [one] => self.airtime(*one),
            all => self.airtime(all.iter().map(|bytes| aggregated_bytes(*bytes)).sum()),
        }
    }

    /// Whether several frames may go in one transmission.
    pub(crate) fn aggregates(self) -> bool {
        matches!(self, Self::HighThroughput { .. })
    }

    /// How long the channel is still taken after a frame: SIFS and an acknowledgement, at the highest of the basic rates
    /// that is not above the frame's (IEEE 802.11-2016, 10.7.6.5.2).
    pub fn acknowledgement(self) -> Picoseconds {
        self.answer(ACK_BYTES)
    }

    /// The same after an A-MPDU.
    pub(crate) fn block_acknowledgement(self) -> Picoseconds {
        self.answer(BLOCK_ACK_BYTES)
    }

    fn answer(self, bytes: u32) -> Picoseconds {
        let rate = match self {
            Self::Dsss { bits_per_second } => Self::Dsss { bits_per_second: bits_per_second.min(2_000_000) },
            Self::Ofdm { bits_per_symbol } => Self::Ofdm { bits_per_symbol: basic_bits(bits_per_symbol) },
            Self::HighThroughput { bits_per_symbol } => {
                Self::Ofdm { bits_per_symbol: basic_bits(bits_per_symbol) }
            }
        };
        us(SIFS_US) + rate.airtime(bytes)
    }

    /// How long the channel has to be free before slots are counted.
    pub(crate) fn interframe(self) -> Picoseconds {
        let (slot_us, _, slots) = self.channel_access();
        us(SIFS_US + slots * slot_us)
    }

    pub(crate) fn slot(self) -> Picoseconds {
        us(self.channel_access().0)
    }

    /// The contention window after some failures, in slots.
    pub(crate) fn window(self, failures: u32) -> u64 {
        let (_, cw_min, _) = self.channel_access();
        (((cw_min + 1) << failures.min(10)) - 1).min(CW_MAX)
    }

    /// How long a sender waits for an acknowledgement.
    pub(crate) fn timeout(self) -> Picoseconds {
        us(SIFS_US + PHY_START_US) + self.slot()
    }

    /// Slot time, aCWmin, and the slots of the inter-frame space after SIFS: DIFS has 2, AIFS of best effort 3.
    fn channel_access(self) -> (i64, u64, i64) {
        match self {
            Self::Dsss { .. } => (20, 31, 2),
            Self::Ofdm { .. } => (9, 15, 2),
            Self::HighThroughput { .. } => (9, 15, 3),
        }
    }
}

/// What a frame takes in an A-MPDU.
pub(crate) fn aggregated_bytes(mpdu_bytes: u32) -> u32 {
    DELIMITER_BYTES + mpdu_bytes.next_multiple_of(4)
}

/// The data bits a symbol of 6, 12 or 24 Mbit/s, the highest that does not exceed these.
fn basic_bits(bits_per_symbol: i64) -> i64 {
    [96, 48].into_iter().find(|&basic| basic <= bits_per_symbol).unwrap_or(24)
}

const fn us(us: i64) -> Picoseconds {
    Picoseconds::from_ns(us * 1_000)
}

const ACCESS: usize = 0;
const AIR: usize = 1;
const TIMEOUT: usize = 2;

/// From when a channel is free: the hops over it share this. A message's last frame is acknowledged before the next
/// message's first one, which matters where messages follow each other without a pause.
#[derive(Debug, Clone)]
pub struct Channel(Arc<AtomicI64>);

impl Channel {
    /// A channel that was never used.
    pub fn new() -> Self {
        Self(Arc::new(AtomicI64::new(i64::MIN / 2)))
    }
}

impl Default for Channel {
    fn default() -> Self {
        Self::new()
    }
}

/// One hop. `mpdu_bytes` is the frame's length for a load.
#[derive(Clone)]
pub struct Dcf<F> {
    rate: PhyRate,
    frame_error: f64,
    interference: Interference,
    mpdu_bytes: F,
    channel: Option<Channel>,
    waits_for_channel: bool,
}

impl<F: Fn(&Load) -> u32> Dcf<F> {
    /// A hop on which an attempt fails with the probability `frame_error`.
    pub fn new(rate: PhyRate, frame_error: f64, mpdu_bytes: F) -> Self {
        let interference = Interference::default();
        Self { rate, frame_error, interference, mpdu_bytes, channel: None, waits_for_channel: false }
    }

    /// A hop among interference, which destroys frames beside the `frame_error`.
    #[must_use]
    pub fn among(self, interference: Interference) -> Self {
        Self { interference, ..self }
    }

    /// The probability that an attempt fails.
    fn error(&self, load: &Load) -> f64 {
        self.interference.hit_or(self.air(load), self.frame_error)
    }

    fn air(&self, load: &Load) -> Picoseconds {
        self.rate.airtime((self.mpdu_bytes)(load))
    }

    /// The first hop of a message that follows others on the channel.
    #[must_use]
    pub fn first_on(self, channel: &Channel) -> Self {
        Self { channel: Some(channel.clone()), waits_for_channel: true, ..self }
    }

    /// A hop that follows the message's first one on the channel.
    #[must_use]
    pub fn next_on(self, channel: &Channel) -> Self {
        Self { channel: Some(channel.clone()), ..self }
    }

    /// When the hop may contend for the channel.
    fn start(&self, visit: &Visit<'_>) -> Picoseconds {
        match &self.channel {
            Some(Channel(free_from)) if self.waits_for_channel && visit.load.is_first && visit.stays == 0 => {
                visit.now.max(Picoseconds::new(free_from.load(Ordering::Relaxed)))
            }
            _ => visit.now,
        }
    }

    /// Inter-frame space and the mean backoff of attempt number `failures`.
    fn mean_access(&self, failures: u32) -> Picoseconds {
        let slots_halved = self.rate.window(failures) as i64 * self.rate.slot().ps() / 2;
        self.rate.interframe() + Picoseconds::new(slots_halved)
    }
}

impl<F> std::fmt::Debug for Dcf<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dcf")
            .field("rate", &self.rate)
            .field("frame_error", &self.frame_error)
            .finish_non_exhaustive()
    }
}

impl<F: Fn(&Load) -> u32 + Send> Stage for Dcf<F> {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("channel access (inter-frame space, backoff)", Cause::Protocol),
            Part::new("frames on the air", Cause::Air),
            Part::new("missing acknowledgement", Cause::Retry),
        ]
    }

    /// Every attempt takes three visits: channel access, frame, and the wait for an acknowledgement that is missing.
    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let (failures, step) = (visit.stays / 3, visit.stays as usize % 3);
        match step {
            ACCESS => {
                let slots = visit.random.below(self.rate.window(failures) + 1) as i64;
                let backoff = Picoseconds::new(slots * self.rate.slot().ps());
                let until = self.start(visit) + self.rate.interframe() + backoff;
                Passage::Stay { part: ACCESS, until }
            }
            AIR => {
                let at = visit.now + self.rate.airtime((self.mpdu_bytes)(&visit.load));
                let error = self.error(&visit.load);
                if error > 0.0 && visit.random.chance(error) {
                    return Passage::Stay { part: AIR, until: at };
                }
                if let Some(Channel(free_from)) = &self.channel {
                    free_from.store((at + self.rate.acknowledgement()).ps(), Ordering::Relaxed);
                }
                Passage::Leave { part: AIR, at }
            }
            _ => {
                let until = visit.now + self.rate.timeout();
                if failures + 1 >= ATTEMPTS {
                    return Passage::Lost { part: TIMEOUT, at: until };
                }
                Passage::Stay { part: TIMEOUT, until }
            }
        }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        let air = self.rate.airtime((self.mpdu_bytes)(load));
        let error = self.error(load);
        let delivered = 1.0 - self.loss(load);
        for failures in 0..ATTEMPTS {
            // How often attempt number `failures` is made, given that one of the seven gets through.
            let reached = (libm::pow(error, f64::from(failures)) - self.loss(load)) / delivered;
            budget.add_weighted(ACCESS, self.mean_access(failures), reached);
            budget.add_weighted(AIR, air, reached);
            if failures > 0 {
                budget.add_weighted(TIMEOUT, self.rate.timeout(), reached);
            }
        }
    }

    fn budget_of_loss(&self, load: &Load, budget: &mut Budget<'_>) {
        for failures in 0..ATTEMPTS {
            budget.add(ACCESS, self.mean_access(failures));
            budget.add(AIR, self.rate.airtime((self.mpdu_bytes)(load)));
            budget.add(TIMEOUT, self.rate.timeout());
        }
    }

    fn loss(&self, load: &Load) -> f64 {
        libm::pow(self.error(load), f64::from(ATTEMPTS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn airtimes_are_those_of_the_standard() {
        let airtime_us = |rate: &str, bytes| PhyRate::named(rate).airtime(bytes).ps() / 1_000_000;
        // A 14-byte acknowledgement: 304 us at 1 Mbit/s, 28 us and the signal extension at 24 Mbit/s.
        assert_eq!(airtime_us("1M", 14), 304);
        assert_eq!(airtime_us("24M", 14), 28 + 6);
        // 1500 bytes at 54 Mbit/s: 56 symbols after the 20 us preamble.
        assert_eq!(airtime_us("54M", 1500), 20 + 56 * 4 + 6);
        // 1500 bytes at MCS 7: 47 symbols of 260 bits.
        assert_eq!(airtime_us("mcs7", 1500), 36 + 47 * 4 + 6);
    }

    #[test]
    fn an_acknowledgement_follows_at_the_basic_rate_below() {
        let taken_us = |rate: &str| PhyRate::named(rate).acknowledgement().ps() / 1_000_000;
        // 112 bits at 1 and 2 Mbit/s after the long preamble; at 24, 12 and 6 Mbit/s 2, 3 and 6 symbols.
        assert_eq!(["1M", "11M"].map(taken_us), [10 + 192 + 112, 10 + 192 + 56]);
        assert_eq!(
            ["mcs7", "54M", "mcs2"].map(taken_us),
            [10 + 20 + 8 + 6, 10 + 20 + 8 + 6, 10 + 20 + 12 + 6]
        );
        assert_eq!(["mcs0", "9M"].map(taken_us), [10 + 20 + 24 + 6; 2]);
    }

    #[test]
    fn the_window_doubles_up_to_its_limit() {
        let windows = |rate: &str, failures: [u32; 3]| failures.map(|n| PhyRate::named(rate).window(n));
        assert_eq!(windows("mcs7", [0, 1, 2]), [15, 31, 63]);
        assert_eq!(windows("mcs7", [5, 6, 7]), [511, 1023, 1023]);
        assert_eq!(windows("1M", [0, 5, 6]), [31, 1023, 1023]);
    }
}
