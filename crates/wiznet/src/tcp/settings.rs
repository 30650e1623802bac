//! What the registers say of a socket's TCP, and the constants that no register holds. The owner of the registers fills in
//! [`Settings`] at each call, as a driver may change them at any time.

use units::{PS_PER_S, PS_PER_US, Picoseconds};

/// RTR counts in 100 us (W5500 datasheet 1.0.9, RTR).
const RETRY_UNIT_PS: i64 = 100 * PS_PER_US;
/// Sn_KPALVTR counts in 5 s (documentation of the crate w5500-ll 0.13, `sn_kpalvtr`).
const KEEP_ALIVE_UNIT_PS: i64 = 5 * PS_PER_S;
/// The most that Sn_MSSR may hold in TCP without PPPoE (W5500 datasheet 1.0.9, Sn_MSSR), and over IPv6 (ioLibrary, w6100.h,
/// Sn_MSSR).
const LARGEST_MSS: u16 = 1460;
pub(crate) const LARGEST_MSS_IPV6: u16 = 1440;

/// What has to be done before SENDOK says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum SendOk {
    /// The last byte of the SEND was transmitted, and Sn_TX_RD has reached Sn_TX_WR (W5500 datasheet 1.0.9, Sn_TX_RD).
    #[default]
    Sent,
    /// The peer acknowledged the last byte of the SEND.
    Acknowledged,
}

/// What applies to one socket at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings {
    /// RTR: the first wait for an answer, in 100 us. Zero counts as one.
    pub(crate) retry_time: u16,
    /// RCR: how often a segment is sent again.
    pub(crate) retry_count: u8,
    /// Sn_MSSR as the driver wrote it; 0 and everything over the largest mean that.
    pub(crate) mss: u16,
    /// The largest segment that fits in a frame.
    pub(crate) largest_mss: u16,
    /// Whether each segment with data carries PSH, or only the last of what SEND was given.
    pub(crate) pushes_each: bool,
    /// The ND bit of Sn_MR: data is acknowledged at once.
    pub(crate) no_delayed_ack: bool,
    /// Sn_KPALVTR, in 5 s; 0 leaves keep-alive to the driver.
    pub(crate) keep_alive_time: u8,
    /// When SENDOK comes.
    pub(crate) send_ok: SendOk,
    /// How long TIME_WAIT stands.
    pub(crate) time_wait: Picoseconds,
}

impl Settings {
    /// The registers' reset values. TIME_WAIT is over at once: the datasheets put SOCK_CLOSED next to the FIN.
    pub(crate) fn at_reset() -> Self {
        Self {
            retry_time: 2_000,
            retry_count: 8,
            mss: 0,
            largest_mss: LARGEST_MSS,
            pushes_each: true,
            no_delayed_ack: false,
            keep_alive_time: 0,
            send_ok: SendOk::Sent,
            time_wait: Picoseconds::ZERO,
        }
    }

    /// How long the chip waits for an answer after `doublings` time-outs: RTR doubles as long as it fits in 16 bits
    /// (W5500 datasheet 1.0.9, RCR: RTRmax).
    pub(crate) fn retry_wait(&self, doublings: u8) -> Picoseconds {
        let retry_time = i64::from(self.retry_time.max(1));
        let most = self.retry_time.max(1).leading_zeros();
        Picoseconds::new((retry_time << u32::from(doublings).min(most)) * RETRY_UNIT_PS)
    }

    /// From the first transmission to the time-out that closes the socket (W5500 datasheet 1.0.9, RCR: TCPTO).
    pub(crate) fn final_wait(&self) -> Picoseconds {
        (0..=self.retry_count).fold(Picoseconds::ZERO, |sum, doublings| sum + self.retry_wait(doublings))
    }

    /// How long data may wait for its acknowledgement; at once with ND (ioLibrary, w5500.h, Sn_MR_ND).
    pub(crate) fn ack_delay(&self) -> Option<Picoseconds> {
        (!self.no_delayed_ack).then(|| self.retry_wait(0))
    }

    /// The silence after which the chip asks of its own accord.
    pub(crate) fn keep_alive_wait(&self) -> Option<Picoseconds> {
        let wait = Picoseconds::new(i64::from(self.keep_alive_time) * KEEP_ALIVE_UNIT_PS);
        (self.keep_alive_time != 0).then_some(wait)
    }

    /// The largest segment that the socket offers to receive.
    pub(crate) fn own_mss(&self) -> u16 {
        if self.mss == 0 { self.largest_mss } else { self.mss.min(self.largest_mss) }
    }
}
