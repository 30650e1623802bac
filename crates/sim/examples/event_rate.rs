//! Events a second on one core: two components that exchange messages with 64 of them pending, with spans off and on,
//! and beside them the bare event queue. `cargo run --release -p airwire-sim --example event_rate` prints one line each.

use std::time::Instant;

use sim::{Component, ComponentId, Context, EventQueue, Priority, Span, World};
use units::Picoseconds;

const PENDING: u32 = 64;
const EVENTS: u64 = 20_000_000;

/// Sends every message back after a time that the message determines.
struct Player {
    other: Option<ComponentId>,
    left: u64,
}

#[derive(Clone, Copy)]
struct Ball(u32);

/// A spread of delays without a random number generator in the way.
fn delay(ball: u32) -> (u32, Picoseconds) {
    let next = ball.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (next, Picoseconds::new(1 + i64::from(next >> 12)))
}

impl Component for Player {
    type Message = Ball;

    fn receive(&mut self, Ball(ball): Ball, context: &mut Context<'_, Ball>) {
        self.left -= 1;
        if self.left == 0 {
            return context.stop();
        }
        let (next, after) = delay(ball);
        let start = context.now();
        context.spans().record(|| Span {
            actor: 0,
            activity: 0,
            message: u64::from(ball),
            start,
            end: start + after,
            bytes: 0,
        });
        context.send_after(self.other.expect("players are paired"), after, Ball(next));
    }
}

fn exchange(spans: bool) -> f64 {
    let mut world = World::new(1);
    let [a, b] = ["a", "b"].map(|name| world.add(name, Player { other: None, left: EVENTS / 2 }));
    world.component_mut(a).other = Some(b);
    world.component_mut(b).other = Some(a);
    world.spans_mut().switch(spans);
    for ball in 0..PENDING {
        world.post(a, Picoseconds::new(i64::from(ball)), Ball(ball * 77_777));
    }
    let begun = Instant::now();
    let events = world.run();
    events as f64 / begun.elapsed().as_secs_f64()
}

fn bare() -> f64 {
    let mut queue = EventQueue::default();
    for ball in 0..PENDING {
        queue.push(Picoseconds::new(i64::from(ball)), Priority::default(), ball * 77_777);
    }
    let begun = Instant::now();
    for _ in 0..EVENTS {
        let (time, ball) = queue.pop().expect("64 are pending");
        let (next, after) = delay(ball);
        queue.push(time + after, Priority::default(), next);
    }
    EVENTS as f64 / begun.elapsed().as_secs_f64()
}

fn main() {
    for (name, rate) in
        [("exchange", exchange(false)), ("exchange_with_spans", exchange(true)), ("bare_queue", bare())]
    {
        println!("{name} {rate:.0}");
    }
}
