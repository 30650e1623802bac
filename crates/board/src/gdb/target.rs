//! The chip as the crate that speaks the protocol wants it: two threads, one for each core, with their registers, and one
//! memory.

use std::convert::Infallible;

use gdbstub::common::Tid;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{MultiThreadBase, MultiThreadResumeOps};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::breakpoints::BreakpointsOps;
use gdbstub::target::ext::flash::FlashOps;
use gdbstub::target::ext::memory_map::MemoryMapOps;
use gdbstub::target::ext::monitor_cmd::MonitorCmdOps;
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};
use mcu::Sleep;
use rp2040::chip::Rp2040;

use super::breakpoints::Marks;
use super::registers::{self, CoreRegisters, CortexM0Plus, RegisterNumber};
use super::resume::Plan;

pub(super) const CORES: usize = 2;

/// The chip while GDB is connected.
pub(super) struct Debugged<'a> {
    pub(super) chip: &'a mut Rp2040,
    pub(super) marks: Marks,
    pub(super) plan: Plan,
    /// It runs although GDB thinks that it stands still (`monitor reset run`).
    pub(super) runs_unasked: bool,
}

impl<'a> Debugged<'a> {
    pub(super) fn new(chip: &'a mut Rp2040) -> Self {
        chip.set_debugger(true);
        Self { chip, marks: Marks::default(), plan: Plan::default(), runs_unasked: false }
    }
}

impl Drop for Debugged<'_> {
    fn drop(&mut self) {
        self.chip.set_breakpoints(Vec::new());
        self.chip.set_watchpoints(Vec::new());
        self.chip.set_debugger(false);
    }
}

/// The thread that a core is.
pub(super) fn thread(core: usize) -> Tid {
    Tid::MIN.saturating_add(core)
}

/// The core that a thread is.
pub(super) fn core_of(thread: Tid) -> Option<usize> {
    let core = thread.get() - 1;
    (core < CORES).then_some(core)
}

impl Target for Debugged<'_> {
    type Arch = CortexM0Plus;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_memory_map(&mut self) -> Option<MemoryMapOps<'_, Self>> {
        Some(self)
    }

    fn support_flash_operations(&mut self) -> Option<FlashOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadBase for Debugged<'_> {
    fn read_registers(&mut self, into: &mut CoreRegisters, thread: Tid) -> TargetResult<(), Self> {
        let core = core_of(thread).ok_or(TargetError::NonFatal)?;
        for (number, word) in into.0.iter_mut().enumerate() {
            *word = registers::read(self.chip, core, number);
        }
        Ok(())
    }

    fn write_registers(&mut self, from: &CoreRegisters, thread: Tid) -> TargetResult<(), Self> {
        let core = core_of(thread).ok_or(TargetError::NonFatal)?;
        // CONTROL says which of the stack pointers SP is, and so it comes first.
        for (number, &word) in from.0.iter().enumerate().rev() {
            registers::write(self.chip, core, number, word);
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, address: u32, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        let bytes = match self.chip.read_memory(address, data.len()) {
            Ok(bytes) => bytes,
            Err(error) => {
                let readable = error.0.wrapping_sub(address) as usize;
                self.chip.read_memory(address, readable).unwrap_or_default()
            }
        };
        if bytes.is_empty() && !data.is_empty() {
            return Err(TargetError::NonFatal);
        }
        data[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_addrs(&mut self, address: u32, data: &[u8], _: Tid) -> TargetResult<(), Self> {
        self.chip.write_memory(address, data).map_err(|_| TargetError::NonFatal)
    }

    fn list_active_threads(&mut self, is_active: &mut dyn FnMut(Tid)) -> Result<(), Self::Error> {
        (0..CORES).map(thread).for_each(is_active);
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<Tid> for Debugged<'_> {
    fn read_register(
        &mut self,
        thread: Tid,
        number: RegisterNumber,
        into: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let core = core_of(thread).ok_or(TargetError::NonFatal)?;
        let bytes = registers::read(self.chip, core, number.0).to_le_bytes();
        into.get_mut(..bytes.len()).ok_or(TargetError::NonFatal)?.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_register(&mut self, thread: Tid, number: RegisterNumber, from: &[u8]) -> TargetResult<(), Self> {
        let core = core_of(thread).ok_or(TargetError::NonFatal)?;
        let word = registers::word_of(from).ok_or(TargetError::NonFatal)?;
        registers::write(self.chip, core, number.0, word);
        Ok(())
    }
}

impl ThreadExtraInfo for Debugged<'_> {
    fn thread_extra_info(&self, thread: Tid, into: &mut [u8]) -> Result<usize, Self::Error> {
        let text = core_of(thread).map_or(String::new(), |core| {
            let state = match self.chip.core(core).sleep() {
                Sleep::Awake => "awake",
                Sleep::Interrupt => "asleep until an interrupt comes",
                Sleep::Event => "asleep until an event comes",
                Sleep::Launch => "in the boot ROM until core 0 launches it",
                Sleep::Off => "off",
            };
            format!("core {core}, {state}")
        });
        let length = text.len().min(into.len());
        into[..length].copy_from_slice(&text.as_bytes()[..length]);
        Ok(length)
    }
}
