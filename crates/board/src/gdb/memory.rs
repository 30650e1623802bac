//! Which memory is where, so that GDB knows what it may write and what it must program; and programming the flash for its
//! `load`. The image that was programmed is started as after a reset.

use gdbstub::target::ext::flash::Flash;
use gdbstub::target::ext::memory_map::MemoryMap;
use gdbstub::target::{TargetError, TargetResult};

use super::target::Debugged;

const FLASH_BASE: u32 = 0x1000_0000;
/// What the flash chip erases at once (RP2040 datasheet 2.8.3.1.3).
const SECTOR_BYTES: u32 = 4096;
const ERASED: u8 = 0xff;

/// Ranges of the address map (RP2040 datasheet 2.2) with GDB's kind for them; registers are memory of the kind `ram`.
const REGIONS: [(&str, u32, u32); 9] = [
    ("rom", 0x0000_0000, 0x4000),
    ("rom", 0x1100_0000, 0x0300_0000),
    ("ram", 0x1400_0000, 0x0100_4000),
    ("ram", 0x1800_0000, 0x0010_0000),
    ("ram", 0x2000_0000, 0x0004_2000),
    ("ram", 0x2100_0000, 0x0004_0000),
    ("ram", 0x4000_0000, 0x1fff_ffff),
    ("ram", 0xd000_0000, 0x1000_0000),
    ("ram", 0xe000_0000, 0x0010_0000),
];

fn memory_map(flash_bytes: u32) -> String {
    let regions: String = REGIONS
        .iter()
        .map(|(kind, start, length)| {
            format!("  <memory type=\"{kind}\" start=\"{start:#x}\" length=\"{length:#x}\"/>\n")
        })
        .collect();
    format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" \
         \"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n{regions}  <memory type=\"flash\" \
         start=\"{FLASH_BASE:#x}\" length=\"{flash_bytes:#x}\">\n    <property name=\"blocksize\">{SECTOR_BYTES:#x}\
         </property>\n  </memory>\n</memory-map>\n"
    )
}

impl MemoryMap for Debugged<'_> {
    fn memory_map_xml(&self, offset: u64, length: usize, into: &mut [u8]) -> TargetResult<usize, Self> {
        let map = memory_map(self.chip.flash_bytes());
        let rest =
            usize::try_from(offset).ok().and_then(|offset| map.as_bytes().get(offset..)).unwrap_or_default();
        let length = rest.len().min(length).min(into.len());
        into[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }
}

impl Debugged<'_> {
    fn write_flash(&mut self, address: u32, bytes: &[u8]) -> TargetResult<(), Self> {
        let offset = address.checked_sub(FLASH_BASE).ok_or(TargetError::NonFatal)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_regions_overlap() {
        let mut regions: Vec<(u64, u64)> =
            REGIONS.iter().map(|&(_, start, length)| (u64::from(start), u64::from(length))).collect();
        regions.push((u64::from(FLASH_BASE), 16 << 20));
        regions.sort_unstable();
        assert!(regions.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{regions:x?}");
    }
}
