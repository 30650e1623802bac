//! A world: components, the queue between them, and the loop that delivers messages in virtual time.

use units::Picoseconds;

use crate::queue::{EventQueue, Priority};
use crate::random::RandomStream;
use crate::span::SpanRecorder;

/// The place of a component in its world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ComponentId(u32);

/// A state machine in virtual time. A world of several kinds of component uses an enum, or
/// `Box<dyn Component<Message = M>>`.
pub trait Component {
    /// What components of this world send each other.
    type Message: Copy;

    /// Takes a message that is due now. Whatever follows from it goes through `context`.
    fn receive(&mut self, message: Self::Message, context: &mut Context<'_, Self::Message>);
}

impl<M: Copy> Component for Box<dyn Component<Message = M>> {
    type Message = M;

    fn receive(&mut self, message: M, context: &mut Context<'_, M>) {
        (**self).receive(message, context);
    }
}

#[derive(Debug, Clone, Copy)]
struct Delivery<M> {
    to: ComponentId,
    message: M,
}

/// What a component may do while it receives: read the time, draw random numbers, send, record.
#[derive(Debug)]
pub struct Context<'a, M> {
    now: Picoseconds,
    this: ComponentId,
    queue: &'a mut EventQueue<Delivery<M>>,
    random: &'a mut RandomStream,
    spans: &'a mut SpanRecorder,
    stopped: &'a mut bool,
}

impl<M: Copy> Context<'_, M> {
    /// The virtual time.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// The component's own random numbers.
    pub fn random(&mut self) -> &mut RandomStream {
        self.random
    }

    /// Where spans go.
    pub fn spans(&mut self) -> &mut SpanRecorder {
        self.spans
    }

    /// Sends a message that arrives at a time.
    ///
    /// # Panics
    /// When that time is past: time runs forward.
    pub fn send_at(&mut self, to: ComponentId, at: Picoseconds, message: M) {
        self.send_with_priority(to, at, Priority::default(), message);
    }

    /// Like [`Self::send_at`], with a place among the events of that instant.
    ///
    /// # Panics
    /// When that time is past.
    pub fn send_with_priority(&mut self, to: ComponentId, at: Picoseconds, priority: Priority, message: M) {
        assert!(at >= self.now, "a message must not arrive before it is sent: {at} is before {}", self.now);
        self.queue.push(at, priority, Delivery { to, message });
    }

    /// Sends a message that arrives after a delay.
    pub fn send_after(&mut self, to: ComponentId, delay: Picoseconds, message: M) {
        self.send_at(to, self.now + delay, message);
    }

    /// Asks to be called again at a time.
    pub fn wake_at(&mut self, at: Picoseconds, message: M) {
        self.send_at(self.this, at, message);
    }

    /// Like [`Self::wake_at`], with a place among the events of that instant.
    pub fn wake_with_priority(&mut self, at: Picoseconds, priority: Priority, message: M) {
        self.send_with_priority(self.this, at, priority, message);
    }

    /// Asks to be called again after a delay.
    pub fn wake_after(&mut self, delay: Picoseconds, message: M) {
        self.send_at(self.this, self.now + delay, message);
    }

    /// Ends the current [`World::run`] after this message; what is queued stays queued.
    pub fn stop(&mut self) {
        *self.stopped = true;
    }
}

#[derive(Debug)]
struct Slot<C> {
    component: C,
    random: RandomStream,
}

/// Components in virtual time.
#[derive(Debug)]
pub struct World<C: Component> {
    seed: u64,
    now: Picoseconds,
    slots: Vec<Slot<C>>,
    queue: EventQueue<Delivery<C::Message>>,
    spans: SpanRecorder,
}

impl<C: Component> World<C> {
    /// An empty world at time zero.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            now: Picoseconds::ZERO,
            slots: Vec::new(),
            queue: EventQueue::default(),
            spans: SpanRecorder::default(),
        }
    }

    /// Adds a component; `path` names its random stream.
    pub fn add(&mut self, path: &str, component: C) -> ComponentId {
        let id =
            ComponentId(u32::try_from(self.slots.len()).expect("a world has fewer than 2^32 components"));
        self.slots.push(Slot { component, random: RandomStream::named(self.seed, path) });
        id
    }

    /// Sends a message from outside.
    ///
    /// # Panics
    /// When `at` is past.
    pub fn post(&mut self, to: ComponentId, at: Picoseconds, message: C::Message) {
        assert!(at >= self.now, "a message must not arrive before it is sent: {at} is before {}", self.now);
        self.queue.push(at, Priority::default(), Delivery { to, message });
    }

    /// Delivers messages until none is left or a component stops the run; says how many were delivered.
    pub fn run(&mut self) -> u64 {
        self.run_until(Picoseconds::new(i64::MAX))
    }

    /// Delivers the messages that are due up to and including `end`; says how many.
    pub fn run_until(&mut self, end: Picoseconds) -> u64 {
        let mut delivered = 0;
        let mut stopped = false;
        while !stopped && self.queue.next_time().is_some_and(|time| time <= end) {
            let Some((time, delivery)) = self.queue.pop() else { break };
            self.now = time;
            delivered += 1;
            let slot = &mut self.slots[delivery.to.0 as usize];
            slot.component.receive(
                delivery.message,
                &mut Context {
                    now: time,
                    this: delivery.to,
                    queue: &mut self.queue,
                    random: &mut slot.random,
                    spans: &mut self.spans,
                    stopped: &mut stopped,
                },
            );
        }
        delivered
    }

    /// The virtual time: that of the last message delivered.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// The component at a place.
    pub fn component(&self, id: ComponentId) -> &C {
        &self.slots[id.0 as usize].component
    }

    /// The component at a place, to change it between runs.
    pub fn component_mut(&mut self, id: ComponentId) -> &mut C {
        &mut self.slots[id.0 as usize].component
    }

    /// Where spans are kept.
    pub fn spans_mut(&mut self) -> &mut SpanRecorder {
        &mut self.spans
    }
}
