//! Accesses that do nothing, of which a run tells.

use super::Io;

/// Why one does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Ignored {
    /// There is no such register, or what was written to it is not modelled.
    Unknown,
    /// SPM, as a write to SPMCSR.
    OutsideBootSection,
    /// PRRn has stopped the clock of its peripheral.
    Stopped,
}

impl Ignored {
    /// As a report says it.
    pub(crate) fn detail(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::OutsideBootSection => "SPM outside of the boot section",
            Self::Stopped => "a register of a peripheral that PRR has stopped",
        }
    }
}

impl Io {
    /// Keeps the first instruction that accessed a register in vain.
    pub(super) fn note(&mut self, address: u16, write: bool, why: Ignored) {
        let pc = self.pc;
        self.devices.unknown.entry((address, write)).or_insert((pc, why));
    }

    pub(super) fn note_unknown(&mut self, address: u16, write: bool) {
        self.note(address, write, Ignored::Unknown);
    }
}
