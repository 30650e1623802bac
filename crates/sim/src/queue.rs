//! The event queue: what is due next, in the order (time, priority, sequence).
//!
//! A four-ary heap: half the depth of a binary one, and its four children share a cache line or two.

use units::Picoseconds;

/// Among events of one instant the lower priority value comes first; equal ones keep the order of their posting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority(pub u8);

/// The middle: there is room before and after ordinary events.
impl Default for Priority {
    fn default() -> Self {
        Self(128)
    }
}

/// Sequence numbers fill the low bits of the key below the priority.
const SEQUENCE_BITS: u32 = 56;
const CHILDREN: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    time: Picoseconds,
    order: u64,
}

/// A queue of events that are due at a time.
#[derive(Debug, Clone)]
pub struct EventQueue<E> {
    heap: Vec<(Key, E)>,
    sequence: u64,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: Vec::new(), sequence: 0 }
    }
}

impl<E: Copy> EventQueue<E> {
    /// Adds an event.
    ///
    /// # Panics
    /// After 2^56 events, which no run reaches.
    pub fn push(&mut self, time: Picoseconds, priority: Priority, event: E) {
        assert!(self.sequence >> SEQUENCE_BITS == 0, "a run has fewer than 2^56 events");
        let key = Key { time, order: u64::from(priority.0) << SEQUENCE_BITS | self.sequence };
        self.sequence += 1;
        self.heap.push((key, event));
        self.sift_up(self.heap.len() - 1);
    }

    /// Takes the event that is due first.
    pub fn pop(&mut self) -> Option<(Picoseconds, E)> {
        let last = self.heap.pop()?;
        let first = match self.heap.first_mut() {
            None => last,
            Some(root) => {
                let first = std::mem::replace(root, last);
                self.sift_down();
                first
            }
        };
        Some((first.0.time, first.1))
    }

    /// When the next event is due.
    pub fn next_time(&self) -> Option<Picoseconds> {
        self.heap.first().map(|(key, _)| key.time)
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    fn sift_up(&mut self, mut at: usize) {
        let moving = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.heap[parent].0 <= moving.0 {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = moving;
    }

    fn sift_down(&mut self) {
        let heap = self.heap.as_mut_slice();
        let moving = heap[0];
        let mut at = 0;
        loop {
            let first = at * CHILDREN + 1;
            let children = first..(first + CHILDREN).min(heap.len());
            let Some(least) = children.min_by_key(|&child| heap[child].0) else { break };
            if moving.0 <= heap[least].0 {
                break;
            }
            heap[at] = heap[least];
            at = least;
        }
        heap[at] = moving;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn events_of_one_instant_come_by_priority_and_then_in_the_order_of_posting() {
        let mut queue = EventQueue::default();
        let at = Picoseconds::from_ns(5);
        for (priority, name) in [(1, "c"), (0, "a"), (1, "d"), (0, "b")] {
            queue.push(at, Priority(priority), name);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, name)| name).collect();
        assert_eq!(order, ["a", "b", "c", "d"]);
    }

    proptest! {
        #[test]
        fn events_leave_in_the_order_of_a_stable_sort(
            events in prop::collection::vec((-50i64..50, 0u8..3), 0..200),
        ) {
            let mut queue = EventQueue::default();
            for (index, &(time, priority)) in events.iter().enumerate() {
                queue.push(Picoseconds::new(time), Priority(priority), index);
            }
            let mut expected: Vec<usize> = (0..events.len()).collect();
            expected.sort_by_key(|&index| events[index]);
            let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, index)| index).collect();
            prop_assert_eq!(order, expected);
        }
    }
}
