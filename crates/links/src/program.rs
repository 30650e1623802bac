//! A link as a program: the tree of steps that every message walks through, and its budget in closed form.

use units::Picoseconds;

use crate::budget::{Budget, BudgetLine};
use crate::stage::{Cause, GateClock, Load, Part, Stage};

/// Index of the part that every link has: waiting behind earlier messages.
pub(crate) const QUEUED: usize = 0;

/// Steps in the order in which a message takes them.
#[derive(Debug, Default)]
pub struct Steps(Vec<Step>);

#[derive(Debug)]
enum Step {
    Stage(Box<dyn Stage>),
    Frames { limit_bytes: u32, body: Steps },
    Attempts { retries: u32, body: Steps, again: Steps },
    Section { sharing: Sharing, body: Steps },
    Done,
}

/// How many messages are in a section of the program at once. Messages never overtake each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Any number: each goes through as if it were alone.
    Together,
    /// One at a time, also among the sections of the same name.
    Exclusive(&'static str),
    /// One transfer at a time; it takes along all messages that wait, up to so many bytes.
    Batched(u32),
}

impl Steps {
    /// No steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a stage.
    #[must_use]
    pub fn stage(mut self, stage: impl Stage + 'static) -> Self {
        self.0.push(Step::Stage(Box::new(stage)));
        self
    }

    /// Adds a stage where there is one.
    #[must_use]
    pub fn maybe(self, stage: Option<impl Stage + 'static>) -> Self {
        match stage {
            Some(stage) => self.stage(stage),
            None => self,
        }
    }

    /// Cuts the message (or the frame of an outer loop) into frames of at most `limit_bytes` and takes `body` once
    /// for each.
    ///
    /// # Panics
    /// When the limit is zero.
    #[must_use]
    pub fn frames(mut self, limit_bytes: u32, body: Steps) -> Self {
        assert!(limit_bytes > 0, "a frame carries something");
        self.0.push(Step::Frames { limit_bytes, body });
        self
    }

    /// Takes `body`; where one of its stages loses the frame, takes `again` and then `body` anew, at most `retries`
    /// times before the frame is lost to whatever encloses this.
    #[must_use]
    pub fn attempts(mut self, retries: u32, body: Steps, again: Steps) -> Self {
        self.0.push(Step::Attempts { retries, body, again });
        self
    }

    /// Takes `body` without waiting for the messages before: what only delays, and gates at which messages wait side
    /// by side. Steps outside of sections take one message at a time. Sections stand on the outermost level; within
    /// another one they mean nothing. A stage in here keeps nothing of one message between its answers.
    #[must_use]
    pub fn together(self, body: Steps) -> Self {
        self.section(Sharing::Together, body)
    }

    /// Takes `body` when no other message is in a section of this name, such as hops over one radio channel.
    #[must_use]
    pub fn exclusive(self, name: &'static str, body: Steps) -> Self {
        self.section(Sharing::Exclusive(name), body)
    }

    /// Takes `body` when no other message is in it, and takes along what waits meanwhile: up to `limit_bytes` become
    /// one load, as writes do that TCP holds back.
    #[must_use]
    pub fn batched(self, limit_bytes: u32, body: Steps) -> Self {
        self.section(Sharing::Batched(limit_bytes), body)
    }

    /// Sections within a section are part of it.
    fn flattened(self) -> Self {
        let plain = |step| match step {
            Step::Section { body, .. } => body.flattened().0,
            other => vec![other],
        };
        Self(self.0.into_iter().flat_map(plain).collect())
    }

    fn section(mut self, sharing: Sharing, body: Steps) -> Self {
        self.0.push(Step::Section { sharing, body });
        self
    }

    /// The done edge, when the message's last frame comes by for the first time. Later steps only keep the link
    /// busy. A program without it is done at its end.
    #[must_use]
    pub fn done(mut self) -> Self {
        self.0.push(Step::Done);
        self
    }

    /// Adds other steps.
    #[must_use]
    pub fn then(mut self, mut steps: Steps) -> Self {
        self.0.append(&mut steps.0);
        self
    }
}

/// A stage in its place.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) stage: Box<dyn Stage>,
    pub(crate) first_part: usize,
    /// The innermost attempts around it.
    pub(crate) attempts: Option<usize>,
}

/// The attempts around a stage, as the flat program needs them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttemptScope {
    pub(crate) retries: u32,
    /// The first operation of the steps between two attempts.
    pub(crate) again: usize,
    /// How many frame loops enclose it.
    pub(crate) depth: usize,
    pub(crate) outer: Option<usize>,
}

/// One operation of the flat program.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operation {
    /// What follows belongs to this section.
    Enter(usize),
    Stage(usize),
    FramesBegin {
        limit_bytes: u32,
    },
    FramesEnd {
        limit_bytes: u32,
        body: usize,
    },
    AttemptsBegin {
        scope: usize,
    },
    Jump {
        to: usize,
    },
    Done,
}

