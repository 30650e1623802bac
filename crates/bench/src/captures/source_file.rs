//! A capture's file, opened once: what is read and what the SHA-256 speaks of are the same bytes, whatever happens to the
//! file's name meanwhile.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use capture::{CaptureError, ChangeSource, OpenOptions};
use files::Input;
use sha2::{Digest, Sha256};

const PORTION_BYTES: usize = 1 << 16;

/// An open file of a capture.
pub(crate) struct SourceFile<'a> {
    path: &'a Path,
    content: Content,
}

enum Content {
    /// Can be read again; and what it was like before it was read.
    File(Arc<File>, Stamp),
    /// Can be read once only, as a pipe: hashed on the way.
    Stream(Arc<Mutex<Sha256>>),
}

type Stamp = (u64, Option<SystemTime>);

impl<'a> SourceFile<'a> {
    /// Opens a capture, and a reader of it.
    pub(crate) fn open(
        path: &'a Path,
        options: &OpenOptions,
    ) -> Result<(Self, Box<dyn ChangeSource>), CaptureError> {
        let unopened = |source| CaptureError::Io { path: path.to_owned(), action: "open", source };
        let input = Input::open(path).map_err(unopened)?;
        if !input.is_pipe() {
            let file = Arc::new(input.into_file());
            let metadata = file.metadata().map_err(unopened)?;
            let source = capture::open_file(path, Arc::clone(&file), options)?;
            let stamp = (metadata.len(), metadata.modified().ok());
            return Ok((Self { path, content: Content::File(file, stamp) }, source));
        }
        let hash = Arc::new(Mutex::new(Sha256::new()));
        let stream = Hashed { input, hash: Arc::clone(&hash) };
        let source = capture::open_stream(path, Box::new(stream), options)?;
        Ok((Self { path, content: Content::Stream(hash) }, source))
    }

    /// The SHA-256 of what was read, in hexadecimal.
    ///
    /// # Errors
    /// When the file cannot be read, or somebody wrote to it since it was opened.
    pub(crate) fn sha256(&self) -> Result<String, CaptureError> {
        let hash = match &self.content {
            Content::Stream(hash) => hash.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Content::File(file, stamp) => {
                let (hash, after) = hash_of(file).map_err(|source| CaptureError::Io {
                    path: self.path.to_owned(),
                    action: "read",
                    source,
                })?;
                if after != *stamp {
                    return Err(self.changed());
                }
                hash
            }
        };
        Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn changed(&self) -> CaptureError {
        let what = "it was changed while it was read; analyse it again when nothing writes to it any more";
        CaptureError::Format { path: self.path.to_owned(), place: None, what: what.to_owned() }
    }
}

fn hash_of(mut file: &File) -> io::Result<(Sha256, Stamp)> {
    file.seek(SeekFrom::Start(0))?;
    let mut hash = Sha256::new();
    let mut portion = vec![0; PORTION_BYTES];
    loop {
        match file.read(&mut portion)? {
            0 => break,
            n => hash.update(&portion[..n]),
        }
    }
    let metadata = file.metadata()?;
    Ok((hash, (metadata.len(), metadata.modified().ok())))
}

/// A stream whose bytes are hashed as they pass.
struct Hashed {
    input: Input,
    hash: Arc<Mutex<Sha256>>,
}

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.hash.lock().unwrap_or_else(PoisonError::into_inner).update(&buffer[..read]);
        Ok(read)
    }
}
