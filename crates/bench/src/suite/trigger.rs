//! When a row's messages are triggered, as a suite says it and as the simulation takes it.

use std::collections::BTreeMap;

use links::{Program, Schedule};
use units::{PS_PER_MS, Picoseconds};

use super::SuiteError;

/// A trigger schedule. Where the interval is not given it follows from the link: twice its mean latency, so that
/// messages do not queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// `dithered`, `fixed`, `swept`, `poisson`, `locked` or `closed-loop`.
    pub kind: TriggerKind,
    /// The interval (the shortest of a dithered or swept one, the mean of a Poisson one).
    pub period: Option<Picoseconds>,
    /// What is added at most to a dithered or swept interval; by default the longest gate's period.
    pub by: Option<Picoseconds>,
    /// What a swept interval grows by; by default a 97th of `by`.
    pub step: Option<Picoseconds>,
    /// The gate that a locked one follows.
    pub gate: Option<String>,
    /// How long after its opening.
    pub offset: Picoseconds,
    /// Between the end of a message and the next one of a closed loop.
    pub pause: Picoseconds,
}

/// The kinds of schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the suites")]
pub enum TriggerKind {
    Dithered,
    Fixed,
    Swept,
    Poisson,
    Locked,
    ClosedLoop,
}

impl TriggerKind {
    /// Names as in suites.
    pub const ALL: [(&'static str, Self); 6] = [
        ("dithered", Self::Dithered),
        ("fixed", Self::Fixed),
        ("swept", Self::Swept),
        ("poisson", Self::Poisson),
        ("locked", Self::Locked),
        ("closed-loop", Self::ClosedLoop),
    ];

    /// What a trigger of this kind may say beside its kind.
    pub(super) const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Dithered => &["period", "by"],
            Self::Fixed | Self::Poisson => &["period"],
            Self::Swept => &["period", "by", "step"],
            Self::Locked => &["gate", "offset", "period"],
            Self::ClosedLoop => &["pause"],
        }
    }

    /// Its name in suites.
    pub(super) fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, kind)| *kind == self);
        named.expect("every kind has a name").0
    }
}

impl Default for Trigger {
    fn default() -> Self {
        Self {
            kind: TriggerKind::Dithered,
            period: None,
            by: None,
            step: None,
            gate: None,
            offset: Picoseconds::ZERO,
            pause: Picoseconds::ZERO,
        }
    }
}

/// The shortest interval that is chosen for a link that does not say its own.
const SHORTEST_PERIOD_PS: i64 = PS_PER_MS;
/// A swept interval takes this many steps; prime, so that it divides no gate's period.
const SWEEP_STEPS: i64 = 97;

impl Trigger {
    /// A trigger from fields as a suite has them, such as `kind` and `period`.
    ///
    /// # Errors
    /// When a field is unknown or its value is not allowed.
    pub fn of_fields(fields: &BTreeMap<String, String>) -> Result<Self, SuiteError> {
        super::parse::trigger(fields)
    }

    /// The schedule for a link and payload.
    pub fn schedule(&self, program: &mut Program, payload_bytes: u32) -> Schedule {
        let period = self.period.unwrap_or_else(|| comfortable_period(program, payload_bytes));
        let longest = program.gates().iter().map(|gate| gate.period()).max();
        let by = self.by.or(longest).unwrap_or(Picoseconds::new(period.ps() / 2));
        match self.kind {
            TriggerKind::Dithered => Schedule::Dithered { period, by },
            TriggerKind::Fixed => Schedule::Fixed { period },
            TriggerKind::Swept => {
                let step = self.step.unwrap_or(Picoseconds::new((by.ps() / SWEEP_STEPS).max(1)));
                Schedule::Swept { period, by, step }
            }
            TriggerKind::Poisson => Schedule::Poisson { mean: period },
            TriggerKind::Locked => {
                let gate = self.gate.clone().expect("a locked trigger names its gate");
                Schedule::Locked { gate, offset: self.offset, period }
            }
            TriggerKind::ClosedLoop => Schedule::ClosedLoop { pause: self.pause },
        }
    }
}

/// Twice the mean latency plus the longest gate, in whole milliseconds.
fn comfortable_period(program: &mut Program, payload_bytes: u32) -> Picoseconds {
    let total: i64 = program.budget(payload_bytes).iter().map(|line| line.mean.ps()).sum();
    let longest = program.gates().iter().map(|gate| gate.period().ps()).max().unwrap_or(0);
    let wanted = total.saturating_mul(2).saturating_add(longest).max(SHORTEST_PERIOD_PS);
    Picoseconds::new((wanted / PS_PER_MS + 1).saturating_mul(PS_PER_MS))
}

/// The schedule in one phrase.
pub fn phrase(schedule: &Schedule) -> String {
    match schedule {
        Schedule::Fixed { period } => format!("every {period}"),
        Schedule::Dithered { period, by } => format!("every {period} plus up to {by} at random"),
        Schedule::Swept { period, by, step } => format!("every {period} plus 0 to {by} in steps of {step}"),
        Schedule::Poisson { mean } => format!("at random, {mean} apart on average"),
        Schedule::Locked { gate, offset, period } => {
            format!("{offset} after an opening of the {gate}, at least {period} apart")
        }
        Schedule::Recorded(times) => format!("at {} recorded times", times.len()),
        Schedule::ClosedLoop { pause } => format!("{pause} after the last one ended"),
    }
}
