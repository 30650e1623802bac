//! What a board took of its supply: the time in each state of its microcontroller, its Ethernet chip and its radio, by the
//! currents of these states. Left out: the flash, LEDs, regulators, and whatever else is wired to it.

mod currents;

use lan::{SupplyKind, radio_amperes};
use serde::Serialize;
use units::Picoseconds;

use super::{Board, BoardFile, PartEntry};
use currents::{PartCurrents, Spent};

/// What a board took of its supply up to a time, or between two times.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct BoardEnergy {
    /// The parts whose currents are known.
    pub parts: Vec<PartEnergy>,
    /// The others, as a sentence has them.
    pub without: Vec<String>,
}

/// A part of the board.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartEnergy {
    /// Its name, as `RP2040`.
    pub part: String,
    /// `mcu`, `ethernet` or `radio`.
    pub kind: &'static str,
    /// Its supply's voltage.
    pub supply_volts: f64,
    /// Its states; together they are all time.
    pub states: Vec<StateEnergy>,
}

/// A state of a part.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StateEnergy {
    /// Its name.
    pub state: &'static str,
    /// How long the part was in it.
    pub time_ps: i64,
    /// What that took; nothing where the state's current is not known.
    pub coulombs: Option<f64>,
}

impl BoardEnergy {
    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        !self.parts.is_empty()
    }

    /// What all parts took together, in coulombs.
    pub fn coulombs(&self) -> f64 {
        self.parts.iter().map(PartEnergy::coulombs).sum()
    }

    /// The same in joules, by the voltage of each part.
    pub fn joules(&self) -> f64 {
        self.parts.iter().map(|part| part.coulombs() * part.supply_volts).sum()
    }

    /// What was taken since an earlier time.
    #[must_use]
    pub fn since(mut self, earlier: &Self) -> Self {
        for (part, before) in self.parts.iter_mut().zip(&earlier.parts) {
            for (state, before) in part.states.iter_mut().zip(&before.states) {
                state.time_ps -= before.time_ps;
                state.coulombs = state.coulombs.zip(before.coulombs).map(|(now, then)| now - then);
            }
        }
        self
    }

    /// Names the states in which a part was and whose current is not known, and leaves states out that never were.
    #[must_use]
    pub fn told(mut self) -> Self {
        for part in &mut self.parts {
            part.states.retain(|state| state.time_ps > 0);
            let unknown = part.states.iter().filter(|state| state.coulombs.is_none());
            self.without.extend(unknown.map(|state| format!("the {} in state {:?}", part.part, state.state)));
        }
        self
    }
}

impl PartEnergy {
    fn coulombs(&self) -> f64 {
        self.states.iter().filter_map(|state| state.coulombs).sum()
    }
}

impl BoardFile {
    /// Whether the currents of any of its parts are known; the energy of a board without them is never told. A radio is at a
    /// microcontroller whose currents are.
    pub fn has_currents(&self) -> bool {
        let parts = self.parts.iter().map(PartEntry::kind);
        std::iter::once(self.mcu.facts.name).chain(parts).any(|name| PartCurrents::of(name).is_some())
    }
}

impl Board {
    /// What it took of its supply since the start.
    pub fn energy(&mut self) -> BoardEnergy {
        let mut energy = BoardEnergy::default();
        self.add_mcu(&mut energy);
        let now = self.now();
        let supplies = self.parts().lan().map(|lan| lan.supplies(now)).unwrap_or_default();
        for supply in supplies {
            let Some(chip) = supply.chip else { continue };
            let part = chip.to_uppercase();
            let known = PartCurrents::of(chip);
            let (kind, supply_volts) = match supply.kind {
                SupplyKind::Radio => ("radio", RADIO_VOLTS),
                SupplyKind::Ethernet => match known {
                    Some(known) => ("ethernet", known.supply_volts),
                    None => {
                        energy.without.push(format!("the {part}"));
                        continue;
                    }
                },
            };
            let coulombs = |state: &str, time: Picoseconds| match known {
                Some(known) => known.coulombs(state, Spent { ps: time.ps(), cycles: 0, core_cycles: 0 }),
                None => radio_amperes(state).map(|amperes| amperes * time.ps() as f64 / 1e12),
            };
            let states = supply.states.into_iter().map(|(state, time)| StateEnergy {
                state,
                time_ps: time.ps(),
                coulombs: coulombs(state, time),
            });
            energy.parts.push(PartEnergy { part, kind, supply_volts, states: states.collect() });
        }
        energy
    }

    fn add_mcu(&self, energy: &mut BoardEnergy) {
        let facts = self.chip.facts();
        let part = facts.title.to_owned();
        let Some(known) = PartCurrents::of(facts.name) else {
            energy.without.push(format!("the {part}"));
            return;
        };
        let states = self.chip.counts().states.into_iter().map(|one| StateEnergy {
            state: one.state,
            time_ps: one.time.ps(),
            coulombs: known.coulombs(
                one.state,
                Spent { ps: one.time.ps(), cycles: one.cycles, core_cycles: one.core_cycles },
            ),
        });
        let states = states.collect();
        energy.parts.push(PartEnergy { part, kind: "mcu", supply_volts: known.supply_volts, states });
    }
}

/// Of the radio of a Pico W.
const RADIO_VOLTS: f64 = 3.3;
