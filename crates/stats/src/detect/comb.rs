//! Combs: latencies that are spaced by a quantum, as fixed retry delays or missed gate events make them.

use std::f64::consts::TAU;

use super::finding::{Finding, Kind};
use super::series::Series;
use super::spectrum::{coherence, coherences, mean_phase};
use crate::quantile::median;

const MIN_MESSAGES: usize = 40;
/// Latencies on teeth agree at least this much.
const MIN_COHERENCE: f64 = 0.75;
/// A tooth counts when it holds this share of the messages.
const MIN_TOOTH_SHARE: f64 = 0.01;
const MIN_TEETH: usize = 3;
/// n·R² of the messages beside the fullest tooth.
const TAIL_SIGNIFICANCE: f64 = 12.0;
/// A lump behind the main one counts from this many messages.
const MIN_LUMP: usize = 4;

/// From 5 % to 80 % a bell curve is this much wider than from 5 % to 70 %. Farther up there may be the next lump, since the main one has
/// three quarters at least.
const WIDTH_OF_THREE_QUARTERS: f64 = 1.15;

/// A comb of latencies.
#[derive(Debug, Clone)]
pub(super) struct Comb {
    pub(super) quantum_ps: f64,
    /// Where one tooth stands.
    offset_ps: f64,
    coherence: f64,
    /// The share of messages on each tooth from the first that holds any.
    shares: Vec<f64>,
}

/// The comb of a series: many teeth of like weight, or a main lump with rarer ones behind it.
pub(super) fn find(series: &Series) -> Option<Comb> {
    if series.len() < MIN_MESSAGES {
        return None;
    }
    many_teeth(series).or_else(|| lumps(series))
}

fn many_teeth(series: &Series) -> Option<Comb> {
    let spread = series.quantile_ps(0.95) - series.quantile_ps(0.05);
    if spread <= 0.0 {
        return None;
    }
    let step = 0.1 / spread;
    let highest = 40.0 / spread;
    // Two whole quanta between the outer teeth, and room for the peak of that.
    let first = 1.8 / spread;
    let count = ((highest - first) / step) as usize;
    let values = coherences(&series.latency_ps, first, step, count);
    let strongest = values.iter().copied().fold(0.0, f64::max);
    let peak = (1..count.saturating_sub(1)).find(|i| {
        values[*i] >= MIN_COHERENCE.max(0.85 * strongest)
            && values[*i] >= values[i - 1]
            && values[*i] >= values[i + 1]
    })?;
    let frequency = climb(&series.latency_ps, first + peak as f64 * step, step);
    let comb = describe(series, frequency);
    let fine = comb.quantum_ps < series.finest_structure_ps();
    (!fine
        && comb.has_adjacent_teeth()
        && comb.coherence >= MIN_COHERENCE
        && comb.is_more_than_one_tooth(series))
    .then_some(comb)
}

/// The frequency of highest coherence within one `step` of `frequency`.
fn climb(values: &[f64], frequency: f64, step: f64) -> f64 {
    let mut best = (frequency, coherence(values, frequency));
    let mut step = step / 2.0;
    for _ in 0..12 {
        for candidate in [best.0 - step, best.0 + step] {
            let value = coherence(values, candidate);
            if value > best.1 {
                best = (candidate, value);
            }
        }
        step /= 2.0;
    }
    best.0
}

/// A main lump of three quarters or more, and tight lumps behind it at whole multiples of one distance.
fn lumps(series: &Series) -> Option<Comb> {
    let low = series.quantile_ps(0.05);
    let by_lower_part = WIDTH_OF_THREE_QUARTERS * (series.quantile_ps(0.7) - low);
    [series.quantile_ps(0.8) - low, by_lower_part].into_iter().find_map(|width| lumps_of_width(series, width))
}

