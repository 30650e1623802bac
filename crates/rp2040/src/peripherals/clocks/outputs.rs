//! GPOUT0 to GPOUT3 at their pins (RP2040 datasheet 2.15.3.1). Edges are made only while a pin selects its clock output
//! and is recorded; otherwise nobody looks, and the pin stays low. High and low last equally long.

use units::{Hertz, Picoseconds};

use super::generators::{CLOCKS, GPOUT0};
use crate::io::Io;
use crate::pins::Function;

const OUTPUTS: usize = 4;
/// RP2040 datasheet 1.4.3.
const PINS: [u32; OUTPUTS] = [21, 23, 24, 25];

#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Output {
    hz: u64,
    /// Half periods since `start`; nothing while the output stands still.
    halves: Option<u64>,
    start: Picoseconds,
}

impl Output {
    fn next_edge(&self) -> Option<Picoseconds> {
        let after = Hertz::new(self.hz.checked_mul(2)?)?.try_edge(self.halves?.checked_add(1)?)?;
        self.start.ps().checked_add(after.ps()).map(Picoseconds::new)
    }
}

#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct ClockOutputs {
    outputs: [Output; OUTPUTS],
}

impl ClockOutputs {
    /// Takes new frequencies, and looks which pins are watched.
    pub(super) fn update(&mut self, hz: &[u64; CLOCKS], io: &mut Io) {
        let recorded = io.pins.recorded();
        let watched = if recorded == 0 { 0 } else { recorded & io.pins.selected(Function::Clock) };
        for (n, output) in self.outputs.iter_mut().enumerate() {
            let (hz, bit) = (hz[GPOUT0 + n], 1 << PINS[n]);
            let runs = hz > 0 && watched & bit != 0;
            if hz == output.hz && runs == output.halves.is_some() {
                continue;
            }
            *output = Output { hz, halves: runs.then_some(0), start: io.now };
            io.pins.drive(io.now, Function::Clock, bit, 0, if hz > 0 { bit } else { 0 });
        }
    }

    /// The next edge of any output.
    pub(super) fn due(&self) -> Option<Picoseconds> {
        self.outputs.iter().filter_map(Output::next_edge).min()
    }

    /// Makes the edges that are due.
    pub(super) fn advance(&mut self, io: &mut Io) {
        for (n, output) in self.outputs.iter_mut().enumerate() {
            if output.next_edge().is_none_or(|at| at > io.now) {
                continue;
            }
            if let Some(halves) = &mut output.halves {
                *halves += 1;
                let (bit, level) = (1 << PINS[n], *halves & 1 == 1);
                io.pins.drive(io.now, Function::Clock, bit, if level { bit } else { 0 }, bit);
            }
        }
    }
}
