//! Coherence of times with a frequency: the length of the mean unit vector at their phases (the Rayleigh
//! statistic). 1 means that all times lie on one grid, 0 that their phases are spread evenly.

use std::f64::consts::TAU;

use rustfft::FftPlannerScalar;
use rustfft::num_complex::Complex64;

/// The unit vector at a phase.
fn unit(cycles: f64) -> Complex64 {
    let (sine, cosine) = libm::sincos(TAU * (cycles - libm::floor(cycles)));
    Complex64::new(cosine, sine)
}

/// The mean of the unit vectors at the phases of `times` at `frequency`; (0, 0) when there are none.
fn mean_vector(times: &[f64], frequency: f64) -> (f64, f64) {
    let (mut cosines, mut sines) = (0.0, 0.0);
    for time in times {
        let vector = unit(time * frequency);
        cosines += vector.re;
        sines += vector.im;
    }
    let n = times.len().max(1) as f64;
    (cosines / n, sines / n)
}

/// Coherence of `times` at `frequency`, where `times · frequency` is in cycles.
pub(super) fn coherence(times: &[f64], frequency: f64) -> f64 {
    let (cosine, sine) = mean_vector(times, frequency);
    libm::sqrt(cosine * cosine + sine * sine)
}

/// The mean phase of `times` at `frequency`, in cycles from 0 to 1.
pub(super) fn mean_phase(times: &[f64], frequency: f64) -> f64 {
    let (cosine, sine) = mean_vector(times, frequency);
    let phase = libm::atan2(sine, cosine) / TAU;
    phase - libm::floor(phase)
}

/// How much the phases of `times` at `frequency` tell, in nats: the relative entropy of their histogram to an
/// even one. Unlike coherence it sees several sharp lines within a period.
pub(super) fn information(times: &[f64], frequency: f64) -> f64 {
    let bins = (times.len() / 8).clamp(8, 48);
    let mut counts = [0u32; 48];
    for time in times {
        let cycles = time * frequency;
        let bin = ((cycles - libm::floor(cycles)) * bins as f64) as usize;
        counts[bin.min(bins - 1)] += 1;
    }
    let n = times.len() as f64;
    let filled = counts.iter().filter(|count| **count > 0);
    filled.map(|count| f64::from(*count) / n).map(|p| p * libm::log(p * bins as f64)).sum()
}

/// The spread of times around a grid that a coherence stands for, in the unit of `1 / frequency`: the standard
/// deviation of the wrapped normal distribution of that coherence.
pub(super) fn residual(coherence: f64, frequency: f64) -> f64 {
    libm::sqrt(-2.0 * libm::log(coherence.clamp(1e-12, 1.0))) / (TAU * frequency)
}

/// Coherence on a grid of frequencies, averaged (as power) over a few windows of the run.
pub(super) struct Spectrum {
    lowest: f64,
    pub(super) step: f64,
    pub(super) coherence: Vec<f64>,
}

/// Windows that a spectrum averages over: short enough that clocks do not wander, long enough to be sharp.
const WINDOWS: usize = 3;
/// Grid frequencies at most.
const MAX_BINS: usize = 1 << 15;
/// Frequencies per resolution element of a window.
const OVERSAMPLING: f64 = 2.5;

impl Spectrum {
    /// The spectrum of `times` from `lowest` up to `highest` from windows of at most `window` times, or nothing
    /// when it would need more than [`MAX_BINS`] frequencies.
    pub(super) fn new(times: &[f64], lowest: f64, highest: f64, window: usize) -> Option<Self> {
        let window = window.min(times.len());
        if window < 8 || highest <= lowest {
            return None;
        }
        let starts = window_starts(times.len(), window);
        let longest = starts.iter().map(|s| times[s + window - 1] - times[*s]).fold(0.0, f64::max);
        let step = 1.0 / (OVERSAMPLING * longest);
        let bins = libm::ceil((highest - lowest) / step) as usize + 1;
        if longest <= 0.0 || bins > MAX_BINS {
            return None;
        }
        let mut power = vec![0.0; bins];
        for start in &starts {
            add_power(&mut power, &times[*start..start + window], lowest, step);
        }
        let coherence = power.iter().map(|p| libm::sqrt(p / starts.len() as f64)).collect();
        Some(Self { lowest, step, coherence })
    }

