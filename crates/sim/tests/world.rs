//! What a world promises: order, determinism, and streams that do not disturb each other.

use sim::{Component, ComponentId, Context, Priority, World};
use units::Picoseconds;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token(u32);

/// Passes tokens on after a random time and keeps a log of what it saw.
struct Node {
    next: Option<ComponentId>,
    log: Vec<(Picoseconds, u32)>,
    left: u32,
}

impl Node {
    fn new(left: u32) -> Self {
        Self { next: None, log: Vec::new(), left }
    }
}

impl Component for Node {
    type Message = Token;

    fn receive(&mut self, Token(token): Token, context: &mut Context<'_, Token>) {
        self.log.push((context.now(), token));
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let delay = context.random().time_below(Picoseconds::from_ns(1_000));
        if let Some(next) = self.next {
            context.send_after(next, delay, Token(token));
        }
    }
}

/// Two nodes that pass ten tokens to and fro; with `bystander` a third one that plays by itself.
fn logs(seed: u64, bystander: bool) -> Vec<Vec<(Picoseconds, u32)>> {
    let mut world = World::new(seed);
    let a = world.add("a", Node::new(500));
    if bystander {
        let alone = world.add("bystander", Node::new(100));
        world.component_mut(alone).next = Some(alone);
        world.post(alone, Picoseconds::ZERO, Token(99));
    }
    let b = world.add("b", Node::new(500));
    world.component_mut(a).next = Some(b);
    world.component_mut(b).next = Some(a);
    for token in 0..10 {
        world.post(a, Picoseconds::ZERO, Token(token));
    }
    world.run();
    [a, b].map(|id| world.component(id).log.clone()).to_vec()
}

#[test]
fn the_same_seed_gives_the_same_events_and_another_seed_others() {
    assert_eq!(logs(1, false), logs(1, false));
    assert_ne!(logs(1, false), logs(2, false));
}

#[test]
fn another_component_disturbs_no_other() {
    assert_eq!(logs(1, true), logs(1, false));
}

#[test]
fn the_same_worlds_on_many_threads_give_the_same_events() {
    let alone = logs(7, true);
    let threads: Vec<_> = (0..8).map(|_| std::thread::spawn(|| logs(7, true))).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), alone);
    }
}

#[test]
fn a_run_ends_at_its_time_and_goes_on_from_there() {
    let mut world = World::new(1);
    let node = world.add("node", Node::new(0));
    for ns in [10, 20, 30] {
        world.post(node, Picoseconds::from_ns(ns), Token(ns as u32));
    }
    assert_eq!(world.run_until(Picoseconds::from_ns(20)), 2);
    assert_eq!(world.now(), Picoseconds::from_ns(20));
    assert_eq!(world.run(), 1);
}

/// Sends itself three messages for one instant; the last one sent has priority.
struct Hurried(Vec<u32>);

impl Component for Hurried {
    type Message = Token;

    fn receive(&mut self, Token(token): Token, context: &mut Context<'_, Token>) {
        self.0.push(token);
        if token == 0 {
            let at = context.now() + Picoseconds::from_ns(1);
            context.wake_at(at, Token(2));
            context.wake_at(at, Token(3));
            context.wake_with_priority(at, Priority(0), Token(1));
        }
    }
}

#[test]
fn messages_of_one_instant_arrive_by_priority_and_then_in_the_order_of_sending() {
    let mut world = World::new(1);
    let hurried = world.add("hurried", Hurried(Vec::new()));
    world.post(hurried, Picoseconds::ZERO, Token(0));
    assert_eq!(world.run(), 4);
    assert_eq!(world.component(hurried).0, [0, 1, 2, 3]);
}

#[test]
#[should_panic(expected = "before it is sent")]
fn a_message_into_the_past_is_a_broken_invariant() {
    let mut world = World::new(1);
    let node = world.add("node", Node::new(0));
    world.post(node, Picoseconds::from_ns(10), Token(1));
    world.run();
    world.post(node, Picoseconds::from_ns(9), Token(2));
}
