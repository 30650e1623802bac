//! A TAP interface of this machine: Ethernet frames to and from its kernel.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd};

use smoltcp::phy::{Medium, TunTapInterface};

use super::LiveError;

/// Longer frames than this are jumbo frames, which no chip here takes.
const MOST_FRAME_BYTES: usize = 9_018;
/// A name of an interface, without the zero at its end (Linux: IFNAMSIZ).
const MOST_NAME_BYTES: usize = 15;

/// A TAP interface.
#[derive(Debug)]
pub(super) struct Tap {
    file: File,
    /// Frames that the kernel would not take: its interface is down.
    pub(super) refused: u64,
}

impl Tap {
    /// Opens the interface, or makes it.
    pub(super) fn open(name: &str) -> Result<Self, LiveError> {
        if name.is_empty() || name.len() > MOST_NAME_BYTES || name.contains(['/', ' ', '\0']) {
            return Err(LiveError::TapName(name.to_owned()));
        }
        let refused = |error: io::Error| LiveError::Tap { name: name.to_owned(), reason: hint(name, &error) };
        let interface = TunTapInterface::new(name, Medium::Ethernet).map_err(refused)?;
        // SAFETY: the descriptor is open for as long as `interface` lives, which is until the end of this function.
        #[expect(unsafe_code, reason = "smoltcp lends the descriptor as a number only")]
        let descriptor = unsafe { BorrowedFd::borrow_raw(interface.as_raw_fd()) };
        let file = File::from(descriptor.try_clone_to_owned().map_err(refused)?);
        Ok(Self { file, refused: 0 })
    }

    /// The next frame from the kernel, if there is one.
    pub(super) fn receive(&mut self) -> Option<Vec<u8>> {
        let mut buffer = vec![0; MOST_FRAME_BYTES];
        match self.file.read(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                Some(buffer)
            }
            Err(_) => None,
        }
    }

    /// Hands a frame to the kernel. While the interface is down it takes none.
    pub(super) fn send(&mut self, frame: &[u8]) {
        match self.file.write(frame) {
            Err(error) if error.kind() == ErrorKind::Interrupted => self.send(frame),
            Err(_) => self.refused += 1,
            Ok(_) => {}
        }
    }
}

impl AsRawFd for Tap {
    fn as_raw_fd(&self) -> i32 {
        self.file.as_raw_fd()
    }
}

fn hint(name: &str, error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => format!(
            "{error}. Make it once as root for your user: ip tuntap add dev {name} mode tap user $USER; or use --forward, \
             which needs no rights"
        ),
        ErrorKind::NotFound => {
            format!("{error}. The kernel has no /dev/net/tun here; use --forward, which needs none")
        }
        _ => error.to_string(),
    }
}
