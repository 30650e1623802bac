//! The chip as a debugger sees it: memory and registers without effects on what runs, breakpoints, watchpoints.

use crate::bus::Size;
use crate::chip::Rp2040;
use crate::core::Core;
use crate::watch::{Observer, Watchpoint};

/// An address where nothing is that could be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing to access at {0:#010x}")]
pub struct MemoryError(
    /// The address.
    pub u32,
);

impl Rp2040 {
    /// Reads memory and registers without the effects that reading has.
    pub fn read_memory(&self, address: u32, length: usize) -> Result<Vec<u8>, MemoryError> {
        (0..length as u32)
            .map(|i| {
                let address = address.wrapping_add(i);
                let byte = self.bus.peek(address, Size::Byte).ok_or(MemoryError(address))?;
                Ok(byte as u8)
            })
            .collect()
    }

    /// The word at an address.
    pub fn read_word(&self, address: u32) -> Result<u32, MemoryError> {
        self.bus.peek(address & !3, Size::Word).ok_or(MemoryError(address))
    }

    /// Writes memory: RAM and flash as they are, registers word by word with the effects that writing has.
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        self.bus.poke(address, bytes).map_err(MemoryError)?;
        self.code.forget_stale(&mut self.bus);
        Ok(())
    }

    /// A core, to change its registers.
    pub fn core_mut(&mut self, id: usize) -> &mut Core {
        &mut self.cores[id]
    }

    /// Where the cores stop before they execute.
    pub fn set_breakpoints(&mut self, addresses: Vec<u32>) {
        self.bus.watch.set_breakpoints(addresses);
    }

    /// Which memory accesses stop the cores.
    pub fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        self.bus.watch.set_watchpoints(watchpoints);
    }

    /// With a debugger BKPT stops a core; without one it is a fault.
    pub fn set_debugger(&mut self, attached: bool) {
        self.bus.watch.set_debugger(attached);
    }

    /// Lets somebody look at every instruction; gives back who did before.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        self.bus.watch.set_observer(observer)
    }

    /// Lets a core go on from the breakpoint at which it stands.
    pub fn pass_breakpoint(&mut self, core: usize) {
        let pc = self.cores[core].registers()[crate::core::PC];
        self.bus.watch.pass(core, pc);
    }

    /// The last branches of a core, each from and to, the last one first.
    pub fn last_branches(&self, core: usize) -> Vec<(u32, u32)> {
        self.cores[core].trail.backwards().collect()
    }
}
