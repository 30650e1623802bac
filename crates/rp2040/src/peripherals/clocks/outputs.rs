//! GPOUT0 to GPOUT3 at their pins (RP2040 datasheet 2.15.3.1). Edges are made only while a pin selects its clock output and
//! is recorded, or a PIO program waits for it; otherwise nobody looks, and the pin stays low. What stands around the chip is
//! told the clock as such. High and low last equally long.

use units::{Hertz, Picoseconds};

use super::generators::{CLOCKS, GPOUT0};
use crate::facts::CLOCK_OUTPUTS;
use crate::io::Io;
use crate::pins::Function;

const OUTPUTS: usize = CLOCK_OUTPUTS.len();

#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Output {
    hz: u64,
    /// Half periods since `start`; nothing while nobody looks.
    halves: Option<u64>,
    start: Picoseconds,
    /// Whether the pin shows it.
    is_given: bool,
}

impl Output {
    fn edge(&self, halves: u64) -> Option<Picoseconds> {
        let after = Hertz::new(self.hz.checked_mul(2)?)?.try_edge(halves)?;
        self.start.ps().checked_add(after.ps()).map(Picoseconds::new)
    }

    fn next_edge(&self) -> Option<Picoseconds> {
        self.edge(self.halves?.checked_add(1)?)
    }

    /// The half period that a look begins with: the next edge rises, as the pin was low while nobody looked.
    fn begun_low(&self, now: Picoseconds) -> u64 {
        let gone_ps = u128::try_from((now - self.start).ps()).unwrap_or(0);
        let halves = gone_ps * u128::from(self.hz) * 2 / units::PS_PER_S as u128;
        u64::try_from(halves.next_multiple_of(2)).unwrap_or(0)
    }
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
            if hz != output.hz {
                (output.hz, output.start, output.halves) = (hz, io.now, None);
                io.pins.drive(io.now, Function::Clock, bit, 0, if hz > 0 { bit } else { 0 });
            } else if is_given == output.is_given {
                continue;
            }
            output.is_given = is_given;
            let clock = output.edge(1).filter(|_| is_given).map(|rise| (rise, hz));
            io.outside.clock_output(CLOCK_OUTPUTS[n], clock, &mut io.reactions);
        }
        self.watch(io);
    }

    /// Looks again which pins are watched: the others stand still.
    pub(super) fn watch(&mut self, io: &mut Io) {
        let watched = io.pins.recorded() | io.pins.awaited();
        for (output, pin) in self.outputs.iter_mut().zip(CLOCK_OUTPUTS) {
            let (bit, runs) = (1 << pin, output.is_given && watched >> pin & 1 == 1);
            if runs == output.halves.is_some() {
                continue;
            }
            output.halves = runs.then(|| output.begun_low(io.now));
            io.pins.drive(io.now, Function::Clock, bit, 0, bit);
        }
    }

    /// The next edge of any output.
    pub(super) fn due(&self) -> Option<Picoseconds> {
        self.outputs.iter().filter_map(Output::next_edge).min()
    }

    /// Makes the edges that are due.
    pub(super) fn advance(&mut self, io: &mut Io) {
        self.watch(io);
        for (output, pin) in self.outputs.iter_mut().zip(CLOCK_OUTPUTS) {
            if output.next_edge().is_none_or(|at| at > io.now) {
                continue;
            }
            if let Some(halves) = &mut output.halves {
                *halves += 1;
                let (bit, level) = (1 << pin, *halves & 1 == 1);
                io.pins.drive(io.now, Function::Clock, bit, if level { bit } else { 0 }, bit);
            }
        }
    }
}
