//! What stands around the MCU, to be kept in a file and put back.

use lan::SavedLan;
use serde::{Deserialize, Serialize};

use super::Parts;

/// The state of everything around the MCU.
#[derive(Debug)]
pub(crate) struct SavedParts {
    levels: u32,
    /// As many as the MCU has inputs, which a file does not say again.
    microvolts: Vec<Option<i32>>,
    rest: Rest,
}

#[derive(Debug, Serialize, Deserialize)]
struct Rest {
    parts: Vec<Vec<u8>>,
    /// Whether the MCU was told that an interrupt output is low.
    told_low: Vec<Option<bool>>,
    lan: Option<SavedLan>,
}

impl Parts {
    /// Nothing where something cannot be saved: devices that a program connected, EEPROMs, pulses, an ideal MAC.
    pub(crate) fn saved(&self) -> Option<SavedParts> {
        let lan = match &self.lan {
            Some(lan) => Some(lan.saved()?),
            None => None,
        };
        let parts = self.parts.iter().map(|part| part.saved()).collect::<Option<_>>()?;
        let told_low = self.buses.interrupts.iter().map(|interrupt| interrupt.told_low).collect();
        let (levels, microvolts) = (self.buses.levels, self.buses.microvolts.clone());
        Some(SavedParts { levels, microvolts, rest: Rest { parts, told_low, lan } })
    }

    /// Reads what was written of these parts.
    pub(crate) fn read_saved(&self, bytes: &[u8]) -> postcard::Result<SavedParts> {
        let (levels, mut bytes) = postcard::take_from_bytes(bytes)?;
        let mut microvolts = Vec::new();
        for _ in &self.buses.microvolts {
            let (input, behind) = postcard::take_from_bytes(bytes)?;
            microvolts.push(input);
            bytes = behind;
        }
        Ok(SavedParts { levels, microvolts, rest: postcard::from_bytes(bytes)? })
    }

    /// False when these are the parts of another board.
    pub(crate) fn put_back(&mut self, saved: SavedParts) -> bool {
        let Self { parts, lan, buses, .. } = self;
        let SavedParts { levels, microvolts, rest: saved } = saved;
        let fits = (saved.parts.len(), saved.told_low.len()) == (parts.len(), buses.interrupts.len());
        let has_network = match (lan, saved.lan) {
            (Some(lan), Some(saved)) if fits => lan.put_back(saved),
            (lan, saved) => fits && lan.is_none() && saved.is_none(),
        };
        if !has_network || !parts.iter_mut().zip(&saved.parts).all(|(part, saved)| part.put_back(saved)) {
            return false;
        }
        (buses.levels, buses.microvolts, buses.told) = (levels, microvolts, None);
        for (interrupt, told_low) in buses.interrupts.iter_mut().zip(saved.told_low) {
            interrupt.told_low = told_low;
        }
        true
    }
}

impl SavedParts {
    /// The bytes for a file.
    pub(crate) fn to_bytes(&self) -> postcard::Result<Vec<u8>> {
        let mut bytes = postcard::to_stdvec(&self.levels)?;
        for input in &self.microvolts {
            bytes.extend(postcard::to_stdvec(input)?);
        }
        bytes.extend(postcard::to_stdvec(&self.rest)?);
        Ok(bytes)
    }
}
