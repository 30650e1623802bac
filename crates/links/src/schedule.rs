//! When the trigger rises: the schedule of a run, and the stimulus that keeps it.

use std::sync::Arc;

use sim::{ComponentId, Context};
use units::Picoseconds;

use crate::program::Program;
use crate::simulation::Event;
use crate::stage::GateClock;

/// When messages are triggered.
#[derive(Debug, Clone, PartialEq)]
pub enum Schedule {
    /// Every period: this meets only some phases of a gate whose period has a common multiple with it.
    Fixed {
        /// The trigger interval.
        period: Picoseconds,
    },
    /// Every period plus a random time: meets every phase of gates up to `by` long.
    Dithered {
        /// The shortest interval.
        period: Picoseconds,
        /// The most that is added.
        by: Picoseconds,
    },
    /// Intervals that grow by a step from `period` to `period + by`, over and over.
    Swept {
        /// The shortest interval.
        period: Picoseconds,
        /// The most that is added.
        by: Picoseconds,
        /// What is added each time.
        step: Picoseconds,
    },
    /// At random: intervals are exponential.
    Poisson {
        /// The mean interval.
        mean: Picoseconds,
    },
    /// At a fixed offset after an opening of one of the link's gates.
    Locked {
        /// The gate.
        gate: String,
        /// After the opening.
        offset: Picoseconds,
        /// The shortest interval.
        period: Picoseconds,
    },
    /// At these times, which ascend.
    Recorded(Arc<[Picoseconds]>),
    /// When the link is free again, after a pause.
    ClosedLoop {
        /// Between the end of a transfer and the next trigger.
        pause: Picoseconds,
    },
}

impl Schedule {
    pub(crate) fn is_closed_loop(&self) -> bool {
        matches!(self, Schedule::ClosedLoop { .. })
    }
}

/// Raises the trigger as the schedule says.
#[derive(Debug)]
pub(crate) struct Stimulus {
    schedule: Schedule,
    gate: Option<GateClock>,
    samples: u64,
    fired: u64,
    swept: Picoseconds,
    link: Option<ComponentId>,
}

impl Stimulus {
    /// # Panics
    /// When the schedule is locked to a gate that the link does not have; suites are checked before.
    pub(crate) fn new(schedule: &Schedule, samples: u64, program: &mut Program) -> Self {
        let gate = match schedule {
            Schedule::Locked { gate, .. } => {
                let found =
                    program.gates().into_iter().find(|clock| clock.name() == gate).map(|clock| clock.clone());
                Some(found.expect("a schedule is locked to a gate that the link has"))
            }
            _ => None,
        };
        let schedule = schedule.clone();
        Self { schedule, gate, samples, fired: 0, swept: Picoseconds::ZERO, link: None }
    }

    pub(crate) fn towards(self, link: ComponentId) -> Self {
        Self { link: Some(link), ..self }
    }

    /// When the first trigger rises.
    pub(crate) fn first(&self) -> Picoseconds {
        match &self.schedule {
            Schedule::Recorded(times) => times[0],
            Schedule::Locked { offset, period, .. } => self.opening(*period) + *offset,
            Schedule::Fixed { period }
            | Schedule::Dithered { period, .. }
            | Schedule::Swept { period, .. } => *period,
            Schedule::Poisson { mean } => *mean,
            Schedule::ClosedLoop { pause } => *pause,
        }
    }

    pub(crate) fn receive(&mut self, message: Event, context: &mut Context<'_, Event>) {
        match message {
            Event::Fire => {
                let link = self.link.expect("a stimulus has a link");
                context.send_at(link, context.now(), Event::Trigger(self.fired));
                self.fired += 1;
                if !self.schedule.is_closed_loop() {
                    self.arm(context);
                }
            }
            Event::Free => self.arm(context),
            Event::Trigger(_) | Event::Resume(_) => unreachable!("these go to the link"),
        }
    }

    fn arm(&mut self, context: &mut Context<'_, Event>) {
        if self.fired < self.samples {
            let at = self.next(context);
            context.wake_at(at, Event::Fire);
        }
    }

    fn next(&mut self, context: &mut Context<'_, Event>) -> Picoseconds {
        let now = context.now();
        match &self.schedule {
            Schedule::Fixed { period } => now + *period,
            Schedule::Dithered { period, by } => now + *period + context.random().time_below(*by),
            Schedule::Swept { period, by, step } => {
                self.swept = if self.swept + *step > *by { Picoseconds::ZERO } else { self.swept + *step };
                now + *period + self.swept
            }
            Schedule::Poisson { mean } => {
                let interval = libm::round(mean.ps() as f64 * context.random().exponential());
                now + Picoseconds::new(interval as i64)
            }
            Schedule::Locked { offset, period, .. } => self.opening(now + *period - *offset) + *offset,
            Schedule::Recorded(times) => times[self.fired as usize],
            Schedule::ClosedLoop { pause } => now + *pause,
        }
    }

    fn opening(&self, after: Picoseconds) -> Picoseconds {
        self.gate.as_ref().expect("a locked schedule has its gate").next(after)
    }
}
