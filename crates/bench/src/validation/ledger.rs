//! One row of the ledger: how far a model is from a capture.

use std::collections::BTreeMap;

use links::{Definition, LinkError, Params, Program, Schedule, Settings, Simulation};
use serde::{Deserialize, Serialize};
use units::Picoseconds;

use super::fit::{fit_phases, predict, sorted};
use super::leave_one_out::LeftOut;
use super::locked::{fit_offset, predict_locked};
use super::observed::Observed;
use super::rules::CaptureRule;
use super::waits::Waits;

/// How well a link is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// From standards, datasheets and firmware, with host overheads fitted.
    Derived,
    /// Derived, with probabilities of retry or missed events fitted.
    DerivedRetry,
    /// Right only given the phases of the run.
    PhaseLimited,
    /// A measured shape; its cause is not known.
    Empirical,
}

impl Class {
    /// The goals: largest relative error of median and upper quartile, and largest Kolmogorov-Smirnov distance.
    pub fn goals(self) -> Option<(f64, f64)> {
        match self {
            Class::Derived => Some((0.03, 0.06)),
            Class::DerivedRetry => Some((0.05, 0.15)),
            Class::PhaseLimited => Some((0.03, 0.10)),
            Class::Empirical => None,
        }
    }
}

/// What a model was told of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Nothing: all clock phases unknown.
    PhaseFree,
    /// Trigger times, and phases and drifts fitted to it.
    ThisRun,
}

/// A model against a capture.
#[derive(Debug, Clone, Serialize)]
pub struct LedgerRow {
    /// The link.
    pub link: String,
    /// The variant.
    pub variant: String,
    /// The payload.
    pub payload_bytes: u64,
    /// How well the link is understood.
    pub class: Class,
    /// What the model was told.
    pub mode: Mode,
    /// Model over capture - 1.
    pub median_error: f64,
    /// Of the upper quartile.
    pub upper_quartile_error: f64,
    /// Of the 95th percentile.
    pub p95_error: f64,
    /// Kolmogorov-Smirnov distance beyond the resolution floor.
    pub ks: f64,
    /// Messages that arrived in the capture.
    pub n: usize,
    /// How many independent ones they are worth.
    pub n_eff: f64,
    /// The smallest share of a gate's phases that the triggers met; 1 without gates.
    pub phase_coverage: f64,
    /// Fitted values of the model.
    pub fitted_physics: u32,
    /// Phases and drifts fitted to this capture.
    pub fitted_phase: u32,
    /// The share of messages lost in the capture.
    pub lost: f64,
    /// The share that the model loses.
    pub lost_model: f64,
    /// Whether the goals of the class are met; nothing where the row is not judged.
    pub passes: Option<bool>,
    /// The capture below the folder.
    pub capture: String,
    /// How far the model is where what was fitted on this capture is fitted on the link's other captures.
    pub leave_one_out: LeftOut,
}

/// Runs of a phase-free prediction, each with its own phases: gates whose periods have a common multiple keep their
/// distance for a whole run.
const PHASE_FREE_RUNS: u64 = 200;
const PHASE_FREE_MESSAGES: u64 = 100;
/// Runs of the model over the capture's triggers.
const REPLICAS: u64 = 20;
/// A capture covers a gate's phases from here.
pub(super) const COVERED: f64 = 0.9;

/// A capture with the link that made it.
#[derive(Debug)]
pub struct Case {
    pub(super) rule: &'static CaptureRule,
    pub(super) name: String,
    pub(super) link: &'static Definition,
    pub(super) settings: Settings,
    /// What the settings may have been as well.
    alternatives: Vec<Settings>,
    pub(super) bytes: u32,
    pub(super) observed: Observed,
    pub(super) seed: u64,
}

impl Case {
    /// A capture as its rule says.
    ///
    /// # Errors
    /// When the rule's link or settings cannot be used with this payload.
    pub fn new(
        rule: &'static CaptureRule,
        name: &str,
        payload_bytes: u64,
        observed: Observed,
        seed: u64,
    ) -> Result<Self, LinkError> {
        let link = links::find(&rule.link)?;
        let settings_of = |set: &BTreeMap<String, String>| {
            let settings =
                link.settings_with(set.iter().map(|(name, value)| (name.as_str(), value.as_str())))?;
            link.program(&settings).map(|_| settings)
        };
        let settings = settings_of(&rule.set)?;
        let alternatives = rule.or_set.iter().map(settings_of).collect::<Result<_, _>>()?;
        let bytes = link.check_payload(payload_bytes)?;
        Ok(Self { rule, name: name.to_owned(), link, settings, alternatives, bytes, observed, seed })
    }

    pub(super) fn program(&self, params: &Params) -> Program {
        self.program_with(&self.settings, params)
    }

    fn program_with(&self, settings: &Settings, params: &Params) -> Program {
        self.link.program_of(settings, params).expect("it was put together before")
    }

    /// A phase-free row and a row for this run, of the link with these constants; none where nothing arrived.
    pub fn rows(&self, params: &Params) -> Vec<LedgerRow> {
        self.judged(params).0
    }

