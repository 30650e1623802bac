//! Firmware images: ELF, UF2, Intel HEX and raw binaries, told apart by their content. Here begins the main path: a
//! file's bytes become segments for the chip's memories, the way in which the chip starts them, and the
//! symbols by which reports name addresses; a changed image becomes the bytes of a file again (`write`). No file is
//! opened here, and nothing is written to memories.
//!
//! What an image does not say stays open: flash between segments is erased, and RAM holds what it held.

mod bin;
mod boot;
mod call_frames;
mod chip_images;
mod defmt;
mod demangle;
mod elf;
mod error;
mod intel_hex;
mod lines;
mod memory_file;
mod segments;
mod short_name;
mod symbols;
mod uf2;
mod write;

pub use bin::RawBinary;
pub use boot::Boot;
pub use call_frames::{CallFrame, RegisterRecovery};
pub use chip_images::{ArmAttributes, ChipImages, ElfHead};
pub use defmt::{DefmtPlace, DefmtSymbol, DefmtSymbols};
pub use error::{ImageError, ImageErrorKind};
pub use lines::SourceLine;
pub use memory_file::{memory_file_in_hex, read_memory_file};
pub use segments::{Memory, MemoryKind, Segment};
pub use symbols::{Function, Symbols, Variable};

use std::sync::Arc;

use error::Fault;

/// What the user says besides the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadOptions {
    /// Where a raw binary goes; other formats say so themselves.
    pub raw_binary: RawBinary,
}

/// The format of an image's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An executable with addresses and, mostly, symbols.
    Elf,
    /// Blocks for the boot ROM's USB drive.
    Uf2,
    /// Lines of text with bytes for addresses.
    IntelHex,
    /// The bare contents of flash or RAM.
    RawBinary,
}

/// A firmware image for a chip. A clone shares the contents; any thread can have one.
#[derive(Debug, Clone)]
pub struct Image {
    chip: &'static dyn ChipImages,
    name: String,
    format: Format,
    segments: Arc<[Segment]>,
    boot: Boot,
    ram_bytes: Option<u32>,
    symbols: Symbols,
}

impl Image {
    /// Loads a file's `bytes` for a chip. `name` stands in errors and reports; the format is told by the content. A raw binary
    /// keeps the bytes as they are.
    pub fn load(
        bytes: &Arc<Vec<u8>>,
        name: &str,
        chip: &'static dyn ChipImages,
        options: &LoadOptions,
    ) -> Result<Image, ImageError> {
        Image::load_unnamed(bytes, name, chip, options).map_err(|fault| fault.in_file(name))
    }

    fn load_unnamed(
        bytes: &Arc<Vec<u8>>,
        name: &str,
        chip: &'static dyn ChipImages,
        options: &LoadOptions,
    ) -> Result<Image, Fault> {
        let (mut symbols, mut ram_bytes) = (Symbols::default(), None);
        let (format, (segments, boot)) = if elf::is_elf(bytes) {
            let elf = elf::Elf::parse(bytes, chip)?;
            let segments = elf.segments()?;
            chip.check_contents(&segments).map_err(|what| ImageErrorKind::OtherChip.because(what))?;
            let boot = chip.boot(&segments, Some(elf.entry())).map_err(unbootable)?;
            symbols = Symbols::of(&elf)?;
            ram_bytes = elf.ram_bytes(chip);
            (Format::Elf, (segments, boot))
        } else if uf2::is_uf2(bytes) {
            (Format::Uf2, uf2::load(bytes, chip)?)
        } else if intel_hex::is_hex(bytes) {
            (Format::IntelHex, intel_hex::load(bytes, chip)?)
        } else {
            (Format::RawBinary, bin::load(bytes, chip, options.raw_binary)?)
        };
        Ok(Image { chip, name: name.to_owned(), format, segments: segments.into(), boot, ram_bytes, symbols })
    }

    /// Takes the symbols of the ELF from which this image was made. An ELF of another build is refused,
    /// because its symbols would name the wrong functions.
    pub fn with_symbols(mut self, elf_bytes: &[u8], elf_name: &str) -> Result<Image, ImageError> {
        self.symbols = self.symbols_of(elf_bytes).map_err(|fault| fault.in_file(elf_name))?;
        Ok(self)
    }

    fn symbols_of(&self, elf_bytes: &[u8]) -> Result<Symbols, Fault> {
        if !elf::is_elf(elf_bytes) {
            return Err(ImageErrorKind::NotAnImage.because(
                "symbols come from an ELF, which this file is not. Give the .elf of the same build",
            ));
        }
        let elf = elf::Elf::parse(elf_bytes, self.chip)?;
        for (address, bytes) in elf.code() {
            if self.read(address, bytes.len()) != Some(bytes) {
                return Err(self.other_build(address, bytes));
            }
        }
        Symbols::of(&elf)
    }

    fn other_build(&self, address: u32, code: &[u8]) -> Fault {
        let here = |offset: usize| self.read(address + offset as u32, 1).map(|byte| byte[0]);
        let different = (0..code.len()).find(|&offset| here(offset) != Some(code[offset]));
        let offset = different.expect("the code differs somewhere");
        let theirs = here(offset).map_or("nothing".into(), |byte| format!("0x{byte:02x}"));
        ImageErrorKind::OtherBuild.because(format!(
            "its code is not that of {}: it has 0x{:02x} at {:#010x}, where the image has {theirs}. Give \
             the ELF from which the image was made",
            self.name,
            code[offset],
            address + offset as u32
        ))
    }

    /// The chip that it is for.
    pub fn chip(&self) -> &'static dyn ChipImages {
        self.chip
    }

    /// The file's name, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file's format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What it puts into memories, in the order of addresses; no two overlap or touch within a memory.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// How the chip starts it.
    pub fn boot(&self) -> Boot {
        self.boot
    }

    /// Names of functions and variables, and source lines; empty for a file without them that has no companion.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The smallest flash that holds it; 0 where it lies in RAM.
    pub fn flash_bytes(&self) -> u32 {
        let in_flash = self.segments.iter().filter(|segment| segment.memory.kind == MemoryKind::Flash);
        in_flash.map(|segment| segment.end() - segment.memory.start).max().unwrap_or(0)
    }

    /// What its sections take of RAM while it runs: variables, code that runs there, and what the linker reserves for stacks and
    /// heap. Only an ELF with sections says it.
    pub fn ram_bytes(&self) -> Option<u32> {
        self.ram_bytes
    }

    /// The same image with other bytes at an address; nothing where it has no bytes there.
    pub fn with_bytes(&self, address: u32, bytes: &[u8]) -> Option<Image> {
        self.read(address, bytes.len())?;
        let mut segments = self.segments.to_vec();
        for segment in &mut segments {
            if segment.get(address, bytes.len()).is_some() {
                let offset = (address - segment.address) as usize;
                let own = Arc::make_mut(&mut segment.bytes);
                own[offset..offset + bytes.len()].copy_from_slice(bytes);
            }
        }
        Some(Image { segments: segments.into(), ..self.clone() })
    }

    /// Its contents at an address, where it has all of them.
    pub fn read(&self, address: u32, length: usize) -> Option<&[u8]> {
        self.segments.iter().find_map(|segment| segment.get(address, length))
    }
}

/// An image that its chip would not start.
fn unbootable(what: String) -> Fault {
    ImageErrorKind::NotBootable.because(what)
}
