//! Snapshots: the whole state of the chip, to go back to or to branch from.

use crate::chip::Rp2040;
use crate::core::code::Code;

/// A state of the chip. It can be gone back to any number of times.
#[derive(Debug)]
pub struct Snapshot(Rp2040);

impl Rp2040 {
    /// Keeps the state; nothing when something connected to the chip cannot be copied.
    pub fn snapshot(&self) -> Option<Snapshot> {
        self.copy().map(Snapshot)
    }

    /// Goes back to a state.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        *self = snapshot.to_chip();
    }

    fn copy(&self) -> Option<Self> {
        Some(Self {
            cores: self.cores.clone(),
            bus: self.bus.snapshot()?,
            // Instructions are decoded anew when they are executed.
            code: Code::new(self.code.flash.len() * 2),
            ..*self
        })
    }
}

impl Snapshot {
    /// Another chip in this state: a run can branch here.
    ///
    /// # Panics
    /// Never: what could be copied once can be copied again.
    pub fn to_chip(&self) -> Rp2040 {
        self.0.copy().expect("a snapshot can be copied")
    }
}
