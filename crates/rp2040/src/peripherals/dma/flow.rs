//! A flow: the transfers of the channels that feed and empty one port, as long as each of them is a word that moves and
//! nothing else. What follows from the first and last transfer of a sequence, and from anybody else, is left to `mod.rs`; so the
//! bus may lead a flow without an appointment for each transfer.

use units::Picoseconds;

use super::arbiter::Arbiter;
use super::lane::Lane;
use super::schedule::Free;
use super::{Dma, NEVER, Transfer};
use crate::io::Io;
use crate::lines::Dreq;

/// A serial port, or a machine of a PIO block, as the DMA sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Port {
    /// Its data registers: where it is read, and where it is written.
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// It asks to be read.
    pub(crate) receive: Dreq,
    /// It asks to be written.
    pub(crate) transmit: Dreq,
    /// Which machine of its block it is, where it is one.
    pub(crate) machine: usize,
}

/// The channels of a flow, a bit each, and what they wait for. One of the two may be missing.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Channels {
    receiver: u16,
    transmitter: u16,
    receive: u64,
    transmit: u64,
    cycles: [u32; 2],
}

impl Channels {
    /// Whether a channel empties the port.
    #[inline]
    pub(crate) fn empty_it(&self) -> bool {
        self.receiver != 0
    }

    /// The channel that empties the port, where none feeds it.
    pub(super) fn only_receiver(&self) -> Option<usize> {
        (self.transmitter == 0 && self.receiver != 0).then(|| self.receiver.trailing_zeros() as usize)
    }

    /// Whether a channel empties it; otherwise it feeds it.
    #[inline]
    pub(crate) fn receives(&self, index: usize) -> bool {
        self.receiver >> index & 1 == 1
    }

    /// The channels that are asked for.
    #[inline]
    fn asked(&self, requests: u64) -> u16 {
        let of = |request: u64, channels: u16| if requests & request != 0 { channels } else { 0 };
        of(self.receive, self.receiver) | of(self.transmit, self.transmitter)
    }

    #[inline]
    fn cycles_of(&self, index: usize) -> u32 {
        self.cycles[usize::from(!self.receives(index))]
    }
}

/// What comes next in a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// A word moves.
    Transfer(Transfer),
    /// No channel can move now.
    Nothing,
    /// It is the turn of a channel beside the flow; nothing has changed yet.
    Others,
    /// A transfer that is more than a word that moves; nothing has changed yet.
    Special,
}

/// What follows on the end of each frame while a flow goes at an even pace: the port asks for a transfer of each channel, and all
/// of them are made before the next frame ends, after which everything is as before.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct Beat {
    /// Whether the word that was received is stored before the next one to be sent is read.
    pub(crate) receives_first: bool,
    /// From a frame's end to the first transfer, and to the last one.
    pub(crate) first: Picoseconds,
    pub(crate) last: Picoseconds,
    /// From a frame's end until the way to the bus is free again.
    free: Free,
    arbiter: Arbiter,
}

/// How the transfers follow on the words of a machine while all of them are alike: the one to it comes first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    /// From a request to its transfer, and how long the first one occupies the way to the bus.
    latency: Picoseconds,
    occupied: Picoseconds,
}

impl Steps {
    /// When the transfer comes that follows on a word that was taken then.
    #[inline]
    pub(crate) fn feeds_at(&self, taken: Picoseconds) -> Picoseconds {
        taken + self.latency
    }

    /// When the one comes that follows on a word that was given then, a cycle later at the least.
    #[inline]
    pub(crate) fn empties_at(&self, taken: Picoseconds, given: Picoseconds) -> Picoseconds {
        (given + self.latency).max(self.feeds_at(taken) + self.occupied)
    }
}

impl Dma {
    /// Whether a channel that is under way may write the word with this address before it ends its sequence.
    pub(crate) fn may_write(&self, address: u32) -> bool {
        self.busy_channels().any(|(_, channel)| {
            let (from, increment, ring) = channel.way(true);
            let from = from & !3;
            match (increment, ring) {
                (_, ring) if ring != u32::MAX => (from ^ address) & !(ring | 3) == 0,
                (0, _) => from == address & !3,
                _ => {
                    address.wrapping_sub(from) < channel.remaining.saturating_mul(increment).saturating_add(4)
                }
            }
        })
    }

