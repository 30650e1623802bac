//! A board in virtual time: the chip with what stands around it, the image, and the names by which both are spoken of.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use mcu::image::{Image, ImageError, ImageErrorKind, LoadOptions};
use mcu::{Console, Mcu, McuKind, Setup};
use rtt::Probe;
use units::Picoseconds;

use super::console_log::{CONSOLES, ConsoleLog};
use super::file::BoardFile;
use super::fits::check_port;
use super::mcus::{MCUS, largest_rom};
use super::parts::{I2cDevice, Joint, Parts, Pulses, SpiDevice};
use super::recording::Recording;
use super::sampler::Sampler;
use super::trace::TraceWriter;
use super::{BoardError, find_board};
use lan::NetworkSetup;

/// Larger files are no images for this chip: a flash has 16 MiB at most, and an ELF some debug information.
const MOST_IMAGE_BYTES: u64 = 256 << 20;

/// What may be said of a board beside its file.
#[derive(Debug, Clone)]
pub struct BoardOptions {
    /// The genuine boot ROM in place of our own.
    pub rom: Option<Vec<u8>>,
    /// Whether a PC is plugged into the USB port.
    pub usb_connected: bool,
    /// Where random numbers start.
    pub seed: u64,
    /// The network that chips with Ethernet are on.
    pub network: NetworkSetup,
}

impl Default for BoardOptions {
    fn default() -> Self {
        Self { rom: None, usb_connected: true, seed: 1, network: NetworkSetup::default() }
    }
}

/// A board that runs an image.
#[derive(Debug)]
pub struct Board {
    pub(super) file: BoardFile,
    pub(super) chip: Box<dyn Mcu>,
    pub(super) image: Option<Image>,
    pub(super) consoles: ConsoleLog,
    pub(super) probe: Probe,
    pub(super) recording: Recording,
    pub(super) sampler: Sampler,
    pub(super) trace: Option<TraceWriter>,
    /// Why the last run that was to type something left some of it.
    pub(super) untyped: Option<String>,
}

impl Board {
    /// A board without an image.
    ///
    /// # Errors
    /// When the chip cannot be made like that.
    pub fn new(file: BoardFile, options: BoardOptions) -> Result<Self, BoardError> {
        let BoardOptions { rom, usb_connected, seed, network } = options;
        let (crystal_hz, flash_bytes) = (file.crystal_hz, file.flash_bytes);
        let mut chip = (file.mcu.build)(&Setup { crystal_hz, flash_bytes, rom, usb_connected, seed })?;
        chip.connect(Box::new(Parts::of(&file, &network, seed)));
        let mut board = Self {
            file,
            chip,
            image: None,
            consoles: ConsoleLog::default(),
            probe: Probe::default(),
            recording: Recording::default(),
            sampler: Sampler::default(),
            trace: None,
            untyped: None,
        };
        board.wire_up();
        Ok(board)
    }

    /// A board by name or file, as [`find_board`] has it.
    ///
    /// # Errors
    /// When there is no such board.
    pub fn open(name: &str, options: BoardOptions) -> Result<Self, BoardError> {
        Self::new(find_board(name)?, options)
    }

    /// What the chip's pins have to do with each other and with the board's levels.
    fn wire_up(&mut self) {
        let joints = self.parts().joints().to_vec();
        for joint in joints {
            match joint {
                Joint::Wire { pin, to } => self.chip.wire_pins(pin, to),
                Joint::Level { pin, level } => self.chip.drive_pin(pin, level),
                Joint::Clock { pin, rise, hz } => self.chip.give_clock(pin, rise, hz),
            }
        }
        for pin in self.parts().pulled_up() {
            self.chip.pull_pin(pin, true);
        }
        for (pin, level) in self.parts().outputs_at_start() {
            self.chip.drive_pin(pin, Some(level));
        }
    }

