//! What is behind the chip's SPI: registers, memories, sockets, the hardwired protocols, MAC and PHY, in virtual time. SPI
//! itself is not known here; `chip` translates its bytes to reads and writes of places.

mod arp;
mod buffers;
mod commands;
mod icmp;
mod icmpv6;
mod igmp;
mod interrupts;
mod ip;
mod ipv6;
mod mac;
mod mdio;
mod mld;
mod ndisc;
mod neighbours;
mod opened;
mod phy;
mod raw;
mod receive;
mod registers;
mod reset;
mod socket;
mod socketless;
mod tcp_seat;
mod udp;
mod warnings;

use std::collections::VecDeque;

use sim::RandomStream;
use units::Picoseconds;

use crate::chips::Facts;
use crate::map::{Common, Map, Registers};
use crate::types::Dropped;
use crate::{Model, Options, Sent};

use buffers::{Buffers, Split};
use interrupts::InterruptPin;
use mac::Mac;
use phy::{Phy, PhyTimes};
use reset::Power;
use socket::Socket;
use socketless::Errand;

pub(crate) use warnings::{Kind as WarningKind, Warnings};

/// Later than anything happens.
const NEVER: Picoseconds = Picoseconds::new(i64::MAX);

/// How many received frames wait to be looked at.
const MOST_IN_INBOX: usize = 64;

/// A chip without its SPI.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Core {
    options: Options,
    #[serde(with = "crate::chips::by_model")]
    facts: &'static Facts,
    now: Picoseconds,
    /// When something happens next; kept up to date by [`Self::settle`].
    next: Picoseconds,
    common: Registers<{ Common::COUNT }>,
    sockets: Vec<Socket>,
    buffers: Buffers,
    /// Whether each memory's split is legal, by side.
    splits: [Split; 2],
    mac: Mac,
    phy: Phy,
    power: Power,
    interrupt_pin: InterruptPin,
    /// Frames that have arrived, and when they have an effect.
    inbox: VecDeque<(Picoseconds, Vec<u8>)>,
    errand: Option<Errand>,
    /// Where the last segment came from, so that sockets take turns.
    last_served: usize,
    identification: u16,
    tick_base: Picoseconds,
    random: RandomStream,
    pub(crate) warnings: Warnings,
    dropped: Dropped,
}

impl Core {
    pub(crate) fn new(options: Options) -> Self {
        let facts = options.model.facts();
        let map = &facts.map;
        let mut core = Self {
            facts,
            now: Picoseconds::ZERO,
            next: NEVER,
            common: Registers::at_reset(map.common.registers),
            sockets: (0..map.socket_count).map(|_| Socket::at_reset(map)).collect(),
            buffers: Buffers::new(map.memory_bytes),
            splits: [Split::Legal; 2],
            mac: Mac::default(),
            phy: Phy::new(options.link_up_time),
            power: Power::on(facts),
            interrupt_pin: InterruptPin::default(),
            inbox: VecDeque::new(),
            errand: None,
            last_served: 0,
            identification: 0,
            tick_base: Picoseconds::ZERO,
            random: RandomStream::named(options.seed, "wiznet"),
            warnings: Warnings::default(),
            dropped: Dropped::default(),
            options,
        };
        core.split_buffers();
        core.settle();
        core
    }

    pub(crate) fn model(&self) -> Model {
        self.options.model
    }

    pub(crate) fn facts(&self) -> &'static Facts {
        self.facts
    }

    pub(crate) fn map(&self) -> &'static Map {
        &self.facts.map
    }

    pub(crate) fn now(&self) -> Picoseconds {
        self.now
    }

    pub(crate) fn dropped(&self) -> Dropped {
        let mut dropped = Dropped { untaken: self.mac.untaken, ..self.dropped };
        for socket in &self.sockets {
            let counters = socket.connection.counters();
            dropped.out_of_order_segments += counters.out_of_order;
            dropped.segments_beyond_window += counters.beyond_window;
            dropped.useless_segments += counters.duplicate + counters.unacceptable;
        }
        dropped
    }

    /// How long its PHY was in each state up to a time, and how long of that it has sent with 10 and with 100 Mbit/s.
    pub(crate) fn supply_times(&self, at: Picoseconds) -> (PhyTimes, [Picoseconds; 2]) {
        (self.phy.times(at), self.mac.sent_for)
    }

    pub(crate) fn take_sent(&mut self) -> Option<Sent> {
        self.mac.take_sent()
    }

    pub(crate) fn next_event(&self) -> Option<Picoseconds> {
        (self.next != NEVER).then_some(self.next)
    }

    /// Lets everything happen that is due up to and including `at`.
    pub(crate) fn advance(&mut self, at: Picoseconds) {
        const MOST_STEPS_AT_ONCE: u32 = 100_000;
        let mut steps_at_once = 0;
        while self.next <= at {
            if self.next > self.now {
                self.now = self.next;
                steps_at_once = 0;
            }
            steps_at_once += 1;
            assert!(steps_at_once < MOST_STEPS_AT_ONCE, "time stands still in the chip at {}", self.now);
            self.step();
            self.settle();
        }
        self.now = self.now.max(at);
    }

    /// Everything that is due now, in a fixed order.
    fn step(&mut self) {
        self.finish_reset();
        self.phy.advance(self.now);
        self.execute_due_commands();
        self.finish_sends();
        self.process_inbox();
        self.retry_resolutions();
        self.run_errand();
        self.advance_connections();
        self.pump_segments();
    }

    /// To be called after anything that may have changed when something happens next, or the interrupt pin.
    fn settle(&mut self) {
        self.update_interrupt_pin();
        let own = [
            self.phy.next_event(),
            self.mac.next_completion(),
            self.inbox.front().map(|&(at, _)| at),
            self.reset_event(),
            self.interrupt_event(),
            self.errand_event(),
            self.segment_event(),
        ];
        let of_sockets = self.sockets.iter().map(|socket| self.socket_event(socket));
        self.next = own.into_iter().chain(of_sockets).flatten().min().unwrap_or(NEVER);
    }

    fn socket_event(&self, socket: &Socket) -> Option<Picoseconds> {
        let command = socket.command.map(|command| command.due);
        let resolution = socket.resolution.map(|resolution| resolution.due);
        let connection = self.connection_event(socket);
        [command, resolution, connection].into_iter().flatten().min()
    }
}
