//! How fast the PC itself is, on the wall clock; run with `cargo test --release -p airwire-ethernet --test host speed --
//! --ignored --nocapture`.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::common::{RIGHT, ms, us, wire};
use ethernet::TcpState;

const BYTES: usize = 10_000_000;

#[test]
#[ignore = "measures the wall clock"]
fn ten_megabytes_go_through_two_pcs_in_under_60_ms() {
    let mut best = f64::MAX;
    for _ in 0..5 {
        best = best.min(transfer());
    }
    println!("10 MB through two PCs: {best:.1} ms of wall time, so about {:.1} ms for each", best / 2.0);
    assert!(best < 60.0, "{best} ms");
}

fn transfer() -> f64 {
    let mut wire = wire();
    wire.keeps = false;
    wire.delay = us(20);
    let received = Arc::new(Mutex::new(0));
    let told = received.clone();
    let mut listener = None;
    let mut connection = None;
    wire.on_right(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(7).expect("a free port"));
        if let Some((id, _)) = sockets.accept(listener) {
            connection = Some(id);
        }
        if let Some(id) = connection {
            *told.lock().expect("a lock") += sockets.receive(id, <[u8]>::len);
        }
        while sockets.take_news().is_some() {}
        None
    });
    let mut client = None;
    let mut sent = 0;
    let chunk = vec![0x55; 65_536];
    wire.on_left(move |_, sockets| {
        let id = *client.get_or_insert_with(|| sockets.connect(RIGHT, 7).expect("a way"));
        while sockets.take_news().is_some() {}
        if sockets.state(id) == Some(TcpState::Open) {
            sent += sockets.send(id, &chunk[..chunk.len().min(BYTES - sent)]);
        }
        None
    });
    let start = Instant::now();
    wire.run(ms(60_000));
    assert_eq!(*received.lock().expect("a lock"), BYTES);
    println!("  {} steps", wire.steps);
    start.elapsed().as_secs_f64() * 1e3
}
