//! Edges on their way to pins of this board, over wires from another one.

use std::collections::VecDeque;

use mcu::{Edge, Reaction};
use units::Picoseconds;

/// What has left and not arrived.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrivals {
    /// In the order of time; of one time in the order in which they were told.
    edges: VecDeque<Edge>,
}

impl Arrivals {
    pub(super) fn expect(&mut self, edge: Edge) {
        let place = self.edges.partition_point(|other| other.at <= edge.at);
        self.edges.insert(place, edge);
    }

    pub(super) fn next_event(&self) -> Option<Picoseconds> {
        self.edges.front().map(|edge| edge.at)
    }

    /// Every edge up to a time.
    pub(super) fn advance(&mut self, at: Picoseconds, reactions: &mut Vec<Reaction>) {
        let arrived = self.edges.partition_point(|edge| edge.at <= at);
        let arrived = self.edges.drain(..arrived);
        reactions.extend(arrived.map(|edge| Reaction::Pin { pin: edge.pin, level: Some(edge.level) }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_several_wires_arrive_in_the_order_of_time() {
        let mut arrivals = Arrivals::default();
        for (at, pin) in [(30, 1), (10, 2), (30, 3), (20, 4)] {
            arrivals.expect(Edge { at: Picoseconds::new(at), pin, level: true });
        }
        let mut reactions = Vec::new();
        arrivals.advance(Picoseconds::new(9), &mut reactions);
        assert!(reactions.is_empty());
        arrivals.advance(Picoseconds::new(30), &mut reactions);
        let pins: Vec<u8> = reactions
            .iter()
            .map(|reaction| if let Reaction::Pin { pin, .. } = reaction { *pin } else { 0 })
            .collect();
        assert_eq!((pins, arrivals.next_event()), (vec![2, 4, 1, 3], None));
    }
}
