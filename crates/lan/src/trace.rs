//! What passes between a board's chip and the PC while somebody looks: frames at both ends of their way, and the accesses over
//! SPI.

use std::any::Any;

use ethernet::{Direction, Host, Tapped, TcpLimits};
use units::Picoseconds;
use wiznet::Access;

use super::{Deed, Lan};

/// A frame at one end of its way between a board's chip and the PC.
#[derive(Debug, Clone)]
pub struct TracedFrame {
    /// Whether it comes from the board.
    pub from_board: bool,
    /// Whether it was seen at the board's end of the way.
    pub at_board: bool,
    /// The first bit of its preamble there.
    pub start: Picoseconds,
    /// The last bit of its check sequence there.
    pub end: Picoseconds,
    /// Whether there is Wi-Fi on its way.
    pub over_air: bool,
    /// Whether the PC is on Wi-Fi as well.
    pub pc_over_air: bool,
    /// At the end that it goes to: when it had reached the last Wi-Fi on its way.
    pub at_last_air: Option<Picoseconds>,
    /// From when to when an access point kept it for a station that dozed, in the last Wi-Fi on its way.
    pub kept: Option<(Picoseconds, Picoseconds)>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What passed.
#[derive(Debug, Clone, Default)]
pub struct LanTrace {
    /// Frames in the order in which they were seen.
    pub frames: Vec<TracedFrame>,
    /// Accesses of all chips.
    pub accesses: Vec<Access>,
    /// What radios were busy with.
    pub deeds: Vec<Deed>,
}

impl Lan {
    /// Follows the frames between the chips and the PC from here on.
    pub fn trace_frames(&mut self) {
        for wired in &self.wired {
            self.network.tap(wired.line.port);
        }
        if let Some(pc) = self.pc {
            self.network.tap(pc);
        }
    }

    /// Follows the accesses of the chips from here on, or does so no longer.
    pub fn trace_accesses(&mut self, on: bool) {
        for wired in &mut self.wired {
            wired.device.record(on);
        }
    }

    /// What has kept each connection of the PC from sending, by its port there and the board's.
    pub fn pc_limits(&self, now: Picoseconds) -> Vec<((u16, u16), TcpLimits)> {
        let station: Option<&dyn Any> = self.pc.and_then(|pc| self.network.station(pc)).map(|pc| pc as _);
        let host: Option<&Host> = station.and_then(|station| station.downcast_ref());
        host.map(|host| host.tcp_limits(now).collect()).unwrap_or_default()
    }

    /// Whether a device of the board hands frames to a stack of the firmware's.
    pub fn takes_frames(&self) -> bool {
        self.wired.iter().any(|wired| wired.device.takes_frames())
    }

    /// What was seen since the last call.
    pub fn take_trace(&mut self) -> LanTrace {
        let mut trace = LanTrace::default();
        while let Some(tapped) = self.network.take_tapped() {
            trace.frames.extend(self.traced(tapped));
        }
        for wired in &mut self.wired {
            trace.accesses.extend(wired.device.take_accesses());
            trace.deeds.extend(wired.device.take_deeds());
        }
        trace.accesses.sort_by_key(|access| access.start);
        trace
    }

    fn traced(&self, tapped: Tapped) -> Option<TracedFrame> {
        let (name, _) = self.network.tapped_names(tapped.tap)?;
        let at_board = self.wired.iter().any(|wired| self.network.name(wired.line.port) == Some(name));
        let time = self.network.tapped_speed(tapped.tap)?.frame_time(tapped.bytes.len());
        Some(TracedFrame {
            from_board: at_board == (tapped.direction == Direction::Outbound),
            at_board,
            start: tapped.at,
            end: tapped.at + time,
            over_air: self.air.is_some(),
            pc_over_air: self.setup.pc_wifi.is_some(),
            at_last_air: tapped.marks.at_hop,
            kept: tapped.marks.kept,
            bytes: tapped.bytes,
        })
    }
}