    /// Connects a device to an SPI port; its chip select has a pull-up.
    ///
    /// # Errors
    /// When the microcontroller has no such port.
    pub fn connect_spi(
        &mut self,
        port: u8,
        select: Option<u8>,
        device: Box<dyn SpiDevice>,
    ) -> Result<(), BoardError> {
        let facts = self.file.mcu.facts;
        check_port("SPI", port, facts.spi_ports, facts)?;
        self.parts().connect_spi(port, select, device);
        if let Some(pin) = select {
            self.chip.pull_pin(pin, true);
        }
        Ok(())
    }

    /// Connects a device to an I2C port.
    ///
    /// # Errors
    /// Likewise.
    pub fn connect_i2c(&mut self, port: u8, device: Box<dyn I2cDevice>) -> Result<(), BoardError> {
        let facts = self.file.mcu.facts;
        check_port("I2C", port, facts.i2c_ports, facts)?;
        self.parts().connect_i2c(port, device);
        Ok(())
    }

    /// Loads an image from a file and starts it; `symbols` is an ELF of the same build for an image without names.
    ///
    /// # Errors
    /// When a file cannot be read, is no image for a chip that boards have, or does not fit.
    pub fn load(&mut self, image: &Path, symbols: Option<&Path>) -> Result<(), BoardError> {
        self.load_image(read_for(&[self.file.mcu], image, symbols)?.0)
    }

    /// Puts an image into the chip's memories and starts it.
    ///
    /// # Errors
    /// When it is for another chip, or does not fit.
    pub fn load_image(&mut self, image: Image) -> Result<(), BoardError> {
        let (chip, own) = (image.chip().chip(), self.chip.facts().images.chip());
        if chip != own {
            let (image, board) = (image.name(), &self.file.name);
            let message =
                format!("{image} is for the {chip}, but board {board} has an {own}; build it for that");
            return Err(BoardError::Refused(message));
        }
        self.chip.load(&image)?;
        self.probe = Probe::of(&image, self.chip.now());
        self.image = Some(image);
        Ok(())
    }

    /// The board's file.
    pub fn file(&self) -> &BoardFile {
        &self.file
    }

    /// The image, once there is one.
    pub fn image(&self) -> Option<&Image> {
        self.image.as_ref()
    }

    /// The microcontroller.
    pub fn chip(&self) -> &dyn Mcu {
        &*self.chip
    }

    /// The microcontroller, to change it.
    pub fn chip_mut(&mut self) -> &mut dyn Mcu {
        &mut *self.chip
    }

    /// What stands around the chip.
    ///
    /// # Panics
    /// Never: a board connects nothing else to its chip.
    pub fn parts(&mut self) -> &mut Parts {
        let outside: &mut dyn Any = self.chip.outside();
        outside.downcast_mut().expect("a board's surroundings are its parts")
    }

    /// Wires two pins together.
    pub fn wire(&mut self, pin: u8, to: u8) {
        self.parts().wire(pin, to);
        self.chip.wire_pins(pin, to);
    }

    /// Sets the voltage at a pin with an ADC input, or leaves it open.
    ///
    /// # Errors
    /// When the pin has none.
    pub fn set_microvolts(&mut self, pin: u8, microvolts: Option<i32>) -> Result<(), BoardError> {
        let inputs = &self.chip.facts().adc_gpios;
        if !inputs.contains(&pin) {
            let there = format!("GPIO {} to {} have one", inputs.start(), inputs.end());
            return Err(BoardError::Refused(format!("pin {pin} has no ADC input; {there}")));
        }
        self.parts().set_microvolts(pin, microvolts);
        Ok(())
    }

    /// Connects a signal generator to its pin, in place of one that was there.
    pub fn connect_pulses(&mut self, pulses: Pulses) {
        let (pin, level) = pulses.begins();
        self.parts().connect_pulses(pulses);
        self.chip.drive_pin(pin, Some(level));
    }

    /// Executes one instruction of a core.
    pub fn step(&mut self, core: usize) {
        self.chip.step(core);
        self.probe.look(&mut *self.chip);
        self.recording.collect(&mut *self.chip);
        self.drain_consoles();
    }

