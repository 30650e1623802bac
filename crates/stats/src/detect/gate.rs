//! Gates: periods that completions are locked to and triggers are not.
//!
//! Whatever lets a message through only at certain times (slot, connection event, beacon, poll, tick) leaves
//! its completions on a grid: their phases at the gate's frequency agree, while those of the triggers do not.
//! With triggers at a steady interval T the same completions also agree, a little less, at frequencies 1/T
//! apart (aliases of the sampling), and at multiples of the gate's frequency (harmonics). Aliases are ruled out
//! by how much a grid tells of the completions, harmonics by reporting the longest period that fits.

use super::comb::Comb;
use super::coverage::Bands;
use super::finding::{Finding, Kind};
use super::series::Series;
use super::spectrum::{Spectrum, coherence, information, mean_phase, refine, residual};

/// Fewer messages cannot tell a gate from chance.
const MIN_MESSAGES: usize = 24;
/// Messages in one window of the coarse search.
const WINDOW: usize = 96;
/// Peaks of the coarse search that are looked at closely.
const CANDIDATES: usize = 10;
/// The coarse search goes from this many times the spread of latencies down to a part of it.
const LONGEST_OVER_SPREAD: f64 = 2.2;
const HIGHEST_TIMES_SPREAD: f64 = 16.0;
/// Bands of one trigger rate each that are searched where the whole range is too wide.
const ALIAS_BANDS: f64 = 4.0;
/// Done edges of a gate agree at least this much, and their phases tell at least this much (in nats).
const MIN_COHERENCE: f64 = 0.5;
const MIN_INFORMATION: f64 = 0.9;
/// A period is an alias when another tells this much more.
const ALIAS_MARGIN: f64 = 1.15;
/// A fundamental keeps this much of its best harmonic's coherence and information.
const HARMONIC_COHERENCE: f64 = 0.7;
const HARMONIC_INFORMATION: f64 = 0.8;
/// Triggers that agree more than this part of what done edges do were not free of the gate.
const MAX_TRIGGER_SHARE: f64 = 0.4;
/// The same for what their phases tell; a steady trigger that visits few phases tells something.
const MAX_TRIGGER_INFORMATION_SHARE: f64 = 0.6;
/// A period that other periods fit as well within this share cannot be named.
const MAX_UNCERTAINTY: f64 = 0.1;
/// n·R² must exceed the logarithm of the number of trials by this (chance below e^-12).
const SIGNIFICANCE: f64 = 12.0;
/// How often the triggers must have gone round a gate that nearly divides their interval.
const MIN_TURNS: f64 = 1.5;
/// A comb shows the period already; its gate needs this much.
const MIN_COMBED_COHERENCE: f64 = 0.8;
/// Aliases tried on either side.
const MAX_ALIASES: f64 = 200.0;

/// A gate and how well the run shows it.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    pub(super) period_ps: f64,
    pub(super) coherence_done: f64,
    pub(super) coherence_trigger: f64,
    /// Standard deviation of the completions around the grid.
    pub(super) residual_ps: f64,
    /// Half the range of periods that fit about as well.
    uncertainty_ps: f64,
    /// Shorter periods that fit as well because they divide the gate's.
    aliases_ps: Vec<f64>,
    /// Where the completions stand after the grid, in cycles.
    done_phase: f64,
    /// The phases that a steady trigger visits.
    pub(super) bands: Option<Bands>,
}

/// The gate that the completions show, and the one behind a comb of latencies where there is one.
pub(super) fn find(series: &Series, comb: Option<&Comb>) -> Vec<Gate> {
    let spread = series.quantile_ps(0.995) - series.quantile_ps(0.005);
    if series.len() < MIN_MESSAGES || spread <= 0.0 || spread < series.finest_structure_ps() {
        return Vec::new();
    }
    let done = series.done_ps();
    let searched = strongest(series, &done, spread);
    let unexplained = comb.filter(|comb| !searched.as_ref().is_some_and(|gate| gate.explains_comb(comb)));
    let combed = unexplained.and_then(|comb| locked_to_comb(series, &done, comb.quantum_ps));
    let is_fine = |gate: &Gate| gate.period_ps < series.finest_structure_ps();
    searched.into_iter().chain(combed).filter(|gate| !is_fine(gate)).collect()
}

