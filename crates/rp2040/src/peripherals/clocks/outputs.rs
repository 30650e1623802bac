//! GPOUT0 to GPOUT3 at their pins (RP2040 datasheet 2.15.3.1). Edges are made only while a pin selects its clock output and
//! is recorded, or a PIO program waits for it. What stands around the chip is told the clock as such.

use units::Picoseconds;

use super::generators::{CLOCKS, GPOUT0};
use super::square::Square;
use crate::facts::CLOCK_OUTPUTS;
use crate::io::Io;
use crate::pins::Function;

const OUTPUTS: usize = CLOCK_OUTPUTS.len();

#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Output {
    square: Square,
    /// Whether the pin shows it.
    is_given: bool,
}

#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct ClockOutputs {
    outputs: [Output; OUTPUTS],
}

impl ClockOutputs {
    /// Takes new frequencies, and looks which pins are watched.
    pub(super) fn update(&mut self, hz: &[u64; CLOCKS], io: &mut Io) {
        let selected = io.pins.selected(Function::Clock);
        for (n, output) in self.outputs.iter_mut().enumerate() {
            let (hz, bit) = (hz[GPOUT0 + n], 1 << CLOCK_OUTPUTS[n]);
            let is_given = hz > 0 && selected & bit != 0;
            if hz != output.square.hz {
                output.square = Square::new(hz, io.now);
                io.pins.drive(io.now, Function::Clock, bit, 0, if hz > 0 { bit } else { 0 });
            } else if is_given == output.is_given {
                continue;
            }
            output.is_given = is_given;
            let clock = output.square.edge(1).filter(|_| is_given).map(|rise| (rise, hz));
            io.outside.clock_output(CLOCK_OUTPUTS[n], clock, &mut io.reactions);
        }
        self.watch(io);
    }

    /// Looks again which pins are watched: the others stand still.
    pub(super) fn watch(&mut self, io: &mut Io) {
        let watched = io.pins.recorded() | io.pins.awaited();
        for (output, pin) in self.outputs.iter_mut().zip(CLOCK_OUTPUTS) {
            let (bit, runs) = (1 << pin, output.is_given && watched >> pin & 1 == 1);
            if runs == output.square.is_watched() {
                continue;
            }
            output.square.watch(io.now, runs);
            io.pins.drive(io.now, Function::Clock, bit, 0, bit);
        }
    }

    /// The next edge of any output.
    pub(super) fn due(&self) -> Option<Picoseconds> {
        self.outputs.iter().filter_map(|output| output.square.next_edge()).min()
    }

    /// Makes the edges that are due.
    pub(super) fn advance(&mut self, io: &mut Io) {
        self.watch(io);
        for (output, pin) in self.outputs.iter_mut().zip(CLOCK_OUTPUTS) {
            if let Some(level) = output.square.take_edge(io.now) {
                let bit = 1 << pin;
                io.pins.drive(io.now, Function::Clock, bit, if level { bit } else { 0 }, bit);
            }
        }
    }
}
