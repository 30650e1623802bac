//! What the tests of several machines share: streams cut in pieces, and the field's own tools on loopback.

use std::net::Ipv4Addr;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use units::{PS_PER_S, Picoseconds};

use crate::os::{Seat, Until};
use crate::{Connection, IpEndpoint, Machine};

/// How long a server is looked after once its peer is gone.
const REST: Picoseconds = Picoseconds::new(PS_PER_S / 10);

/// A stream in pieces, cut at places taken modulo its length.
pub(crate) fn pieces<'a>(stream: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (stream.len() + 1)).collect();
    cuts.extend([0, stream.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]).filter(|piece| !piece.is_empty()).collect()
}

pub(crate) fn loopback(port: u16) -> IpEndpoint {
    IpEndpoint::new(Ipv4Addr::LOCALHOST, port)
}

pub(crate) fn within_seconds(seconds: i64) -> Until<'static> {
    Until { deadline: Some(Picoseconds::new(seconds * PS_PER_S)), stop: None }
}

/// Seats a server on loopback, runs `work` beside it with the server's port, and gives the server back.
pub(crate) fn serving<M: Machine + Clone, T: Send>(
    server: M,
    port_of: Connection,
    work: impl FnOnce(u16) -> T + Send,
) -> (M, T) {
    let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
    let number = seat.add(Box::new(server));
    let port = seat.local_port(number, port_of).unwrap();
    let stop = AtomicBool::new(false);
    let result = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let result = work(port);
            stop.store(true, Ordering::Relaxed);
            result
        });
        let until = Until { stop: Some(&stop), ..within_seconds(60) };
        seat.run(until).unwrap();
        worker.join().unwrap()
    });
    // The peer is gone; what it sent last may still wait to be read.
    let deadline = Some(seat.now() + REST);
    seat.run(Until { deadline, stop: None }).unwrap();
    (seat.machine::<M>(number).unwrap().clone(), result)
}

/// A tool that takes longer waits for something that does not come.
const TOOL_LIMIT: Duration = Duration::from_secs(20);
/// What stands behind the text of a tool that was ended.
pub(crate) const WAS_ENDED: &str = "(ended, as it took too long)";

/// Runs a tool that prints little; nothing where it is not installed, which is said.
pub(crate) fn tool(name: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(name);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = match command.spawn() {
        Ok(running) => running,
        Err(error) => {
            ::testing::leave_out(&format!("{name} cannot be run: {error}"));
            return None;
        }
    };
    let began = Instant::now();
    while running.try_wait().unwrap().is_none() && began.elapsed() < TOOL_LIMIT {
        thread::sleep(Duration::from_millis(5));
    }
    let was_ended = running.try_wait().unwrap().is_none();
    if was_ended {
        running.kill().unwrap();
    }
    let Output { stdout, stderr, .. } = running.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    Some(if was_ended { text + WAS_ENDED } else { text })
}