/// The gate whose grid tells most of the completions.
fn strongest(series: &Series, done: &[f64], spread: f64) -> Option<Gate> {
    let interval = series.mean_interval_ps();
    let longest = (spread * LONGEST_OVER_SPREAD).min(0.999 * interval);
    let spectrum = search_range(done, spread, longest, interval)?;
    let trials = spectrum.coherence.len() as f64;
    let peaks = spectrum.peaks(0.8 * MIN_COHERENCE, CANDIDATES * 8);
    // Peaks where the triggers agree as well come from the triggers.
    let free = peaks.into_iter().filter(|peak| coherence(&series.trigger_ps, *peak) < MAX_TRIGGER_SHARE);
    let mut refined: Vec<(f64, f64)> = free
        .take(CANDIDATES)
        .map(|peak| refine(done, peak, spectrum.step))
        .map(|frequency| (coherence(done, frequency), frequency))
        .collect();
    refined.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
    refined.into_iter().find_map(|(_, frequency)| {
        let best = without_sampling_alias(series, done, frequency).0;
        let lowest = lowest_harmonic(done, best, longest);
        let (fundamental, uncertainty) = without_sampling_alias(series, done, lowest);
        let gate = describe(series, done, fundamental, uncertainty);
        gate.is_clear(series, done, trials).then_some(gate)
    })
}

/// The spectrum over as wide a range of periods as is affordable. Where triggers are steady and very far apart
/// against the spread of latencies, a few alias-free bands near the spread stand for all the others.
fn search_range(done: &[f64], spread: f64, longest: f64, interval: f64) -> Option<Spectrum> {
    let wide = HIGHEST_TIMES_SPREAD / spread;
    let near = 1.0 / spread;
    Spectrum::new(done, 1.0 / longest, wide, WINDOW)
        .or_else(|| Spectrum::new(done, 1.0 / longest, 0.4 * wide, WINDOW))
        .or_else(|| Spectrum::new(done, near, near + ALIAS_BANDS / interval, WINDOW))
}

/// The frequency among `best` and those whole multiples of the trigger rate away whose grid tells most of the
/// completions, and the half-width of the range that tells nearly as much.
fn without_sampling_alias(series: &Series, done: &[f64], best: f64) -> (f64, f64) {
    let interval = series.mean_interval_ps();
    if !series.regular || interval <= 0.0 {
        return (best, 0.0);
    }
    // What a grid tells changes little between aliases as long as their difference is small over the spread.
    let spread = series.quantile_ps(0.995) - series.quantile_ps(0.005);
    let stride = libm::floor(0.01 * interval / spread).max(1.0);
    let reach = (libm::floor(0.7 * best * interval / stride)).min(MAX_ALIASES) as i64;
    let family: Vec<(f64, f64)> = (-reach..=reach)
        .map(|k| best + k as f64 * stride / interval)
        .filter(|f| *f > 0.6 * best && *f < 1.7 * best)
        .map(|f| (f, information(done, f)))
        .collect();
    let most = family.iter().map(|(_, bits)| *bits).fold(0.0, f64::max);
    let rivals: Vec<f64> =
        family.iter().filter(|(_, bits)| *bits * ALIAS_MARGIN >= most).map(|(f, _)| *f).collect();
    let tightest = |f: &f64| residual(coherence(done, *f), *f) * *f;
    let chosen = rivals.iter().copied().min_by(|a, b| tightest(a).total_cmp(&tightest(b))).unwrap_or(best);
    let lowest = rivals.iter().copied().fold(chosen, f64::min);
    let highest = rivals.iter().copied().fold(chosen, f64::max);
    (chosen, (1.0 / lowest - 1.0 / highest) / 2.0)
}

/// The lowest frequency of which `best` is a whole multiple and at which the completions still agree.
fn lowest_harmonic(done: &[f64], best: f64, longest: f64) -> f64 {
    let least_coherence = (HARMONIC_COHERENCE * coherence(done, best)).max(MIN_COHERENCE);
    let least_information = HARMONIC_INFORMATION * information(done, best);
    let highest_order = libm::floor(best * longest).clamp(1.0, 64.0) as i64;
    let fits = |f: f64| coherence(done, f) >= least_coherence && information(done, f) >= least_information;
    let order = (2..=highest_order).rev().find(|k| fits(best / *k as f64)).unwrap_or(1);
    best / order as f64
}