    /// Whether a channel waits for one of these requests (a bit each).
    #[inline]
    pub(crate) fn hears(&self, requests: u64) -> bool {
        self.listening & requests != 0
    }

    /// Whether all channels that are about to move were asked by one of these requests.
    #[inline]
    pub(crate) fn is_asked_by(&self, requests: u64) -> bool {
        let mut ready = self.ready;
        while ready != 0 {
            if requests >> self.channels[ready.trailing_zeros() as usize].treq & 1 == 0 {
                return false;
            }
            ready &= ready - 1;
        }
        true
    }

    /// Those of these requests (a bit each) that a channel waits for.
    #[inline]
    pub(crate) fn heard(&self, requests: u64) -> u64 {
        self.listening & requests
    }

    /// The channels that feed and empty a port, if no other channel can move before the port or a register asks for it. A transfer
    /// from the port, and one to it, occupies the way to the bus for so many `cycles`. Where it may go on `beside_others`, these are
    /// channels that wait for nothing.
    pub(crate) fn channels_of(
        &self,
        port: &Port,
        cycles: [u32; 2],
        beside_others: bool,
        io: &Io,
    ) -> Option<Channels> {
        let (receive, transmit) = (1 << port.receive.0, 1 << port.transmit.0);
        if self.listening & (receive | transmit) == 0 {
            return None;
        }
        let receiver = self.listeners[usize::from(port.receive.0)];
        let transmitter = self.listeners[usize::from(port.transmit.0)];
        let others = self.ready & !(receiver | transmitter);
        let stands = |index: usize| self.standing >> self.channels[index].treq & 1 == 1;
        let alone = (others == 0
            || beside_others && (0..16).all(|index| others >> index & 1 == 0 || stands(index)))
            && io.lines.dreq() & self.listening & !(receive | transmit) == 0
            && self.next_tick == NEVER
            && self.schedule.is_of(io.clocks.sys_hz);
        let single = |channels: u16| channels & channels.wrapping_sub(1) == 0;
        let plain = |channels: u16, reads_port: bool| {
            let Some(channel) = self.channels.get(channels.trailing_zeros() as usize) else { return true };
            channel.credit == 0 && channel.stays_at(if reads_port { port.from } else { port.to }, reads_port)
        };
        let plain =
            single(receiver) && single(transmitter) && plain(receiver, true) && plain(transmitter, false);
        (alone && plain).then_some(Channels { receiver, transmitter, receive, transmit, cycles })
    }

    /// Requests stand: the channels that did not know yet may move after the latency. Gives when the next transfer is due, if that
    /// is another time than before.
    #[inline]
    pub(crate) fn hear(
        &mut self,
        channels: &Channels,
        requests: u64,
        now: Picoseconds,
    ) -> Option<Picoseconds> {
        let fresh = channels.asked(requests) & !self.ready;
        if fresh == 0 {
            return None;
        }
        self.set_ready(fresh, now);
        let due = self.next_due();
        (std::mem::replace(&mut self.due, due) != due).then_some(due)
    }

    /// Whose turn it is at `now`, when a transfer of the flow is due; `is_memory` tells from where words may be moved, or (true) to where.
    #[inline]
    pub(crate) fn next_in_flow(
        &mut self,
        channels: &Channels,
        requests: u64,
        now: Picoseconds,
        is_memory: impl Fn(u32, bool) -> bool,
    ) -> Next {
        let others = self.ready & !(channels.receiver | channels.transmitter);
        let ready = self.ready & (channels.asked(requests) | others);
        let (mut candidates, mut left) = (0, self.ready);
        while left != 0 {
            let index = left.trailing_zeros() as usize;
            left &= left - 1;
            if self.channels[index].remaining < 2 {
                return Next::Special;
            }
            candidates |= u16::from(self.ready_at[index] <= now) << index;
        }
        candidates &= ready;
        if candidates == 0 {
            return if self.ready == ready { Next::Nothing } else { Next::Special };
        }
        let mut arbiter = self.arbiter;
        let index = arbiter.pick(candidates, self.high);
        if others >> index & 1 == 1 {
            return Next::Others;
        }
        let transfer = self.transfer(index);
        let writes = channels.receives(index);
        if !is_memory(if writes { transfer.write_address } else { transfer.read_address }, writes) {
            return Next::Special;
        }
        self.arbiter = arbiter;
        self.ready = ready;
        self.schedule.begin(now);
        Next::Transfer(transfer)
    }