    /// The same, and the latencies with which phase-free predictions are compared.
    pub(super) fn judged(&self, params: &Params) -> (Vec<LedgerRow>, Vec<i64>) {
        let (mut rows, evened) = self.judged_with(&self.settings, params);
        for settings in &self.alternatives {
            for (row, other) in rows.iter_mut().zip(self.judged_with(settings, params).0) {
                row.passes = row.passes.map(|kept| kept && other.passes != Some(false));
            }
        }
        (rows, evened)
    }

    fn judged_with(&self, settings: &Settings, params: &Params) -> (Vec<LedgerRow>, Vec<i64>) {
        let Self { bytes, ref observed, seed, .. } = *self;
        let build = || self.program_with(settings, params);
        let real = observed.latencies_ps();
        if real.is_empty() {
            return (Vec::new(), real);
        }
        let phases = fit_phases(&build, bytes, observed, seed);
        let waits = Waits::of(&build, observed, &phases);
        let coverage = waits.coverage();
        let evened = if coverage >= COVERED { waits.evened(observed) } else { real.clone() };
        let row = Row { case: self, coverage };
        let free = phase_free(&build, bytes, observed, seed, PHASE_FREE_RUNS);
        let (this_run, fitted) = match &self.rule.locked_to {
            Some(gate) => {
                let offset = fit_offset(&build, bytes, observed, gate, seed);
                let predict = |seed| predict_locked(&build, bytes, observed, gate, offset, seed);
                (replicas(&predict, seed), 1)
            }
            None => {
                let predict = |seed| predict(&build, bytes, observed, &phases, seed);
                (replicas(&predict, seed), 2 * phases.len() as u32)
            }
        };
        let rows = [(Mode::PhaseFree, &evened, &free, 0), (Mode::ThisRun, &real, &this_run, fitted)];
        (rows.map(|(mode, real, model, fitted)| row.score(mode, real, model, fitted)).into(), evened)
    }
}

fn replicas(predict: &dyn Fn(u64) -> Vec<Option<i64>>, seed: u64) -> Vec<Option<i64>> {
    (1..=REPLICAS).flat_map(|replica| predict(seed.wrapping_add(replica))).collect()
}

pub(super) fn phase_free(
    build: &dyn Fn() -> Program,
    bytes: u32,
    observed: &Observed,
    seed: u64,
    runs: u64,
) -> Vec<Option<i64>> {
    let mut program = build();
    let longest = program.gates().iter().map(|gate| gate.period()).max().unwrap_or(Picoseconds::ZERO);
    let period = Picoseconds::new(observed.interval_ps());
    let schedule = Schedule::Dithered { period, by: longest };
    let latency = |sample: &links::Sample| sample.done.map(|done| (done - sample.trigger).ps());
    let run = |run: u64| {
        let path = format!("phase-free/{run}");
        Simulation::new(build(), bytes, &schedule, PHASE_FREE_MESSAGES, seed, &path, 0).run()
    };
    (0..runs).flat_map(|index| run(index).iter().map(latency).collect::<Vec<_>>()).collect()
}

struct Row<'a> {
    case: &'a Case,
    coverage: f64,
}

impl Row<'_> {
    fn score(&self, mode: Mode, real: &[i64], model: &[Option<i64>], fitted_phase: u32) -> LedgerRow {
        let Case { rule, name, observed, bytes, .. } = self.case;
        let arrived_in_capture = observed.latencies_ps();
        let real = sorted(real.iter());
        let arrived = sorted(model.iter().flatten());
        let error = |p: f64| stats::quantile(&arrived, p) / stats::quantile(&real, p) - 1.0;
        let floor = stats::resolution_floor_ps(stats::quantile(&real, 0.5));
        let ks = stats::kolmogorov_smirnov(&real, &arrived, floor);
        let n_eff = stats::bootstrap::Dependence::of(&arrived_in_capture).effective_n;
        let (median_error, upper_quartile_error) = (error(0.5), error(0.75));
        let judged = mode == Mode::ThisRun || self.coverage >= COVERED;
        let passes = rule.class.goals().filter(|_| judged).map(|(relative, distance)| {
            median_error.abs() <= relative
                && upper_quartile_error.abs() <= relative
                && ks <= distance.max(1.63 / libm::sqrt(n_eff))
        });
        let lost = |total: usize, arrived: usize| 1.0 - arrived as f64 / total.max(1) as f64;
        LedgerRow {
            link: rule.link.clone(),
            variant: rule.variant.clone(),
            payload_bytes: u64::from(*bytes),
            class: rule.class,
            mode,
            median_error,
            upper_quartile_error,
            p95_error: error(0.95),
            ks,
            n: arrived_in_capture.len(),
            n_eff,
            phase_coverage: self.coverage,
            fitted_physics: rule.fitted_physics,
            fitted_phase,
            lost: lost(observed.trigger_ps.len(), arrived_in_capture.len()),
            lost_model: lost(model.len(), arrived.len()),
            passes,
            capture: name.clone(),
            leave_one_out: LeftOut::default(),
        }
    }
}