/// A gate at the quantum of a comb, where a steady trigger hides it: the completions stay on their own clock's
/// grid while the triggers creep over it, and some messages wait one period more.
fn locked_to_comb(series: &Series, done: &[f64], quantum_ps: f64) -> Option<Gate> {
    let span = done.last()? - done.first()?;
    let interval = series.mean_interval_ps();
    let ratio = libm::round(interval / quantum_ps);
    if span <= 0.0 || !series.regular || ratio < 1.0 || (interval / ratio / quantum_ps - 1.0).abs() > 0.02 {
        return None;
    }
    let on_trigger_clock = ratio / interval;
    let frequency = refine(done, on_trigger_clock, 40.0 / span);
    let gate = describe(series, done, frequency, 0.0);
    let creep_cycles = (frequency - on_trigger_clock).abs() * span;
    let tighter = gate.residual_ps < 0.7 * residual(coherence(done, on_trigger_clock), on_trigger_clock);
    (gate.coherence_done >= MIN_COMBED_COHERENCE && creep_cycles > 0.01 && tighter).then_some(gate)
}

fn describe(series: &Series, done: &[f64], frequency: f64, uncertainty_ps: f64) -> Gate {
    let coherence_done = coherence(done, frequency);
    let period_ps = 1.0 / frequency;
    let aliases_ps = (2..=6)
        .map(|k| period_ps / f64::from(k))
        .filter(|alias| coherence(done, 1.0 / alias) >= coherence_done.min(0.9))
        .collect();
    Gate {
        period_ps,
        coherence_done,
        coherence_trigger: coherence(&series.trigger_ps, frequency),
        residual_ps: residual(coherence_done, frequency),
        uncertainty_ps,
        aliases_ps,
        done_phase: mean_phase(done, frequency),
        bands: Bands::of(series, period_ps),
    }
}

impl Gate {
    /// Whether chance, the triggers' own pattern and a frozen phase are ruled out.
    fn is_clear(&self, series: &Series, done: &[f64], trials: f64) -> bool {
        let frequency = 1.0 / self.period_ps;
        let strength = done.len() as f64 * self.coherence_done * self.coherence_done;
        let told = information(done, frequency);
        let told_by_triggers = information(&series.trigger_ps, frequency);
        strength > libm::log(trials) + SIGNIFICANCE
            && self.coherence_done >= MIN_COHERENCE
            && told >= MIN_INFORMATION
            && self.coherence_trigger <= MAX_TRIGGER_SHARE * self.coherence_done
            && told_by_triggers <= MAX_TRIGGER_INFORMATION_SHARE * told
            && self.uncertainty_ps <= MAX_UNCERTAINTY * self.period_ps
            && self.has_wrapped(series)
    }

    /// Whether the triggers went round the gate at least once, or visit several of its phases: otherwise any
    /// period that divides the trigger interval fits as well.
    fn has_wrapped(&self, series: &Series) -> bool {
        let turns = series.mean_interval_ps() / self.period_ps;
        !series.regular || (turns - libm::round(turns)).abs() * series.len() as f64 > MIN_TURNS
    }

    pub(super) fn finding(&self) -> Finding {
        let trigger_share = (self.coherence_trigger / self.coherence_done).min(1.0);
        let confidence = self.coherence_done * (1.0 - 0.3 * trigger_share);
        Finding::new(Kind::Gate, confidence, Some(self.period_ps))
            .with("coherence_done", self.coherence_done)
            .with("coherence_trigger", self.coherence_trigger)
            .with("residual_ps", self.residual_ps)
            .with("period_uncertainty_ps", self.uncertainty_ps)
            .with("done_phase_ps", self.done_phase * self.period_ps)
            .with_list("aliases_ps", self.aliases_ps.clone())
    }

    /// Whether a comb of latencies is only this gate seen through a steady trigger: its teeth are the gate's own
    /// period, a part of it that the grid keeps, or the steps between the phases that the trigger visits.
    pub(super) fn explains_comb(&self, comb: &Comb) -> bool {
        let near = |ratio: f64, whole: f64, tolerance: f64| (ratio / whole - 1.0).abs() < tolerance;
        let ratio = self.period_ps / comb.quantum_ps;
        let is_own = near(ratio, 1.0, 0.05) || near(ratio, libm::round(ratio).max(1.0), 0.02);
        let between_bands = self.bands.is_some_and(|bands| near(ratio, bands.phases as f64, 0.1));
        is_own || between_bands
    }
}