    /// A transfer of the flow is made, in which the memory let it wait for so many cycles; `requests` are those that stand now.
    #[inline]
    pub(crate) fn flowed(
        &mut self,
        channels: &Channels,
        index: usize,
        (value, waited): (u32, u32),
        requests: u64,
    ) {
        self.schedule.occupy(channels.cycles_of(index) + waited);
        self.sniff(index, value);
        self.channels[index].advance();
        if channels.asked(requests) >> index & 1 == 0 {
            self.ready &= !(1 << index);
        }
    }

    /// Whether transfers of the flow may be known to follow on each word: a channel transmits, and the sniffer watches neither.
    pub(crate) fn may_be_in_step(&self, channels: &Channels) -> bool {
        let all = channels.receiver | channels.transmitter;
        channels.transmitter != 0
            && !(0..16).any(|index| all >> index & 1 == 1 && self.sniffer.watches(index))
    }

    /// Whether the next transfers are one of each channel, made before `before`.
    #[inline]
    pub(crate) fn is_in_step(&self, channels: &Channels, before: Picoseconds) -> bool {
        let all = channels.receiver | channels.transmitter;
        let ready_at = |channel: u16| self.ready_at.get(channel.trailing_zeros() as usize).copied();
        let ready = ready_at(channels.transmitter).max(ready_at(channels.receiver));
        let begins = ready.unwrap_or(NEVER).max(self.schedule.free());
        self.ready == all && self.schedule.after_latency(begins) < before
    }

    /// The next transfer of those that are in step, which is made: whether it is one from the port, and when.
    #[inline]
    pub(crate) fn next_in_step(&mut self, channels: &Channels) -> Option<(bool, Picoseconds)> {
        if self.ready == 0 {
            return None;
        }
        let at = self.next_due();
        let is_ready = |channel: &u16| {
            self.ready & channel != 0 && self.ready_at[channel.trailing_zeros() as usize] <= at
        };
        let candidates =
            [channels.transmitter, channels.receiver].iter().filter(|channel| is_ready(channel)).sum();
        let index = self.arbiter.pick(candidates, self.high);
        self.ready &= !(1 << index);
        self.schedule.begin(at);
        self.schedule.occupy(channels.cycles_of(index));
        Some((channels.receives(index), at))
    }

    /// When the transfers follow on each word that a machine takes and, if it does, gives a few cycles later; nothing where turns are not
    /// taken as in the word before.
    pub(crate) fn steps(&self, channels: &Channels) -> Option<Steps> {
        let mut arbiter = self.arbiter;
        for channel in [channels.transmitter, channels.receiver].into_iter().filter(|&channel| channel != 0) {
            arbiter.pick(channel, self.high);
        }
        let mut schedule = self.schedule;
        schedule.free_after(Picoseconds::ZERO, Free::default());
        schedule.occupy(channels.cycles_of(channels.transmitter.trailing_zeros() as usize));
        let latency = self.schedule.after_latency(Picoseconds::ZERO);
        (arbiter == self.arbiter).then_some(Steps { latency, occupied: schedule.free() })
    }

    /// The end in memory of the channel that empties a port, and how long each of its words waits, where no other channel moves anything
    /// and turns are taken as before.
    pub(crate) fn emptied_alone(&self, channels: &Channels) -> Option<(Lane, Picoseconds)> {
        let index = channels.receiver.trailing_zeros() as usize;
        let channel = self.channels.get(index).filter(|_| channels.transmitter == 0 && self.ready == 0)?;
        let mut arbiter = self.arbiter;
        arbiter.pick(channels.receiver, self.high);
        let is_alone = arbiter == self.arbiter && !self.sniffer.watches(index);
        let latency = self.schedule.after_latency(Picoseconds::ZERO);
        is_alone.then(|| (Lane::new(channel, self.transfer(index), true), latency))
    }

