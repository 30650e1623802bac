//! What a row must keep beside what its link demands of settings and payload: its gate is there, its sweep moves, and
//! virtual time can count it to the end.

use links::{Program, Schedule};
use thiserror::Error;
use units::Picoseconds;

use super::MAX_SAMPLES;
use super::row::{LinkSetup, Row, TargetSetup};

/// A row that cannot be run, by the field that says so.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field} {sentence}")]
pub struct RowError {
    /// `samples`, `trigger.gate` or `trigger.step`.
    pub field: &'static str,
    /// What it is, and what would be right.
    pub sentence: String,
}

/// Virtual time is counted in picoseconds of 63 bits; a tenth of it is left for messages that take their time.
const LONGEST_RUN_PS: i128 = (i64::MAX / 10 * 9) as i128;
const LONGEST_RUN: &str = "96 days";
/// Room for single intervals far above the mean, in messages.
const SPARE_MESSAGES: i128 = 64;

/// Says whether a row can have so many messages.
fn check_samples(samples: u64) -> Result<(), RowError> {
    if (1..=MAX_SAMPLES).contains(&samples) {
        return Ok(());
    }
    let sentence = format!("is {samples}, but it takes a whole number from 1 to {MAX_SAMPLES}");
    Err(RowError { field: "samples", sentence })
}

impl Row {
    /// Says whether the row can be run.
    ///
    /// # Errors
    /// When its trigger follows a gate that the link does not have or never sweeps, or it would last too long.
    ///
    /// # Panics
    /// When the row's settings do not go together; suites are checked before.
    pub fn check(&self) -> Result<(), RowError> {
        let samples = self.measurement.samples.unwrap_or(1);
        check_samples(samples)?;
        match &self.target {
            TargetSetup::Link(setup) => setup.check(samples),
            TargetSetup::Board(_) | TargetSetup::Address(_) | TargetSetup::Other => Ok(()),
        }
    }
}

impl LinkSetup {
    fn check(&self, samples: u64) -> Result<(), RowError> {
        let mut program = self.link.program(&self.settings).expect("settings are checked before the row");
        self.check_gate(&mut program)?;
        let schedule = self.trigger.schedule(&mut program, self.payload_bytes);
        check_sweep(&schedule)?;
        check_length(samples, longest_interval_ps(&schedule, &mut program, self.payload_bytes))
    }

    fn check_gate(&self, program: &mut Program) -> Result<(), RowError> {
        let Some(wanted) = &self.trigger.gate else { return Ok(()) };
        let gates: Vec<String> = program.gates().iter().map(|gate| gate.name().to_owned()).collect();
        if gates.contains(wanted) {
            return Ok(());
        }
        let names: Vec<&str> = gates.iter().map(String::as_str).collect();
        let known = match fields::nearest(wanted, &names) {
            Some(near) => format!("the nearest is {near}"),
            None if gates.is_empty() => "it has none".to_owned(),
            None => format!("it has {}", gates.join(", ")),
        };
        let sentence = format!("is {wanted:?}, but the link has no such gate; {known}");
        Err(RowError { field: "trigger.gate", sentence })
    }
}

fn check_length(samples: u64, interval_ps: i128) -> Result<(), RowError> {
    let most = LONGEST_RUN_PS / interval_ps.max(1) - SPARE_MESSAGES;
    if i128::from(samples) <= most {
        return Ok(());
    }
    let interval = Picoseconds::new(i64::try_from(interval_ps).unwrap_or(i64::MAX));
    let advice = if most > 0 {
        format!("use {most} or fewer, or shorten the trigger's interval")
    } else {
        "shorten the trigger's interval".to_owned()
    };
    let sentence = format!(
        "is {}, but with up to {interval} for each the run would last longer than {LONGEST_RUN}; {advice}",
        samples
    );
    Err(RowError { field: "samples", sentence })
}

fn check_sweep(schedule: &Schedule) -> Result<(), RowError> {
    let Schedule::Swept { by, step, .. } = schedule else { return Ok(()) };
    if step <= by {
        return Ok(());
    }
    let sentence = format!("is {step}, but by is {by}, so the interval would never grow; make step smaller");
    Err(RowError { field: "trigger.step", sentence })
}

/// The longest that one message holds up the next on average: its interval, or twice its time on the link.
fn longest_interval_ps(schedule: &Schedule, program: &mut Program, payload_bytes: u32) -> i128 {
    let latency_ps: i128 =
        program.budget(payload_bytes).iter().map(|line| i128::from(line.mean.ps())).sum::<i128>() * 2;
    let longest_gate_ps = program.gates().iter().map(|gate| gate.period().ps()).max().unwrap_or(0);
    let sum_ps = |times: [i64; 3]| times.map(i128::from).iter().sum::<i128>();
    let interval_ps = match schedule {
        Schedule::Fixed { period } | Schedule::Poisson { mean: period } => sum_ps([period.ps(), 0, 0]),
        Schedule::Dithered { period, by } | Schedule::Swept { period, by, .. } => {
            sum_ps([period.ps(), by.ps(), 0])
        }
        Schedule::Locked { offset, period, .. } => sum_ps([offset.ps(), period.ps(), longest_gate_ps]),
        Schedule::ClosedLoop { pause } => sum_ps([pause.ps(), 0, 0]) + latency_ps,
        Schedule::Recorded(_) => 0,
    };
    interval_ps.max(latency_ps)
}
