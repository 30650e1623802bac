//! What a manifest says of a board at an address.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::suite::AddressSetup;

/// A board at an address in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct AddressFacts {
    /// As the suite has it.
    pub address: String,
    /// What that was when it was measured.
    pub resolved: Option<String>,
    /// The client or the server, as it would stand on a command line.
    #[serde(rename = "traffic")]
    pub client: String,
    /// Who read the clock when something arrived: `kernel` or `program`. What is sent is stamped by the program.
    pub arrival_clock: &'static str,
    /// What this computer takes for the same load by itself, where it could be measured.
    pub floor: Option<FloorEntry>,
    /// What the client or the server counted.
    pub counts: BTreeMap<&'static str, u64>,
    /// What it says of all that, in a line.
    pub ended: String,
}

/// What this computer takes for the same load by itself, over its loopback interface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FloorEntry {
    /// The figure of the row's quantity, in its unit.
    pub figure: f64,
    /// Half of its messages took no longer; nothing where messages are not measured.
    pub median_ps: Option<f64>,
    /// 99 % of its messages took no longer.
    pub p99_ps: Option<f64>,
    /// How many messages that comes from.
    pub n: usize,
    /// How much of the row's figure this computer itself can explain: 1 where the board is as fast as loopback.
    pub share: Option<f64>,
}

impl AddressFacts {
    /// Of a board that nobody asked.
    pub(in super::super) fn of_idle(setup: &AddressSetup) -> Self {
        Self {
            address: setup.address.clone(),
            resolved: None,
            client: setup.traffic.to_string(),
            arrival_clock: "program",
            floor: None,
            counts: BTreeMap::new(),
            ended: "it was not run".to_owned(),
        }
    }
}
