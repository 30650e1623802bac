//! The chip as the crate that speaks the protocol wants it: a thread for each core, with its registers, and one memory.

use std::convert::Infallible;

use gdbstub::common::Tid;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{MultiThreadBase, MultiThreadResumeOps};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::breakpoints::BreakpointsOps;
use gdbstub::target::ext::flash::FlashOps;
use gdbstub::target::ext::memory_map::MemoryMapOps;
use gdbstub::target::ext::monitor_cmd::MonitorCmdOps;
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};
use mcu::{GdbFacts, Mcu, Sleep};

use super::breakpoints::Marks;
use super::memory::piece;
use super::registers::{self, AnyCore, CoreRegisters, RegisterNumber, bytes_of, word_of};
use super::resume::Plan;

/// The chip while GDB is connected.
pub(super) struct Debugged<'a> {
    pub(super) chip: &'a mut dyn Mcu,
    pub(super) marks: Marks,
    pub(super) plan: Plan,
    /// It runs although GDB thinks that it stands still (`monitor reset run`).
    pub(super) runs_unasked: bool,
}

impl<'a> Debugged<'a> {
    pub(super) fn new(chip: &'a mut dyn Mcu) -> Self {
        chip.set_debugger(true);
        let plan = Plan::of(chip.facts().cores);
        Self { chip, marks: Marks::default(), plan, runs_unasked: false }
    }

    /// The number of cores.
    pub(super) fn cores(&self) -> usize {
        self.chip.facts().cores
    }

    /// The core that a thread is.
    pub(super) fn core_of(&self, thread: Tid) -> Option<usize> {
        Some(thread.get() - 1).filter(|&core| core < self.cores())
    }

    /// How the protocol describes the chip.
    pub(super) fn gdb(&self) -> &'static GdbFacts {
        &self.chip.facts().gdb
    }

    /// A register of a core by its number, with its bytes; nothing where there is none.
    fn register_bytes(&self, number: RegisterNumber) -> TargetResult<usize, Self> {
        let register = self.gdb().registers.get(number.0).ok_or(TargetError::NonFatal)?;
        Ok(register.bytes)
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

impl Target for Debugged<'_> {
    type Arch = AnyCore;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::MultiThread(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
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
        let core = self.core_of(thread).ok_or(TargetError::NonFatal)?;
        *into = CoreRegisters::of(self.chip, core);
        Ok(())
    }

    fn write_registers(&mut self, from: &CoreRegisters, thread: Tid) -> TargetResult<(), Self> {
        let core = self.core_of(thread).ok_or(TargetError::NonFatal)?;
        let words = from.words(self.gdb()).ok_or(TargetError::NonFatal)?;
        // An Arm's CONTROL says which of the stack pointers SP is, and so the last one comes first.
        for (number, &word) in words.iter().enumerate().rev() {
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
        (0..self.cores()).map(thread).for_each(is_active);
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl TargetDescriptionXmlOverride for Debugged<'_> {
    fn target_description_xml(
        &self,
        _: &[u8],
        offset: u64,
        length: usize,
        into: &mut [u8],
    ) -> TargetResult<usize, Self> {
        Ok(piece(self.gdb().description, offset, length, into))
    }
}

impl SingleRegisterAccess<Tid> for Debugged<'_> {
    fn read_register(
        &mut self,
        thread: Tid,
        number: RegisterNumber,
        into: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let core = self.core_of(thread).ok_or(TargetError::NonFatal)?;
        let length = self.register_bytes(number)?;
        let into = into.get_mut(..length).ok_or(TargetError::NonFatal)?;
        let bytes = bytes_of(self.chip.register(core, number.0), length);
        into.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
        Ok(length)
    }

    fn write_register(&mut self, thread: Tid, number: RegisterNumber, from: &[u8]) -> TargetResult<(), Self> {
        let core = self.core_of(thread).ok_or(TargetError::NonFatal)?;
        if self.register_bytes(number)? != from.len() {
            return Err(TargetError::NonFatal);
        }
        registers::write(self.chip, core, number.0, word_of(from));
        Ok(())
    }
}

impl ThreadExtraInfo for Debugged<'_> {
    fn thread_extra_info(&self, thread: Tid, into: &mut [u8]) -> Result<usize, Self::Error> {
        let text = self.core_of(thread).map_or(String::new(), |core| {
            let state = match self.chip.core(core).sleep {
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
