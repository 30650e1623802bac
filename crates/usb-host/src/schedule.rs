//! Which transaction comes next and when: frames, periodic endpoints first, then the others in turn, NAKs tried again
//! at a fixed rate.
//!
//! A poll that would be answered with a NAK changes nothing that firmware can see, unless it asked to see NAKs. Such
//! polls are not carried out: the pipe sleeps until the device has an answer, and then goes on at the next of
//! the times at which it would have polled. So an idle device costs no event at all, and the times are the same. The
//! time on the bus that unseen polls would take from other pipes is left out.

use units::Picoseconds;

use crate::port::Endpoint;
use crate::port::{Answer, Device};
use crate::wire::{
    FRAME_END_BITS, FRAME_PS, GAP_BITS, HANDSHAKE_BITS, TOKEN_BITS, bit_times, longest_data_bits,
};
use crate::{UsbHost, Want};

/// Whose data a pipe carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Owner {
    Control,
    Serial(usize),
    SerialNotification(usize),
    Storage,
    Hid(usize),
    Network,
    NetworkNotification,
}

/// The host's end of an endpoint.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Pipe {
    pub(crate) owner: Owner,
    pub(crate) endpoint: Endpoint,
    pub(crate) max_packet_bytes: usize,
    /// Polls come at `not_before` and from there at this distance.
    pub(crate) period: Picoseconds,
    pub(crate) not_before: Picoseconds,
    pub(crate) periodic: bool,
    /// When the poll is due that the device will answer.
    pub(crate) due: Option<Picoseconds>,
    pub(crate) data1: bool,
    pub(crate) halted: bool,
    /// Transactions that failed in a row.
    pub(crate) errors: u8,
    /// Stalls in a row.
    pub(crate) stalls: u8,
}

impl Pipe {
    fn next_poll(&self, now: Picoseconds) -> Picoseconds {
        let late = (now - self.not_before).ps();
        if late <= 0 {
            return self.not_before;
        }
        let period = self.period.ps().max(1);
        let periods = late / period + i64::from(late % period != 0);
        Picoseconds::new(self.not_before.ps() + periods * period)
    }
}

/// A transaction that is to come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned {
    pub(crate) pipe: usize,
    pub(crate) start: Picoseconds,
    /// When the device has the token and decides on its answer.
    pub(crate) token_end: Picoseconds,
}

impl UsbHost {
    /// When the frame began in which a time lies.
    pub(crate) fn frame_start(&self, at: Picoseconds) -> Option<Picoseconds> {
        let first = self.frames?;
        let into = (at - first).ps().max(0) % FRAME_PS;
        Some(Picoseconds::new(at.ps().max(first.ps()) - into))
    }

    /// The first time in the next frame at which anything but the SOF can start.
    pub(crate) fn next_frame(&self, at: Picoseconds) -> Picoseconds {
        let start = self.frame_start(at).unwrap_or(at);
        Picoseconds::new(start.ps() + FRAME_PS) + bit_times(TOKEN_BITS + GAP_BITS)
    }

    /// Looks at every pipe again: what the host wants of it, and whether the device would answer.
    pub(crate) fn update_due(&mut self, device: &dyn Device, now: Picoseconds) {
        for pipe in 0..self.pipes.len() {
            let due = self.due(pipe, device, now);
            self.pipes[pipe].due = due;
        }
    }

    fn due(&self, index: usize, device: &dyn Device, now: Picoseconds) -> Option<Picoseconds> {
        let pipe = &self.pipes[index];
        let want = self.want(index);
        if want == Want::Nothing || pipe.halted || self.in_flight.is_some_and(|flight| flight.pipe == index) {
            return None;
        }
        let endpoint = Endpoint::new(pipe.endpoint.number, want == Want::Out);
        let worth_it = match device.answer(self.address, endpoint) {
            _ if want == Want::Setup => true,
            Answer::Buffer(_) | Answer::Stall => true,
            Answer::Nak => device.notices_nak(endpoint),
            Answer::Silence => pipe.owner == Owner::Control,
        };
        worth_it.then(|| pipe.due.unwrap_or_else(|| pipe.next_poll(now)))
    }

    /// The next transaction, if any pipe is due.
    pub(crate) fn plan(&self) -> Option<Planned> {
        if self.in_flight.is_some() || self.frames.is_none() {
            return None;
        }
        let start_of = |(pipe, due)| (self.fit(pipe, self.bus_free.max(due)), due, pipe);
        let due = self.pipes.iter().enumerate().filter_map(|(index, pipe)| Some((index, pipe.due?)));
        // Of those that could start at one time: periodic pipes, then whoever waits longest.
        let (start, _, pipe) = due
            .map(start_of)
            .min_by_key(|&(start, due, pipe)| (start, !self.pipes[pipe].periodic, due, pipe))?;
        Some(Planned { pipe, start, token_end: start + bit_times(TOKEN_BITS) })
    }

    /// The first time from `start` on at which a transaction of this pipe has room in its frame.
    fn fit(&self, pipe: usize, start: Picoseconds) -> Picoseconds {
        let Some(frame) = self.frame_start(start) else { return start };
        let start = start.max(frame + bit_times(TOKEN_BITS + GAP_BITS));
        let payload_bytes = match self.want(pipe) {
            Want::In => self.pipes[pipe].max_packet_bytes,
            _ => self.outgoing(pipe).payload().len(),
        };
        let bits =
            TOKEN_BITS + 2 * GAP_BITS + longest_data_bits(payload_bytes) + HANDSHAKE_BITS + FRAME_END_BITS;
        let fits = (start + bit_times(bits) - frame).ps() <= FRAME_PS;
        if fits { start } else { self.next_frame(start) }
    }

    /// Sets when a pipe may be polled again after a transaction that began at `start` and left the bus free.
    pub(crate) fn pace(&mut self, pipe: usize, start: Picoseconds, at_once: bool) {
        let (free, next_frame) = (self.bus_free, self.next_frame(start));
        let pipe = &mut self.pipes[pipe];
        pipe.not_before = if pipe.periodic {
            Picoseconds::new(next_frame.ps() + pipe.period.ps() - FRAME_PS)
        } else if at_once {
            free
        } else {
            free.max(start + pipe.period)
        };
    }
}