#[derive(Debug)]
enum Node {
    Stage(usize),
    Frames { limit_bytes: u32, body: Vec<Node> },
    Attempts { retries: u32, body: Vec<Node>, again: Vec<Node> },
    Done,
}

/// A section of the flat program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    /// Where a message waits for its turn; nowhere in a section that takes any number.
    pub(crate) server: Option<usize>,
    /// The most bytes of messages that are carried as one, where they are.
    pub(crate) batch_bytes: Option<u32>,
}

/// A link, ready to carry messages.
#[derive(Debug)]
pub struct Program {
    pub(crate) placed: Vec<Placed>,
    pub(crate) sections: Vec<Section>,
    /// How many servers the sections name.
    pub(crate) servers: usize,
    pub(crate) scopes: Vec<AttemptScope>,
    pub(crate) operations: Vec<Operation>,
    tree: Vec<Node>,
    parts: Vec<Part>,
}

impl From<Steps> for Program {
    fn from(steps: Steps) -> Self {
        let mut program = Self {
            placed: Vec::new(),
            sections: Vec::new(),
            servers: 0,
            scopes: Vec::new(),
            operations: Vec::new(),
            tree: Vec::new(),
            parts: vec![Part::new("queued behind an earlier message", Cause::Queue)],
        };
        program.place_sections(steps);
        program
    }
}

impl Program {
    /// Lays out the outermost level: steps between declared sections are sections of their own.
    fn place_sections(&mut self, steps: Steps) {
        let mut channels: Vec<&'static str> = Vec::new();
        let mut is_open = false;
        for step in steps.0 {
            let (sharing, body) = match step {
                Step::Section { sharing, body } => (Some(sharing), body),
                plain => (None, Steps(vec![plain])),
            };
            if sharing.is_some() || !is_open {
                let section = self.section(sharing, &mut channels);
                self.operations.push(Operation::Enter(self.sections.len()));
                self.sections.push(section);
            }
            is_open = sharing.is_none();
            let nodes = self.place(body.flattened(), None, 0);
            self.tree.extend(nodes);
        }
    }

    fn section(&mut self, sharing: Option<Sharing>, channels: &mut Vec<&'static str>) -> Section {
        let batch_bytes = match sharing {
            Some(Sharing::Together) => return Section { server: None, batch_bytes: None },
            Some(Sharing::Batched(limit_bytes)) => Some(limit_bytes),
            _ => None,
        };
        // What has no name shares its server with nothing.
        let name = if let Some(Sharing::Exclusive(name)) = sharing { name } else { "" };
        let known = channels.iter().position(|known| !name.is_empty() && *known == name);
        let server = known.unwrap_or_else(|| {
            channels.push(name);
            channels.len() - 1
        });
        self.servers = channels.len();
        Section { server: Some(server), batch_bytes }
    }

    fn place(&mut self, steps: Steps, attempts: Option<usize>, depth: usize) -> Vec<Node> {
        steps.0.into_iter().map(|step| self.place_step(step, attempts, depth)).collect()
    }

    fn place_step(&mut self, step: Step, attempts: Option<usize>, depth: usize) -> Node {
        match step {
            Step::Done => {
                self.operations.push(Operation::Done);
                Node::Done
            }
            Step::Stage(stage) => {
                let index = self.placed.len();
                let first_part = self.parts.len();
                self.parts.extend(stage.parts());
                self.placed.push(Placed { stage, first_part, attempts });
                self.operations.push(Operation::Stage(index));
                Node::Stage(index)
            }
            Step::Frames { limit_bytes, body } => {
                self.operations.push(Operation::FramesBegin { limit_bytes });
                let start = self.operations.len();
                let body = self.place(body, attempts, depth + 1);
                self.operations.push(Operation::FramesEnd { limit_bytes, body: start });
                Node::Frames { limit_bytes, body }
            }
            Step::Section { .. } => panic!("a section of a program is on its outermost level"),
            Step::Attempts { retries, body, again } => {
                self.place_attempts(retries, body, again, attempts, depth)
            }
        }
    }

    /// Lays out: begin, body, jump past `again`, again, jump to body.
    fn place_attempts(
        &mut self,
        retries: u32,
        body: Steps,
        again: Steps,
        outer: Option<usize>,
        depth: usize,
    ) -> Node {
        let scope = self.scopes.len();
        self.scopes.push(AttemptScope { retries, again: 0, depth, outer });
        self.operations.push(Operation::AttemptsBegin { scope });
        let start = self.operations.len();
        let body = self.place(body, Some(scope), depth);
        let jump = self.operations.len();
        self.operations.push(Operation::Jump { to: 0 });
        self.scopes[scope].again = self.operations.len();
        let again = self.place(again, outer, depth);
        self.operations.push(Operation::Jump { to: start });
        self.operations[jump] = Operation::Jump { to: self.operations.len() };
        Node::Attempts { retries, body, again }
    }

