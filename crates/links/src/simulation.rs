//! One link in virtual time: a stimulus that triggers, the link that carries, and what became of every message.

use std::collections::VecDeque;

use sim::{Component, ComponentId, Context, RandomStream, Span, World};
use units::Picoseconds;

use crate::program::{Operation, Program, QUEUED};
use crate::schedule::{Schedule, Stimulus};
use crate::stage::{GateClock, Load, Passage, Visit};

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Its number, from 0.
    pub index: u64,
    /// The trigger edge.
    pub trigger: Picoseconds,
    /// The done edge, unless the message was lost.
    pub done: Option<Picoseconds>,
}

/// Samples are handed over in batches of this many.
const BATCH: usize = 4096;

/// Messages between the parts of the bench.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    /// To the stimulus: raise the trigger now.
    Fire,
    /// To the link: the trigger of this message has risen.
    Trigger(u64),
    /// To the link: what was waited for has come.
    Resume,
    /// To the link: take the next message that waits.
    Next,
    /// To the stimulus: the link is free again.
    Free,
}

#[derive(Debug)]
enum Actor {
    Stimulus(Box<Stimulus>),
    Link(Box<Carrier>),
}

impl Component for Actor {
    type Message = Event;

    fn receive(&mut self, message: Event, context: &mut Context<'_, Event>) {
        match self {
            Actor::Stimulus(stimulus) => stimulus.receive(message, context),
            Actor::Link(carrier) => carrier.receive(message, context),
        }
    }
}

/// A run of one link with one payload.
#[derive(Debug)]
pub struct Simulation {
    world: World<Actor>,
    link: ComponentId,
}

impl Simulation {
    /// Prepares `samples` messages. `path` names the random streams; `spans_of_first` messages leave spans.
    pub fn new(
        mut program: Program,
        payload_bytes: u32,
        schedule: &Schedule,
        samples: u64,
        seed: u64,
        path: &str,
        spans_of_first: u64,
    ) -> Self {
        let random = streams(&mut program, seed, path);
        let stimulus = Stimulus::new(schedule, samples, &mut program);
        let mut world = World::new(seed);
        world.spans_mut().switch(spans_of_first > 0);
        let link = Carrier::new(program, payload_bytes, random, spans_of_first);
        let link = world.add(&format!("{path}/link"), Actor::Link(Box::new(link)));
        let stimulus =
            world.add(&format!("{path}/trigger"), Actor::Stimulus(Box::new(stimulus.towards(link))));
        if let Actor::Link(carrier) = world.component_mut(link) {
            carrier.stimulus = schedule.is_closed_loop().then_some(stimulus);
        }
        if samples > 0 {
            let first = match world.component_mut(stimulus) {
                Actor::Stimulus(stimulus) => stimulus.first(),
                Actor::Link(_) => unreachable!("the second component is the stimulus"),
            };
            world.post(stimulus, first, Event::Fire);
        }
        Self { world, link }
    }

    /// Runs on until some messages are finished; an empty batch means that all are. Samples come in the order of
    /// their triggers.
    pub fn next_batch(&mut self) -> Vec<Sample> {
        self.world.run();
        std::mem::take(&mut self.carrier().finished)
    }

    /// Runs to the end.
    pub fn run(mut self) -> Vec<Sample> {
        let mut samples = Vec::new();
        loop {
            let batch = self.next_batch();
            if batch.is_empty() {
                return samples;
            }
            samples.extend(batch);
        }
    }

    /// The spans recorded since the last call: `activity` is an index into the program's parts.
    pub fn take_spans(&mut self) -> Vec<Span> {
        self.world.spans_mut().take()
    }

    /// The most messages that waited behind another one at any time.
    pub fn longest_queue(&mut self) -> usize {
        self.carrier().longest_queue
    }

    fn carrier(&mut self) -> &mut Carrier {
        match self.world.component_mut(self.link) {
            Actor::Link(carrier) => carrier,
            Actor::Stimulus(_) => unreachable!("the first component is the link"),
        }
    }
}