/// The same, where the main lump is about as wide as this.
fn lumps_of_width(series: &Series, core_width: f64) -> Option<Comb> {
    let sorted = &series.sorted_ps;
    let n = sorted.len();
    let split =
        (n * 3 / 4..n - 1).find(|i| (sorted[i + 1] - sorted[*i]) as f64 > 2.0 * core_width.max(1.0))?;
    let behind = &sorted[split + 1..];
    if behind.len() < MIN_LUMP.max(n / 200) {
        return None;
    }
    let core_median = sorted[split / 2] as f64;
    let offsets: Vec<f64> = behind.iter().map(|v| *v as f64 - core_median).collect();
    let first_lump = offsets.iter().filter(|o| **o < offsets[0] + core_width.max(1.0)).count();
    let rough = offsets[first_lump / 2];
    let per_tooth: Vec<f64> = offsets.iter().map(|o| o / libm::round(o / rough).max(1.0)).collect();
    let quantum_ps = median(&per_tooth);
    let frequency = 1.0 / quantum_ps;
    let within = offsets.iter().filter(|o| {
        let turns = *o * frequency;
        (turns - libm::round(turns)).abs() * quantum_ps <= 0.75 * core_width.max(0.05 * quantum_ps)
    });
    let explained = within.count() as f64 / offsets.len() as f64;
    let tight = core_width < 0.35 * quantum_ps;
    let hidden_loss = (quantum_ps / series.interval_ps - 1.0).abs() < 0.05;
    (first_lump >= MIN_LUMP && explained >= 0.9 && tight && !hidden_loss).then(|| describe(series, frequency))
}

fn describe(series: &Series, frequency: f64) -> Comb {
    let quantum_ps = 1.0 / frequency;
    let offset_ps = mean_phase(&series.latency_ps, frequency) * quantum_ps;
    let tooth_of = |latency: f64| libm::round((latency - offset_ps) * frequency) as i64;
    let first = tooth_of(series.sorted_ps[0] as f64);
    let last = tooth_of(series.sorted_ps[series.len() - 1] as f64).min(first + 4095);
    let mut shares = vec![0.0; (last - first + 1) as usize];
    for latency in &series.latency_ps {
        let tooth = (tooth_of(*latency) - first).min(last - first);
        shares[tooth as usize] += 1.0 / series.len() as f64;
    }
    Comb {
        quantum_ps,
        offset_ps: offset_ps + first as f64 * quantum_ps,
        coherence: coherence(&series.latency_ps, frequency),
        shares,
    }
}

impl Comb {
    /// Whether at least three teeth are populated and hardly any between the first and the last is not.
    fn has_adjacent_teeth(&self) -> bool {
        let populated: Vec<usize> =
            (0..self.shares.len()).filter(|tooth| self.shares[*tooth] >= MIN_TOOTH_SHARE).collect();
        let (Some(first), Some(last)) = (populated.first(), populated.last()) else { return false };
        populated.len() >= MIN_TEETH && populated.len() as f64 >= 0.8 * (last - first + 1) as f64
    }

    /// Whether the messages beside the fullest tooth agree with the others' positions as well.
    fn is_more_than_one_tooth(&self, series: &Series) -> bool {
        let fullest =
            (0..self.shares.len()).max_by(|a, b| self.shares[*a].total_cmp(&self.shares[*b])).unwrap_or(0);
        let centre = self.offset_ps + fullest as f64 * self.quantum_ps;
        let turns = series.latency_ps.iter().map(|latency| (latency - centre) / self.quantum_ps);
        let beside: Vec<f64> = turns.filter(|turns| turns.abs() > 0.5).collect();
        let agreement: f64 = beside.iter().map(|turns| libm::cos(TAU * turns)).sum::<f64>().max(0.0);
        let n = beside.len() as f64;
        n > 0.0 && agreement > 0.5 * n && agreement * agreement / n > TAIL_SIGNIFICANCE
    }

    pub(super) fn finding(&self, series: &Series) -> Finding {
        let ratio = series.mean_interval_ps() / self.quantum_ps;
        let divides =
            series.regular && ratio > 1.5 && (ratio - libm::round(ratio)).abs() < 0.01 * ratio.min(3.0);
        let mut finding = Finding::new(Kind::Comb, self.coherence, Some(self.quantum_ps))
            .with("offset_ps", self.offset_ps)
            .with("coherence", self.coherence)
            .with_list("tooth_shares", self.shares.iter().copied().take(64).collect());
        if divides {
            finding = finding.with("divides_trigger_interval", libm::round(ratio));
        }
        finding
    }
}
