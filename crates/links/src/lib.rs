//! Network links as staged models in virtual time. A [`Definition`] declares a link's settings and puts its stages
//! together as a [`Program`]; a [`Simulation`] carries messages through it; [`Program::budget`] gives the same
//! stages' mean times in closed form. Constants live in `params/*.toml` with their sources.
//!
//! Nothing here knows boards, captures or suites: `bench` brings these together.
//!
//! ```
//! use links::{Schedule, Simulation, find};
//! use units::Picoseconds;
//!
//! let lora = find("lora").unwrap();
//! let settings = lora.settings_with([("sf", "9")]).unwrap();
//! let program = lora.program(&settings).unwrap();
//! let airtime = program.budget(128).into_iter().find(|line| line.name == "packet on the air").unwrap();
//! assert_eq!(airtime.mean.to_string(), "676.86 ms");
//!
//! let schedule = Schedule::Fixed { period: Picoseconds::new(2_000_000_000_000) };
//! let samples = Simulation::new(program, 128, &schedule, 10, 1, "example", 0).run();
//! assert_eq!(samples.len(), 10);
//! ```

mod budget;
mod carrier;
mod energy;
mod hop;
mod links;
mod params;
mod program;
mod registry;
mod schedule;
mod simulation;
mod site;
pub mod stage;
mod transfer;

pub use budget::{Budget, BudgetLine};
pub use energy::Energy;
pub use fields::{Field, SettingError, Settings, Takes, Value};
pub use hop::{
    Aggregation, Crossed, Crossing, Delivery, HopDefinition, Kept, Listens, Passed, PowerSave, RadioUse,
    STATION_FIELDS, StationSetup, WIFI_HOP, Way, WifiAir,
};
pub use params::{Param, Params};
pub use program::{Program, Steps};
pub use registry::{Definition, LinkError, all, find};
pub use schedule::Schedule;
pub use simulation::{Sample, Simulation};
