//! What keeps a connection from sending more, and for how long: as Linux counts it (`tcpi_busy_time`, `tcpi_rwnd_limited` and
//! `tcpi_sndbuf_limited` of `TCP_INFO`), with the congestion window and an application that has nothing to send beside it.

use units::Picoseconds;

/// How long a connection was kept from sending, by what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpLimits {
    /// The application had nothing to send.
    pub application: Picoseconds,
    /// It had, but the buffer was full of what is not acknowledged.
    pub send_buffer: Picoseconds,
    /// What waits does not fit the window that the peer offers.
    pub receive_window: Picoseconds,
    /// It does, but not the congestion window.
    pub congestion_window: Picoseconds,
}

/// What keeps a connection from sending at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Application,
    SendBuffer,
    ReceiveWindow,
    CongestionWindow,
}

/// Keeps the account.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    since: Picoseconds,
    present: Option<Limit>,
    passed: TcpLimits,
}

impl Limits {
    /// From now on it is this.
    pub(super) fn note(&mut self, now: Picoseconds, limit: Option<Limit>) {
        self.passed = self.until(now);
        self.since = now;
        self.present = limit;
    }

    /// The account up to a time.
    pub(super) fn until(&self, now: Picoseconds) -> TcpLimits {
        let mut passed = self.passed;
        let time = match self.present {
            None => return passed,
            Some(Limit::Application) => &mut passed.application,
            Some(Limit::SendBuffer) => &mut passed.send_buffer,
            Some(Limit::ReceiveWindow) => &mut passed.receive_window,
            Some(Limit::CongestionWindow) => &mut passed.congestion_window,
        };
        *time = *time + (now - self.since);
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_goes_to_what_was_in_the_way_then() {
        let at = Picoseconds::from_ns;
        let mut limits = Limits::default();
        limits.note(at(10), Some(Limit::ReceiveWindow));
        limits.note(at(15), None);
        limits.note(at(40), Some(Limit::Application));
        limits.note(at(47), Some(Limit::ReceiveWindow));
        let found = limits.until(at(50));
        assert_eq!((found.receive_window, found.application), (at(8), at(7)));
        assert_eq!((found.congestion_window, found.send_buffer), (at(0), at(0)));
    }
}
