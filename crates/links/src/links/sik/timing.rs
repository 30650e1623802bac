//! The times of the SiK firmware: what `tdm.c` computes from the air rate, in ticks of its timer, and what a packet
//! really takes. Golay coding, listen-before-talk and duty cycles are left out.

use units::Picoseconds;

use crate::params::Params;

/// A full packet without its two bytes of trailer.
pub(super) const MAX_DATA_BYTES: i64 = 250;
/// What `packet.c` keeps free in a window: the trailer and 16 bytes.
const PACKET_OVERHEAD_BYTES: i64 = 18;
/// The bytes that a window still has room for are counted in 8 bits (`tdm_serial_loop`, `max_xmit`): of long windows the
/// firmware sees what is left beyond a multiple of this.
const ROOM_COUNT: i64 = 256;
/// With fewer bytes waiting, the last packet is sent again.
const RESEND_BELOW_BYTES: i64 = 32;
/// Nibbles of preamble beyond the ten that the round's timing assumes.
const EXTRA_PREAMBLE_NIBBLES: i64 = 6;
/// The trailer has 13 bits for what is left of a window.
const LONGEST_WINDOW_TICKS: i64 = 0x1fff;
/// The bytes of a statistics packet.
pub(super) const STATISTICS_BYTES: i64 = 4;

/// Everything in picoseconds that does not say ticks or bytes.
#[derive(Debug, Clone)]
pub(super) struct Timing {
    pub(super) half_round: i64,
    pub(super) window: i64,
    pub(super) statistics_period: i64,
    pub(super) byte_in: i64,
    pub(super) byte_out: i64,
    pub(super) resend: bool,
    tick: i64,
    latency_ticks: i64,
    byte_ticks: i64,
    air_byte: i64,
    frame_overhead_bytes: i64,
    transmit: i64,
    transmit_byte: i64,
    receive: i64,
    receive_byte: i64,
}

/// What the sender may do with what is left of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// It may send so many bytes at most.
    Bytes(i64),
    /// It finds no room, but will after so long.
    After(i64),
    /// It finds none before the next window.
    None,
}

/// What a user can set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choices {
    pub(super) baud: i64,
    pub(super) air_bits_per_s: i64,
    pub(super) max_window_ms: i64,
    pub(super) resend: bool,
}

impl Timing {
    pub(super) fn new(choices: Choices, params: &Params) -> Self {
        const PS_PER_S: i64 = 1_000_000_000_000;
        let timer_hz = params.integer("timer_clock_hz");
        let ticks = |count: i64| {
            let cycles = i128::from(count) * i128::from(params.integer("cycles_per_tick"));
            (cycles * i128::from(PS_PER_S) / i128::from(timer_hz)) as i64
        };
        let byte_ticks = (8 + 8_000_000 / choices.air_bits_per_s) / 16 + 1;
        let latency_ticks = 13 * byte_ticks + 13;
        let silence_ticks = 2 * latency_ticks;
        let window_ticks = (3 * (latency_ticks + MAX_DATA_BYTES * byte_ticks))
            .min(choices.max_window_ms * 62)
            .min(LONGEST_WINDOW_TICKS);
        let time = |name: &str| params.time(name).ps();
        Self {
            half_round: ticks(window_ticks + silence_ticks) - time("sync_advance"),
            window: ticks(window_ticks),
            statistics_period: ticks(params.integer("statistics_ticks")),
            byte_in: 10 * PS_PER_S / choices.baud,
            byte_out: 10 * PS_PER_S / choices.baud,
            resend: choices.resend,
            tick: ticks(1),
            latency_ticks: latency_ticks + EXTRA_PREAMBLE_NIBBLES / 2 * byte_ticks,
            byte_ticks,
            air_byte: 8 * PS_PER_S / choices.air_bits_per_s,
            frame_overhead_bytes: params.integer("frame_overhead_bytes"),
            transmit: time("transmit"),
            transmit_byte: time("transmit_per_byte"),
            receive: time("receive"),
            receive_byte: time("receive_per_byte"),
        }
    }

    /// From the moment that the sender takes a packet's bytes until it can take the next.
    pub(super) fn occupied(&self, bytes: i64) -> i64 {
        self.transmit + bytes * self.transmit_byte + (self.frame_overhead_bytes + bytes) * self.air_byte
    }

    /// From the moment that the sender takes a packet's bytes until the receiver has handled them.
    pub(super) fn delivered(&self, bytes: i64) -> i64 {
        self.occupied(bytes) + self.receive + bytes * self.receive_byte
    }

    /// How long a message is on the air where each of its packets goes once: nothing asks for one that is lost.
    pub(super) fn on_air(&self, payload_bytes: u32) -> Picoseconds {
        let bytes = i64::from(payload_bytes);
        let packets = (bytes + MAX_DATA_BYTES - 1) / MAX_DATA_BYTES;
        Picoseconds::new((packets * self.frame_overhead_bytes + bytes) * self.air_byte)
    }

    /// What the sender may do with so much of the window left.
    pub(super) fn room(&self, left: i64) -> Room {
        let free_ticks = left / self.tick - self.latency_ticks;
        if free_ticks < 0 {
            return Room::None;
        }
        let bytes = free_ticks / self.byte_ticks;
        let counted = bytes % ROOM_COUNT;
        if counted >= PACKET_OVERHEAD_BYTES {
            return Room::Bytes((counted - PACKET_OVERHEAD_BYTES).min(MAX_DATA_BYTES));
        }
        if bytes < ROOM_COUNT {
            return Room::None;
        }
        // The count starts at 255 again with the last tick before so many bytes are left.
        let ticks_left = (bytes - counted) * self.byte_ticks + self.latency_ticks;
        Room::After(left - ticks_left * self.tick + 1)
    }

    /// When a radio that has nothing to send gives its window away, or has sent its statistics first, since the opening.
    pub(super) fn given_away(&self, statistics: bool) -> i64 {
        let next_chance = |since: i64| match self.room(self.window - since) {
            Room::After(wait) => since + wait,
            Room::Bytes(_) | Room::None => since,
        };
        let first = next_chance(0);
        let last = if statistics { next_chance(first + self.occupied(STATISTICS_BYTES)) } else { first };
        last + self.delivered(0)
    }

    /// Whether a whole window has room for a byte.
    pub(super) fn carries(&self) -> bool {
        match self.room(self.window) {
            Room::Bytes(bytes) => bytes > 0,
            Room::After(_) => true,
            Room::None => false,
        }
    }

    /// Whether the last packet goes out again before anything new.
    pub(super) fn sends_again(&self, waiting: i64) -> bool {
        self.resend && waiting < RESEND_BELOW_BYTES
    }

    /// When the radio's serial port is done with one bit.
    pub(super) fn bit_out(&self) -> Picoseconds {
        Picoseconds::new(self.byte_out / 10)
    }
}
