//! What a manifest says of virtual boards.

use std::collections::BTreeMap;

use attribution::{BulkEvidence, Evidence};
use board::BoardEnergy;
use serde::Serialize;

use super::observation::Metered;
use super::prepare::{Firmware, ImageSizes, ReadyBoard};
use crate::suite::{BoardSetup, Quantity};

/// Virtual boards in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct BoardFacts {
    /// The board.
    pub board: String,
    /// The image.
    pub firmware: FirmwareEntry,
    /// The board in the place of the PC.
    pub peer: Option<PeerEntry>,
    /// What every message carries; null where messages say their own.
    pub payload_bytes: Option<u64>,
    /// All settings of the image as they were in force.
    pub settings: BTreeMap<String, String>,
    /// The network: `default`, a file, or the table of the suite as a document.
    pub network: String,
    /// The serial lines to the peer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// Which edges are messages to the peer.
    pub trigger: Option<String>,
    /// What ran on the PC beside its servers.
    #[serde(rename = "traffic")]
    pub clients: Vec<String>,
    /// Whose messages the samples are.
    pub of: Option<String>,
    /// How it ended.
    pub ended: String,
    /// What was counted on the board.
    pub counts: BTreeMap<&'static str, f64>,
    /// What was seen while messages were traced.
    pub evidence: Option<Evidence>,
    /// What was seen of a bulk transfer meanwhile.
    pub bulk: Option<BulkEvidence>,
    /// What its messages took of its supply.
    pub energy: Option<EnergyEntry>,
    /// What a user should know of how the board's chips were treated.
    pub notes: Vec<String>,
}

/// What the messages of a time took of a board's supply, in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct EnergyEntry {
    /// Part by part.
    #[serde(flatten)]
    pub energy: BoardEnergy,
    /// How long the time was.
    pub time_ps: i64,
    /// How many messages, with the time between them, it was: `message` or `kB`.
    pub per: &'static str,
    /// Their number.
    pub messages: f64,
    /// The energy of a message with the time until the next one, in joules; nothing where no part has currents.
    pub message_j: Option<f64>,
    /// The mean current of all parts together, in amperes; likewise.
    pub mean_a: Option<f64>,
}

impl EnergyEntry {
    pub(super) fn of(metered: &Metered, quantity: Quantity) -> Self {
        let Metered { energy, time, messages } = metered;
        let seconds = time.ps() as f64 / units::PS_PER_S as f64;
        let known = |value: f64| energy.is_known().then_some(value);
        Self {
            time_ps: time.ps(),
            per: if quantity == Quantity::Bulk { "kB" } else { "message" },
            messages: *messages,
            message_j: known(energy.joules() / messages),
            mean_a: known(energy.coulombs() / seconds),
            energy: energy.clone(),
        }
    }
}

/// A peer in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct PeerEntry {
    /// The board.
    pub board: String,
    /// The image.
    pub firmware: FirmwareEntry,
    /// All settings of the image as they were in force.
    pub settings: BTreeMap<String, String>,
    /// How its run ended.
    pub ended: String,
    /// What was counted on it.
    pub counts: BTreeMap<&'static str, f64>,
    /// What was seen of it while messages were traced.
    pub evidence: Option<Evidence>,
}

/// An image in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct FirmwareEntry {
    /// Its name.
    pub name: String,
    /// SHA-256 of its file, in hexadecimal.
    pub sha256: String,
    /// What it takes of memories, as bounds and a reader of the run folder want it.
    #[serde(flatten)]
    pub sizes: ImageSizes,
}

impl FirmwareEntry {
    /// The image of a board.
    pub(super) fn of(ready: &ReadyBoard) -> Self {
        let Firmware { name, sha256, sizes } = ready.firmware.clone();
        Self { name, sha256, sizes }
    }
}

impl BoardFacts {
    /// Of boards that nobody ran: what the suite says of them, and nothing of their images.
    pub(in super::super) fn of_idle(setup: &BoardSetup) -> Self {
        let image = |name: &str| FirmwareEntry {
            name: name.to_owned(),
            sha256: String::new(),
            sizes: ImageSizes::default(),
        };
        let ended = "it was not run";
        let peer = setup.peer.as_ref().map(|peer| PeerEntry {
            board: peer.board.clone(),
            firmware: image(&peer.firmware),
            settings: peer.settings.clone(),
            ended: ended.to_owned(),
            counts: BTreeMap::new(),
            evidence: None,
        });
        Self {
            board: setup.board.clone(),
            firmware: image(&setup.firmware),
            peer,
            payload_bytes: None,
            settings: setup.settings.clone(),
            network: setup.network.text().to_owned(),
            lines: setup.lines.iter().map(ToString::to_string).collect(),
            trigger: setup.trigger.as_ref().map(ToString::to_string),
            clients: setup.traffic.iter().map(ToString::to_string).collect(),
            of: None,
            ended: ended.to_owned(),
            counts: BTreeMap::new(),
            evidence: None,
            bulk: None,
            energy: None,
            notes: Vec::new(),
        }
    }

    /// The value of a setting; of a peer's the name says that it is.
    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        match name.strip_prefix("peer.") {
            Some(name) => self.peer.as_ref().and_then(|peer| peer.settings.get(name)).cloned(),
            None => self.settings.get(name).cloned(),
        }
    }
}