/// A random stream for each stage, named by what the stage does and by how many before it do the same, so that another
/// stage disturbs none; the gates' unknown phases are drawn from them.
fn streams(program: &mut Program, seed: u64, path: &str) -> Vec<RandomStream> {
    let mut names: Vec<String> = Vec::new();
    let mut settled: Vec<GateClock> = Vec::new();
    let mut streams = Vec::new();
    for placed in &mut program.placed {
        let name = placed.stage.parts().first().map_or_else(String::new, |part| part.name.clone());
        let before = names.iter().filter(|other| **other == name).count();
        let mut stream = RandomStream::named(seed, &format!("{path}/{name}/{before}"));
        for gate in placed.stage.gates() {
            // Stages that name the same gate wait for the same openings.
            if let Some(known) = settled.iter().find(|known| known.name() == gate.name()) {
                gate.lock(known.phase().expect("it is settled"), known.drift_ppb());
            } else {
                gate.settle(&mut stream);
                settled.push(gate.clone());
            }
        }
        names.push(name);
        streams.push(stream);
    }
    streams
}

/// The link: walks each message through the program, one at a time.
#[derive(Debug)]
struct Carrier {
    program: Program,
    random: Vec<RandomStream>,
    payload_bytes: u32,
    spans_of_first: u64,
    stimulus: Option<ComponentId>,
    waiting: VecDeque<(u64, Picoseconds)>,
    longest_queue: usize,
    transfer: Option<Transfer>,
    finished: Vec<Sample>,
    /// Kept between messages so that none allocates.
    loads: Vec<Load>,
    failures: Vec<u32>,
}

/// The message that the link carries now.
#[derive(Debug, Clone, Copy)]
struct Transfer {
    sample: Sample,
    operation: usize,
    entered: Picoseconds,
    stays: u32,
    leaving: Leaving,
}

/// What the awaited event means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaving {
    No,
    Onwards,
    Lost,
}

impl Carrier {
    fn new(program: Program, payload_bytes: u32, random: Vec<RandomStream>, spans_of_first: u64) -> Self {
        Self {
            failures: vec![0; program.scopes.len()],
            program,
            random,
            payload_bytes,
            spans_of_first,
            stimulus: None,
            waiting: VecDeque::new(),
            longest_queue: 0,
            transfer: None,
            finished: Vec::new(),
            loads: Vec::new(),
        }
    }

    fn receive(&mut self, message: Event, context: &mut Context<'_, Event>) {
        match message {
            Event::Trigger(index) if self.transfer.is_none() && self.waiting.is_empty() => {
                self.start(index, context.now(), context);
            }
            Event::Trigger(index) => {
                self.waiting.push_back((index, context.now()));
                self.longest_queue = self.longest_queue.max(self.waiting.len());
            }
            Event::Resume => self.resume(context),
            Event::Next => {
                let (index, trigger) = self.waiting.pop_front().expect("a message waits");
                self.start(index, trigger, context);
            }
            Event::Fire | Event::Free => unreachable!("these go to the stimulus"),
        }
    }

    fn start(&mut self, index: u64, trigger: Picoseconds, context: &mut Context<'_, Event>) {
        self.loads.clear();
        self.loads.push(Load::whole(self.payload_bytes));
        let now = context.now();
        let transfer = Transfer {
            sample: Sample { index, trigger, done: None },
            operation: 0,
            entered: now,
            stays: 0,
            leaving: Leaving::No,
        };
        self.span(&transfer, QUEUED, trigger, now, context);
        self.walk(transfer, context);
    }

    fn resume(&mut self, context: &mut Context<'_, Event>) {
        let mut transfer = self.transfer.take().expect("a wake-up belongs to a message");
        match transfer.leaving {
            Leaving::No => {}
            Leaving::Onwards => {
                transfer.operation += 1;
                (transfer.entered, transfer.stays) = (context.now(), 0);
            }
            Leaving::Lost => match self.after_loss(&transfer) {
                Some(operation) => {
                    transfer.operation = operation;
                    (transfer.entered, transfer.stays) = (context.now(), 0);
                }
                None => return self.finish(transfer, context),
            },
        }
        self.walk(transfer, context);
    }

