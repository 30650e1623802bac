//! One link in virtual time: a stimulus that triggers, the link that carries, and what became of every message.

use sim::{Component, ComponentId, Context, RandomStream, Span, World};
use units::Picoseconds;

use crate::carrier::Carrier;
use crate::program::Program;
use crate::schedule::{Schedule, Stimulus};
use crate::stage::GateClock;

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

/// Messages between the parts of the bench.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    /// To the stimulus: raise the trigger now.
    Fire,
    /// To the link: the trigger of this message has risen.
    Trigger(u64),
    /// To the link: what this message waited for has come.
    Resume(u64),
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
            carrier.tell_when_free(schedule.is_closed_loop().then_some(stimulus));
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

    /// Hands samples over in batches of at least this many, for one who may stop before the end.
    pub fn in_batches_of(mut self, samples: usize) -> Self {
        self.carrier().hand_over_every(samples);
        self
    }

    /// Runs on until some messages are finished; an empty batch means that all are. Samples come in the order of
    /// their triggers.
    pub fn next_batch(&mut self) -> Vec<Sample> {
        self.world.run();
        self.carrier().take_finished()
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

    /// The most messages that waited behind others at any time.
    pub fn longest_queue(&mut self) -> usize {
        self.carrier().longest_queue()
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
