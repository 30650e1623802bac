//! What a message takes of its sender's battery: the stages of a link by the currents of its radio. Currents are data with
//! their sources (`currents.toml`); only links whose radio is there have an energy.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use units::Picoseconds;

use crate::{BudgetLine, Definition, Settings};

const PS_PER_S: f64 = 1e12;

/// What a link takes of its sender's battery.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Energy {
    /// What is counted.
    pub chip: &'static str,
    /// For a message, beyond what it takes between messages, in joules.
    pub message_j: f64,
    /// The mean current between messages, in amperes: asleep, or listening, and what wakes it without a message.
    pub between_a: f64,
    /// The supply's voltage.
    pub supply_volts: f64,
}

impl Energy {
    /// What a message takes with the time until the next one, in joules.
    pub fn with_interval_j(&self, every: Picoseconds) -> f64 {
        self.message_j + self.between_a * self.supply_volts * seconds(every)
    }
}

impl Definition {
    /// Whether the currents of the link's radio are known.
    pub fn has_currents(&self) -> bool {
        currents().contains_key(self.name)
    }

    /// The energy of a link whose stages take so long with these settings; nothing where its currents are not known.
    pub fn energy(&self, settings: &Settings, budget: &[BudgetLine]) -> Option<Energy> {
        Some(currents().get(self.name)?.energy(settings, budget))
    }
}

fn seconds(time: Picoseconds) -> f64 {
    time.ps() as f64 / PS_PER_S
}

/// The currents of a radio, and which of them a stage has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Radio {
    chip: String,
    supply_volts: f64,
    sleep: Current,
    states: BTreeMap<String, Current>,
    /// The state of the sender in a stage, by the stage's name.
    stages: BTreeMap<String, String>,
    /// The sender's share of a stage in which others send as well, such as an access point.
    #[serde(default)]
    shares: BTreeMap<String, f64>,
    always: Option<Always>,
    periodic: Option<Periodic>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Current {
    value: String,
    #[expect(dead_code, reason = "for whoever reads the file")]
    meaning: String,
    #[expect(dead_code, reason = "for whoever reads the file")]
    source: String,
}

/// By a value of a setting: the state between messages, in place of sleep.
#[derive(Debug, Deserialize)]
struct Always {
    setting: String,
    #[serde(flatten)]
    state_of: BTreeMap<String, String>,
}

/// What wakes the radio without a message: the setting with the period, and how long it is in which state.
#[derive(Debug, Deserialize)]
struct Periodic {
    setting: String,
    times: Option<Times>,
    #[serde(flatten)]
    time_in: BTreeMap<String, String>,
}

/// By a value of a setting: another setting, of as many periods.
#[derive(Debug, Deserialize)]
struct Times {
    setting: String,
    #[serde(flatten)]
    count_of: BTreeMap<String, String>,
}

impl Radio {
    fn energy(&'static self, settings: &Settings, budget: &[BudgetLine]) -> Energy {
        let between = self.between_a(settings);
        let charge: f64 = budget
            .iter()
            .filter_map(|line| {
                let share = self.shares.get(&line.name).copied().unwrap_or(1.0);
                Some((self.state_a(self.stages.get(&line.name)?) - between) * seconds(line.mean) * share)
            })
            .sum();
        Energy {
            chip: &self.chip,
            message_j: charge.max(0.0) * self.supply_volts,
            between_a: between + self.periodic_a(settings, between),
            supply_volts: self.supply_volts,
        }
    }

    fn state_a(&self, state: &str) -> f64 {
        self.states[state].amperes()
    }

    fn between_a(&self, settings: &Settings) -> f64 {
        let always = self.always.as_ref().and_then(|one| one.state_of.get(&text(settings, &one.setting)));
        always.map_or_else(|| self.sleep.amperes(), |state| self.state_a(state))
    }

    /// The mean current of what wakes the radio without a message.
    fn periodic_a(&self, settings: &Settings, between_a: f64) -> f64 {
        let Some(periodic) = &self.periodic else { return 0.0 };
        let periods = match &periodic.times {
            None => 1,
            Some(times) => match times.count_of.get(&text(settings, &times.setting)) {
                Some(count) => settings.integer(count),
                None => return 0.0,
            },
        };
        let period = seconds(settings.time(&periodic.setting)) * periods as f64;
        let share = |time: &str| seconds(time.parse().expect("currents.toml has times")) / period;
        periodic.time_in.iter().map(|(state, time)| (self.state_a(state) - between_a) * share(time)).sum()
    }
}

fn text(settings: &Settings, name: &str) -> String {
    settings.get(name).expect("currents.toml names settings of the link").to_string()
}

impl Current {
    fn amperes(&self) -> f64 {
        let (number, unit) = self.value.split_once(' ').expect("a current has its unit");
        let number: f64 = number.parse().expect("a current is a number");
        match unit {
            "uA" => number * 1e-6,
            "mA" => number * 1e-3,
            other => panic!("{other} is no unit of currents.toml"),
        }
    }
}

fn currents() -> &'static BTreeMap<String, Radio> {
    static PARSED: OnceLock<BTreeMap<String, Radio>> = OnceLock::new();
    let text = include_str!("../currents.toml");
    PARSED.get_or_init(|| {
        toml::from_str(text).expect("currents.toml has a chip, its currents and stages for each link")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{all, find};

    #[test]
    fn every_entry_is_of_a_link_with_its_settings_and_the_states_that_it_names() {
        for (name, radio) in currents() {
            let link = find(name).unwrap();
            let settings = link.defaults();
            let budget = link.program(&settings).unwrap().budget(12);
            let energy = link.energy(&settings, &budget).unwrap();
            assert!(energy.message_j > 0.0 && energy.between_a > 0.0, "{name}");
            assert!(radio.stages.values().all(|state| radio.states.contains_key(state)), "{name}");
        }
        assert!(!all().iter().find(|link| link.name == "uart").unwrap().has_currents());
    }

    #[test]
    fn a_message_takes_its_own_energy_and_that_of_the_time_until_the_next_one() {
        let energy = Energy { chip: "a chip", message_j: 3e-3, between_a: 1e-6, supply_volts: 3.0 };
        let every = Picoseconds::new(10 * units::PS_PER_S);
        // 3 mJ, and 10 s of 1 uA at 3 V.
        assert!((energy.with_interval_j(every) - 3.03e-3).abs() < 1e-9);
    }
}
