//! A board that is debugged: the GDB server drives the chip, and consoles and recordings are kept as in any run.

use mcu::Mcu;

use super::Board;
use super::gdb::{GdbEnd, GdbError, GdbServer};
use super::run::{Ended, Listener};
use super::virtual_board::drain;
use record::Control;

impl Board {
    /// Hands the board to GDB, until GDB kills it, the image ends, or somebody stops it.
    ///
    /// # Errors
    /// When the listening socket breaks.
    pub fn serve_gdb(
        &mut self,
        server: &GdbServer,
        control: &Control,
        listener: &mut dyn Listener,
    ) -> Result<Ended, GdbError> {
        let Self { chip, consoles, probe, recording, .. } = self;
        let mut on_output = |chip: &mut dyn Mcu| {
            probe.look(chip);
            recording.collect(chip);
            for (console, bytes) in drain(chip, probe, consoles) {
                listener.console(console, &bytes);
            }
            if !listener.goes_on() {
                control.stop();
            }
        };
        let end = server.serve(&mut **chip, control, &mut on_output)?;
        self.probe.look_once_more(&mut *self.chip);
        for (console, bytes) in self.drain_consoles() {
            listener.console(console, &bytes);
        }
        Ok(match end {
            GdbEnd::Killed => Ended::Killed,
            GdbEnd::Chip(stop) => Ended::Chip(stop),
            GdbEnd::Interrupted => Ended::Interrupted,
        })
    }
}
