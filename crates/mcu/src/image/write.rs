//! An image as the bytes of a file again, after some of its bytes were changed. A file of the same format keeps everything
//! but these bytes: symbols, debug information, the order of blocks. Other formats get the contents of the memory, from the
//! first byte to the last; gaps between segments are zero, as converters fill them.

use std::sync::Arc;

use super::error::{Fault, ImageErrorKind};
use super::segments::MemoryKind;
use super::{Format, Image, ImageError, LoadOptions, elf, uf2};

impl Image {
    /// The image as a file. `original` is the file that it was loaded from.
    ///
    /// # Errors
    /// When the format cannot hold it.
    pub fn to_file(&self, original: &[u8], format: Format) -> Result<Vec<u8>, ImageError> {
        self.to_unnamed_file(original, format).map_err(|fault| fault.in_file(&self.name))
    }

    fn to_unnamed_file(&self, original: &[u8], format: Format) -> Result<Vec<u8>, Fault> {
        match (self.format, format) {
            (Format::Elf, Format::Elf) => {
                Ok(self.over(original, elf::Elf::parse(original, self.chip)?.places().collect()))
            }
            (Format::Uf2, Format::Uf2) => Ok(self.over(original, uf2::places(original, self.chip)?)),
            (_, Format::Elf) => Err(ImageErrorKind::NotWritable
                .because("an ELF can be written of an ELF only. Name a file that ends in .uf2 or .bin")),
            (_, Format::IntelHex) => Err(ImageErrorKind::NotWritable
                .because("an Intel HEX file is not written here. Name a file that ends in .bin")),
            (Format::RawBinary, Format::RawBinary) => Ok(self.contents()?.1),
            (_, Format::Uf2) => {
                let (address, contents) = self.contents()?;
                self.if_it_starts_as_this(uf2::make(address, &contents, self.chip)?)
            }
            (_, Format::RawBinary) => match self.contents()? {
                (address, contents) if self.begins_a_memory(address) => self.if_it_starts_as_this(contents),
                (address, _) => Err(ImageErrorKind::NotWritable.because(format!(
                    "it begins at {address:#010x}, which a raw binary cannot say. Name a file that ends in .uf2"
                ))),
            },
        }
    }

    /// Whether a raw binary may begin there.
    fn begins_a_memory(&self, address: u32) -> bool {
        let mut memories = self.chip.memories().iter().filter(|memory| memory.kind != MemoryKind::Other);
        memories.any(|memory| memory.start == address)
    }

    /// A file that says less than this image's must start the same way.
    fn if_it_starts_as_this(&self, file: Vec<u8>) -> Result<Vec<u8>, Fault> {
        let file = Arc::new(file);
        let boot = Image::load_unnamed(&file, &self.name, self.chip, &LoadOptions::default())?.boot;
        if boot == self.boot {
            return Ok(Arc::unwrap_or_clone(file));
        }
        Err(ImageErrorKind::NotWritable.because(
            "the boot ROM would start it elsewhere than its entry, which only an ELF can say. Name a file that ends in .elf",
        ))
    }

    /// The file with the image's bytes at their places.
    fn over(&self, original: &[u8], places: Vec<(usize, u32, usize)>) -> Vec<u8> {
        let mut file = original.to_vec();
        for (start, address, length) in places {
            let bytes = self.read(address, length).expect("the image was loaded from this file");
            file[start..start + length].copy_from_slice(bytes);
        }
        file
    }

    /// What it puts into its memory, in one piece.
    fn contents(&self) -> Result<(u32, Vec<u8>), Fault> {
        let first = &self.segments[0];
        if self.segments.iter().any(|segment| segment.memory() != first.memory()) {
            return Err(ImageErrorKind::NotWritable.because(
                "it fills several memories, which neither a UF2 nor a raw binary can. Name a file that ends in .elf",
            ));
        }
        let mut contents = Vec::new();
        for segment in self.segments.iter() {
            contents.resize((segment.address - first.address) as usize, 0);
            contents.extend_from_slice(&segment.bytes);
        }
        Ok((first.address, contents))
    }
}
