//! Peers that read slowly: what a client says that it sent is what has left for them, and not what the kernel keeps.

use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};
use traffic::os::{Ended, Seat, Until};
use traffic::{Results, Sample, machine};
use units::Picoseconds;

/// What the peer reads at a time, and how often.
const READ_BYTES: usize = 16 * 1024;
const PAUSE: Duration = Duration::from_millis(50);
/// Its window, the head of a test, and what waits on either side of the kernel.
const UNDER_WAY_BYTES: u64 = 192 * 1024;

/// A port at which one connection is read slowly for so long; then it is reset, or read to its end.
fn slow_peer(reads_for: Duration, resets: bool) -> u16 {
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    listener.set_recv_buffer_size(2 * READ_BYTES).unwrap();
    listener.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
    listener.listen(1).unwrap();
    let listener = TcpListener::from(listener);
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (begun, mut buffer) = (Instant::now(), vec![0; READ_BYTES]);
        while begun.elapsed() < reads_for {
            thread::sleep(PAUSE);
            stream.read_exact(&mut buffer).unwrap();
        }
        if resets {
            socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
        } else {
            while stream.read(&mut buffer).is_ok_and(|count| count > 0) {}
        }
    });
    port
}

fn measure(kind: &str, port: u16) -> (Results, Vec<Sample>) {
    let to = format!("127.0.0.1:{port}");
    let options = [("to", to.as_str()), ("time", "1s"), ("interval", "250ms"), ("timeout", "5s")];
    let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
    let number = seat.add(machine(kind, &options).unwrap());
    let deadline = Some(Picoseconds::from_ns(20_000_000_000));
    assert_eq!(seat.run(Until { deadline, stop: None }).unwrap(), Ended::Done);
    let machine = seat.into_machines().swap_remove(number);
    (machine.results(), machine.work())
}

#[test]
fn an_interval_has_what_left_for_the_peer_in_it() {
    for kind in ["bulk", "iperf"] {
        let (results, intervals) = measure(kind, slow_peer(Duration::from_secs(1), false));
        assert_eq!(results.failure, None, "{kind}");
        let read = u64::try_from(Duration::from_millis(250).as_millis() / PAUSE.as_millis()).unwrap();
        let most = read * READ_BYTES as u64 + UNDER_WAY_BYTES;
        let first = intervals.first().expect("an interval").payload_bytes;
        assert!(first <= most, "{kind}: {first} of at most {most} bytes in the first interval");
    }
}

#[test]
fn a_peer_that_resets_the_connection_is_told() {
    for kind in ["bulk", "iperf"] {
        let (results, _) = measure(kind, slow_peer(Duration::from_millis(400), true));
        let failure = results.failure.expect("a failure");
        assert!(failure.contains("reset"), "{kind}: {failure}");
    }
}