    /// What the link's time is spent on. Part 0 is the wait behind earlier messages; parts of the same name (a stage
    /// that is used in two places) count as one wherever they are shown.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The gates whose phase a run may fix.
    pub fn gates(&mut self) -> Vec<&mut GateClock> {
        self.placed.iter_mut().flat_map(|placed| placed.stage.gates()).collect()
    }

    /// The mean time of each part for a delivered message, on an idle link whose clock phases are unknown.
    pub fn budget(&self, payload_bytes: u32) -> Vec<BudgetLine> {
        let mut means = vec![0.0; self.parts.len()];
        let mut done = false;
        self.add_steps(&self.tree, &Load::whole(payload_bytes), 1.0, &mut done, &mut means);
        let mut lines: Vec<BudgetLine> = Vec::new();
        for (part, mean) in self.parts.iter().zip(means).skip(1) {
            let mean = Picoseconds::new(libm::round(mean) as i64);
            match lines.iter_mut().find(|line| line.name == part.name) {
                Some(line) => line.mean = line.mean + mean,
                None => lines.push(BudgetLine { name: part.name.clone(), cause: part.cause, mean }),
            }
        }
        lines
    }

    fn add_steps(&self, nodes: &[Node], load: &Load, weight: f64, done: &mut bool, means: &mut [f64]) {
        for node in nodes {
            if *done {
                return;
            }
            match node {
                Node::Done => *done = load.is_last,
                Node::Stage(index) => self.add_stage(*index, load, weight, means),
                Node::Frames { limit_bytes, body } => {
                    let count = load.cut(*limit_bytes, 0).frame_count;
                    for index in 0..count {
                        self.add_steps(body, &load.cut(*limit_bytes, index), weight, done, means);
                    }
                }
                Node::Attempts { retries, body, again } => {
                    self.add_failures(*retries, body, again, load, weight, means);
                    self.add_steps(body, load, weight, done, means);
                }
            }
        }
    }

    fn add_stage(&self, index: usize, load: &Load, weight: f64, means: &mut [f64]) {
        let placed = &self.placed[index];
        placed.stage.budget(load, &mut Budget::new(&mut means[placed.first_part..], weight));
    }

    fn add_loss(&self, index: usize, load: &Load, weight: f64, means: &mut [f64]) {
        let placed = &self.placed[index];
        placed.stage.budget_of_loss(load, &mut Budget::new(&mut means[placed.first_part..], weight));
    }

    /// Adds the failed attempts before the one that gets through: a stage is part of a failed attempt as often as
    /// the attempt fails there, or passes it and fails later.
    fn add_failures(
        &self,
        retries: u32,
        body: &[Node],
        again: &[Node],
        load: &Load,
        weight: f64,
        means: &mut [f64],
    ) {
        let success = self.survival(body, load);
        let failures = weight * mean_failures(1.0 - success, retries);
        if failures == 0.0 {
            return;
        }
        let mut reached = 1.0;
        for node in body {
            if matches!(node, Node::Done) && load.is_last {
                break;
            }
            let node_only = std::slice::from_ref(node);
            let passed = reached * self.survival(node_only, load);
            let share = |attempts: f64| failures * attempts / (1.0 - success);
            if let Node::Stage(index) = node {
                self.add_stage(*index, load, share(passed - success), means);
                self.add_loss(*index, load, share(reached - passed), means);
            } else {
                self.add_steps(node_only, load, share(reached - success), &mut false, means);
            }
            reached = passed;
        }
        self.add_steps(again, load, failures, &mut false, means);
    }

    /// The probability that a load comes through these steps as far as the done edge.
    fn survival(&self, nodes: &[Node], load: &Load) -> f64 {
        let mut survival = 1.0;
        for node in nodes {
            survival *= match node {
                Node::Done if load.is_last => break,
                Node::Done => 1.0,
                Node::Stage(index) => 1.0 - self.placed[*index].stage.loss(load),
                Node::Frames { limit_bytes, body } => (0..load.cut(*limit_bytes, 0).frame_count)
                    .map(|index| self.survival(body, &load.cut(*limit_bytes, index)))
                    .product(),
                Node::Attempts { retries, body, .. } => {
                    1.0 - libm::pow(1.0 - self.survival(body, load), f64::from(*retries) + 1.0)
                }
            };
        }
        survival
    }

    /// The share of messages that are lost.
    pub fn loss(&self, payload_bytes: u32) -> f64 {
        1.0 - self.survival(&self.tree, &Load::whole(payload_bytes))
    }
}

/// The mean number of failures before a success, given that it comes after at most `retries` of them.
fn mean_failures(failure: f64, retries: u32) -> f64 {
    let (mut weight, mut total, mut mean) = (1.0, 0.0, 0.0);
    for k in 0..=retries {
        total += weight;
        mean += weight * f64::from(k);
        weight *= failure;
        if weight < 1e-18 {
            break;
        }
    }
    mean / total
}
