//! Why a file could not be loaded, as one sentence: what, where, and what to do. The readers of the formats
//! give a [`Fault`], which does not know the file; [`Image::load`](super::Image::load) makes an
//! [`ImageError`] of it.

use thiserror::Error;

/// A file that cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name}: {what}")]
pub struct ImageError {
    name: String,
    kind: ImageErrorKind,
    what: String,
}

/// What is the matter with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageErrorKind {
    /// It is no firmware image that is known here.
    NotAnImage,
    /// It is cut off, or contradicts itself.
    Damaged,
    /// It was built for another kind of machine.
    OtherMachine,
    /// It was built for another chip.
    OtherChip,
    /// It has bytes where the chip has no memory.
    OutsideMemory,
    /// The chip would not start it.
    NotBootable,
    /// It cannot be written in the format that is asked for.
    NotWritable,
    /// It is an ELF of another build than the image that it should explain.
    OtherBuild,
}

impl ImageError {
    /// The file's name, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is the matter, for programs.
    pub fn kind(&self) -> ImageErrorKind {
        self.kind
    }
}

/// An error that does not know the file's name yet.
#[derive(Debug)]
pub(super) struct Fault {
    kind: ImageErrorKind,
    what: String,
}

impl Fault {
    pub(super) fn in_file(self, name: &str) -> ImageError {
        ImageError { name: name.to_owned(), kind: self.kind, what: self.what }
    }
}

impl ImageErrorKind {
    /// `what` is a sentence that goes on behind the file's name.
    pub(super) fn because(self, what: impl Into<String>) -> Fault {
        Fault { kind: self, what: what.into() }
    }
}