    /// The virtual time.
    pub fn now(&self) -> Picoseconds {
        self.chip.now()
    }

    /// The level of every pin, a bit each, and those of outputs of parts behind them.
    pub fn levels(&self) -> u32 {
        self.chip.levels() | self.recording.outputs()
    }

    /// Presses or releases a button, or sets a switch, by its chip's name; some microcontrollers have a button of their
    /// own on every board.
    ///
    /// # Errors
    /// When the board has none of that name.
    pub fn press(&mut self, name: &str, pressed: bool) -> Result<(), BoardError> {
        let part = self.file.parts.iter().position(|part| part.name == name);
        if part.is_none() && self.chip.facts().buttons.contains(&name) {
            self.chip.hold_button(name, pressed);
            return Ok(());
        }
        let Some((pin, level)) = part.and_then(|part| self.parts().pressed(part, pressed)) else {
            return Err(BoardError::Refused(self.no_button(name)));
        };
        self.chip.drive_pin(pin, level);
        Ok(())
    }

    fn no_button(&mut self, name: &str) -> String {
        let names: Vec<String> = self.file.parts.iter().map(|part| part.name.clone()).collect();
        let own = self.chip.facts().buttons.iter().map(|&name| name.to_owned());
        let parts = self.parts();
        let pressable = (0..).zip(names).filter(|&(part, _)| parts.pressed(part, true).is_some());
        let all: Vec<String> = own.chain(pressable.map(|(_, name)| name)).collect();
        let names: Vec<&str> = all.iter().map(String::as_str).collect();
        let there = match fields::nearest(name, &names) {
            Some(near) => format!("the nearest is {near}"),
            None if names.is_empty() => "it has none at all".to_owned(),
            None => format!("it has {}", names.join(", ")),
        };
        format!("board {} has no button or switch {name}; {there}", self.file.name)
    }

    /// The console that text is typed at unless another is named: USB once a PC sees a serial port there, RTT where the image reads
    /// that and prints nothing else, else UART0.
    pub fn main_console(&self) -> Console {
        if self.usb_console_is_there() || self.consoles.count(Console::Usb) > 0 {
            Console::Usb
        } else if self.probe.is_read() && self.consoles.last.is_none() {
            Console::Rtt
        } else {
            Console::Uart0
        }
    }

    /// Types at a console.
    pub fn send(&mut self, console: Console, bytes: &[u8]) {
        match console {
            Console::Rtt => self.probe.type_text(bytes),
            _ => self.chip.send_console(console, bytes),
        }
    }

    /// Everything that came out of a console so far.
    pub fn console(&self, console: Console) -> &[u8] {
        self.consoles.text(console)
    }

    /// The names of all pins: those of the board file, then the others as `GP<n>`.
    pub fn pin_names(&self) -> Vec<(String, u8)> {
        let named = self.file.pins.clone();
        let others =
            (0..self.file.mcu.facts.gpio_count).filter(|gpio| named.iter().all(|(_, pin)| pin != gpio));
        let name = self.file.mcu.facts.pin_name;
        let others: Vec<(String, u8)> = others.map(|gpio| (name(gpio), gpio)).collect();
        named.into_iter().chain(others).collect()
    }

    /// What a user should know of how the board's chips were treated so far, and of what was to be typed and was not.
    pub fn notes(&mut self) -> Vec<String> {
        let of_the_image = self.chip.notes();
        let (of_the_probe, untyped) = (self.probe.notes(), self.untyped.clone());
        let of_the_parts = self.parts().notes().to_vec();
        of_the_parts.into_iter().chain(of_the_image).chain(of_the_probe).chain(untyped).collect()
    }

    /// Takes what came out of the consoles since the last call and keeps it; gives the new bytes.
    pub(super) fn drain_consoles(&mut self) -> Vec<Drained> {
        drain(&mut *self.chip, &mut self.probe, &mut self.consoles)
    }
}

