//! The currents of `currents.toml`, which says where each is from.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

/// A part, by its states.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartCurrents {
    pub(super) supply_volts: f64,
    states: BTreeMap<String, Current>,
}

/// The current of a state.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Current {
    base: Option<String>,
    per_mhz: Option<String>,
    core_per_mhz: Option<String>,
    #[expect(dead_code, reason = "for whoever reads the file")]
    meaning: String,
    #[expect(dead_code, reason = "for whoever reads the file")]
    source: String,
}

/// A time in a state, with the clock's cycles meanwhile and those of them in which a core was awake, summed over the cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) ps: i64,
    pub(super) cycles: u64,
    pub(super) core_cycles: u64,
}

impl PartCurrents {
    /// The part that board files name so; nothing where its currents are not known.
    pub(super) fn of(name: &str) -> Option<&'static Self> {
        currents().get(name)
    }

    /// What a part takes in a state, in coulombs; nothing where the current of the state is not known.
    pub(super) fn coulombs(&self, state: &str, spent: Spent) -> Option<f64> {
        const PS_PER_S: f64 = 1e12;
        const HZ_PER_MHZ: f64 = 1e6;
        let current = self.states.get(state)?;
        let amperes = |text: &Option<String>| text.as_deref().map_or(0.0, amperes);
        let base = amperes(&current.base) * spent.ps as f64 / PS_PER_S;
        let clock = amperes(&current.per_mhz) * spent.cycles as f64 / HZ_PER_MHZ;
        let cores = amperes(&current.core_per_mhz) * spent.core_cycles as f64 / HZ_PER_MHZ;
        Some(base + clock + cores)
    }
}

fn amperes(text: &str) -> f64 {
    let (number, unit) = text.split_once(' ').expect("a current has its unit");
    let number: f64 = number.parse().expect("a current is a number");
    match unit {
        "uA" => number * 1e-6,
        "mA" => number * 1e-3,
        other => panic!("{other} is no unit of currents.toml"),
    }
}

fn currents() -> &'static BTreeMap<String, PartCurrents> {
    static PARSED: OnceLock<BTreeMap<String, PartCurrents>> = OnceLock::new();
    let text = include_str!("../../currents.toml");
    PARSED.get_or_init(|| toml::from_str(text).expect("currents.toml has parts with their states"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_of_a_part_that_a_board_may_have_and_has_currents() {
        let chips: Vec<&str> = wiznet::Model::ALL.iter().map(|model| model.facts().name).collect();
        for (name, part) in currents() {
            let is_mcu = crate::mcus::MCUS.iter().any(|kind| kind.facts.name == name);
            assert!(is_mcu || chips.contains(&name.as_str()), "{name}");
            for (state, current) in &part.states {
                let all = [&current.base, &current.per_mhz, &current.core_per_mhz];
                assert!(
                    all.iter().filter_map(|text| text.as_deref()).any(|text| amperes(text) > 0.0),
                    "{state}"
                );
            }
            assert!(!is_mcu || ["running", "asleep"].iter().all(|state| part.states.contains_key(*state)));
        }
    }
}
