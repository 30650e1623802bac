//! Random numbers that belong to a place, not to a moment: each stream is named by the run's seed and a path,
//! so that a component which is added or removed disturbs no other.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};
use units::Picoseconds;

/// A stream of random numbers, the same on every machine.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(from = "Place", into = "Place")]
pub struct RandomStream(ChaCha8Rng);

/// Where a stream stands: its key, and how many words it gave.
#[derive(serde::Serialize, serde::Deserialize)]
struct Place {
    key: [u8; 32],
    words: u128,
}

impl From<Place> for RandomStream {
    fn from(place: Place) -> Self {
        let mut stream = ChaCha8Rng::from_seed(place.key);
        stream.set_word_pos(place.words);
        Self(stream)
    }
}

impl From<RandomStream> for Place {
    fn from(stream: RandomStream) -> Self {
        Self { key: stream.0.get_seed(), words: stream.0.get_word_pos() }
    }
}

impl RandomStream {
    /// The stream of `path` under `seed`.
    pub fn named(seed: u64, path: &str) -> Self {
        let key: [u8; 32] =
            Sha256::new().chain_update(seed.to_le_bytes()).chain_update(path).finalize().into();
        Self(ChaCha8Rng::from_seed(key))
    }

    /// A whole number from 0 to `bound` - 1 (Lemire's multiplication; its bias is below `bound` / 2^64).
    ///
    /// # Panics
    /// When `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a random number needs something to choose from");
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A time from zero (included) to `bound` (excluded); zero when `bound` is not positive.
    pub fn time_below(&mut self, bound: Picoseconds) -> Picoseconds {
        match u64::try_from(bound.ps()) {
            Ok(ps) if ps > 0 => Picoseconds::new(self.below(ps) as i64),
            _ => Picoseconds::ZERO,
        }
    }

    /// A number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with this probability; draws a number even where the answer is certain.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number from the exponential distribution of mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// A number from the standard normal distribution (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_its_seed_and_its_path_only() {
        let draw = |seed, path| RandomStream::named(seed, path).below(u64::MAX);
        assert_eq!(draw(1, "link/air"), draw(1, "link/air"));
        assert_ne!(draw(1, "link/air"), draw(2, "link/air"));
        assert_ne!(draw(1, "link/air"), draw(1, "link/ack"));
    }

    #[test]
    fn numbers_fill_their_range_evenly() {
        let mut stream = RandomStream::named(7, "even");
        let mut counts = [0u32; 10];
        for _ in 0..100_000 {
            counts[stream.below(10) as usize] += 1;
        }
        // Chi-squared of 9 degrees of freedom stays below 27.9 in 999 of 1000 streams.
        let chi2: f64 = counts.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi2 < 27.9, "{chi2}");
    }

    #[test]
    fn moments_are_those_of_the_named_distributions() {
        let mut stream = RandomStream::named(3, "moments");
        let n = 200_000;
        let mean = |draw: &mut dyn FnMut() -> f64| (0..n).map(|_| draw()).sum::<f64>() / f64::from(n);
        assert!((mean(&mut || stream.exponential()) - 1.0).abs() < 0.01);
        assert!(mean(&mut || stream.normal()).abs() < 0.01);
        assert!((mean(&mut || stream.normal().powi(2)) - 1.0).abs() < 0.02);
    }

    #[test]
    fn no_time_lies_below_zero() {
        assert_eq!(RandomStream::named(1, "t").time_below(Picoseconds::ZERO), Picoseconds::ZERO);
    }
}