/// New bytes of a console, with their times.
pub(super) type Drained = (Console, Vec<(Picoseconds, u8)>);

pub(super) fn drain(chip: &mut dyn Mcu, probe: &mut Probe, log: &mut ConsoleLog) -> Vec<Drained> {
    let mut drained = Vec::new();
    for console in CONSOLES {
        let bytes = if console == Console::Rtt { probe.take_text() } else { chip.take_console(console) };
        if !bytes.is_empty() {
            log.add(console, &bytes);
            drained.push((console, bytes));
        }
    }
    drained
}

/// Reads an image from a file; `symbols` is an ELF of the same build for an image without names.
///
/// # Errors
/// When a file cannot be read, or is no image for a chip that boards have.
pub fn read_image(image: &Path, symbols: Option<&Path>) -> Result<Image, BoardError> {
    Ok(read_for(&MCUS, image, symbols)?.0)
}

/// The same, and the bytes of its file.
pub(super) fn read_image_with_file(
    image: &Path,
    symbols: Option<&Path>,
) -> Result<(Image, Arc<Vec<u8>>), BoardError> {
    read_for(&MCUS, image, symbols)
}

fn read_for(
    mcus: &[&McuKind],
    image: &Path,
    symbols: Option<&Path>,
) -> Result<(Image, Arc<Vec<u8>>), BoardError> {
    let file = Arc::new(read_file(image, "image", MOST_IMAGE_BYTES)?);
    let loaded = load_for(mcus, &file, &image.to_string_lossy())?;
    Ok((if let Some(symbols) = symbols { with_symbols(loaded, symbols)? } else { loaded }, file))
}

/// An image with the names of the ELF of the same build.
///
/// # Errors
/// When the file cannot be read, or is of another build.
pub fn with_symbols(image: Image, symbols: &Path) -> Result<Image, BoardError> {
    let bytes = read_file(symbols, "ELF with symbols", MOST_IMAGE_BYTES)?;
    Ok(image.with_symbols(&bytes, &symbols.to_string_lossy())?)
}

/// An image, and the bytes of the file that it is from.
pub fn read_image_file(path: &Path) -> Result<(Image, Arc<Vec<u8>>), BoardError> {
    read_for(&MCUS, path, None)
}

/// How near a refusal comes to the image: one that is not about the chip nearest.
fn nearness(kind: ImageErrorKind) -> u8 {
    match kind {
        ImageErrorKind::OtherMachine => 0,
        ImageErrorKind::OtherChip => 1,
        _ => 2,
    }
}

/// An image for one of these microcontrollers. Of several objections the nearest is told, and of those the first.
fn load_for(mcus: &[&McuKind], bytes: &Arc<Vec<u8>>, name: &str) -> Result<Image, ImageError> {
    let mut objection: Option<ImageError> = None;
    for kind in mcus {
        match Image::load(bytes, name, kind.facts.images, &LoadOptions::default()) {
            Ok(image) => return Ok(image),
            Err(error) => {
                let tells_more = |earlier: &ImageError| nearness(earlier.kind()) < nearness(error.kind());
                if objection.as_ref().is_none_or(tells_more) {
                    objection = Some(error);
                }
            }
        }
    }
    Err(objection.expect("there is a microcontroller"))
}

/// Reads the genuine boot ROM from a file.
///
/// # Errors
/// When it cannot be read or is too large to be one.
pub fn read_rom(path: &Path) -> Result<Vec<u8>, BoardError> {
    read_file(path, "boot ROM", largest_rom())
}

pub(super) fn read_file(path: &Path, what: &'static str, most_bytes: u64) -> Result<Vec<u8>, BoardError> {
    let unreadable = |reason: String| BoardError::Read { path: path.to_owned(), what, reason };
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if metadata.is_dir() {
        return Err(unreadable("it is a folder".to_owned()));
    }
    files::read(path, most_bytes).map_err(|error| unreadable(error.to_string()))
}
