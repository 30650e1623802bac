//! The broker as a machine: what connections tell it, when it wakes, and what it says of itself.

use units::Picoseconds;

use super::client::{Client, Stage};
use super::{Broker, LISTENER};
use crate::losses::Cause;
use crate::{Action, Event, Machine, Results, Sample};

impl Broker {
    fn wake(&mut self, now: Picoseconds) {
        let due = |client: &Client| client.deadline.is_some_and(|deadline| deadline <= now);
        let late: Vec<_> = self
            .clients
            .iter()
            .filter(|(_, client)| due(client))
            .map(|(connection, _)| *connection)
            .collect();
        for connection in late {
            if matches!(self.clients[&connection].stage, Stage::Finished) {
                self.clients.remove(&connection);
                self.outbox.push(Action::Abort(connection));
            } else {
                self.counters.silent += 1;
                self.turn_away(Cause::Silent, now, connection, None);
                self.lose(now, connection);
            }
        }
    }
}

impl Machine for Broker {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.seated => {
                self.seated = true;
                self.outbox.push(Action::Listen(LISTENER, self.settings.port));
            }
            Event::Wake => {}
            Event::Accepted { connection, peer, .. } => {
                self.answers.client_came(now);
                self.accepted(now, connection, peer);
            }
            Event::Received(connection, bytes) => {
                let published = self.counters.published;
                self.received(now, connection, bytes);
                for _ in published..self.counters.published {
                    self.answers.answered(now, bytes.len(), 0);
                }
            }
            Event::Room(connection, bytes) => {
                let Some(client) = self.clients.get_mut(&connection) else { return };
                client.room(connection, bytes, &mut self.outbox);
                if let Stage::Connected { client_id, .. } = &client.stage {
                    let client_id = client_id.clone();
                    self.pump(&client_id);
                }
            }
            Event::PeerFinished(connection) => self.lose(now, connection),
            Event::Closed(connection, _) => {
                if let Some(client) = self.clients.remove(&connection) {
                    self.leave(client.stage);
                }
            }
            _ => {}
        }
        self.wake(now);
    }

    fn poll(&mut self) -> Option<Action> {
        self.outbox.pop()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.clients.values().filter_map(|client| client.deadline).min()
    }

    fn results(&self) -> Results {
        let counters = self.counters();
        Results::counted(&[
            ("connects", counters.connects, "clients"),
            ("refused", counters.refused, "clients"),
            ("published", counters.published, "messages"),
            ("delivered", counters.delivered, "messages"),
            ("dropped", counters.dropped, "messages"),
            ("not_retained", counters.not_retained, "messages"),
            ("malformed", counters.malformed, "packets"),
            ("silent", counters.silent, "clients"),
            ("taken_over", counters.taken_over, "clients"),
            ("stalled", counters.stalled, "clients"),
        ])
        .with(&self.losses)
    }

    fn work(&self) -> Vec<Sample> {
        self.answers.samples().to_vec()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
