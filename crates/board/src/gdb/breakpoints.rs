//! Breakpoints and watchpoints. Those in software are kept as the hardware ones are, in the chip's list, so that no code is
//! changed; there is no limit to their number.

use gdbstub::target::TargetResult;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint, SwBreakpointOps,
    WatchKind,
};
use mcu::Watchpoint;

use super::target::Debugged;

/// A client that sets more than this is mistaken.
const MOST_MARKS: usize = 10_000;
/// The bytes of the largest access.
const WORD_BYTES: u32 = 4;

/// What GDB set.
#[derive(Debug, Default)]
pub(super) struct Marks {
    software: Vec<u32>,
    hardware: Vec<u32>,
    watchpoints: Vec<Watchpoint>,
}

impl Marks {
    /// Whether the breakpoint at an address is one in software.
    pub(super) fn is_software(&self, address: u32) -> bool {
        self.software.contains(&address)
    }

    /// Which watchpoint an access hit: its kind, and an address in it.
    pub(super) fn watched(&self, address: u32, write: bool) -> Option<(WatchKind, u32)> {
        let reached = |watch: &&Watchpoint| {
            let meant = if write { watch.writes } else { watch.reads };
            let ahead = watch.address.wrapping_sub(address);
            meant && (address.wrapping_sub(watch.address) < watch.bytes || ahead < WORD_BYTES)
        };
        let watch = self.watchpoints.iter().find(reached)?;
        Some((
            kind(watch),
            if address.wrapping_sub(watch.address) < watch.bytes { address } else { watch.address },
        ))
    }
}

fn kind(watch: &Watchpoint) -> WatchKind {
    match (watch.reads, watch.writes) {
        (true, true) => WatchKind::ReadWrite,
        (true, false) => WatchKind::Read,
        _ => WatchKind::Write,
    }
}

fn watchpoint(address: u32, bytes: u32, kind: WatchKind) -> Watchpoint {
    Watchpoint { address, bytes, reads: kind != WatchKind::Write, writes: kind != WatchKind::Read }
}

/// Adds one; whether there was room.
fn add<T>(list: &mut Vec<T>, item: T) -> bool {
    let fits = list.len() < MOST_MARKS;
    if fits {
        list.push(item);
    }
    fits
}

/// Removes one; whether it was there.
fn remove<T: PartialEq>(list: &mut Vec<T>, item: &T) -> bool {
    let place = list.iter().position(|known| known == item);
    place.map(|place| list.remove(place)).is_some()
}

impl Debugged<'_> {
    fn breakpoints_changed(&mut self) {
        let Marks { software, hardware, .. } = &self.marks;
        self.chip.set_breakpoints(software.iter().chain(hardware).copied().collect());
    }

    fn watchpoints_changed(&mut self) {
        self.chip.set_watchpoints(self.marks.watchpoints.clone());
    }
}

impl Breakpoints for Debugged<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Debugged<'_> {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        let added = add(&mut self.marks.software, address & !1);
        self.breakpoints_changed();
        Ok(added)
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        let removed = remove(&mut self.marks.software, &(address & !1));
        self.breakpoints_changed();
        Ok(removed)
    }
}

impl HwBreakpoint for Debugged<'_> {
    fn add_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        let added = add(&mut self.marks.hardware, address & !1);
        self.breakpoints_changed();
        Ok(added)
    }

    fn remove_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        let removed = remove(&mut self.marks.hardware, &(address & !1));
        self.breakpoints_changed();
        Ok(removed)
    }
}

impl HwWatchpoint for Debugged<'_> {
    fn add_hw_watchpoint(&mut self, address: u32, bytes: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        let added = add(&mut self.marks.watchpoints, watchpoint(address, bytes, kind));
        self.watchpoints_changed();
        Ok(added)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u32,
        bytes: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let removed = remove(&mut self.marks.watchpoints, &watchpoint(address, bytes, kind));
        self.watchpoints_changed();
        Ok(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_covers_a_watched_byte_is_told_by_the_bytes_address() {
        let watchpoints = vec![watchpoint(0x2000_0102, 1, WatchKind::Write)];
        let marks = Marks { watchpoints, ..Marks::default() };
        assert_eq!(marks.watched(0x2000_0100, true), Some((WatchKind::Write, 0x2000_0102)));
        assert_eq!(marks.watched(0x2000_0102, true), Some((WatchKind::Write, 0x2000_0102)));
        assert_eq!(marks.watched(0x2000_0100, false), None);
        assert_eq!(marks.watched(0x2000_0103, true), None);
    }
}
