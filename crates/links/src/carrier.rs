//! The link in a simulation: walks messages through its program, section by section, in the order of their triggers.

use std::collections::VecDeque;

use sim::{ComponentId, Context, RandomStream, Span};
use units::Picoseconds;

use crate::program::{Operation, Program, QUEUED, Section};
use crate::simulation::{Event, Sample};
use crate::stage::{Passage, Visit};
use crate::transfer::{Leaving, Place, Transfer, Transfers};

/// Samples are handed over in batches of this many, unless a caller wants others.
const BATCH: usize = 4096;

/// What one message at a time may use.
#[derive(Debug, Default)]
struct Server {
    is_busy: bool,
    waiting: VecDeque<u64>,
}

/// The link.
#[derive(Debug)]
pub(crate) struct Carrier {
    program: Program,
    random: Vec<RandomStream>,
    payload_bytes: u32,
    spans_of_first: u64,
    stimulus: Option<ComponentId>,
    servers: Vec<Server>,
    transfers: Transfers,
    longest_queue: usize,
    /// Messages that can take steps now.
    ready: VecDeque<u64>,
    finished: Vec<Sample>,
    batch: usize,
}

impl Carrier {
    pub(crate) fn new(
        program: Program,
        payload_bytes: u32,
        random: Vec<RandomStream>,
        spans_of_first: u64,
    ) -> Self {
        Self {
            servers: (0..program.servers).map(|_| Server::default()).collect(),
            program,
            random,
            payload_bytes,
            spans_of_first,
            stimulus: None,
            transfers: Transfers::default(),
            longest_queue: 0,
            ready: VecDeque::new(),
            finished: Vec::new(),
            batch: BATCH,
        }
    }

    pub(crate) fn hand_over_every(&mut self, samples: usize) {
        self.batch = samples;
    }

    /// The stimulus of a closed loop waits until nothing is under way.
    pub(crate) fn tell_when_free(&mut self, stimulus: Option<ComponentId>) {
        self.stimulus = stimulus;
    }