    /// Local maxima with at least `least` coherence, highest first, `count` at most.
    pub(super) fn peaks(&self, least: f64, count: usize) -> Vec<f64> {
        let mut peaks: Vec<usize> = (1..self.coherence.len().saturating_sub(1))
            .filter(|i| {
                let here = self.coherence[*i];
                here >= least && here >= self.coherence[i - 1] && here > self.coherence[i + 1]
            })
            .collect();
        peaks.sort_by(|a, b| self.coherence[*b].total_cmp(&self.coherence[*a]).then(a.cmp(b)));
        peaks.iter().take(count).map(|i| self.lowest + *i as f64 * self.step).collect()
    }
}

/// Adds |mean unit vector|² of `times` at `lowest + i · step` to `power[i]`.
fn add_power(power: &mut [f64], times: &[f64], lowest: f64, step: f64) {
    // Times fall on the nearest of 4 grid points per cycle of the highest offset: at most an eighth of a cycle off.
    let size = (power.len() * 4).next_power_of_two();
    // The scalar planner, since results must not depend on the instructions that a machine has.
    let fft = FftPlannerScalar::new().plan_fft_forward(size);
    let grid = 1.0 / (step * size as f64);
    let mut buffer = vec![Complex64::default(); size];
    for time in times {
        let since_first = time - times[0];
        buffer[libm::round(since_first / grid) as usize % size] += unit(since_first * lowest).conj();
    }
    fft.process(&mut buffer);
    let n = times.len() as f64;
    for (power, value) in power.iter_mut().zip(&buffer) {
        *power += value.norm_sqr() / (n * n);
    }
}

fn window_starts(n: usize, window: usize) -> Vec<usize> {
    let last = n - window;
    let mut starts: Vec<usize> = (0..WINDOWS).map(|k| last * k / (WINDOWS - 1)).collect();
    starts.dedup();
    starts
}

/// The frequency of highest coherence within `reach` of `near`, to a hundredth of the run's resolution.
pub(super) fn refine(times: &[f64], near: f64, reach: f64) -> f64 {
    let span = times.last().copied().unwrap_or(0.0) - times.first().copied().unwrap_or(0.0);
    if span <= 0.0 {
        return near;
    }
    let mut step = 0.25 / span;
    let steps = (libm::ceil(reach / step) as i64).min(400);
    let frequency_of = |k: i64| near + k as f64 * step;
    let highest = coherences(times, frequency_of(-steps), step, 2 * steps as usize + 1)
        .into_iter()
        .zip(-steps..)
        .filter(|(_, k)| frequency_of(*k) > 0.0)
        .max_by(|(a, at), (b, bt)| a.total_cmp(b).then(bt.abs().cmp(&at.abs())));
    let nearest = highest.map_or(near, |(_, k)| frequency_of(k));
    let mut best = (nearest, coherence(times, nearest));
    while step > 0.002 / span {
        step /= 2.0;
        for frequency in [best.0 - step, best.0 + step] {
            let value = coherence(times, frequency);
            if value > best.1 {
                best = (frequency, value);
            }
        }
    }
    best.0
}

/// Coherence of `times` at `count` frequencies from `lowest`, `step` apart: each unit vector is turned on from one
/// frequency to the next, which costs a multiplication where a new one would cost a sine and a cosine.
pub(super) fn coherences(times: &[f64], lowest: f64, step: f64, count: usize) -> Vec<f64> {
    let first = times.first().copied().unwrap_or(0.0);
    let mut vectors: Vec<Complex64> = times.iter().map(|time| unit(time * lowest)).collect();
    let turns: Vec<Complex64> = times.iter().map(|time| unit((time - first) * step)).collect();
    let next = |_| {
        let sum: Complex64 = vectors.iter().sum();
        vectors.iter_mut().zip(&turns).for_each(|(vector, turn)| *vector *= turn);
        libm::sqrt(sum.norm_sqr()) / times.len().max(1) as f64
    };
    (0..count).map(next).collect()
}
