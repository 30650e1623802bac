//! From level changes to edges, the choice of the rule, and the glitch time when none is given.

use std::str::FromStr;

use thiserror::Error;

use super::fifo::Fifo;
use super::outcome::{Pairing, TriggerOutcome};
use super::published::Published;
use super::strict::Strict;
use crate::change::Change;

/// The most triggers that may wait for their completion under the fifo rule; older ones count as missed.
pub const MAX_OUTSTANDING: usize = 4096;

/// The default glitch time is this fraction of the typical trigger interval.
const GLITCH_DIVISOR: i64 = 100;
/// How many triggers are looked at to learn the typical interval, and how many changes at most.
const SETTLING_TRIGGERS: usize = 64;
const SETTLING_CHANGES: usize = 1 << 16;

const TRIGGER: u64 = 1;
const DONE: u64 = 2;

/// Which done edge completes a trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// The first done edge after the trigger and before the next one.
    #[default]
    Strict,
    /// Done edges complete triggers in their order, however many are outstanding.
    Fifo,
    /// The first later row with done high, across triggers: the rule behind published figures.
    Published,
}

impl Rule {
    /// The rule's name on the command line and in run folders.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Fifo => "fifo",
            Self::Published => "published",
        }
    }
}

/// A pairing rule that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no pairing rule `{0}`; use strict, fifo or published")]
pub struct UnknownRule(String);

impl FromStr for Rule {
    type Err = UnknownRule;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Strict, Self::Fifo, Self::Published]
            .into_iter()
            .find(|rule| rule.name() == text)
            .ok_or_else(|| UnknownRule(text.to_owned()))
    }
}

/// How to pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// Which done edge completes a trigger.
    pub rule: Rule,
    /// A trigger edge closer than this to the trigger before it is a glitch. `None`: a hundredth of the typical
    /// trigger interval. The published rule knows no glitches.
    pub glitch_ps: Option<i64>,
    /// No completion comes sooner than this after its trigger.
    pub min_latency_ps: i64,
    /// Under the fifo rule, a trigger that has waited longer than this is missed.
    pub max_latency_ps: Option<i64>,
}

/// Pairs the edges of one capture as they stream by.
#[derive(Debug)]
pub struct Pairer {
    settings: Settings,
    levels: Option<u64>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The glitch time is not known yet: changes wait here.
    Settling {
        changes: Vec<Change>,
        triggers_ps: Vec<i64>,
    },
    Running(Machine),
}

impl Pairer {
    /// A pairer for the changes of two channels: bit 0 is the trigger, bit 1 is done.
    pub fn new(settings: Settings) -> Self {
        let state = match settings.glitch_ps {
            Some(glitch_ps) => State::Running(Machine::new(settings, glitch_ps)),
            None if settings.rule == Rule::Published => State::Running(Machine::new(settings, 0)),
            None => State::Settling { changes: Vec::new(), triggers_ps: Vec::new() },
        };
        Self { settings, levels: None, state }
    }

    /// Takes the next changes, in ascending time.
    pub fn push(&mut self, batch: &[Change]) {
        let waiting = self.gather(batch);
        if let (State::Running(machine), Some(first)) = (&mut self.state, waiting.first()) {
            let mut before = self.levels.unwrap_or(first.levels);
            for &change in waiting {
                machine.step(before, change);
                before = change.levels;
            }
            self.levels = Some(before);
        }
    }

