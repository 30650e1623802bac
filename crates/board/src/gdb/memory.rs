//! Which memory is where, so that GDB knows what it may write and what it must program; and programming the flash for its
//! `load`. The image that was programmed is started as after a reset.

use gdbstub::target::ext::flash::Flash;
use gdbstub::target::ext::memory_map::MemoryMap;
use gdbstub::target::{TargetError, TargetResult};

use mcu::{GdbFacts, GdbRegion};

use super::target::Debugged;

const ERASED: u8 = 0xff;

fn memory_map(gdb: &GdbFacts, flash_bytes: u32) -> String {
    let GdbFacts { flash_start, sector_bytes, .. } = gdb;
    let regions: String = gdb
        .regions
        .iter()
        .map(|GdbRegion { kind, start, bytes }| {
            format!("  <memory type=\"{kind}\" start=\"{start:#x}\" length=\"{bytes:#x}\"/>\n")
        })
        .collect();
    format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" \
         \"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n{regions}  <memory type=\"flash\" \
         start=\"{flash_start:#x}\" length=\"{flash_bytes:#x}\">\n    <property name=\"blocksize\">{sector_bytes:#x}\
         </property>\n  </memory>\n</memory-map>\n"
    )
}

/// The part of a text that GDB asks for.
pub(super) fn piece(text: &str, offset: u64, length: usize, into: &mut [u8]) -> usize {
    let rest =
        usize::try_from(offset).ok().and_then(|offset| text.as_bytes().get(offset..)).unwrap_or_default();
    let length = rest.len().min(length).min(into.len());
    into[..length].copy_from_slice(&rest[..length]);
    length
}

impl MemoryMap for Debugged<'_> {
    fn memory_map_xml(&self, offset: u64, length: usize, into: &mut [u8]) -> TargetResult<usize, Self> {
        let map = memory_map(self.gdb(), self.chip.flash_bytes());
        Ok(piece(&map, offset, length, into))
    }
}

impl Debugged<'_> {
    fn write_flash(&mut self, address: u32, bytes: &[u8]) -> TargetResult<(), Self> {
        let offset = address.checked_sub(self.gdb().flash_start).ok_or(TargetError::NonFatal)?;
        if u64::from(offset) + bytes.len() as u64 > u64::from(self.chip.flash_bytes()) {
            return Err(TargetError::NonFatal);
        }
        self.chip.write_memory(address, bytes).map_err(|_| TargetError::NonFatal)
    }
}

impl Flash for Debugged<'_> {
    fn flash_erase(&mut self, address: u32, length: u32) -> TargetResult<(), Self> {
        if length > self.chip.flash_bytes() {
            return Err(TargetError::NonFatal);
        }
        self.write_flash(address, &vec![ERASED; length as usize])
    }

    fn flash_write(&mut self, address: u32, bytes: &[u8]) -> TargetResult<(), Self> {
        self.write_flash(address, bytes)
    }

    fn flash_done(&mut self) -> TargetResult<(), Self> {
        self.plan.forget_stops();
        self.chip.reset_to_flash().map_err(|_| TargetError::NonFatal)
    }
}
