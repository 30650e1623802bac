//! All that is seen of one board while messages are traced: accesses of its chips, sleeps, looks at a full UART, and its
//! processor function by function.

use attribution::frames::{self, Passage};
use attribution::looks::{self, Handled};
use attribution::{Evidence, Interval, Rank, Testimony, accesses, clock, held, pauses, radio, sleeps};
use board::Board;
use lan::{Deed, NetDevice};
use mcu::{Counts, Sleep, Slept, Waker};
use record::run_folder::Stage;
use sim::Cause;
use units::Picoseconds;
use wiznet::{Access, Options};

use super::super::prepare::ReadyBoard;
use super::cpu::Follower;

/// What moved.
#[derive(Debug, Clone, Copy, Default)]
struct Moved {
    transfers: u64,
    frames: u64,
}

impl Moved {
    /// All that did so far.
    fn of(board: &mut Board) -> Self {
        let counts = board.chip().memory_counts();
        let transfers =
            counts.iter().find(|(name, _)| *name == "dma_transfers").map_or(0, |(_, count)| *count);
        Self { transfers, frames: board.parts().passed().iter().map(|port| port.spi_frames).sum() }
    }
}

/// What was seen of a board.
pub(super) struct Witness {
    /// On the chip while it follows.
    follower: Option<Box<Follower>>,
    /// Counts where it began to follow.
    began: Option<Counts>,
    accesses: Vec<Access>,
    deeds: Vec<Deed>,
    sleeps: Vec<Slept>,
    full_uart: Vec<Picoseconds>,
    at_uart: Vec<(Picoseconds, Picoseconds)>,
    at_clock: Vec<(Picoseconds, Picoseconds)>,
    /// Times at the end of which core 0 slept on.
    asleep_on: Vec<(Picoseconds, Picoseconds)>,
    /// Frames for which the network's chip had no room, and how many there had been where it began to follow.
    dropped: Option<u64>,
    dropped_before: Option<u64>,
    /// Transfers of the DMA and frames of SPI, and how many of each there had been where it began to follow.
    moved: Moved,
    moved_before: Option<Moved>,
    /// Cycles in which the flash was waited for, of how many that the processor worked.
    stalled: (u64, f64),
}

impl Witness {
    pub(super) fn of(ready: &ReadyBoard) -> Self {
        Self {
            follower: Some(Box::new(Follower::new(ready.image.symbols().clone()))),
            began: None,
            accesses: Vec::new(),
            deeds: Vec::new(),
            sleeps: Vec::new(),
            full_uart: Vec::new(),
            at_uart: Vec::new(),
            at_clock: Vec::new(),
            asleep_on: Vec::new(),
            dropped: None,
            dropped_before: None,
            moved: Moved::default(),
            moved_before: None,
            stalled: (0, 0.0),
        }
    }

    /// Has the accesses of a board's chip and its waits kept from here on, or no longer.
    pub(super) fn record(board: &mut Board, on: bool) {
        if let Some(lan) = board.parts().lan() {
            lan.trace_accesses(on);
        }
        board.chip_mut().record_waits(on);
    }

    /// Follows the processor from here on.
    pub(super) fn follow(&mut self, board: &mut Board) {
        let follower: Option<Box<dyn mcu::Observer>> = self.follower.take().map(|follower| follower as _);
        board.chip_mut().observe(follower);
        self.began = Some(board.chip().counts());
        self.dropped_before = dropped_for_room(board);
        self.moved_before = Some(Moved::of(board));
    }

    /// Takes what was seen since it was asked last.
    pub(super) fn take(&mut self, board: &mut Board, accesses: Vec<Access>, deeds: Vec<Deed>) {
        let waits = board.chip_mut().take_waits();
        self.accesses.extend(accesses);
        self.deeds.extend(deeds);
        self.sleeps.extend(waits.sleeps);
        self.full_uart.extend(waits.full_uart);
        self.at_uart.extend(waits.at_uart);
        self.at_clock.extend(waits.at_clock);
    }