    /// Keeps changes until the glitch time is known; gives those that came after.
    fn gather<'a>(&mut self, batch: &'a [Change]) -> &'a [Change] {
        for (index, &change) in batch.iter().enumerate() {
            let State::Settling { changes, triggers_ps } = &mut self.state else { return &batch[index..] };
            let before = self.levels.replace(change.levels).unwrap_or(change.levels);
            changes.push(change);
            if change.levels & !before & TRIGGER != 0 {
                triggers_ps.push(change.time_ps);
            }
            if triggers_ps.len() > SETTLING_TRIGGERS || changes.len() >= SETTLING_CHANGES {
                self.settle();
            }
        }
        &[]
    }

    /// The result, once all changes were given.
    pub fn finish(mut self) -> Pairing {
        self.settle();
        match self.state {
            State::Running(machine) => machine.finish(),
            State::Settling { .. } => unreachable!("settle() leaves the pairer running"),
        }
    }

    fn settle(&mut self) {
        let State::Settling { changes, triggers_ps } = &self.state else { return };
        let mut machine = Machine::new(self.settings, typical_interval_ps(triggers_ps) / GLITCH_DIVISOR);
        let mut before = changes.first().map_or(0, |change| change.levels);
        for &change in changes {
            machine.step(before, change);
            before = change.levels;
        }
        self.state = State::Running(machine);
    }
}

/// The upper quartile of the trigger intervals: glitches double the number of intervals at most, so that they
/// never reach it.
fn typical_interval_ps(triggers_ps: &[i64]) -> i64 {
    let mut intervals: Vec<i64> = triggers_ps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    intervals.sort_unstable();
    intervals.get(intervals.len() * 3 / 4).copied().unwrap_or(0)
}

/// Turns level changes into edges for the rule in force; common to all rules.
#[derive(Debug)]
struct Machine {
    glitch_ps: i64,
    last_trigger_ps: Option<i64>,
    pairing: Pairing,
    rule: RuleState,
}

#[derive(Debug)]
enum RuleState {
    Strict(Strict),
    Fifo(Fifo),
    Published(Published),
}

impl Machine {
    fn new(settings: Settings, glitch_ps: i64) -> Self {
        let rule = match settings.rule {
            Rule::Strict => RuleState::Strict(Strict::new(settings.min_latency_ps)),
            Rule::Fifo => RuleState::Fifo(Fifo::new(settings.min_latency_ps, settings.max_latency_ps)),
            Rule::Published => RuleState::Published(Published::default()),
        };
        let glitch_ps = if settings.rule == Rule::Published { 0 } else { glitch_ps };
        let pairing = Pairing { glitch_ps, ..Pairing::default() };
        Self { glitch_ps, last_trigger_ps: None, pairing, rule }
    }

    /// A done edge at the very time of a trigger edge belongs to the trigger before: it is taken first.
    #[inline]
    fn step(&mut self, before: u64, change: Change) {
        let rising = change.levels & !before;
        if rising == 0 {
            return;
        }
        if rising & DONE != 0 {
            self.done(change.time_ps);
        }
        if rising & TRIGGER != 0 {
            let done_was_high = (before | change.levels) & DONE != 0;
            self.trigger(change.time_ps, done_was_high);
        }
    }

    fn done(&mut self, time_ps: i64) {
        match &mut self.rule {
            RuleState::Strict(rule) => rule.done(&mut self.pairing, time_ps),
            RuleState::Fifo(rule) => rule.done(&mut self.pairing, time_ps),
            RuleState::Published(rule) => rule.done(&mut self.pairing, time_ps),
        }
    }

    fn trigger(&mut self, time_ps: i64, done_was_high: bool) {
        let since_last = self.last_trigger_ps.map(|last| time_ps - last);
        if since_last.is_some_and(|interval| interval < self.glitch_ps) {
            self.pairing.add_trigger(time_ps, TriggerOutcome::Glitch);
            return;
        }
        self.last_trigger_ps = Some(time_ps);
        match &mut self.rule {
            RuleState::Strict(rule) => rule.trigger(&mut self.pairing, time_ps, done_was_high),
            RuleState::Fifo(rule) => rule.trigger(&mut self.pairing, time_ps),
            RuleState::Published(rule) => rule.trigger(&mut self.pairing, time_ps, done_was_high),
        }
    }

    fn finish(mut self) -> Pairing {
        if let RuleState::Strict(rule) = self.rule {
            rule.finish(&mut self.pairing);
        }
        self.pairing.sort_unpaired();
        self.pairing
    }
}
