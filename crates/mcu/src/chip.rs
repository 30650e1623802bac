//! The microcontroller of a board: it executes an image in virtual time, slice by slice. Whoever holds one needs not know
//! which it is; its crate says so once, with a [`McuKind`].
//!
//! A call here is for a slice of time or for a question between two slices. What happens for every instruction stays inside
//! the chip's crate.

use std::fmt;

use units::Picoseconds;

use crate::image::Image;
use crate::{
    Console, CoreState, Counts, Debugger, Facts, Lines, Pins, Reports, Samples, Setup, SetupError, Sleep,
    State, Stop, StopAt, UnknownAccess, UsbPort, Waits, Waker,
};

/// A microcontroller, as a table of them has it.
#[derive(Debug)]
pub struct McuKind {
    /// What its datasheet says.
    pub facts: &'static Facts,
    /// Makes one with an erased flash.
    pub build: fn(&Setup) -> Result<Box<dyn Mcu>, SetupError>,
}

impl PartialEq for McuKind {
    fn eq(&self, other: &Self) -> bool {
        self.facts.name == other.facts.name
    }
}

impl Eq for McuKind {}

/// A microcontroller with its flash and its crystal.
pub trait Mcu: Pins + Lines + Debugger + Reports + State + fmt::Debug + Send {
    /// What its datasheet says.
    fn facts(&self) -> &'static Facts;

    /// Puts an image into its memories, and starts it.
    ///
    /// # Errors
    /// When it does not fit, or the chip would not start it.
    fn load(&mut self, image: &Image) -> Result<(), SetupError>;

    /// Runs until `end`, or until something comes up before.
    fn run_until(&mut self, end: Picoseconds) -> Stop;

    /// The same with looks at where the cores are, whenever one is due.
    fn run_sampled(&mut self, end: Picoseconds, samples: &mut dyn Samples) -> Stop {
        loop {
            if samples.due() <= self.now() {
                let cores = (0..self.facts().cores).map(|id| self.core(id));
                let awake = cores.filter(|core| core.sleep == Sleep::Awake).map(|core| core.pc);
                let awake: Vec<u32> = awake.collect();
                samples.look(self.now(), (self.cycles(), self.clock_hz()), &awake);
            }
            let stop = self.run_until(end.min(samples.due()));
            if stop != Stop::Time || self.now() >= end {
                return stop;
            }
        }
    }

    /// Lets time pass for everything but the cores, as on a board whose cores have stopped for good: what is on its way out
    /// of the chip still comes.
    fn run_without_cores(&mut self, end: Picoseconds) -> Stop;

    /// What a run comes back for besides its end.
    fn stop_at(&mut self, what: StopAt);

    /// Whether a run comes back when the image faults (as it does after the start), or the image's own handler goes on.
    fn stop_at_faults(&mut self, stop: bool);

    /// The virtual time.
    fn now(&self) -> Picoseconds;

    /// The next time at which a core ends an instruction, or something wakes one.
    fn next_moment(&self) -> Picoseconds;

    /// The frequency of the cores' clock now.
    fn clock_hz(&self) -> u64;

    /// The fastest clock that its SPI gives, as its clocks are set now.
    fn fastest_sck_hz(&self) -> u64 {
        self.clock_hz() / self.facts().least_spi_divider
    }

    /// Cycles of that clock since the start.
    fn cycles(&self) -> u64;

    /// What was counted of the cores since the start.
    fn counts(&self) -> Counts;

    /// What was counted of buses and memories since the start, by names for a report.
    fn memory_counts(&self) -> Vec<(&'static str, u64)>;

    /// How often each interrupt line was taken since the start, by its number.
    fn interrupts(&self) -> Vec<(u8, u64)>;

    /// What a core is doing.
    fn core(&self, core: usize) -> CoreState;

    /// Takes what came out of a console since the last call, each byte with its time.
    fn take_console(&mut self, console: Console) -> Vec<(Picoseconds, u8)>;

    /// Types at a console.
    fn send_console(&mut self, console: Console, bytes: &[u8]);

    /// Whether a UART still has bytes to send.
    fn is_sending(&self) -> bool;

    /// The USB port, with the PC at the other end of its cable; nothing on a chip without one.
    fn usb(&self) -> Option<&dyn UsbPort>;

    /// The same, to use it.
    fn usb_mut(&mut self) -> Option<&mut dyn UsbPort>;

    /// Holds a button of [`Facts::buttons`], or lets go of it.
    fn hold_button(&mut self, name: &str, held: bool);

    /// Keeps what the cores wait for from here on, or does so no longer.
    fn record_waits(&mut self, on: bool);

    /// Takes what was kept of it since the last call.
    fn take_waits(&mut self) -> Waits;

    /// What an exception means for an image that it interrupts or wakes.
    fn waker(&self, exception: u8) -> Waker;

    /// Accesses so far to something that is not modelled, each once.
    fn unknown_accesses(&self) -> Vec<UnknownAccess>;
}