    /// Follows it no longer, after a time in which it did.
    pub(super) fn leave(&mut self, board: &mut Board, (from, to): (Picoseconds, Picoseconds)) {
        if board.chip().core(0).sleep != Sleep::Awake {
            self.asleep_on.push((from, to));
        }
        if let Some(before) = self.began.take() {
            let after = board.chip().counts();
            self.stalled.0 += after.flash_wait_cycles - before.flash_wait_cycles;
            let idle = after.idle_cycles[0] - before.idle_cycles[0];
            self.stalled.1 += ((after.cycles - before.cycles) - idle) as f64;
        }
        if let Some(before) = self.dropped_before.take() {
            *self.dropped.get_or_insert(0) += dropped_for_room(board).unwrap_or(before) - before;
        }
        if let Some(before) = self.moved_before.take() {
            let now = Moved::of(board);
            self.moved.transfers += now.transfers - before.transfers;
            self.moved.frames += now.frames - before.frames;
        }
        let now = board.now();
        let observer: Option<Box<dyn std::any::Any>> =
            board.chip_mut().observe(None).map(|observer| observer as _);
        self.follower = observer.and_then(|observer| observer.downcast().ok());
        if let Some(follower) = &mut self.follower {
            follower.pause(now);
        }
    }

    /// What it has seen among these frames, and the figures behind it. Of the time in `stretches` nothing was missed. A bulk
    /// transfer has no answers that the board could hold back.
    pub(super) fn testify(
        self,
        board: &mut Board,
        passages: &[Passage],
        stretches: &[(Picoseconds, Picoseconds)],
        is_bulk: bool,
        evidence: &mut Evidence,
    ) -> Testimony {
        evidence.sck_hz = board.parts().spi_clock_hz();
        let facts = board.parts().lan().and_then(|lan| lan.attached().find_map(NetDevice::facts));
        let mcu = board.chip().facts();
        let fastest_hz = board.chip().fastest_sck_hz();
        evidence.highest_sck_hz = facts.map(|facts| facts.highest_sck_hz.min(fastest_hz));
        (evidence.mcu_sck_hz, evidence.dma_channels) = (Some(fastest_hz), Some(mcu.dma_channels));
        let Moved { transfers, frames } = self.moved;
        evidence.dma_transfers_per_frame = (frames > 0).then(|| transfers as f64 / frames as f64);
        let saved = board.parts().lan().and_then(|lan| lan.power_save_milliamperes());
        evidence.power_save_milliamperes = saved;
        evidence.dropped_for_room = self.dropped;
        evidence.xip_stall_share = (self.stalled.1 > 0.0).then(|| self.stalled.0 as f64 / self.stalled.1);
        let clock_hz = evidence.sck_hz.unwrap_or(0);
        let over_spi = facts.map(|facts| accesses::intervals(&self.accesses, facts.model, clock_hz));
        let mut all = over_spi.unwrap_or_default();
        all.extend(radio::intervals(&self.deeds));
        let (asleep, poll_period) = sleeps::intervals(&self.sleeps, &self.accesses, stretches);
        evidence.poll_period_ps = poll_period.map(Picoseconds::ps);
        all.extend(asleep);
        all.extend(sleeps::console_waits(&self.full_uart, &self.at_uart));
        let follower = self.follower.expect("it came back from the chip");
        let handled: Vec<_> = follower.handled().iter().map(|&(from, to, _)| (from, to)).collect();
        all.extend(clock::relabel(follower.intervals(), &self.at_clock, &handled));
        all.extend(self.asleep_on.iter().map(|&(start, end)| {
            let stage = Stage::of_board(Cause::Sleep, None);
            Interval { start, end, rank: Rank::AsleepOn, stage, bytes: 0 }
        }));
        let receive_time = facts.filter(|_| !is_bulk).map(|facts| Options::of(facts.model).receive_time);
        if let Some(receive_time) = receive_time {
            all.extend(frames::taking_in(passages, receive_time));
            let by_timer = by_timer(board, &follower);
            all.extend(looks::waits(passages, &self.accesses, &by_timer, receive_time));
        }
        let holds = if is_bulk { Vec::new() } else { held::holds(passages, &self.accesses) };
        let mut intervals = held::relabel(all, &holds);
        evidence.held_period_ps = held::period(&held::waited(&holds, &intervals)).map(Picoseconds::ps);
        if let Some(receive_time) = receive_time {
            let pauses = pauses::pauses(passages, &self.accesses, receive_time, stretches);
            intervals = pauses::relabel(intervals, &pauses, &self.accesses);
        }
        intervals.sort_by_key(|interval| interval.start);
        Testimony { intervals, holds, accesses: self.accesses }
    }
}

fn dropped_for_room(board: &mut Board) -> Option<u64> {
    board.parts().lan().and_then(|lan| lan.attached().find_map(NetDevice::dropped_for_room))
}

/// The interrupts that a timer began, with what it set off.
fn by_timer(board: &Board, follower: &Follower) -> Vec<Handled> {
    let timers = follower.handled().iter().filter(|(.., began)| board.chip().waker(*began) == Waker::Timer);
    timers.map(|&(from, to, _)| (from, to)).collect()
}
