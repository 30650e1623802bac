//! What a detector says: a kind, how sure it is, and the figures behind it.

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Completions are locked to a period that the triggers are not locked to.
    Gate,
    /// The run sampled so little of a gate that its period cannot be known.
    FrozenPhase,
    /// The run sampled only part of a known gate's phases.
    PhaseCoverage,
    /// Latencies are spaced by a quantum.
    Comb,
    /// Latencies sit on a few separate levels.
    Steps,
    /// The typical latency changes over the run.
    Drift,
    /// Slow messages come in bursts.
    Bursts,
    /// A lost message passes, or would pass, for one trigger period of extra latency.
    LossAsLatency,
}

impl Kind {
    /// The kind's name in run folders and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::FrozenPhase => "frozen_phase",
            Self::PhaseCoverage => "phase_coverage",
            Self::Comb => "comb",
            Self::Steps => "steps",
            Self::Drift => "drift",
            Self::Bursts => "bursts",
            Self::LossAsLatency => "loss_as_latency",
        }
    }
}

/// One figure behind a finding.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// A number; its name carries the unit.
    Number(f64),
    /// Several numbers of one kind.
    List(Vec<f64>),
}

/// Something that a detector found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// From 0 to 1.
    pub confidence: f64,
    /// The period of a gate or comb, where one can be named.
    pub period_ps: Option<i64>,
    /// The figures, by name.
    pub evidence: Vec<(&'static str, Evidence)>,
}

impl Finding {
    pub(super) fn new(kind: Kind, confidence: f64, period_ps: Option<f64>) -> Self {
        let period_ps = period_ps.map(|ps| libm::round(ps) as i64);
        Self { kind, confidence: confidence.clamp(0.0, 1.0), period_ps, evidence: Vec::new() }
    }

    pub(super) fn with(mut self, name: &'static str, value: f64) -> Self {
        self.evidence.push((name, Evidence::Number(value)));
        self
    }

    pub(super) fn with_list(mut self, name: &'static str, values: Vec<f64>) -> Self {
        self.evidence.push((name, Evidence::List(values)));
        self
    }

    /// A figure by its name, where it is a single number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.evidence.iter().find_map(|(key, value)| match value {
            Evidence::Number(number) if *key == name => Some(*number),
            _ => None,
        })
    }
}
