//! TCP between two virtual PCs.

mod connections;
mod losses;
mod numbers;
mod pace;

use std::sync::{Arc, Mutex};

use crate::common::{Carried, LEFT, RIGHT, Wire, ms, options, pattern, us, wire};
use ethernet::{Ending, News, TcpId, TcpState};
use units::Picoseconds;

type Shared<T> = Arc<Mutex<T>>;

fn shared<T>(value: T) -> Shared<T> {
    Arc::new(Mutex::new(value))
}

/// Has the right PC accept everything and answer each byte with itself; finishes when its peer did.
fn echo_server(wire: &mut Wire, port: u16) -> Shared<Vec<Ending>> {
    let endings = shared(Vec::new());
    let told = endings.clone();
    let mut listener = None;
    let mut waiting: Vec<(TcpId, Vec<u8>, bool)> = Vec::new();
    wire.on_right(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(port).expect("a free port"));
        while sockets.take_news().is_some() {}
        while let Some((id, _)) = sockets.accept(listener) {
            waiting.push((id, Vec::new(), false));
        }
        waiting.retain_mut(|(id, bytes, finished)| {
            sockets.receive(*id, |arrived| {
                bytes.extend_from_slice(arrived);
                arrived.len()
            });
            let sent = sockets.send(*id, bytes);
            bytes.drain(..sent);
            if sockets.peer_finished(*id) && bytes.is_empty() && !*finished {
                *finished = true;
                sockets.finish(*id);
            }
            if let Some(ending) = sockets.ending(*id) {
                told.lock().expect("a lock").push(ending);
                sockets.forget(*id);
                return false;
            }
            true
        });
        None
    });
    endings
}

#[derive(Debug, Default, Clone)]
struct Outcome {
    received: Vec<u8>,
    ending: Option<Ending>,
    opened_at: Option<Picoseconds>,
    ended_at: Option<Picoseconds>,
}

/// Has the left PC connect, send `bytes`, finish and read until the end.
fn client(wire: &mut Wire, port: u16, bytes: Vec<u8>) -> Shared<Outcome> {
    let outcome = shared(Outcome::default());
    let told = outcome.clone();
    let mut connection = None;
    let mut sent = 0;
    let mut finished = false;
    wire.on_left(move |now, sockets| {
        let id = *connection.get_or_insert_with(|| sockets.connect(RIGHT, port).expect("a way"));
        let mut told = told.lock().expect("a lock");
        while sockets.take_news().is_some() {}
        if sockets.state(id) == Some(TcpState::Open) {
            told.opened_at.get_or_insert(now);
            sent += sockets.send(id, &bytes[sent..]);
            if sent == bytes.len() && !finished {
                finished = true;
                sockets.finish(id);
            }
        }
        sockets.receive(id, |arrived| {
            told.received.extend_from_slice(arrived);
            arrived.len()
        });
        if let Some(ending) = sockets.ending(id) {
            told.ending.get_or_insert(ending);
            told.ended_at.get_or_insert(now);
        }
        None
    });
    outcome
}
