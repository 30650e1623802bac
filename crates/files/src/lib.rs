//! Files that are there whole or not at all: all that the core writes is written beside its place and put there when it is
//! complete, as `python/airwire/outputs.py` does it for Python. A device or a pipe has no place beside it and is written to as
//! it is. Leaves out which files may be written at all: that is for the commands to say. What is read is opened by [`Input`].

mod device;
mod input;
mod patience;
#[cfg(test)]
mod tests;

pub use input::{Input, read, read_text};
pub use patience::{ask_while_waiting, stop_waiting};

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use device::Device;

/// Links that lead to links; more are a loop.
const MOST_LINKS: usize = 32;

/// Whether a file that is there may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Refuse to write.
    Keep,
    /// Write in its place.
    Replace,
}

/// A file that is being written. Where it is dropped before [`NewFile::finish`], nothing of it remains, and what was there
/// before stays.
#[derive(Debug)]
pub struct NewFile(Kind);

#[derive(Debug)]
enum Kind {
    Beside(Place),
    Device(Device),
}

/// Where a file is written, and where it goes when it is complete.
#[derive(Debug)]
struct Place {
    file: File,
    unfinished: Unfinished,
    target: PathBuf,
    existing: Existing,
}

/// A file that goes again unless it was renamed.
#[derive(Debug)]
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl NewFile {
    /// Begins a file. A link stays a link: the file that it leads to is written. A device or a pipe is never replaced, so
    /// there is nothing to keep of it.
    ///
    /// # Errors
    /// When the file exists and is to be kept, is a folder or a pipe that nobody reads, or cannot be made.
    pub fn create(path: &Path, existing: Existing) -> io::Result<Self> {
        let before = fs::metadata(path).ok();
        if let Some(device) = before.as_ref().filter(|metadata| is_device(metadata)) {
            return Ok(Self(Kind::Device(Device::open(path, device)?)));
        }
        if existing == Existing::Keep && path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        if before.as_ref().is_some_and(Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let target = followed(path)?;
        let (file, unfinished) = beside(&target)?;
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        Ok(Self(Kind::Beside(Place { file, unfinished, target, existing })))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// When it cannot be completed; then nothing of it remains.
    pub fn finish(self) -> io::Result<()> {
        let Place { mut file, unfinished, target, existing } = match self.0 {
            Kind::Device(mut device) => return device.flush(),
            Kind::Beside(place) => place,
        };
        file.flush()?;
        file.sync_all()?;
        drop(file);
        match existing {
            Existing::Replace => fs::rename(&unfinished.0, target),
            Existing::Keep => put_where_nothing_is(&unfinished.0, &target),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Beside(place) => place.file.write(bytes),
            Kind::Device(device) => device.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Beside(place) => place.file.flush(),
            Kind::Device(device) => device.flush(),
        }
    }
}

/// Writes a whole file, in the place of another if there is one.
///
/// # Errors
/// When it cannot be written; then what was there before stays.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path, Existing::Replace)?;
    file.write_all(content)?;
    file.finish()
}

fn is_device(metadata: &Metadata) -> bool {
    !metadata.is_file() && !metadata.is_dir()
}

/// The file that a path means, where it is a link.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&place) else { return Ok(place) };
        place = folder_of(&place).join(next);
    }
    Err(io::Error::other("its links lead in a circle"))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A file in the folder of `target` under a name that nobody has.
fn beside(target: &Path) -> io::Result<(File, Unfinished)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder_of(target).join(format!(".unfinished-{}-{number}", std::process::id()));
        match File::create_new(&path) {
            Ok(file) => return Ok((file, Unfinished(path))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// A rename that never replaces. A file system without hard links has none, so that there the name is looked at before.
fn put_where_nothing_is(unfinished: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(unfinished, target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        Err(_) if target.symlink_metadata().is_ok() => Err(exists()),
        Err(_) => fs::rename(unfinished, target),
        Ok(()) => Ok(()),
    }
}

fn exists() -> io::Error {
    let what = "a file of that name exists; choose another name or say that it may be replaced";
    io::Error::new(io::ErrorKind::AlreadyExists, what)
}
