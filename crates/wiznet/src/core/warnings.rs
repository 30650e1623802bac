//! What a user should know of how the chip is treated, each kind once.

use units::Picoseconds;

use crate::Warning;

/// Kinds of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    ClockAboveLimit,
    ClockAboveGuaranteed,
    ResetTooShort,
    AccessInReset,
    AccessBeforeReady,
    OddBufferSize,
    BuffersOverfull,
    CommandTooEarly,
    CommandUnknown,
    CommandInWrongState,
    ModeUnknown,
    PppoeOmitted,
    WakeOnLanOmitted,
    IndirectBusOmitted,
    FrameTooLong,
    AccessesLost,
    NoMemory,
    IpRawProtocol,
    WrittenAfterOpen,
    GroupOfOpen,
    LeftZero,
    Locked,
    ReadOnlyWritten,
    ArpFiltered,
    NeighborSolicitationFiltered,
}

/// The warnings that have not been taken yet.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Warnings {
    told: u32,
    waiting: Vec<Warning>,
}

impl Warnings {
    pub(crate) fn tell(&mut self, at: Picoseconds, kind: Kind, sentence: impl FnOnce() -> String) {
        let bit = 1 << kind as u32;
        if self.told & bit == 0 {
            self.told |= bit;
            self.waiting.push(Warning { at, sentence: sentence() });
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.waiting)
    }
}