    pub(crate) fn take_finished(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.finished)
    }

    pub(crate) fn longest_queue(&self) -> usize {
        self.longest_queue
    }

    pub(crate) fn receive(&mut self, message: Event, context: &mut Context<'_, Event>) {
        match message {
            Event::Trigger(index) => {
                let sample = Sample { index, trigger: context.now(), done: None };
                self.transfers.add(sample, self.payload_bytes, self.program.scopes.len(), context.now());
                self.ready.push_back(index);
            }
            Event::Resume(id) => self.resume(id, context),
            Event::Fire | Event::Free => unreachable!("these go to the stimulus"),
        }
        while let Some(id) = self.ready.pop_front() {
            self.walk(id, context);
        }
        self.hand_over(context);
    }

    fn hand_over(&mut self, context: &mut Context<'_, Event>) {
        let before = self.finished.len();
        self.transfers.take_finished(&mut self.finished);
        if self.finished.len() >= self.batch {
            context.stop();
        }
        if let Some(stimulus) = self.stimulus
            && self.finished.len() > before
            && self.transfers.is_empty()
        {
            context.send_at(stimulus, context.now(), Event::Free);
        }
    }

    /// What a message waited for has come.
    fn resume(&mut self, id: u64, context: &mut Context<'_, Event>) {
        let now = context.now();
        let transfer = self.transfers.get(id);
        match transfer.leaving {
            Leaving::No => {}
            Leaving::Onwards => {
                transfer.operation += 1;
                (transfer.entered, transfer.stays) = (now, 0);
            }
            Leaving::Lost => match Self::after_loss(&self.program, transfer) {
                Some(operation) => {
                    transfer.operation = operation;
                    (transfer.entered, transfer.stays) = (now, 0);
                }
                None => return self.finish(id),
            },
        }
        self.ready.push_back(id);
    }

    /// Where the message goes on after the stage lost its frame, or nowhere.
    fn after_loss(program: &Program, transfer: &mut Transfer) -> Option<usize> {
        let Operation::Stage(stage) = program.operations[transfer.operation] else {
            unreachable!("only stages lose frames");
        };
        let mut scope = program.placed[stage].attempts;
        while let Some(index) = scope {
            let around = program.scopes[index];
            transfer.failures[index] += 1;
            if transfer.failures[index] <= around.retries {
                transfer.loads.truncate(around.depth + 1);
                return Some(around.again);
            }
            scope = around.outer;
        }
        None
    }

    /// Takes steps until one of them takes time.
    fn walk(&mut self, id: u64, context: &mut Context<'_, Event>) {
        loop {
            let transfer = self.transfers.get(id);
            let Some(operation) = self.program.operations.get(transfer.operation) else {
                if self.is_held(id, context) {
                    return;
                }
                self.transfers.get(id).done(context.now());
                return self.finish(id);
            };
            transfer.operation = match *operation {
                Operation::Stage(stage) => {
                    if self.pass(stage, id, context) {
                        return;
                    }
                    continue;
                }
                Operation::Enter(section) => {
                    if !self.enter(section, id, context) {
                        return;
                    }
                    continue;
                }
                Operation::Jump { to } => to,
                Operation::AttemptsBegin { scope } => {
                    transfer.failures[scope] = 0;
                    transfer.operation + 1
                }
                Operation::FramesBegin { limit_bytes } => {
                    let load = transfer.load();
                    transfer.loads.push(load.cut(limit_bytes, 0));
                    transfer.operation + 1
                }
                Operation::FramesEnd { limit_bytes, body } => {
                    let frame = transfer.loads.pop().expect("a frame ends in its loop");
                    if frame.frame_index + 1 < frame.frame_count {
                        let next = transfer.load().cut(limit_bytes, frame.frame_index + 1);
                        transfer.loads.push(next);
                        body
                    } else {
                        transfer.operation + 1
                    }
                }
                Operation::Done => {
                    if transfer.load().is_last {
                        transfer.done(context.now());
                    }
                    transfer.operation + 1
                }
            };
        }
    }

    /// Whether a message at the end of its section waits for the one before to leave it.
    fn is_held(&mut self, id: u64, context: &mut Context<'_, Event>) -> bool {
        let held = self.transfers.is_behind_another(id);
        let transfer = self.transfers.get(id);
        if held && transfer.place != Place::Held {
            (transfer.place, transfer.accounted) = (Place::Held, context.now());
        } else if !held && transfer.place == Place::Held {
            transfer.place = Place::Inside;
            self.account(id, QUEUED, context.now(), context);
        }
        held
    }

    /// Leaves the section before, and comes into this one; says whether it could.
    fn enter(&mut self, section: usize, id: u64, context: &mut Context<'_, Event>) -> bool {
        let now = context.now();
        let Section { server, batch_bytes } = self.program.sections[section];
        let is_granted = self.transfers.get(id).place == Place::Granted;
        if !is_granted {
            if section > 0 {
                if self.is_held(id, context) {
                    return false;
                }
                self.leave(id, section);
            }
            self.transfers.get(id).arrived = now;
            if let Some(server) = server
                && std::mem::replace(&mut self.servers[server].is_busy, true)
            {
                return self.queue(server, id, now);
            }
        }
        if let (Some(server), Some(limit_bytes)) = (server, batch_bytes) {
            self.transfers.merge(id, &mut self.servers[server].waiting, limit_bytes);
        }
        if is_granted {
            self.account(id, QUEUED, now, context);
        }
        let transfer = self.transfers.get(id);
        transfer.operation += 1;
        (transfer.place, transfer.entered, transfer.accounted) = (Place::Inside, now, now);
        transfer.stays = 0;
        true
    }

    fn queue(&mut self, server: usize, id: u64, now: Picoseconds) -> bool {
        let transfer = self.transfers.get(id);
        (transfer.place, transfer.accounted) = (Place::Queued, now);
        self.servers[server].waiting.push_back(id);
        let waiting: usize = self.servers.iter().map(|server| server.waiting.len()).sum();
        self.longest_queue = self.longest_queue.max(waiting);
        false
    }

    /// Leaves its section for a later one: others may follow.
    fn leave(&mut self, id: u64, to: usize) {
        let transfer = self.transfers.get(id);
        let from = std::mem::replace(&mut transfer.section, to);
        if let Some(next) = self.transfers.held_behind(id, from) {
            self.ready.push_back(next);
        }
        let Some(server) = self.program.sections[from].server else { return };
        match self.servers[server].waiting.pop_front() {
            Some(next) => {
                self.transfers.get(next).place = Place::Granted;
                self.ready.push_back(next);
            }
            None => self.servers[server].is_busy = false,
        }
    }

    /// Asks a stage; says whether its answer takes time.
    fn pass(&mut self, stage: usize, id: u64, context: &mut Context<'_, Event>) -> bool {
        let now = context.now();
        let placed = &mut self.program.placed[stage];
        let transfer = self.transfers.get(id);
        let passage = placed.stage.pass(&mut Visit {
            now,
            entered: transfer.entered,
            arrived: transfer.arrived,
            message: id,
            stays: transfer.stays,
            load: transfer.load(),
            failures: placed.attempts.map_or(0, |scope| transfer.failures[scope]),
            random: &mut self.random[stage],
        });
        let first_part = placed.first_part;
        let (part, until, leaving) = match passage {
            Passage::Wait { until } => (None, until, Leaving::No),
            Passage::Stay { part, until } => (Some(part), until, Leaving::No),
            Passage::Leave { part, at } => (Some(part), at, Leaving::Onwards),
            Passage::Lost { part, at } => (Some(part), at, Leaving::Lost),
        };
        transfer.leaving = leaving;
        if let Some(part) = part {
            transfer.stays += u32::from(leaving == Leaving::No);
            self.account(id, first_part + part, until, context);
        } else {
            let backlog = self.program.placed[stage].stage.backlog();
            self.longest_queue = self.longest_queue.max(backlog);
        }
        if until < now {
            return false;
        }
        context.wake_at(until, Event::Resume(id));
        true
    }

    /// Says what a message's time was spent on, up to `end`.
    fn account(&mut self, id: u64, part: usize, end: Picoseconds, context: &mut Context<'_, Event>) {
        let spans_of_first = self.spans_of_first;
        let transfer = self.transfers.get(id);
        let start = std::mem::replace(&mut transfer.accounted, end);
        if start == end || transfer.id() >= spans_of_first {
            return;
        }
        let bytes = transfer.load().frame_bytes;
        for sample in transfer.samples.iter().filter(|sample| sample.index < spans_of_first) {
            let message = sample.index;
            context.spans().record(|| Span { actor: 0, activity: part as u32, message, start, end, bytes });
        }
    }

    fn finish(&mut self, id: u64) {
        let transfer = self.transfers.get(id);
        transfer.place = Place::Finished;
        let section = transfer.section;
        self.leave(id, section);
    }
}