    /// Where the message goes on after the stage lost its frame, or nowhere.
    fn after_loss(&mut self, transfer: &Transfer) -> Option<usize> {
        let Operation::Stage(stage) = self.program.operations[transfer.operation] else {
            unreachable!("only stages lose frames");
        };
        let mut scope = self.program.placed[stage].attempts;
        while let Some(index) = scope {
            let around = self.program.scopes[index];
            self.failures[index] += 1;
            if self.failures[index] <= around.retries {
                self.loads.truncate(around.depth + 1);
                return Some(around.again);
            }
            scope = around.outer;
        }
        None
    }

    /// Takes steps until one of them takes time.
    fn walk(&mut self, mut transfer: Transfer, context: &mut Context<'_, Event>) {
        loop {
            let Some(operation) = self.program.operations.get(transfer.operation) else {
                if transfer.sample.done.is_none() {
                    transfer.sample.done = Some(context.now());
                }
                return self.finish(transfer, context);
            };
            transfer.operation = match *operation {
                Operation::Stage(stage) => return self.pass(stage, transfer, context),
                Operation::Jump { to } => to,
                Operation::AttemptsBegin { scope } => {
                    self.failures[scope] = 0;
                    transfer.operation + 1
                }
                Operation::FramesBegin { limit_bytes } => {
                    let load = self.load();
                    self.loads.push(load.cut(limit_bytes, 0));
                    transfer.operation + 1
                }
                Operation::FramesEnd { limit_bytes, body } => {
                    let frame = self.loads.pop().expect("a frame ends in its loop");
                    if frame.frame_index + 1 < frame.frame_count {
                        let next = self.load().cut(limit_bytes, frame.frame_index + 1);
                        self.loads.push(next);
                        body
                    } else {
                        transfer.operation + 1
                    }
                }
                Operation::Done => {
                    if self.load().is_last && transfer.sample.done.is_none() {
                        transfer.sample.done = Some(context.now());
                    }
                    transfer.operation + 1
                }
            };
        }
    }

    fn load(&self) -> Load {
        *self.loads.last().expect("a message in transfer has a load")
    }

    /// Asks a stage, and waits for what it says.
    fn pass(&mut self, stage: usize, mut transfer: Transfer, context: &mut Context<'_, Event>) {
        let now = context.now();
        let load = self.load();
        let placed = &mut self.program.placed[stage];
        let passage = placed.stage.pass(&mut Visit {
            now,
            entered: transfer.entered,
            stays: transfer.stays,
            load,
            failures: placed.attempts.map_or(0, |scope| self.failures[scope]),
            random: &mut self.random[stage],
        });
        let first_part = placed.first_part;
        let (part, until, leaving) = match passage {
            Passage::Stay { part, until } => (part, until, Leaving::No),
            Passage::Leave { part, at } => (part, at, Leaving::Onwards),
            Passage::Lost { part, at } => (part, at, Leaving::Lost),
        };
        if leaving == Leaving::No {
            transfer.stays += 1;
        }
        transfer.leaving = leaving;
        self.span(&transfer, first_part + part, now, until, context);
        self.transfer = Some(transfer);
        context.wake_at(until, Event::Resume);
    }

    fn span(
        &self,
        transfer: &Transfer,
        part: usize,
        start: Picoseconds,
        end: Picoseconds,
        context: &mut Context<'_, Event>,
    ) {
        if transfer.sample.index >= self.spans_of_first || start == end {
            return;
        }
        let message = transfer.sample.index;
        let bytes = self.load().frame_bytes;
        context.spans().record(|| Span { actor: 0, activity: part as u32, message, start, end, bytes });
    }

    fn finish(&mut self, transfer: Transfer, context: &mut Context<'_, Event>) {
        self.finished.push(transfer.sample);
        if self.finished.len() >= BATCH {
            context.stop();
        }
        if !self.waiting.is_empty() {
            context.wake_at(context.now(), Event::Next);
        } else if let Some(stimulus) = self.stimulus {
            context.send_at(stimulus, context.now(), Event::Free);
        }
    }
}
