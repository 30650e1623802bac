//! A socket's two ring memories as the TCP engine sees them: 16-bit pointers that count on and wrap, and bytes at the
//! pointer modulo the memory's size. The memories and the pointers belong to the socket.

/// The 16-bit pointers of a socket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Pointers {
    /// Up to where the peer has acknowledged: the "internal ACK pointer", from which Sn_TX_FSR counts in TCP (W5500
    /// datasheet 1.0.9, Sn_TX_FSR).
    pub(crate) tx_acknowledged: u16,
    /// Sn_TX_RD: up to where bytes were transmitted.
    pub(crate) tx_read: u16,
    /// Sn_TX_WR as of the last SEND.
    pub(crate) tx_boundary: u16,
    /// Sn_RX_RD as of the last RECV.
    pub(crate) rx_read: u16,
    /// Sn_RX_WR.
    pub(crate) rx_write: u16,
}

impl Pointers {
    /// Bytes that were given by SEND and are not acknowledged.
    pub(crate) fn tx_pending_bytes(&self) -> u16 {
        self.tx_boundary.wrapping_sub(self.tx_acknowledged)
    }
}

/// A socket's memories and pointers, lent for one call.
#[derive(Debug)]
pub(crate) struct Memory<'a> {
    /// A power of two of bytes, or none.
    pub(crate) tx: &'a [u8],
    /// A power of two of bytes, or none.
    pub(crate) rx: &'a mut [u8],
    pub(crate) pointers: &'a mut Pointers,
}

impl Memory<'_> {
    /// The receive memory's free bytes as a window: a memory of 64 KiB is advertised as 65535, and a read pointer that the
    /// driver has set beyond the memory leaves nothing free.
    pub(crate) fn window(&self) -> u16 {
        let used = self.pointers.rx_write.wrapping_sub(self.pointers.rx_read);
        let free = self.rx.len().saturating_sub(usize::from(used));
        u16::try_from(free).unwrap_or(u16::MAX)
    }

    /// Takes in bytes, which the caller has cut to the window.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        if bytes.is_empty() || self.rx.is_empty() {
            return;
        }
        let start = usize::from(self.pointers.rx_write) % self.rx.len();
        let first = bytes.len().min(self.rx.len() - start);
        self.rx[start..start + first].copy_from_slice(&bytes[..first]);
        self.rx[..bytes.len() - first].copy_from_slice(&bytes[first..]);
        self.pointers.rx_write = self.pointers.rx_write.wrapping_add(bytes.len() as u16);
    }
}
