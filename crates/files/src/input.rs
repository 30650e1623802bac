//! What is read: a file, or a pipe that somebody writes. A device is refused, as it may never end; a pipe that nobody
//! writes is refused after a while, and no pipe is waited for any longer once the user has pressed Ctrl-C.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use crate::patience::Patience;

/// A file or a pipe to be read.
#[derive(Debug)]
pub struct Input {
    file: File,
    /// Only of a pipe.
    pipe: Option<Pipe>,
}

#[derive(Debug)]
struct Pipe {
    /// What came before anybody asked for it.
    first: Cursor<Vec<u8>>,
    patience: Patience,
}

impl Input {
    /// Opens a file or a pipe.
    ///
    /// # Errors
    /// When it cannot be opened, is a device, or is a pipe that nobody writes.
    pub fn open(path: &Path) -> io::Result<Self> {
        let patience = Patience::begin();
        let file = open_at_once(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() || metadata.is_dir() {
            return Ok(Self { file, pipe: None });
        }
        if is_device(&metadata) {
            return Err(io::Error::other("this is a device, which need not end; name a file or a pipe"));
        }
        let mut pipe = Pipe { first: Cursor::default(), patience };
        pipe.wait_for_writer(&file)?;
        Ok(Self { file, pipe: Some(pipe) })
    }

    /// Whether it is a pipe, which can be read only once.
    pub fn is_pipe(&self) -> bool {
        self.pipe.is_some()
    }

    /// The file itself, of which nothing was read yet.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The same, to keep.
    pub fn into_file(self) -> File {
        self.file
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(pipe) = &mut self.pipe else { return self.file.read(buffer) };
        match pipe.first.read(buffer)? {
            0 => pipe.patience.until_done(|| (&self.file).read(buffer)),
            read => Ok(read),
        }
    }
}

impl Pipe {
    /// An empty read means that nobody has opened the other end, or that everybody has left it.
    fn wait_for_writer(&mut self, mut file: &File) -> io::Result<()> {
        let mut portion = [0; 4096];
        loop {
            match file.read(&mut portion) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Ok(0) if self.patience.is_over() => {
                    return Err(io::Error::other("nobody writes to this pipe; start its writer first"));
                }
                Ok(0) => self.patience.pause_for_other_end()?,
                Ok(read) => {
                    self.first = Cursor::new(portion[..read].to_vec());
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Reads a whole file or pipe of at most so many bytes.
///
/// # Errors
/// When it cannot be read, or is longer.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let input = Input::open(path)?;
    let length = input.file().metadata()?.len();
    let too_long = |length: &str| {
        io::Error::other(format!("it has {length} bytes; such a file has at most {most_bytes}"))
    };
    if length > most_bytes && !input.file().metadata()?.is_dir() {
        return Err(too_long(&length.to_string()));
    }
    let mut content = Vec::with_capacity(length as usize);
    input.take(most_bytes + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most_bytes {
        return Err(too_long(&format!("more than {most_bytes}")));
    }
    Ok(content)
}

/// The same for text.
///
/// # Errors
/// As [`read`], and for what is no UTF-8.
pub fn read_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    String::from_utf8(read(path, most_bytes)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// Opens without waiting for the other end of a pipe.
#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn is_device(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_metadata: &std::fs::Metadata) -> bool {
    false
}