    /// That channel goes on from there.
    pub(crate) fn leave_emptied(&mut self, channels: &Channels, lane: &Lane) {
        if let Some(channel) = self.channels.get_mut(channels.receiver.trailing_zeros() as usize) {
            channel.go_to(lane.address, true, lane.remaining);
        }
    }

    /// The transfers were made that follow on a word.
    pub(crate) fn step(&mut self, channels: &Channels, (taken, given): (Picoseconds, Picoseconds)) {
        self.ask_for_step(channels, (taken, given));
        while self.next_in_step(channels).is_some() {}
    }

    /// The channels may make the transfers that follow on a word.
    pub(crate) fn ask_for_step(&mut self, channels: &Channels, (taken, given): (Picoseconds, Picoseconds)) {
        self.set_ready(channels.transmitter, taken);
        self.set_ready(channels.receiver, given);
    }

    /// The channels go on from where those that were in step are.
    pub(crate) fn leave_lanes(
        &mut self,
        channels: &Channels,
        (transmitter, receiver): (&Lane, Option<&Lane>),
    ) {
        let ends = [(channels.transmitter, Some(transmitter), false), (channels.receiver, receiver, true)];
        for (mask, lane, writes) in ends {
            let channel = self.channels.get_mut(mask.trailing_zeros() as usize);
            if let (Some(channel), Some(lane)) = (channel, lane) {
                channel.go_to(lane.address, writes, lane.remaining);
            }
        }
    }

    /// Looks again when the next transfer of a flow is due.
    #[inline]
    pub(crate) fn expect(&mut self) -> Picoseconds {
        self.due = self.next_due();
        self.due
    }

    /// The beat of a flow whose frames end `frame` apart, if it can go at one and turns are taken as in the beat before.
    pub(crate) fn beat(&self, channels: &Channels, frame: Picoseconds) -> Option<Beat> {
        let mut waiting = channels.receiver | channels.transmitter;
        if !self.may_be_in_step(channels) {
            return None;
        }
        let mut schedule = self.schedule;
        schedule.free_after(Picoseconds::ZERO, Free::default());
        let (first, mut arbiter) = (schedule.after_latency(Picoseconds::ZERO), self.arbiter);
        schedule.begin(first);
        let mut last = first;
        let mut receives_first = None;
        while waiting != 0 {
            let index = arbiter.pick(waiting, self.high);
            waiting &= !(1 << index);
            receives_first.get_or_insert(channels.receives(index));
            last = schedule.free();
            schedule.occupy(channels.cycles_of(index));
        }
        let even = arbiter == self.arbiter && last < frame && schedule.free() < frame + first;
        let (receives_first, free) = (receives_first == Some(true), schedule.when_free());
        even.then_some(Beat { receives_first, first, last, free, arbiter })
    }

    /// Whether the next frame, which ends at `frame_end`, can be the first of a beat.
    #[inline]
    pub(crate) fn takes_up(&self, beat: &Beat, frame_end: Picoseconds) -> bool {
        self.ready == 0 && self.arbiter == beat.arbiter && frame_end + beat.first > self.schedule.free()
    }

    /// The ends of the transmitter and the receiver in memory.
    #[inline]
    pub(crate) fn lanes(&self, channels: &Channels) -> (Lane, Option<Lane>) {
        let lane = |mask: u16, writes| {
            let index = mask.trailing_zeros() as usize;
            self.channels.get(index).map(|channel| Lane::new(channel, self.transfer(index), writes))
        };
        let transmitter = lane(channels.transmitter, false).expect("a beat has a channel that transmits");
        (transmitter, lane(channels.receiver, true))
    }

    /// A beat ended with the transfers that follow on a frame's end.
    #[inline]
    pub(crate) fn end_beat(
        &mut self,
        channels: &Channels,
        beat: &Beat,
        frame_end: Picoseconds,
        (transmitter, receiver): (&Lane, Option<&Lane>),
    ) {
        self.schedule.free_after(frame_end, beat.free);
        self.leave_lanes(channels, (transmitter, receiver));
    }
}
